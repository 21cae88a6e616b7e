// Package library keeps named collections of documents: folders that stay known,
// searched where they are kept and injected as attached files are.
//
// An [Index] holds them: documents with their passages, words and, of an embedder
// of meaning, vectors. [Keeper] brings a library up to date with its folders;
// [Source] is a library as one turn of a conversation uses it.
package library

import (
	"cmp"
	"context"
	"regexp"
	"time"

	"inlay/fault"
	"inlay/parse"
	"inlay/retrieve"
)

// Index is where libraries are kept. Every implementation passes librarytest.
// Owner separates users; it is empty on one person's computer. All methods are
// safe for concurrent use.
type Index interface {
	Searcher
	Writer
	Reader
	Inspector
	Directory
}

// Searcher finds passages.
type Searcher interface {
	// Candidates returns the passages of the documents that the filter leaves
	// which are worth ranking, and the statistics of all of those documents.
	Candidates(ctx context.Context, owner, library string, q retrieve.Question, f Filter) (retrieve.Candidates, error)
	// Extent is the size of what the filter leaves, without reading any text.
	Extent(ctx context.Context, owner, library string, f Filter) (Extent, error)
}

// Writer changes a library.
type Writer interface {
	// Begin starts a change. One is made at a time: while another process makes
	// one, Begin waits, and ends with fault.Timeout when that takes too long.
	Begin(ctx context.Context, owner, library string) (Batch, error)
}

// Batch is a change that happens wholly at Commit, or not at all.
type Batch interface {
	// Put adds the content of a document; Commit gives it its paths.
	Put(ctx context.Context, d Document) error
	// Commit makes the change. What it returned nil for outlives any crash.
	Commit(ctx context.Context, c Change) error
	// Abort gives the change up; after Commit it does nothing.
	Abort()
}

// Reader reads what a library holds.
type Reader interface {
	// Entries are the paths that the filter leaves, in order.
	Entries(ctx context.Context, owner, library string, f Filter) ([]Entry, error)
	// Open returns the document at a path; fault.FileNotFound if there is none.
	Open(ctx context.Context, owner, library, path string) (parse.Document, error)
	// Failures are the files that could not be read, by path.
	Failures(ctx context.Context, owner, library string) ([]Failure, error)
}

// Inspector says how large a library is and whether it is sound.
type Inspector interface {
	// Counts are the sizes, without reading any text.
	Counts(ctx context.Context, owner, library string) (Counts, error)
	// Verify reads everything and compares it with its checksums;
	// fault.StoreDamaged names what is damaged.
	Verify(ctx context.Context, owner, library string) error
}

// Directory lists, makes and removes libraries.
type Directory interface {
	// Libraries are the names of an owner's libraries, in order.
	Libraries(ctx context.Context, owner string) ([]string, error)
	// Configure makes a library, or changes the folders it is kept up to date with.
	Configure(ctx context.Context, owner, library string, s Settings) error
	// Settings of a library; fault.FileNotFound if there is none of the name.
	Settings(ctx context.Context, owner, library string) (Settings, error)
	// Drop removes a library and all it holds.
	Drop(ctx context.Context, owner, library string) error
}

// Settings say how a library is made.
type Settings struct {
	Fingerprint string    `json:"fingerprint"` // of [retrieve.Retriever.Fingerprint]: its passages are of this making
	Embedder    string    `json:"embedder"`    // by name, to make more of them
	Chunk       string    `json:"chunk,omitempty"`
	Folders     []Folder  `json:"folders,omitempty"`
	Created     time.Time `json:"created"`

	Title string `json:"-"` // what people call it, for sentences; empty: its name. An [Index] does not keep it
}

// Called is what sentences call a library of this name.
func (s Settings) Called(name string) string { return cmp.Or(s.Title, name) }

// Folder is a folder, or a single file, that a library is kept up to date with.
type Folder struct {
	Path  string   `json:"path"`  // absolute
	Label string   `json:"label"` // what paths inside the library begin with
	Tags  []string `json:"tags,omitempty"`
	File  bool     `json:"file,omitempty"`
}

// Entry is a path of a library.
type Entry struct {
	Path      string    `json:"path"`    // inside the library, slash-separated
	FileID    string    `json:"file_id"` // of the bytes; two paths may have one
	Folder    string    `json:"folder,omitempty"`
	Title     string    `json:"title,omitempty"`
	MediaType string    `json:"media_type"`
	Tags      []string  `json:"tags,omitempty"`
	Size      int64     `json:"size"`
	Modified  time.Time `json:"modified"`
	Text      int       `json:"text_bytes"`
	Passages  int       `json:"passages"`

	Attributes Attributes `json:"attributes,omitempty"`
}

// Document is the content of one or more paths.
type Document struct {
	Document  parse.Document
	Extension string // in lower case with its dot: it chooses among forms of text
	Title     string
	Indexed   retrieve.Indexed
}

// Change is what becomes of paths.
type Change struct {
	Set    []Entry   // that a path now has this content, put before or with this change
	Delete []string  // paths that are gone
	Failed []Failure // files that could not be read; a path that is set or deleted has failed no more
	Purge  bool      // nothing of what was deleted stays on the disk; else room is made when it is worth it
}

// Failure is a file that could not be read.
type Failure struct {
	Path     string     `json:"path"`
	Folder   string     `json:"folder,omitempty"`
	Size     int64      `json:"size"`
	Modified time.Time  `json:"modified"`
	Code     fault.Code `json:"code"`
	Reason   string     `json:"reason"`
	Next     string     `json:"next,omitempty"`
}

// Extent is the size of a part of a library.
type Extent struct {
	Documents int // of different content
	Passages  int
	Text      int64 // bytes
}

// Counts are the sizes of a library.
type Counts struct {
	Paths     int   `json:"paths"`
	Documents int   `json:"documents"` // of different content
	Passages  int   `json:"passages"`
	Text      int64 `json:"text_bytes"`
	Disk      int64 `json:"disk_bytes"`
	Failed    int   `json:"failed"`
	Segments  int   `json:"segments,omitempty"`
	Deleted   int64 `json:"deleted_bytes,omitempty"` // of text that is gone and still takes up room
}

// validName is what a library may be called: it is a folder's name too.
const validName = `^[\pL\pN][\pL\pN._ -]{0,63}$`

// CheckName refuses, as fault.Usage, what no library can be called.
func CheckName(name string) error {
	if regexp.MustCompile(validName).MatchString(name) {
		return nil
	}
	return &fault.Error{
		Code: fault.Usage, Subject: "library name", Reason: "is invalid",
		Next: "use up to 64 letters, digits, spaces, dots, dashes and underscores, beginning with a letter or digit",
	}
}

// Unknown is the error for a library that does not exist.
func Unknown(name string) error {
	return &fault.Error{Code: fault.FileNotFound, Subject: "library " + name, Reason: "does not exist", Next: "see inlay library list, or make it with inlay library add " + name + " PATH"}
}
