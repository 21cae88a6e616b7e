package eval

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"inlay/fault"
	"inlay/parse"
)

// caseLine is a question of one document. Label "none" says that the document
// does not answer it; gold are ranges in runes of its parsed text.
type caseLine struct {
	ID       string  `json:"_id"`
	Label    string  `json:"label"`
	Kind     string  `json:"kind"`
	Question string  `json:"question"`
	Doc      string  `json:"doc"`
	Gold     [][]int `json:"gold"`
	Page     int     `json:"page"`
	Quote    string  `json:"quote"`
}

// loadCases reads JSON lines. Documents are looked for below documents, or,
// where that is empty, in the folder of the file and the one above it.
func loadCases(ctx context.Context, path, documents string) (*Set, error) {
	s := &Set{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), Layout: Cases}
	if s.Name == "cases" {
		s.Name = filepath.Base(filepath.Dir(absolute(path)))
	}
	roots := []string{documents}
	if documents == "" {
		roots = []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))}
	}
	ids, docs := map[string]bool{}, map[string]bool{}
	err := eachLine(ctx, path, func(n int, line []byte) error {
		var c caseLine
		if err := decodeLine(path, n, line, &c); err != nil {
			return err
		}
		if c.ID == "" {
			c.ID = strconv.Itoa(n)
		}
		if ids[c.ID] {
			return badLine(path, n, "_id", strconv.Quote(c.ID)+" is given twice", "give every case an id of its own")
		}
		ids[c.ID] = true
		q, err := c.question(path, n)
		if err != nil {
			return err
		}
		s.Questions = append(s.Questions, q)
		if docs[c.Doc] {
			return nil
		}
		docs[c.Doc] = true
		source, ok := caseSource(roots, c.Doc)
		if !ok {
			return badLine(path, n, "doc", strconv.Quote(c.Doc)+" is not a file below "+strings.Join(roots, " or "), "set --documents to the folder of the documents")
		}
		s.Documents = append(s.Documents, source)
		return nil
	})
	if err == nil && len(s.Questions) == 0 {
		err = badLine(path, 0, "", "holds no question", "")
	}
	return s, err
}

// question checks a line.
func (c caseLine) question(path string, n int) (Question, error) {
	q := Question{ID: c.ID, Text: c.Question, Kind: c.Kind, Scope: []string{c.Doc}, Origin: fmt.Sprintf("%s:%d", path, n)}
	places := len(c.Gold) > 0 || c.Page != 0 || c.Quote != ""
	switch {
	case strings.TrimSpace(c.Question) == "":
		return q, badLine(path, n, "question", "is missing or empty", "")
	case c.Doc == "":
		return q, badLine(path, n, "doc", "is missing", "name the document that is asked")
	case c.Label != "retrieve" && c.Label != "none":
		return q, badLine(path, n, "label", "is "+strconv.Quote(c.Label)+`, want "retrieve" or "none"`, "")
	case c.Label == "none" && places:
		return q, badLine(path, n, "gold", `conflicts with the label "none"`, "a question that the document does not answer has no gold, page or quote")
	case c.Label == "none":
		return q, nil
	case c.Page < 0:
		return q, badLine(path, n, "page", "is below 1", "pages count from 1")
	}
	for _, r := range c.Gold {
		if len(r) != 2 || r[0] < 0 || r[1] <= r[0] {
			return q, badLine(path, n, "gold", "holds something that is not a range [start, end] with start below end", "count in characters of the document's text")
		}
		q.Expected = append(q.Expected, Expected{Document: c.Doc, Range: &[2]int{r[0], r[1]}, Field: "gold"})
	}
	if c.Page != 0 || c.Quote != "" || !places {
		q.Expected = append(q.Expected, Expected{Document: c.Doc, Page: c.Page, Quote: c.Quote, Field: "quote"})
	}
	return q, nil
}

func caseSource(roots []string, name string) (Source, bool) {
	for _, root := range roots {
		if path, ok := inside(root, name); ok && exists(path) && !isDir(path) {
			return fileSource(name, path), true
		}
	}
	return Source{}, false
}

// fileSource is a document that is read from disk when it is needed.
func fileSource(id, path string) Source {
	return Source{ID: id, Open: func(ctx context.Context) (parse.File, error) {
		f, err := parse.ReadFile(ctx, path, parse.Limits{})
		if err != nil {
			return f, err
		}
		f.Name = id
		return f, nil
	}}
}

// Load reads a set. Data is
//   - a folder with corpus.jsonl, queries.jsonl and qrels.tsv or qrels/test.tsv ([BEIR]),
//   - a JSONL file, or a folder with cases.jsonl ([Cases]): _id, label ("retrieve"
//     or "none"), question, doc, and gold (ranges in runes), page or quote,
//   - a CSV file, or a folder with questions.csv ([Folder]): question, and file,
//     page or quote, of the documents beside it or below documents.
//
// A mistake in it names the file, the line and the field.
func Load(ctx context.Context, data, documents string) (*Set, error) {
	if documents != "" && !isDir(documents) {
		return nil, &fault.Error{Code: fault.FileNotFound, Subject: documents, Reason: "is not a folder", Next: "set --documents to the folder of the documents"}
	}
	if !exists(data) {
		return nil, &fault.Error{Code: fault.FileNotFound, Subject: data, Reason: "there is no such file or folder", Next: "check the path"}
	}
	at := func(name string) string { return filepath.Join(data, name) }
	ext := strings.ToLower(filepath.Ext(data))
	switch {
	case isDir(data) && exists(at("corpus.jsonl")):
		return loadBEIR(ctx, filepath.Clean(data))
	case isDir(data) && exists(at("cases.jsonl")):
		return loadCases(ctx, at("cases.jsonl"), documents)
	case isDir(data) && exists(at("questions.csv")):
		return loadFolder(ctx, at("questions.csv"), cmp.Or(documents, documentsIn(data)))
	case isDir(data):
		return nil, &fault.Error{Code: fault.UnsupportedFormat, Subject: data, Reason: "has no corpus.jsonl, cases.jsonl or questions.csv", Next: "see docs/evaluation.md for the three forms of a data set"}
	case ext == ".jsonl" || ext == ".ndjson":
		return loadCases(ctx, data, documents)
	case ext == ".csv" || ext == ".tsv":
		return loadFolder(ctx, data, documents)
	}
	return nil, &fault.Error{Code: fault.UnsupportedFormat, Subject: data, Reason: "is neither a folder nor a .jsonl or .csv file", Next: "see docs/evaluation.md for the three forms of a data set"}
}
