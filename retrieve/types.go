// Package retrieve finds the passages of documents that bear on a query, says
// how near each is on a scale that does not depend on the other hits, and
// returns them as citations.
package retrieve

import (
	"context"

	"inlay/chat"
	"inlay/embed"
	"inlay/parse"
)

// Chunk is one passage of a document: an exact slice of its text, but for headers
// and footers of pages, which it leaves out.
type Chunk struct {
	ID      string `json:"id"` // stable for the same bytes, chunking and range
	FileID  string `json:"file_id"`
	Start   int    `json:"start"` // bytes, half-open
	End     int    `json:"end"`
	Text    string `json:"text"`
	Tokens  int    `json:"tokens"`            // by the splitter's measure
	Header  string `json:"header,omitempty"`  // a table's header row, embedded but not part of Text
	Heading string `json:"heading,omitempty"` // path of headings above it, joined by " > "

	Ranges []chat.Range `json:"ranges,omitempty"` // that Text is joined from, where headers or footers between them are left out; else none
}

// textOf is the text of a chunk, by its place.
func (c *Chunk) textOf(text string) string {
	if len(c.Ranges) > 0 {
		return chat.Join(text, c.Ranges)
	}
	return text[c.Start:c.End]
}

// fits reports whether a chunk's place is one in a text of a length.
func (c *Chunk) fits(length int) bool {
	at := c.Start
	for _, r := range c.Ranges {
		if r.Start < at || r.End < r.Start {
			return false
		}
		at = r.End
	}
	return 0 <= c.Start && at <= c.End && c.End <= length
}

// Index holds vectors of chunks and finds the nearest. Every implementation
// passes retrievetest.
type Index interface {
	// Add stores chunks and their vectors: same length, unit vectors of one
	// dimension. A chunk whose id is already there is replaced. All or nothing.
	Add(ctx context.Context, chunks []Chunk, vectors []embed.Vector) error
	// Search returns at most q.Limit matches, best first; ties by Chunk.FileID
	// order in q.Files, then Start. An empty index gives no match and no error.
	Search(ctx context.Context, q Query) ([]Match, error)
	// Delete removes every chunk of the files.
	Delete(ctx context.Context, fileIDs ...string) error
}

// Query asks an index for its nearest chunks.
type Query struct {
	Vector embed.Vector
	Limit  int
	Files  []string // only these, in this order for ties; nil means all
}

// Match is a chunk and its cosine to the query, -1..1.
type Match struct {
	ChunkID string
	FileID  string
	Score   float64
}

// Request asks for passages.
type Request struct {
	Query       string
	Documents   []parse.Document // in order of attachment
	Collections []Collection     // searched beside them, not looked at by Subset
	Limit       int              // 0 means 3; or AutoLimit
	Budget      int              // tokens, by the splitter's measure, that cited passages may grow to together; 0 means none grows
	Threshold   *float64         // nil means the embedder's own
	Namespace   string           // separates callers' cache entries (RET-4)
	NoRerank    bool             // the Reranker is not asked
	Parallel    int              // documents made searchable at a time; 0 means 1
	Report      func(Step)       // may be nil; called from one goroutine at a time
}

// Step reports work on one file.
type Step struct {
	FileID string
	File   string
	Stage  Stage
	Done   float64 // 0..1 within the stage
	Cached bool    // nothing had to be done
}

// Stage is a part of making a file searchable.
type Stage string

// The stages, in order.
const (
	Starting  Stage = "starting"
	Loading   Stage = "loading" // looked for in the cache
	Chunking  Stage = "chunking"
	Embedding Stage = "embedding"
	Processed Stage = "processed"
)

// Profile describes a search before any work is done: what a dry run shows.
type Profile struct {
	Embedder  string  // as Spec.Model
	Threshold float64 // used where the request has none
	Limit     int     // used where the request has none
}

// Passages is what retrieval found.
type Passages struct {
	Citations  []chat.Citation // above the threshold, in rank order, numbered from 1
	NearMisses []chat.Citation // the best below it, in order of affinity; Number is 0
	Candidates []float64       // affinities of the best 100 passages, descending: what another threshold would admit
	Total      int             // passages searched; what is cited as one counts as one
	Embedder   string
	Threshold  float64
	Limit      int
	Files      []FileStats
	Reranking  *Reranking // what the Reranker did; nil where there is none
	Warnings   []parse.Warning
}

// FileStats says what retrieval did for one file.
type FileStats struct {
	FileID      string  `json:"file_id"`
	File        string  `json:"file"`
	Chunks      int     `json:"chunks"`
	Tokens      int     `json:"tokens"`       // of all chunks, by the splitter's measure
	Cached      bool    `json:"cached"`       // chunks and vectors came from the cache
	EmbedMillis float64 `json:"embed_millis"` // 0 when cached
}
