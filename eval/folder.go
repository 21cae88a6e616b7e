package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"inlay/fault"
)

// documentsIn is the folder of the documents of a folder with questions: "documents"
// in it, or else itself.
func documentsIn(dir string) string {
	if root := filepath.Join(dir, "documents"); isDir(root) {
		return root
	}
	return dir
}

// loadFolder reads a CSV of questions and lists the documents: all files below
// documents, or, where that is empty, below the folder "documents" beside the CSV.
func loadFolder(ctx context.Context, path, documents string) (*Set, error) {
	root := documents
	if root == "" {
		root = filepath.Join(filepath.Dir(path), "documents")
		if !isDir(root) {
			return nil, &fault.Error{Code: fault.Usage, Subject: path, Reason: `there is no folder "documents" beside it`, Next: "name the folder of the documents: --documents DIR"}
		}
	}
	s := &Set{Name: filepath.Base(absolute(root)), Layout: Folder}
	if s.Name == "documents" {
		s.Name = filepath.Base(filepath.Dir(absolute(root)))
	}
	if err := s.listFiles(ctx, root, path); err != nil {
		return nil, err
	}
	if len(s.Documents) == 0 {
		return nil, &fault.Error{Code: fault.FileNotFound, Subject: root, Reason: "holds no document", Next: "set --documents to the folder of the documents"}
	}
	return s, s.openQuestions(ctx, path)
}

// openQuestions reads the CSV at path.
func (s *Set) openQuestions(ctx context.Context, path string) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return s.readQuestions(ctx, path, f)
}

// LoadOver reads a set of questions, a CSV file as [Load] takes it, over documents
// that are at hand. name is what the report calls them.
func LoadOver(ctx context.Context, data, name string, documents []Source) (*Set, error) {
	if ext := strings.ToLower(filepath.Ext(data)); isDir(data) || ext != ".csv" && ext != ".tsv" {
		return nil, &fault.Error{
			Code: fault.UnsupportedFormat, Subject: data, Reason: "is not a CSV file, and only that asks documents of another place",
			Next: "write the questions as CSV: question, file, page, quote",
		}
	}
	s := &Set{Name: name, Layout: Folder, Documents: documents}
	return s, s.openQuestions(ctx, data)
}

// absolute is the path from the root, or as it is where that is not known.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return filepath.Clean(path)
}

// listFiles lists the regular files below root by name, but for hidden ones and
// the questions themselves.
func (s *Set) listFiles(ctx context.Context, root, questions string) error {
	questions = absolute(questions)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return unreadable(path, err)
		case ctx.Err() != nil:
			return ctx.Err()
		case path != root && strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return filepath.SkipDir
		case !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "."):
			return nil
		}
		if absolute(path) == questions {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		s.Documents = append(s.Documents, fileSource(filepath.ToSlash(name), path))
		return nil
	})
}

// header names the columns of the CSV that are known, each with its other names.
func header(name string) string {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "question", "query", "text":
		return "question"
	case "file", "document", "doc":
		return "file"
	case "page":
		return "page"
	case "quote", "passage", "answer", "expected":
		return "quote"
	case "id", "_id":
		return "id"
	case "kind":
		return "kind"
	}
	return ""
}

// readQuestions reads the CSV. Rows of one id, or where there are none of one
// question, are one question with several expected passages. A question without
// file, page and quote is unanswerable.
func (s *Set) readQuestions(ctx context.Context, path string, r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, longestLine))
	if err != nil {
		return unreadable(path, err)
	}
	if !utf8.Valid(data) {
		return badLine(path, 1+bytes.Count(validPrefix(data), []byte("\n")), "", "is not valid UTF-8", "save the file as CSV in UTF-8")
	}
	rows := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	rows.Comma, rows.FieldsPerRecord = delimiter(data), -1
	at, err := readHeader(path, rows)
	if err != nil {
		return err
	}
	places := map[string]int{}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return csvError(path, err)
		}
		line, _ := rows.FieldPos(0)
		if err := s.addRow(path, line, at, record, places); err != nil {
			return err
		}
	}
	if len(s.Questions) == 0 {
		return badLine(path, 0, "", "holds no question", "write one row a question below the header")
	}
	return nil
}

func validPrefix(data []byte) []byte {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return data[:i]
		}
		i += n
	}
	return data
}

// delimiter is the one of comma, semicolon and tab that the header has most of.
func delimiter(data []byte) rune {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	best := ','
	for _, d := range ";\t" {
		if bytes.Count(first, []byte(string(d))) > bytes.Count(first, []byte(string(best))) {
			best = d
		}
	}
	return best
}

func csvError(path string, err error) error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return badLine(path, e.Line, "", fmt.Sprintf("is not valid CSV at column %d: %v", e.Column, e.Err), "put fields that hold quotation marks or separators between quotation marks")
	}
	return unreadable(path, err)
}

// readHeader finds the columns by name.
func readHeader(path string, rows *csv.Reader) (map[string]int, error) {
	names, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, badLine(path, 0, "", "is empty", "begin with the header question,file,page,quote")
	}
	if err != nil {
		return nil, csvError(path, err)
	}
	at := map[string]int{}
	for i, name := range names {
		known := header(name)
		if known == "" && strings.TrimSpace(name) != "" {
			return nil, badLine(path, 1, strings.TrimSpace(name), "is not a known column",
				"name it question, file, page, quote, id or kind, or take it out")
		}
		if _, twice := at[known]; twice && known != "" {
			return nil, badLine(path, 1, known, "has two columns", "keep one of them")
		}
		at[known] = i
	}
	if _, ok := at["question"]; !ok {
		return nil, badLine(path, 1, "question", "is not a column of the header", "begin with the header question,file,page,quote")
	}
	return at, nil
}

// addRow adds a row to the question that it belongs to.
func (s *Set) addRow(path string, line int, at map[string]int, record []string, places map[string]int) error {
	field := func(name string) string {
		if i, ok := at[name]; ok && i < len(record) {
			return strings.TrimSpace(record[i])
		}
		return ""
	}
	if len(strings.TrimSpace(strings.Join(record, ""))) == 0 {
		return nil
	}
	text := field("question")
	if text == "" && field("id") == "" {
		return badLine(path, line, "question", "is empty", "")
	}
	e, given, err := expectedOf(path, line, field)
	if err != nil {
		return err
	}
	key := cmp.Or(field("id"), text)
	i, known := places[key]
	switch {
	case !known && text == "":
		return badLine(path, line, "question", "is empty", "write it in the first row of its id")
	case !known:
		places[key], i = len(s.Questions), len(s.Questions)
		id := cmp.Or(field("id"), "row"+strconv.Itoa(line))
		s.Questions = append(s.Questions, Question{ID: id, Text: text, Kind: field("kind"), Origin: fmt.Sprintf("%s:%d", path, line)})
	case text != "" && text != s.Questions[i].Text:
		return badLine(path, line, "id", "is given to two different questions", "give every question an id of its own")
	case !given || len(s.Questions[i].Expected) == 0:
		return badLine(path, line, "question", "is given twice, once without an answer", "keep one of the rows")
	}
	if given {
		e.Field = fmt.Sprintf("%s:%d", path, line)
		s.Questions[i].Expected = append(s.Questions[i].Expected, e)
	}
	return nil
}

// expectedOf reads what a row says of the answer; given is false where it says
// nothing.
func expectedOf(path string, line int, field func(string) string) (e Expected, given bool, err error) {
	e = Expected{Document: filepath.ToSlash(field("file")), Quote: field("quote")}
	if text := field("page"); text != "" {
		if e.Page, err = strconv.Atoi(text); err != nil || e.Page < 1 {
			return e, false, badLine(path, line, "page", "is not a number from 1 on", "write the number of the page as the file counts it, or nothing")
		}
	}
	if e.Page > 0 && e.Document == "" {
		return e, false, badLine(path, line, "file", "is empty beside a page", "name the file of the page")
	}
	return e, e.Document != "" || e.Quote != "", nil
}
