package worker

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"inlay/fault"
	"inlay/parse"
)

// What passes between supervisor and worker is a sequence of frames: one line
// of JSON, then as many raw bytes as the line says. The supervisor trusts
// nothing in it: the worker may have been taken over by the document it reads.

// request is the one frame that goes in; its raw bytes are the document.
type request struct {
	Parser    string       `json:"parser"` // its name
	Name      string       `json:"name"`
	MediaType string       `json:"media_type,omitempty"`
	Limits    parse.Limits `json:"limits"`
	Size      int64        `json:"size"`
	Keep      bool         `json:"keep,omitempty"` // another document may follow, for the same parser under the same limits
}

// reply is a frame that comes out. Exactly one of its parts is set.
type reply struct {
	Done     *float64        `json:"done,omitempty"`     // progress
	Page     *page           `json:"page,omitempty"`     // raw bytes: its text
	Document *parse.Document `json:"document,omitempty"` // without its text, which is the raw bytes
	Failure  *failure        `json:"failure,omitempty"`
	Size     int64           `json:"size,omitempty"`
	Again    bool            `json:"again,omitempty"` // beside a result: the worker takes another document
}

// page is a page as soon as it has been read.
type page struct {
	Section parse.Section `json:"section"`
	Of      int           `json:"of"`
	Boxes   []byte        `json:"boxes,omitempty"` // as in parse.PageText
}

// failure is a *fault.Error without its subject and cause.
type failure struct {
	Code   fault.Code `json:"code"`
	Reason string     `json:"reason"`
	Next   string     `json:"next"`
}

// maxLine bounds the JSON of a frame: a document's sections and warnings.
const maxLine = 64 << 20

var errFrame = errors.New("malformed frame")

// write sends one frame.
func write(w *bufio.Writer, head any, raw string) error {
	line, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	for _, part := range []string{string(line), "\n", raw} {
		if _, err := w.WriteString(part); err != nil {
			return fmt.Errorf("write a frame: %w", err)
		}
	}
	return w.Flush()
}

// readLine reads one line of JSON into head.
func readLine(r *bufio.Reader, head any) error {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return errFrame
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	if err := json.Unmarshal(line, head); err != nil {
		return errFrame
	}
	return nil
}

// readRaw reads the raw bytes of a frame, at most limit of them.
func readRaw(r io.Reader, size, limit int64) ([]byte, error) {
	if size < 0 || size > limit {
		return nil, errFrame
	}
	raw := make([]byte, size)
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, err
	}
	return raw, nil
}
