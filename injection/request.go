package injection

import (
	"context"
	"strings"

	"inlay/chat"
	"inlay/library"
	"inlay/llm"
	"inlay/options"
	"inlay/parse"
	"inlay/prompts"
	"inlay/retrieve"
)

// Request is one turn of a chat: what was said, what is attached, which model
// will answer, and how to go about it.
type Request struct {
	Messages []chat.Message    // the chat before the new message (history)
	Text     string            // the new user message, byte for byte
	Images   []chat.Attachment // images of the new message: passed through (INJ-2)
	Files    []File            // attached to the new message
	Earlier  []File            // attached on earlier turns, oldest first
	Model    llm.Measurer
	Options  Options
	Warnings []Warning    // what the caller has to say already; they come first in the result
	Report   func(Status) // receives the status tree (INJ-17); may be nil
}

// File is an attached file: its bytes, or a way to read them.
type File struct {
	ID        string // the caller's id; empty means parse.FileID of the bytes
	Name      string
	Path      string // where the command found it; empty for uploads
	MediaType string // as claimed; may be empty
	Mode      Mode   // overrides Options.Mode for this file
	Size      int64  // in bytes, where it is known before Open
	Data      []byte
	Open      func(ctx context.Context) ([]byte, error) // used when Data is nil
	Content   string                                    // parse.FileID of the bytes of a file that is known to be no image; Open is used only where the document is not at hand
}

// Mode overrides the decision (INJ-11).
type Mode string

// The modes. The zero value is auto.
const (
	Auto          Mode = ""
	ModeFull      Mode = "full"
	ModeRetrieval Mode = "retrieval"
	ModeNone      Mode = "none"
)

// ParseMode reads "auto", "full", "retrieval" or "none"; empty is auto.
func ParseMode(s string) (Mode, error) {
	switch s {
	case "", "auto":
		return Auto, nil
	case "full", "retrieval", "none":
		return Mode(s), nil
	}
	return Auto, options.Check("mode", s)
}

// Policy is what happens when not all new files fit.
type Policy string

// The policies. The zero value is all-or-nothing, the seed's.
const (
	AllOrNothing Policy = ""
	MixedPolicy  Policy = "mixed" // small files whole, large ones retrieved (INJ-12)
)

// Options tune one request. The zero value is the default of every door.
type Options struct {
	Mode             Mode           // of every file without its own
	Policy           Policy         // all or nothing
	CoverAlways      bool           // every question gets a representative selection where the files do not fit
	NoCoverage       bool           // questions about whole documents get passages like others, no representative selection (INJ-13)
	Cover            bool           // where files are searched, a representative selection of them goes in, whatever is asked
	Limit            int            // retrieval_limit; 0 means 3, else 1..100, or retrieve.AutoLimit
	CitationShare    *float64       // of the tokens available, that cited passages may grow to together, 0..1; nil: none grows, AutoLimit takes DefaultCitationShare
	Threshold        *float64       // retrieval_affinity_threshold, 0..1; nil means the embedder's own
	TargetContextUse float64        // 0 means 0.7, else 0 < x <= 1
	Prompts          *prompts.Set   // nil means cited
	ReserveOutput    int            // tokens kept free for the answer; never enters the formula
	DryRun           bool           // decide, and embed nothing
	Strict           bool           // one failing file fails the request
	Continue         bool           // go on even if every new file failed
	RetrieveOverflow bool           // an override that cannot fit is retrieved instead of refused
	NoRerank         bool           // the retriever's reranker is not asked
	Search           Search         // instead of the search that the injector has
	ExpandQuery      bool           // search with the previous question before this one (INJ-21)
	ExactCounts      bool           // count every file to its end, whatever the decision needs
	Debug            bool           // fill Result.Debug
	DebugContent     bool           // with the documents' text in it
	Namespace        string         // separates callers in the cache, and their libraries
	Libraries        []string       // libraries to ask beside the files
	Filter           library.Filter // of the documents of these
}

// Search is how files are split and compared, where a request wants another way
// than the injector's. The zero value is the injector's.
type Search struct {
	Chunk    string // SIZE/OVERLAP in tokens, or a preset
	Embedder string // by name, of those that the host allows
}

// mode is the override in force for f.
func (o Options) mode(f File) Mode {
	if f.Mode != Auto {
		return f.Mode
	}
	return o.Mode
}

// share is the target_context_use in force.
func (o Options) share() float64 {
	if o.TargetContextUse == 0 {
		return DefaultTargetContextUse
	}
	return o.TargetContextUse
}

// Picture is the media type of data that begins as an image does and of which r
// reads no text, else "". An image is a document where r reads it, by OCR.
func Picture(r Reader, data []byte) string {
	kind := ImageType(data)
	if kind == "" {
		return ""
	}
	if _, err := r.Lookup(parse.File{Data: data}); err == nil {
		return ""
	}
	return kind
}

// ImageType is the media type of data that begins as an image does, else "".
func ImageType(data []byte) string {
	head := string(data[:min(len(data), 16)])
	for _, k := range []struct{ magic, kind string }{
		{"\x89PNG\r\n\x1a\n", "image/png"},
		{"\xff\xd8\xff", "image/jpeg"},
		{"GIF87a", "image/gif"},
		{"GIF89a", "image/gif"},
		{"II*\x00", "image/tiff"},
		{"MM\x00*", "image/tiff"},
	} {
		if strings.HasPrefix(head, k.magic) {
			return k.kind
		}
	}
	if len(head) >= 12 && head[:4] == "RIFF" && head[8:12] == "WEBP" {
		return "image/webp"
	}
	return ""
}

// DefaultCitationShare is the share of the tokens available that passages take
// under retrieve.AutoLimit where Options has none: docs/retrieval.md has the curve.
const DefaultCitationShare = 0.1

func (o Options) citationShare() float64 {
	switch {
	case o.CitationShare != nil:
		return *o.CitationShare
	case o.Limit == retrieve.AutoLimit:
		return DefaultCitationShare
	}
	return 0
}
