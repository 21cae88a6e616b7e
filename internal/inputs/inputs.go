// Package inputs reads what a user named as a document: a file, a folder, a glob
// that the shell has left alone, a web address, or standard input. Whatever is
// named is read, or refused by its name and with the reason.
package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"inlay/fault"
	"inlay/ignore"
	"inlay/internal/download"
	"inlay/parse"
)

// Stdin is the name for standard input.
const Stdin = "-"

// Reader reads inputs. Its bounds hold for all that it reads from folders and
// globs together. It belongs to one goroutine.
type Reader struct {
	Limits parse.Limits
	Stdin  io.Reader // nil: "-" is refused
	// Accept says why a file of a folder is left out, in one or two words: "empty",
	// "picture". Empty: it is read. Nil accepts all.
	Accept   func(parse.File) string
	Include  ignore.Globs // files of folders to read; none: all
	Exclude  ignore.Globs // files and folders in folders to leave out
	Files    int          // most files from folders and globs; default 1,000
	Bytes    int64        // most bytes of them; default 256 MiB
	Download download.Options
	Offline  bool // web addresses are refused

	files int
	bytes int64
	piped bool // standard input was read
}

// Read returns the files that a name stands for, at least one, and notes about
// what was left out of a folder. Errors name what the user named.
func (r *Reader) Read(ctx context.Context, name string) (files []parse.File, notes []string, err error) {
	if name == Stdin {
		f, err := r.stdin(ctx)
		return one(f, err)
	}
	if scheme, _, ok := strings.Cut(name, "://"); ok && !strings.ContainsAny(scheme, "/ ") {
		f, err := r.address(ctx, name)
		return one(f, err)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return r.folder(ctx, name, nil)
	case err != nil && IsGlob(name):
		return r.glob(ctx, name)
	}
	f, err := parse.ReadFile(ctx, name, r.Limits)
	return one(f, err)
}

func one(f parse.File, err error) ([]parse.File, []string, error) {
	if err != nil {
		return nil, nil, err
	}
	return []parse.File{f}, nil, nil
}

// stdin is the document on standard input, which can be read once.
func (r *Reader) stdin(ctx context.Context) (parse.File, error) {
	if r.piped || r.Stdin == nil {
		return parse.File{}, &fault.Error{Code: fault.Usage, Subject: Stdin, Reason: "standard input can be read only once", Next: "name the other files"}
	}
	r.piped = true
	return parse.ReadFrom(ctx, "stdin", Cancelable{ctx.Done(), r.Stdin}, r.Limits)
}

// Cancelable is a reader that gives up when Done is closed, though the read
// below may go on waiting: nobody types into a canceled program.
type Cancelable struct {
	Done <-chan struct{}
	R    io.Reader
}

// Read implements io.Reader.
func (c Cancelable) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	buffer, came := make([]byte, len(p)), make(chan result, 1)
	go func() {
		n, err := c.R.Read(buffer)
		came <- result{n, err}
	}()
	select {
	case <-c.Done:
		return 0, context.Canceled
	case got := <-came:
		return copy(p, buffer[:got.n]), got.err
	}
}

func (r *Reader) address(ctx context.Context, name string) (parse.File, error) {
	switch {
	case !download.IsAddress(name):
		return parse.File{}, &fault.Error{Code: fault.Usage, Subject: name, Reason: "is not an address that can be read", Next: "name an http or https address, or a file by its path"}
	case r.Offline:
		return parse.File{}, &fault.Error{Code: fault.Usage, Subject: name, Reason: "is a web address", Next: "download it and name the file"}
	}
	o := r.Download
	if o.Bytes == 0 {
		o.Bytes = r.Limits.WithDefaults().File
	}
	return download.Get(ctx, name, o)
}

// IsGlob reports whether a name has characters of a glob.
func IsGlob(name string) bool { return strings.ContainsAny(name, "*?[") }

// glob reads the files and folders that match, in the order of their names.
func (r *Reader) glob(ctx context.Context, pattern string) (files []parse.File, notes []string, err error) {
	if base, below, ok := deep(pattern); ok {
		globs, err := ignore.ParseGlobs(pattern, []string{below})
		if err != nil {
			return nil, nil, err
		}
		return r.folder(ctx, base, globs)
	}
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, nil, &fault.Error{Code: fault.Usage, Subject: pattern, Reason: "is not a valid pattern", Next: "close its brackets", Err: err}
	}
	for _, name := range names {
		if base := filepath.Base(name); hidden(base) && !hidden(filepath.Base(pattern)) {
			continue
		}
		if err := r.count(pattern, name); err != nil {
			return nil, nil, err
		}
		more, said, err := r.Read(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		files, notes = append(files, more...), append(notes, said...)
	}
	if len(files) == 0 {
		return nil, nil, &fault.Error{Code: fault.FileNotFound, Subject: pattern, Reason: "no file matches", Next: "check the pattern"}
	}
	return files, notes, nil
}

// deep parts a pattern with ** into the folder to walk and the pattern below it.
func deep(pattern string) (folder, below string, ok bool) {
	parts := strings.Split(filepath.ToSlash(pattern), "/")
	for i, part := range parts {
		if !IsGlob(part) {
			continue
		}
		below = strings.Join(parts[i:], "/")
		folder = strings.Join(parts[:i], "/")
		switch {
		case folder == "" && i > 0:
			folder = "/"
		case folder == "":
			folder = "."
		}
		if below == "**" {
			return folder, "*", true
		}
		return folder, "/" + below, strings.Contains(below, "**")
	}
	return "", "", false
}

// count holds what a glob matches to the bounds.
func (r *Reader) count(subject, name string) error {
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return nil //nolint:nilerr // reading it says why
	}
	return r.bound(subject, info.Size())
}

// bound counts one more file, and refuses the one that is too many.
func (r *Reader) bound(subject string, size int64) error {
	most, bytes := r.Files, r.Bytes
	if most == 0 {
		most = 1000
	}
	if bytes == 0 {
		bytes = 256 << 20
	}
	r.files++
	r.bytes += size
	e := &fault.Error{Code: fault.LimitExceeded, Subject: subject, Next: "narrow it with --include or --exclude, or raise "}
	switch {
	case r.files > most:
		e.Reason = fmt.Sprintf("there are more than %d files to read", most)
		e.Next += "--folder-files"
	case r.bytes > bytes:
		e.Reason = fmt.Sprintf("the files to read have more than %d MiB", bytes>>20)
		e.Next += "--folder-bytes"
	default:
		return nil
	}
	return e
}

func hidden(base string) bool {
	return strings.HasPrefix(base, ".") && base != "." && base != ".."
}

// LooksLikePath reports whether an argument is more likely the name of a file than
// a part of a question: it begins as a path does, ends in a slash, lies in a folder
// that exists, has a glob, or ends as the names of documents do. Where it has spaces and is all that
// was asked (alone), it is a question that ends in the name of a file.
func LooksLikePath(word string, alone bool) bool {
	if strings.TrimSpace(word) == "" || strings.ContainsAny(word, "\n\t") {
		return false
	}
	trimmed := strings.TrimRight(word, "?!.,;:")
	first, _, inFolder := strings.Cut(filepath.ToSlash(trimmed), "/")
	spaced := strings.Contains(word, " ")
	switch {
	case trimmed == "":
		return false
	case strings.HasPrefix(word, "./"), strings.HasPrefix(word, "../"), strings.HasPrefix(word, "~/"), strings.HasPrefix(word, "/") && !spaced && len(word) > 1:
		return true
	case !spaced && strings.Contains(word, "*") && strings.Trim(word, "*") != "" && !strings.HasPrefix(word, "**"):
		return strings.ContainsAny(word, "./")
	case inFolder && !spaced && (isFolder(first) || strings.HasSuffix(word, "/") && first != ""):
		return true
	}
	if spaced && alone || trimmed != word {
		return false
	}
	return documents()[strings.ToLower(filepath.Ext(word))] && len(filepath.Ext(word)) < len(filepath.Base(word))
}

// CouldBePath reports whether a single word that was typed beside a question, which
// another argument has whole, is the name of a file: it has a slash, or a dot with
// letters after it.
func CouldBePath(word string) bool {
	if strings.ContainsAny(word, " \n\t") || strings.TrimRight(word, "?!.,;:") != word {
		return false
	}
	ext := strings.TrimPrefix(filepath.Ext(word), ".")
	letters := ext != "" && !strings.ContainsFunc(ext, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) && unicode.IsLetter(rune(ext[0]))
	return strings.Contains(filepath.ToSlash(word), "/") && strings.Trim(word, "/") != "" || letters && len(ext) < len(word)-1
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// documents are extensions that names of documents end in, and words of questions
// hardly ever do.
func documents() map[string]bool {
	out := map[string]bool{}
	for ext := range strings.FieldsSeq(".pdf .docx .doc .pptx .ppt .xlsx .xls .xlsb .odt .ods .odp .rtf .epub .md .markdown .txt .csv .tsv .json .jsonl .yaml .yml " +
		".xml .html .htm .eml .msg .mbox .ics .srt .vtt .zip .log .ipynb .fb2 .png .jpg .jpeg .tif .tiff") {
		out[ext] = true
	}
	return out
}

// Exists reports whether a name is that of a file or folder.
func Exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil || errors.Is(err, fs.ErrPermission)
}
