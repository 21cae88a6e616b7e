package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"inlay/fault"
	"inlay/parse"
)

// beirParser names the text that a corpus line becomes; part of every derived key.
const beirParser = "beir/1"

// loadBEIR reads corpus.jsonl, queries.jsonl and qrels: qrels.tsv, or the first
// of qrels/test.tsv, dev.tsv and train.tsv. Questions with judgements of 0 only,
// and those of none_ids.tsv if there is one, are unanswerable; questions without
// any judgement are left out.
func loadBEIR(ctx context.Context, dir string) (*Set, error) {
	s := &Set{Name: filepath.Base(dir), Layout: BEIR}
	known, err := s.readCorpus(ctx, filepath.Join(dir, "corpus.jsonl"))
	if err != nil {
		return nil, err
	}
	path, err := qrelsPath(dir)
	if err != nil {
		return nil, err
	}
	judged, err := readQrels(ctx, path, known)
	if err != nil {
		return nil, err
	}
	if none := filepath.Join(dir, "none_ids.tsv"); exists(none) {
		if err := readNone(ctx, none, path, judged); err != nil {
			return nil, err
		}
	}
	return s, s.readQueries(ctx, filepath.Join(dir, "queries.jsonl"), path, judged)
}

func qrelsPath(dir string) (string, error) {
	for _, name := range []string{"qrels.tsv", "qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv"} {
		if path := filepath.Join(dir, filepath.FromSlash(name)); exists(path) {
			return path, nil
		}
	}
	return "", &fault.Error{
		Code: fault.FileNotFound, Subject: dir,
		Reason: "has a corpus.jsonl but no qrels.tsv or qrels/test.tsv",
		Next:   "add the judgements: query-id, corpus-id, score, parted by tabs",
	}
}

// readCorpus reads the documents and returns their ids.
func (s *Set) readCorpus(ctx context.Context, path string) (map[string]bool, error) {
	known := map[string]bool{}
	err := eachLine(ctx, path, func(n int, line []byte) error {
		var c struct {
			ID    string  `json:"_id"`
			Title string  `json:"title"`
			Text  *string `json:"text"`
		}
		if err := decodeLine(path, n, line, &c); err != nil {
			return err
		}
		switch {
		case c.ID == "":
			return badLine(path, n, "_id", "is missing", "give every document an id")
		case known[c.ID]:
			return badLine(path, n, "_id", strconv.Quote(c.ID)+" is given twice", "give every document an id of its own")
		case c.Text == nil:
			return badLine(path, n, "text", "is missing", "")
		}
		known[c.ID] = true
		s.Documents = append(s.Documents, Source{ID: c.ID, Document: titled(c.ID, c.Title, *c.Text)})
		return nil
	})
	if err == nil && len(known) == 0 {
		err = badLine(path, 0, "", "holds no document", "")
	}
	return known, err
}

// titled is a document whose title, where the text does not begin with it,
// is above the text as its heading.
func titled(id, title, text string) *parse.Document {
	if title != "" && !strings.HasPrefix(text, title) {
		text = title + "\n\n" + text
	}
	d := &parse.Document{FileID: parse.FileID([]byte(id + "\x00" + text)), Name: id, MediaType: "text/plain", Parser: beirParser, Text: text}
	if title != "" {
		d.Sections = []parse.Section{{Kind: parse.Heading, Label: title, Level: 1, End: len(text)}}
	}
	return d
}

// judgements are the grades of a question's documents, in the order given.
type judgements struct {
	expected []Expected
	line     int
	asked    bool
}

func readQrels(ctx context.Context, path string, known map[string]bool) (map[string]*judgements, error) {
	judged := map[string]*judgements{}
	seen := map[[2]string]bool{}
	err := eachLine(ctx, path, func(n int, line []byte) error {
		f := columns(string(line))
		if len(f) == 4 { // TREC: query, iteration, document, grade
			f = []string{f[0], f[2], f[3]}
		}
		if len(f) != 3 {
			return badLine(path, n, "", fmt.Sprintf("has %d columns, want query-id, corpus-id and score", len(f)), "")
		}
		grade, err := strconv.ParseFloat(f[2], 64)
		if err != nil && n == 1 {
			return nil // a header
		}
		pair := [2]string{f[0], f[1]}
		switch {
		case err != nil:
			return badLine(path, n, "score", "is not a number", "")
		case seen[pair]:
			return badLine(path, n, "corpus-id", "is judged twice for this query", "keep one judgement")
		case grade > 0 && !known[f[1]]:
			return badLine(path, n, "corpus-id", strconv.Quote(f[1])+" is not in corpus.jsonl", "")
		}
		seen[pair] = true
		j := judged[f[0]]
		if j == nil {
			j = &judgements{line: n}
			judged[f[0]] = j
		}
		if grade > 0 {
			j.expected = append(j.expected, Expected{Document: f[1], Grade: grade, Field: "corpus-id"})
		}
		return nil
	})
	return judged, err
}

// columns parts a line by tabs, or by spaces where it has no tab.
func columns(line string) []string {
	if !strings.Contains(line, "\t") {
		return strings.Fields(line)
	}
	f := strings.Split(strings.TrimRight(line, "\r"), "\t")
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	return f
}

// readNone marks the questions that the documents do not answer.
func readNone(ctx context.Context, path, qrels string, judged map[string]*judgements) error {
	return eachLine(ctx, path, func(n int, line []byte) error {
		id := columns(string(line))[0]
		if j := judged[id]; j != nil && len(j.expected) > 0 {
			return badLine(path, n, "query-id", strconv.Quote(id)+" has a relevant document in "+filepath.Base(qrels), "take it out of one of the two")
		}
		judged[id] = &judgements{line: n}
		return nil
	})
}

func (s *Set) readQueries(ctx context.Context, path, qrels string, judged map[string]*judgements) error {
	ids := map[string]bool{}
	err := eachLine(ctx, path, func(n int, line []byte) error {
		var q struct {
			ID   string `json:"_id"`
			Text string `json:"text"`
		}
		if err := decodeLine(path, n, line, &q); err != nil {
			return err
		}
		switch {
		case q.ID == "":
			return badLine(path, n, "_id", "is missing", "give every question an id")
		case strings.TrimSpace(q.Text) == "":
			return badLine(path, n, "text", "is missing or empty", "")
		case ids[q.ID]:
			return badLine(path, n, "_id", strconv.Quote(q.ID)+" is given twice", "give every question an id of its own")
		}
		ids[q.ID] = true
		j := judged[q.ID]
		if j == nil {
			s.Unjudged++
			return nil
		}
		j.asked = true
		s.Questions = append(s.Questions, Question{ID: q.ID, Text: q.Text, Expected: j.expected, Origin: fmt.Sprintf("%s:%d", path, n)})
		return nil
	})
	if err != nil {
		return err
	}
	for id, j := range judged {
		if !j.asked && len(j.expected) > 0 {
			return badLine(qrels, j.line, "query-id", strconv.Quote(id)+" is not in queries.jsonl", "")
		}
	}
	if len(s.Questions) == 0 {
		return badLine(path, 0, "", "holds no question that "+filepath.Base(qrels)+" judges", "")
	}
	return nil
}

// isDir reports whether path is a folder.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
