package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"inlay/eval"
	"inlay/eval/report"
	"inlay/fault"
	"inlay/internal/wire"
)

// evalCmd asks questions with known answers under every combination of
// settings, and recommends one.
type evalCmd struct {
	Data      string `required:"" placeholder:"DIR|FILE" help:"Questions with known answers: a folder in BEIR's layout, a JSONL file, or a CSV file (question, file, page, quote)."`
	Documents string `placeholder:"DIR" help:"Folder of the documents that a JSONL or CSV file speaks of (default: the folder documents beside a CSV file; the folder of a JSONL file)."`
	Library   string `short:"L" placeholder:"NAME" help:"Library whose files a CSV file asks, by their paths in it; --library-path and the other filters choose among them."`
	filterSettings
	LibraryData string `name:"library-data" placeholder:"DIR" help:"Folder of the libraries (default: your data folder)."`

	Threshold string   `default:"0:1:0.01" placeholder:"LIST" help:"Affinity thresholds: values and ranges LOW:HIGH:STEP."`
	Limit     string   `default:"1,3,5,10" placeholder:"LIST" help:"Most passages to cite: values from 1 to 100."`
	Chunk     []string `default:"default" placeholder:"LIST" help:"Sizes of passages in tokens, SIZE/OVERLAP, or presets."`
	Embedder  []string `default:"builtin" placeholder:"LIST" help:"Embeddings: builtin, static:DIR, ollama:NAME, openai:NAME."`
	BaseURL   string   `key:"base_url"`
	rerankSettings

	Aim        string   `default:"cost" placeholder:"cost|f1|recall@P" help:"What to recommend by: the lowest cost of misses, of passages in vain and of tokens; the best F1 of passages; or the best recall at a precision of at least P."`
	CostMiss   float64  `default:"1" placeholder:"N" help:"Cost of an answerable question without a right passage."`
	CostFalse  float64  `default:"0.5" placeholder:"N" help:"Cost of an unanswerable question with passages."`
	CostTokens float64  `default:"0.1" placeholder:"N" help:"Cost of a thousand tokens."`
	FailUnder  []string `placeholder:"NAME=VALUE" help:"End with exit code 5 when a figure is below a floor, for example ndcg@10=0.7; may be repeated."`

	CSV  string `name:"csv" placeholder:"FILE" help:"Write every point of the sweep as CSV; - is standard output."`
	JSON string `name:"json" placeholder:"FILE" help:"Write the whole report (inlay.evaluation/v1); - is standard output."`
	HTML string `name:"html" placeholder:"FILE" help:"Write the report as one page with charts that needs nothing beside itself; - is standard output."`
	TREC string `name:"run" placeholder:"FILE" help:"Write the recommended setting's rankings as a TREC run, and beside it FILE.qrels."`

	Store  string `key:"store"`
	Resume bool   `help:"Go on where the last one was ended: as --store, with a folder in your cache."`
	Jobs   *int   `placeholder:"N" help:"Documents and questions worked on at a time (default: one for each processor)."`
	Seed   uint64 `default:"0" placeholder:"N" help:"Seed of the folds and of the bootstrap."`
	Quiet  bool   `short:"q" help:"No progress."`
}

// Run evaluates.
func (c *evalCmd) Run(ctx context.Context, a *app) error {
	floors, err := parseFloors(c.FailUnder)
	if err != nil {
		return err
	}
	if err := c.checkOutputs(); err != nil {
		return err
	}
	options, err := c.options(ctx, a)
	if err != nil {
		return err
	}
	view := newEvalView(a.stderr, c.Quiet)
	options.Report = view.show
	outcome, err := eval.Run(ctx, options)
	view.close()
	if err != nil {
		if fault.Is(err, fault.Canceled) {
			view.note(c.kept(a))
		}
		return err
	}
	if err := c.write(a, outcome); err != nil {
		return err
	}
	return belowFloors(floors, outcome)
}

// kept says what an evaluation that was ended leaves behind.
func (c *evalCmd) kept(a *app) string {
	if dir := c.store(a); dir != "" {
		return "What was done so far is kept in " + dir + "; the same command goes on from there."
	}
	return "Nothing is kept; with --resume or --store DIR the same command could go on where it was ended."
}

// store is the folder in force; empty means none.
func (c *evalCmd) store(a *app) string {
	if dir := wire.UserCache(a.getenv); c.Store == "" && c.Resume && dir != "" {
		return filepath.Join(dir, "inlay", "eval")
	}
	return c.Store
}

// options are the settings as eval takes them.
func (c *evalCmd) options(ctx context.Context, a *app) (eval.Options, error) {
	jobs := 0
	if c.Jobs != nil {
		if jobs = *c.Jobs; jobs < 1 {
			return eval.Options{}, &fault.Error{Code: fault.Usage, Subject: "--jobs", Reason: fmt.Sprintf("is %d, want 1 or more", jobs), Next: "leave it out for one for each processor"}
		}
	}
	o := eval.Options{Cost: eval.Cost{Miss: c.CostMiss, False: c.CostFalse, Tokens: c.CostTokens}, Parallel: jobs, Seed: c.Seed, Build: buildName()}
	var err error
	if o.Aim, err = eval.ParseAim(c.Aim); err != nil {
		return o, err
	}
	if o.Thresholds, err = eval.ParseThresholds(c.Threshold); err != nil {
		return o, err
	}
	if o.Limits, err = eval.ParseLimits(c.Limit); err != nil {
		return o, err
	}
	if o.Set, err = c.set(ctx, a); err != nil {
		return o, err
	}
	for _, text := range c.Chunk {
		s, err := wire.OpenSplitter(text)
		if err != nil {
			return o, err
		}
		o.Chunkings = append(o.Chunkings, s)
	}
	if c.Resume && c.store(a) == "" {
		return o, &fault.Error{Code: fault.Usage, Subject: "--resume", Reason: "finds no cache folder of yours", Next: "use --store DIR"}
	}
	return o, wireEval(ctx, &o, c, a)
}

// buildName names this program's build: rankings of another one are not taken up.
func buildName() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d", version, info.Size(), info.ModTime().UnixNano())
}

// outputs are the files to write, by flag.
func (c *evalCmd) outputs() map[string]string {
	return map[string]string{"--csv": c.CSV, "--json": c.JSON, "--html": c.HTML, "--run": c.TREC}
}

// checkOutputs finds out before the work whether its outcome can be written.
func (c *evalCmd) checkOutputs() error {
	stdout := ""
	for flag, path := range c.outputs() {
		if path == "-" {
			if stdout != "" {
				return &fault.Error{Code: fault.Usage, Subject: stdout + " and " + flag, Reason: "cannot both be standard output"}
			}
			stdout = flag
		}
		if path == "" || path == "-" {
			continue
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return &fault.Error{Code: fault.Usage, Subject: flag + " " + path, Reason: "is not a file"}
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return &fault.Error{Code: fault.FileNotFound, Subject: flag + " " + path, Reason: "its folder does not exist", Next: "make the folder"}
		}
	}
	return nil
}

// write writes the files that were asked for, and the summary unless standard
// output is taken.
func (c *evalCmd) write(a *app, r *eval.Report) error {
	taken := false
	for _, out := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{c.CSV, r.WriteCSV},
		{c.JSON, r.WriteJSON},
		{c.HTML, func(w io.Writer) error { return report.Write(w, r) }},
		{c.TREC, func(w io.Writer) error { return eval.WriteRun(w, r.Run) }},
		{qrelsPath(c.TREC), func(w io.Writer) error { return eval.WriteQrels(w, r.Qrels) }},
	} {
		if out.path == "" {
			continue
		}
		var b bytes.Buffer
		if err := out.write(&b); err != nil {
			return err
		}
		if out.path == "-" {
			taken = true
			if _, err := a.stdout.Write(b.Bytes()); err != nil {
				return err
			}
		} else if err := replaceFile(out.path, b.Bytes()); err != nil {
			return &fault.Error{Code: fault.FileUnreadable, Subject: out.path, Reason: "it cannot be written: " + reasonOf(err), Next: "check the folder's permissions", Err: err}
		}
	}
	if taken {
		return nil
	}
	return printEvaluation(a.stdout, r, c.use(r.Recommended))
}

// use is the command that searches as recommended.
func (c *evalCmd) use(r eval.Recommendation) string {
	use := fmt.Sprintf("inlay ask --limit %d --threshold %g --chunk %s", r.Limit, r.Threshold, r.Chunk)
	if name := c.Embedder[r.Setting/len(c.Chunk)%len(c.Embedder)]; name != "builtin" {
		use += " --embedder " + strconv.Quote(name)
	}
	if r.Reranker != "" {
		use += " --reranker " + strconv.Quote(c.Reranker)
		if c.RerankerModel != "" {
			use += " --reranker-model " + strconv.Quote(c.RerankerModel)
		}
	}
	return use
}

// qrelsPath is where the judgements of a run go.
func qrelsPath(run string) string {
	if run == "" || run == "-" {
		return ""
	}
	return run + ".qrels"
}

// floor is a figure and the least it may be.
type floor struct {
	name string
	min  float64
}

// figures are what --fail-under can ask for: those with an @ and map and auroc
// judge the ranking of the recommended setting, the others the recommended point.
func figures(r *eval.Report) map[string]float64 {
	rec := r.Recommended
	rank := r.Settings[rec.Setting].Ranking
	return map[string]float64{
		"ndcg@10": rank.NDCG10, "mrr@10": rank.MRR10, "map": rank.MAP, "recall@5": rank.Recall5, "recall@10": rank.Recall10,
		"recall@20": rank.Recall20, "recall@100": rank.Recall100, "precision@1": rank.Precision1, "success@5": rank.Success5,
		"auroc": rank.AUROC, "precision": rec.Precision, "recall": rec.Recall, "f1": rec.F1, "mrr": rec.MRR, "hit_rate": rec.HitRate,
		"answered": 1 - rec.Silent, "quiet": 1 - rec.False, "held_out_f1": rec.HeldOut.F1, "held_out_recall": rec.HeldOut.Recall,
	}
}

func parseFloors(texts []string) ([]floor, error) {
	known := figures(&eval.Report{Settings: make([]eval.Setting, 1)})
	var floors []floor
	for _, text := range texts {
		name, value, _ := strings.Cut(text, "=")
		least, err := strconv.ParseFloat(value, 64)
		if _, ok := known[name]; !ok || err != nil || !(least >= 0 && least <= 1) {
			return nil, &fault.Error{
				Code: fault.Usage, Subject: "--fail-under " + text, Reason: "is not NAME=VALUE with a value from 0 to 1",
				Next: "names are " + strings.Join(slices.Sorted(maps.Keys(known)), ", "), Err: err,
			}
		}
		floors = append(floors, floor{name, least})
	}
	return floors, nil
}

// errBelowFloor is the failure that has exit code 5.
var errBelowFloor = errors.New("below the floor")

func belowFloors(floors []floor, r *eval.Report) error {
	var below []string
	for _, f := range floors {
		if got := figures(r)[f.name]; got < f.min {
			below = append(below, fmt.Sprintf("%s is %.4f, below the %g asked for", f.name, got, f.min))
		}
	}
	if below == nil {
		return nil
	}
	where := fmt.Sprintf("with %s, chunks of %s", r.Recommended.Search(), r.Recommended.Chunk)
	return fmt.Errorf("%s (%s): %w", strings.Join(below, "; "), where, errBelowFloor)
}

// aimName is the aim in words.
func aimName(r eval.Recommendation) string {
	kind, precision, _ := strings.Cut(r.Aim, "@")
	switch kind {
	case "recall":
		return "recall at a precision of at least " + precision
	case "cost":
		return "cost"
	}
	return cmp.Or(map[string]string{"f1": "F1"}[kind], kind)
}
