package jobs

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"inlay/eval"
	"inlay/fault"
	"inlay/internal/files"
	"inlay/internal/oneline"
	"inlay/internal/state"
	"inlay/parse"
	"inlay/retrieve"
)

// EvaluationRequest is what an evaluation is asked for: questions with known
// answers over files, and what is tried. What it leaves out is as inlay eval
// has it.
type EvaluationRequest struct {
	Name       string               `json:"name,omitempty"`
	Files      []files.Ref          `json:"files" doc:"the documents: uploads by id, or a name and data, which are then kept as uploads until the evaluation is deleted"`
	Questions  []EvaluationQuestion `json:"questions"`
	Thresholds string               `json:"thresholds,omitempty" doc:"affinities to try: values and ranges LOW:HIGH:STEP, parted by commas; 0:1:0.01"`
	Limits     []int                `json:"limits,omitempty" doc:"most passages to cite, 1 to 100 each; 1, 3, 5, 10"`
	Chunks     []string             `json:"chunks,omitempty" doc:"sizes of passages in tokens, SIZE/OVERLAP, or presets; the server's own"`
	Aim        string               `json:"aim,omitempty" doc:"what to recommend by: cost, f1, or recall@P with a precision P; cost"`
	Cost       *eval.Cost           `json:"cost,omitempty" doc:"what a question without a right passage, one with passages in vain and a thousand tokens cost; 1, 0.5, 0.1"`
	Seed       uint64               `json:"seed,omitempty" doc:"of folds and bootstrap"`
	Kept       []string             `json:"-"` // ids of the uploads that were made for it
}

// EvaluationQuestion is a question with what answers it.
type EvaluationQuestion struct {
	ID       string               `json:"id,omitempty" doc:"its name in the report; q1, q2 ..."`
	Question string               `json:"question"`
	Kind     string               `json:"kind,omitempty" doc:"groups questions in the report"`
	Files    []string             `json:"files,omitempty" doc:"ids or names of the files it is asked of; all"`
	Expected []EvaluationExpected `json:"expected,omitempty" doc:"what answers it; none: the files do not"`
}

// EvaluationExpected is one place that answers a question.
type EvaluationExpected struct {
	File  string  `json:"file,omitempty" doc:"id or name; may be left out beside a quote"`
	Quote string  `json:"quote,omitempty" doc:"words that stand there, compared by letters and digits"`
	Page  int     `json:"page,omitempty" doc:"from 1"`
	Range []int   `json:"range,omitempty" doc:"start and end of the place, in characters of the text"`
	Grade float64 `json:"grade,omitempty" doc:"how much it answers; 1"`
}

// What one evaluation may ask for.
const (
	mostDocuments = 1000
	mostQuestions = 10_000
	mostChunkings = 16
)

// document is a file of an evaluation as the report names it.
type document struct{ id, name, title string }

// options are what the evaluation runs with, over files of owner. Mistakes are
// fault.Usage and name the place, never what is there.
func (s *Jobs) evaluation(ctx context.Context, owner string, r EvaluationRequest) (eval.Options, error) {
	o := s.config.Evaluator(owner)
	o.Namespace, o.Seed, o.Logger = owner, r.Seed, s.log
	if err := r.settings(&o); err != nil {
		return o, err
	}
	set := &eval.Set{Name: cmp.Or(r.Name, "evaluation"), Layout: eval.Given}
	names, err := s.documents(ctx, owner, r.Files, set)
	if err != nil {
		return o, err
	}
	if set.Questions, err = questions(r.Questions, names); err != nil {
		return o, err
	}
	o.Set = set
	return o, o.Check()
}

// settings are what is tried, and what for.
func (r EvaluationRequest) settings(o *eval.Options) (err error) {
	if len(r.Name) > state.MaxName {
		return fault.Invalid("name", fmt.Sprintf("at most %d bytes", state.MaxName))
	}
	if err := oneline.Check("name", r.Name); err != nil {
		return err
	}
	if r.Thresholds != "" {
		if o.Thresholds, err = eval.ParseThresholds(r.Thresholds); err != nil {
			return fault.Invalid("thresholds", "values and ranges LOW:HIGH:STEP from 0 to 1, parted by commas")
		}
	}
	if o.Aim, err = eval.ParseAim(cmp.Or(r.Aim, string(eval.AimCost))); err != nil {
		return fault.Invalid("aim", "cost, f1, or recall@P with a precision P above 0 and at most 1")
	}
	if r.Cost != nil {
		o.Cost = *r.Cost
	}
	o.Limits = r.Limits
	if len(r.Chunks) > mostChunkings {
		return fault.Invalid("chunks", fmt.Sprintf("at most %d sizes", mostChunkings))
	}
	for i, text := range r.Chunks {
		chunks, err := retrieve.ParseSplitter(text)
		if err != nil {
			return fault.Invalid(fmt.Sprintf("chunks[%d]", i), "SIZE/OVERLAP in tokens, such as 300/0, or a preset such as rag-v1")
		}
		if i == 0 {
			o.Chunkings = nil
		}
		o.Chunkings = append(o.Chunkings, chunks)
	}
	return nil
}

// documents puts the files into the set, and names each by its id and by its
// name; a name that several have stands for none.
func (s *Jobs) documents(ctx context.Context, owner string, refs []files.Ref, set *eval.Set) (map[string]string, error) {
	if len(refs) == 0 || len(refs) > mostDocuments {
		return nil, fault.Invalid("files", fmt.Sprintf("1 to %d", mostDocuments))
	}
	files := make([]document, len(refs))
	count := map[string]int{}
	for i, ref := range refs {
		if ref.Mode != "" {
			return nil, fault.Invalid(fmt.Sprintf("files[%d].mode", i), "nothing: all files are searched")
		}
		f, err := s.config.Files.File(ctx, owner, ref.ID)
		if err != nil {
			return nil, err
		}
		if count[f.ID]++; count[f.ID] > 1 {
			return nil, fault.Invalid(fmt.Sprintf("files[%d].id", i), "a file that is not there yet")
		}
		count[f.Name]++
		files[i] = document{id: f.ID, name: f.Name}
	}
	names := map[string]string{}
	for _, d := range files {
		d.title = d.name
		if count[d.name] > 1 {
			d.title = d.id
		} else {
			names[d.name] = d.title
		}
		names[d.id] = d.title
		set.Documents = append(set.Documents, eval.Source{ID: d.title, Open: s.source(owner, d)})
	}
	return names, nil
}

// source opens the bytes of an upload.
func (s *Jobs) source(owner string, d document) func(context.Context) (parse.File, error) {
	return func(ctx context.Context) (parse.File, error) {
		f, err := s.config.Files.File(ctx, owner, d.id)
		if err != nil {
			return parse.File{}, err
		}
		data, err := s.config.Files.Bytes(ctx, owner, f.Content)
		return parse.File{Name: d.title, Data: data}, err
	}
}

func questions(list []EvaluationQuestion, names map[string]string) ([]eval.Question, error) {
	if len(list) == 0 || len(list) > mostQuestions {
		return nil, fault.Invalid("questions", fmt.Sprintf("1 to %d", mostQuestions))
	}
	out := make([]eval.Question, len(list))
	ids := map[string]bool{}
	for i, one := range list {
		at := fmt.Sprintf("questions[%d]", i)
		q, err := one.question(at, names)
		if err != nil {
			return nil, err
		}
		q.ID = cmp.Or(one.ID, fmt.Sprintf("q%d", i+1))
		if ids[q.ID] {
			return nil, fault.Invalid(at+".id", "an id that no other question has")
		}
		ids[q.ID] = true
		out[i] = q
	}
	return out, nil
}

func (q EvaluationQuestion) question(at string, names map[string]string) (eval.Question, error) {
	out := eval.Question{Text: q.Question, Kind: q.Kind, Origin: at}
	if strings.TrimSpace(q.Question) == "" {
		return out, fault.Invalid(at+".question", "words")
	}
	for i, file := range q.Files {
		name, ok := names[file]
		if !ok {
			return out, fault.Invalid(fmt.Sprintf("%s.files[%d]", at, i), "the id of one of the files, or a name that one of them alone has")
		}
		out.Scope = append(out.Scope, name)
	}
	for i, one := range q.Expected {
		e, err := one.expected(fmt.Sprintf("%s.expected[%d]", at, i), names)
		if err != nil {
			return out, err
		}
		e.Field = fmt.Sprintf("%s.expected[%d]", at, i)
		out.Expected = append(out.Expected, e)
	}
	return out, nil
}

func (x EvaluationExpected) expected(at string, names map[string]string) (eval.Expected, error) {
	e := eval.Expected{Grade: x.Grade, Page: x.Page, Quote: x.Quote}
	switch {
	case x.File == "" && x.Quote == "":
		return e, fault.Invalid(at, "a file, a quote, or both")
	case x.File == "" && (x.Page != 0 || x.Range != nil):
		return e, fault.Invalid(at+".file", "the file of the page or range")
	case x.Page < 0:
		return e, fault.Invalid(at+".page", "a number from 1 on")
	case x.Grade < 0:
		return e, fault.Invalid(at+".grade", "more than 0")
	case x.Range != nil && (len(x.Range) != 2 || x.Range[0] < 0 || x.Range[0] >= x.Range[1]):
		return e, fault.Invalid(at+".range", "a start and a larger end")
	}
	if x.Range != nil {
		e.Range = &[2]int{x.Range[0], x.Range[1]}
	}
	if x.File == "" {
		return e, nil
	}
	name, ok := names[x.File]
	if !ok {
		return e, fault.Invalid(at+".file", "the id of one of the files, or a name that one of them alone has")
	}
	e.Document = name
	return e, nil
}

var errNoEvaluations = &fault.Error{Code: fault.NotFound, Subject: "evaluations", Reason: "this server runs none"}
