package main

import (
	"inlay/fault"
	"inlay/injection"
	"inlay/parse"
	"inlay/parse/pdf"
)

// settings are the values that shape a decision. Each is a flag, INLAY_ and the
// flag's name in the environment, and its key in the configuration file.
type settings struct {
	modelSettings
	searchSettings
	Mode             string  `key:"mode" enum:"auto,full,retrieval,none" default:"auto" help:"What to do with files: decide, inject whole, retrieve passages, nothing."`
	Policy           string  `key:"policy" enum:"all,mixed" default:"all" help:"All new files whole or none; mixed: small ones whole, large ones retrieved."`
	Coverage         string  `key:"coverage" enum:"off,auto" default:"off" help:"Answer questions about whole documents (summaries, counts, comparisons) from a representative selection."`
	OnOverflow       string  `key:"on_overflow" enum:"refuse,retrieve" default:"refuse" help:"What becomes of a mode that cannot fit."`
	OnFailure        string  `key:"on_failure" enum:"stop,continue" default:"stop" help:"Whether to go on when every new file fails."`
	Strict           bool    `key:"strict" help:"Fail when a single file fails."`
	TargetContextUse float64 `key:"target_context_use" default:"0.7" help:"Share of the free window that files and question may take."`
	ReserveOutput    int     `key:"reserve_output_tokens" default:"0" placeholder:"N" help:"Tokens of the window kept for the answer."`
	PromptSet        string  `key:"prompt_set" default:"classic" placeholder:"classic|cited|DIR" help:"Wording of the prompt: classic, cited, or a folder of templates."`
	ExpandQuery      bool    `key:"expand_query" help:"Search with the previous question before this one."`
	Intent           string  `key:"intent" enum:"off,builtin,model" default:"off" help:"Move bulk out of a large question into documents: by its structure, or as the model splits it."`
}

// modelSettings say which model will answer.
type modelSettings struct {
	Model         string `key:"model" placeholder:"PROVIDER:NAME" help:"Model that will answer, for example ollama:llama3.2, openai:gpt-4o or openai-responses:gpt-5-pro."`
	BaseURL       string `key:"base_url" name:"base-url" placeholder:"URL" help:"Where the model is served: Ollama's address, or an OpenAI-compatible one up to /v1 (LM Studio, llama.cpp, vLLM)."`
	ContextLength int    `key:"context_length" default:"0" placeholder:"N" help:"Context window in tokens; 0: of the model, 4096 where nothing is known."`
}

// readSettings bound what reading a file may cost.
type readSettings struct {
	ParseLimits string `key:"parse_limits" placeholder:"NAME=VALUE,..." help:"Limits of reading one file, for example file=100MiB,time=5s,memory=1GiB."`
	HTML        string `key:"html" name:"html" enum:"article,all" default:"article" help:"What to read of a web page: its article, or all of it."`
	OCR         bool   `key:"ocr" name:"ocr" help:"Let tesseract, if installed, read PDF pages that look scanned."`
	OCRLanguage string `key:"ocr_language" name:"ocr-language" default:"eng" placeholder:"NAME+NAME" help:"Languages of scanned pages, by tesseract's names, for example eng+deu."`
}

// AfterApply hands the settings to whatever reads files, once flags are known.
func (s readSettings) AfterApply(a *app) (err error) {
	a.ocr = s.tesseract()
	a.limits, err = s.limits()
	return err
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
	Embedder  string   `key:"embedder" placeholder:"NAME" help:"Embedding: builtin, static:DIR, ollama:NAME or openai:NAME (served where the model is, if that is the same provider). Default: nomic-embed-text where the server of --model is Ollama or LM Studio and lists it, else builtin."`
	Limit     int      `key:"retrieval_limit" default:"3" placeholder:"N" help:"Most passages to cite."`
	Threshold *float64 `key:"retrieval_affinity_threshold" placeholder:"0..1" help:"Affinity that a passage must exceed (default: the embedder's own)."`
	Relative  float64  `key:"relative" default:"0" placeholder:"0..1" help:"Leave out passages that rank below this share of the best one; 0 leaves out none."`
	Chunk     string   `key:"chunk" placeholder:"SIZE/OVERLAP" help:"Size of passages in tokens, or a preset such as rag-v1 (default: the splitter's own)."`
	Store     string   `key:"store" placeholder:"DIR" help:"Folder that keeps parses, chunks and embeddings for the next question."`
}

// options are the settings as injection takes them.
func (s settings) options() (injection.Options, error) {
	set, err := promptSet(s.PromptSet)
	if err != nil {
		return injection.Options{}, err
	}
	mode, err := injection.ParseMode(s.Mode)
	if err != nil {
		return injection.Options{}, usageError(err)
	}
	policy, err := injection.ParsePolicy(s.Policy)
	if err != nil {
		return injection.Options{}, usageError(err)
	}
	if s.Limit == 0 {
		return injection.Options{}, &fault.Error{Code: fault.Usage, Subject: "--limit", Reason: "is 0, want 1 to 100"}
	}
	if s.TargetContextUse == 0 {
		return injection.Options{}, &fault.Error{Code: fault.Usage, Subject: "--target-context-use", Reason: "is 0, want more than 0 and at most 1"}
	}
	o := injection.Options{
		Mode: mode, Policy: policy, Limit: s.Limit, Threshold: s.Threshold, TargetContextUse: s.TargetContextUse,
		Prompts: set, ReserveOutput: s.ReserveOutput, Strict: s.Strict, ExpandQuery: s.ExpandQuery,
		Coverage: s.Coverage == "auto", Continue: s.OnFailure == "continue", RetrieveOverflow: s.OnOverflow == "retrieve",
	}
	return o, o.Validate()
}
