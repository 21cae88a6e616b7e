package retrieve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"inlay/fault"
	"inlay/parse"
)

// The chunking used where nothing else is asked for, in tokens. Chosen by
// measurement: see docs/retrieval.md.
const (
	DefaultSize    = 300
	DefaultOverlap = 0
)

// Splitter cuts documents into chunks along their structure: before headings,
// tables and code blocks, else between paragraphs, list items, table rows,
// sentences, lines or words, and inside a word only where it fills a chunk
// alone. No chunk has more than Size tokens, unless a single grapheme has.
//
// Chunks are exact slices of the document's text, in order, and together cover
// it: white space between two chunks belongs to the one before it. Only white
// space that would fill a chunk by itself is left out, and so are headers and
// footers that repeat on pages ([parse.Document.Repeated]). A chunk that begins
// inside a table carries the table's first row as its Header, and the two
// together stay within Size.
//
// The zero value splits by [DefaultSize] and [DefaultOverlap].
type Splitter struct {
	Size    int     // tokens of a chunk at most; 0 means DefaultSize and DefaultOverlap
	Overlap int     // tokens that a chunk repeats of the one before it, at most half of Size
	Measure Measure // counts the tokens; nil means cl100k_base
}

// splitVersion changes whenever the same document would be cut in other places.
const splitVersion = "split4"

// presets are the chunkings that have a name.
func presets() map[string]Splitter {
	return map[string]Splitter{
		"default": {Size: DefaultSize, Overlap: DefaultOverlap},
		"rag-v1":  {Size: 512, Overlap: 100}, // of the plugin that inlay's prompts come from
	}
}

// ParseSplitter reads a chunking as the user writes it: "SIZE/OVERLAP", "SIZE"
// or the name of a preset, "default" or "rag-v1". Anything else is fault.Usage.
func ParseSplitter(text string) (Splitter, error) {
	if s, ok := presets()[text]; ok {
		return s, nil
	}
	size, overlap, both := strings.Cut(text, "/")
	s := Splitter{}
	var err, err2 error
	s.Size, err = strconv.Atoi(size)
	if both {
		s.Overlap, err2 = strconv.Atoi(overlap)
	}
	if err != nil || err2 != nil {
		return Splitter{}, &fault.Error{
			Code: fault.Usage, Subject: "chunking " + strconv.Quote(text),
			Reason: "is neither SIZE/OVERLAP nor a preset", Next: "write 512/100 or rag-v1",
		}
	}
	if s.Size == 0 {
		s.Size = -1 // an explicit 0 is refused below
	}
	return s, s.Validate()
}

// Validate reports, as fault.Usage, a size below 1 or an overlap that is
// negative or more than half of the size. The zero value is valid.
func (s Splitter) Validate() error {
	if s.Size < 0 {
		return &fault.Error{
			Code: fault.Usage, Subject: "chunk size", Reason: "must be 1 token or more", Next: "the default is " + strconv.Itoa(DefaultSize),
		}
	}
	s = s.normal()
	if s.Overlap < 0 || s.Overlap > s.Size/2 {
		return &fault.Error{
			Code: fault.Usage, Subject: "chunk overlap " + strconv.Itoa(s.Overlap),
			Reason: fmt.Sprintf("must be between 0 and half of the chunk size %d", s.Size), Next: "lower the overlap or raise the size",
		}
	}
	return nil
}

// normal fills in the defaults.
func (s Splitter) normal() Splitter {
	if s.Size == 0 {
		s.Size, s.Overlap = DefaultSize, DefaultOverlap
	}
	if s.Measure == nil {
		s.Measure = defaultMeasure()
	}
	return s
}

// bounded is normal with values that Validate refuses moved to the nearest
// that it does not.
func (s Splitter) bounded() Splitter {
	s = s.normal()
	s.Size = max(s.Size, 1)
	s.Overlap = min(max(s.Overlap, 0), s.Size/2)
	return s
}

// Fingerprint names the chunking: two splitters of one fingerprint cut every
// document in the same places.
func (s Splitter) Fingerprint() string {
	s = s.bounded()
	return fmt.Sprintf("%s %d/%d %s", splitVersion, s.Size, s.Overlap, s.Measure.Name())
}

// Split cuts a document. It takes time in proportion to the text, whatever
// is in it. Settings that Validate refuses are moved into range.
func (s Splitter) Split(d parse.Document) []Chunk {
	s = s.bounded()
	c := newCutter(s, d)
	id := identifier(d.FileID, s.Fingerprint())
	var chunks []Chunk
	for start, covered := 0, 0; start < len(d.Text); {
		end := c.next(start, covered)
		if end.pos <= covered { // what fits is only the overlap
			start = covered
			continue
		}
		if chunk := c.chunk(start, end.pos); strings.TrimSpace(chunk.Text) != "" {
			chunk.ID, chunk.FileID = id(chunk.Start, chunk.End), d.FileID
			chunks = append(chunks, chunk)
		}
		covered = end.pos
		start = c.overlapping(start, end)
	}
	return chunks
}

// identifier returns the function that names the chunks of a file: a hash of
// the file's id, the chunking and the range.
func identifier(fileID, fingerprint string) func(start, end int) string {
	prefix := []byte(fileID + "\x00" + fingerprint + "\x00")
	return func(start, end int) string {
		b := strconv.AppendInt(slices.Clip(prefix), int64(start), 10)
		b = strconv.AppendInt(append(b, '-'), int64(end), 10)
		sum := sha256.Sum256(b)
		return "chunk-" + hex.EncodeToString(sum[:12])
	}
}
