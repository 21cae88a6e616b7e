package eval

import (
	"context"

	"inlay/parse"
)

// Set is what an evaluation asks, and of which documents.
type Set struct {
	Name      string
	Layout    Layout
	Documents []Source
	Questions []Question
	Unjudged  int // questions of the input of which nothing is known; not asked
}

// Layout says in which form a set came.
type Layout string

// The layouts that [Load] reads.
const (
	BEIR   Layout = "beir"   // corpus.jsonl, queries.jsonl, qrels
	Cases  Layout = "cases"  // JSON lines, a question of one document each
	Folder Layout = "folder" // a folder of documents and a CSV of questions
)

// Given is the layout of a set that [Load] did not read: it was put together by
// whoever runs the evaluation.
const Given Layout = "given"

// Source is one document of a set.
type Source struct {
	ID       string          // as questions name it and as run files hold it
	Document *parse.Document // for texts that need no parsing
	Open     func(context.Context) (parse.File, error)
}

// Question is one question and what answers it.
type Question struct {
	ID       string
	Text     string
	Kind     string     // for the table by kind; may be empty
	Scope    []string   // the documents it is asked of; nil means all
	Expected []Expected // what answers it; none: the documents do not
	Origin   string     // where it was written, for errors: "questions.csv:7"
}

// Expected is one thing that answers a question: a document, or with Page,
// Quote or Range a part of it.
type Expected struct {
	Document string  // id; may be empty with a Quote, which is then looked for in all of the scope
	Grade    float64 // how much it answers; 0 means 1
	Page     int     // from 1; 0: anywhere
	Quote    string  // words that are there; compared by letters and digits alone
	Range    *[2]int // half-open, in runes of the parsed text
	Field    string  // name of the input's field that holds it, for errors
}
