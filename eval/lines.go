package eval

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"inlay/fault"
)

// longestLine bounds one line of an input.
const longestLine = 256 << 20

// badLine is a mistake in an input, by file, line and field.
func badLine(path string, line int, field, reason, next string) error {
	if field != "" {
		reason = field + ": " + reason
	}
	subject := path
	if line > 0 {
		subject = fmt.Sprintf("%s:%d", path, line)
	}
	return &fault.Error{Code: fault.Corrupt, Subject: subject, Reason: reason, Next: next}
}

// eachLine calls do with every line of a file that is not blank, numbered from 1.
func eachLine(ctx context.Context, path string, do func(n int, line []byte) error) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestLine)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if !utf8.Valid(line) {
			return badLine(path, n, "", "is not valid UTF-8", "save the file as UTF-8")
		}
		if err := do(n, line); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return badLine(path, n+1, "", fmt.Sprintf("is longer than %d MiB", longestLine>>20), "split the document")
	}
	if err := lines.Err(); err != nil {
		return unreadable(path, err)
	}
	return nil
}

// openRegular opens a file that is to be read through.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, &fault.Error{Code: fault.FileUnreadable, Subject: path, Reason: "is not a regular file", Next: "name a file"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return f, nil
}

func unreadable(path string, err error) error {
	code, reason := fault.FileUnreadable, "it cannot be read"
	if errors.Is(err, fs.ErrNotExist) {
		code, reason = fault.FileNotFound, "there is no such file"
	}
	return &fault.Error{Code: code, Subject: path, Reason: reason, Next: "check --data and --documents", Err: err}
}

// decodeLine reads one JSON object; a mistake names the field where it can.
func decodeLine(path string, n int, line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			return badLine(path, n, "", "has something after its JSON object", "write one object a line")
		}
		return nil
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field == "" {
			return badLine(path, n, "", fmt.Sprintf("is a JSON %s, want an object", e.Value), "write one object a line")
		}
		return badLine(path, n, e.Field, fmt.Sprintf("is a JSON %s, want %s", jsonName(e.Value), wanted(e.Type.String())), "")
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return badLine(path, n, "", fmt.Sprintf("is not valid JSON: %s at byte %d", e.Error(), e.Offset), "write one object a line")
	}
	return badLine(path, n, "", "is not valid JSON: "+err.Error(), "write one object a line")
}

// jsonName drops a number's digits: errors do not repeat content.
func jsonName(value string) string {
	name, _, _ := strings.Cut(value, " ")
	return name
}

func wanted(goType string) string {
	switch strings.TrimLeft(goType, "*") {
	case "string":
		return "a string"
	case "int", "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "[][]int", "[][2]int", "[2]int", "[]int":
		return "pairs of numbers [[start, end], ...]"
	}
	return "an object"
}

// inside joins a name that an input gives to a folder, and refuses names that
// lead out of it.
func inside(dir, name string) (string, bool) {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return "", false
	}
	return filepath.Join(dir, local), true
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
