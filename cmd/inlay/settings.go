package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"inlay/fault"
	"inlay/ignore"
	"inlay/injection"
	"inlay/internal/download"
	"inlay/internal/inputs"
	"inlay/internal/wire"
	"inlay/options"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/prompts"
)

// settings are the values that shape a decision. A field with a key is a row of
// the table in package options, which gives its flag, environment name, bounds,
// default and help (see flags.go).
type settings struct {
	wire.ModelSettings
	searchSettings
	Mode             string  `key:"mode"`
	Policy           string  `key:"policy"`
	Coverage         string  `key:"coverage"`
	OnOverflow       string  `key:"on_overflow"`
	OnFailure        string  `key:"on_failure"`
	Strict           bool    `key:"strict"`
	TargetContextUse float64 `key:"target_context_use"`
	ReserveOutput    int     `key:"reserve_output_tokens"`
	PromptSet        string  `key:"prompt_set"`
	ExpandQuery      bool    `key:"expand_query"`
	Rerank           bool    `key:"rerank"`
	Intent           string  `key:"intent"`
	librarySettings
}

// librarySettings name libraries to ask.
type librarySettings struct {
	Library []string `key:"library" short:"L"`
	filterSettings
	dataSettings
}

// readSettings bound what reading a file may cost.
type readSettings struct {
	ParseLimits string `key:"parse_limits"`
	HTML        string `key:"html"`
	OCR         bool   `key:"ocr"`
	OCRLanguage string `key:"ocr_language"`

	Include      []string      `key:"include"`
	Exclude      []string      `key:"exclude"`
	FolderFiles  int           `key:"folder_files"`
	FolderBytes  int64         `key:"folder_bytes"`
	DownloadTime time.Duration `key:"download_time"`
	AllowPrivate bool          `key:"allow_private"`
}

// AfterApply hands the settings to whatever reads files, once flags are known.
func (s readSettings) AfterApply(a *app) (err error) {
	a.ocr = s.tesseract()
	if a.limits, err = s.limits(); err != nil {
		return err
	}
	a.inputs, err = s.inputs(a)
	return err
}

// inputs reads what the user names.
func (s readSettings) inputs(a *app) (*inputs.Reader, error) {
	include, err := ignore.ParseGlobs("--include", s.Include)
	if err != nil {
		return nil, err
	}
	exclude, err := ignore.ParseGlobs("--exclude", s.Exclude)
	return &inputs.Reader{
		Limits: a.limits, Stdin: a.stdin, Accept: a.leaveOut, Include: include, Exclude: exclude, Files: s.FolderFiles, Bytes: s.FolderBytes,
		Download: download.Options{Timeout: s.DownloadTime, Private: s.AllowPrivate},
	}, err
}

func (s readSettings) limits() (parse.Limits, error) {
	l, err := parse.LimitsFrom(s.ParseLimits)
	l.WholePages = s.HTML == "all"
	return l, err
}

// tesseract reads scanned pages; nil where that was not asked for.
func (s readSettings) tesseract() *pdf.Tesseract {
	if !s.OCR {
		return nil
	}
	return &pdf.Tesseract{Language: s.OCRLanguage}
}

// searchSettings shape reading and retrieval.
type searchSettings struct {
	readSettings
	Embedder  string   `key:"embedder"`
	Limit     int      `key:"retrieval_limit"`
	Threshold *float64 `key:"retrieval_affinity_threshold"`
	Share     *float64 `key:"citation_share"`
	Relative  float64  `key:"relative"`
	Chunk     string   `key:"chunk"`
	Store     string   `key:"store"`
	rerankSettings
}

// rerankSettings name the second reader of passages.
type rerankSettings struct {
	Reranker      string        `key:"reranker"`
	RerankerModel string        `key:"reranker_model"`
	RerankTime    time.Duration `key:"rerank_time"`
}

// reranker is what the wiring reads of them.
func (s rerankSettings) reranker() wire.Reranker {
	return wire.Reranker{At: s.Reranker, Model: s.RerankerModel, Time: s.RerankTime}
}

// search is what the wiring reads of the settings.
func (s searchSettings) search() (wire.Search, error) {
	limits, err := s.limits()
	return wire.Search{Embedder: s.Embedder, Relative: s.Relative, Chunk: s.Chunk, Store: s.Store, Limits: limits, OCR: s.tesseract(), Reranker: s.reranker()}, err
}

// injector is that of a command that asks.
func (s settings) injector(ctx context.Context, a *app) (*injection.Injector, error) {
	return s.open(ctx, a, s.searchSettings, s.ModelSettings)
}

// open makes an injector that has the user's libraries, and makes passages as
// those of the ones that are asked were made.
func (s librarySettings) open(ctx context.Context, a *app, how searchSettings, m wire.ModelSettings) (*injection.Injector, error) {
	search, err := how.search()
	if err != nil {
		return nil, err
	}
	libraries := wire.OpenLibraries(wire.DataDir(s.Data, a.getenv))
	if len(s.Library) > 0 {
		made, err := libraries.Settings(ctx, "", s.Library[0])
		if err != nil {
			return nil, err
		}
		search = wire.LikeLibrary(search, made)
	}
	injector, err := wire.OpenInjector(ctx, search, m, a.getenv)
	if err != nil {
		return nil, err
	}
	injector.Libraries = libraries
	return injector, nil
}

// options are the settings as injection takes them.
func (s settings) options() (injection.Options, error) {
	set, err := promptSet(s.PromptSet)
	if err != nil {
		return injection.Options{}, err
	}
	values := valuesOf(&s)
	delete(values, "prompt_set") // may be a folder here
	delete(values, "chunk")      // the injector has the search
	delete(values, "embedder")
	return injection.Options{Prompts: set}.With(values)
}

// promptSet opens a built-in set or a folder of templates.
func promptSet(name string) (*prompts.Set, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		set, err := prompts.Load(filepath.Base(name), os.DirFS(name))
		if err != nil {
			return nil, &fault.Error{Code: fault.Usage, Subject: "--prompt-set " + name, Reason: err.Error(), Next: "fix the template", Err: err}
		}
		return set, nil
	}
	set, err := prompts.Named(name)
	row, _ := options.Find("prompt_set")
	if err != nil {
		return nil, &fault.Error{Code: fault.Usage, Subject: "--prompt-set", Reason: "must be " + row.WantsText(), Next: "name a folder with full.tmpl, retrieval.tmpl and none.tmpl", Err: err}
	}
	return set, nil
}
