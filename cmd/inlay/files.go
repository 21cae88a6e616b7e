package main

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"inlay/chat"
	"inlay/injection"
	"inlay/parse"
)

// splitMode takes "big.pdf=retrieval" apart, at the last = and only before a
// known mode, so that other = signs may stand in names.
func splitMode(arg string) (path string, mode injection.Mode) {
	i := strings.LastIndexByte(arg, '=')
	if i <= 0 {
		return arg, injection.Auto
	}
	mode, err := injection.ParseMode(arg[i+1:])
	if err != nil || arg[i+1:] == "" {
		return arg, injection.Auto
	}
	return arg[:i], mode
}

// openFiles reads what -f names, in order. Images are set apart: they stay on
// the message.
func openFiles(ctx context.Context, a *app, args []string) (files []injection.File, images []chat.Attachment, err error) {
	for _, arg := range args {
		path, mode := splitMode(arg)
		f, err := readFile(ctx, a, path)
		if err != nil {
			return nil, nil, err
		}
		if kind := injection.ImageType(f.Data); kind != "" {
			images = append(images, chat.Attachment{FileID: parse.FileID(f.Data), Name: f.Name, MediaType: kind, Path: f.Path})
			continue
		}
		files = append(files, injection.File{Name: f.Name, Path: f.Path, Mode: mode, Data: f.Data})
	}
	return files, images, nil
}

// openEach is openFiles for a request that goes on without the files that
// cannot be read: their errors are reported with the result.
func openEach(ctx context.Context, a *app, args []rawArg) ([]injection.File, error) {
	var files []injection.File
	for _, arg := range args {
		path, mode := splitMode(string(arg))
		f, err := readFile(ctx, a, path)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			files = append(files, injection.File{Name: path, Mode: mode, Open: func(context.Context) ([]byte, error) { return nil, err }})
		default:
			files = append(files, injection.File{Name: f.Name, Path: f.Path, Mode: mode, Data: f.Data})
		}
	}
	return files, nil
}

// readFile reads one file, or standard input for "-".
func readFile(ctx context.Context, a *app, path string) (parse.File, error) {
	if path == "-" {
		return parse.ReadFrom(ctx, "stdin", cancelable{ctx.Done(), a.stdin}, a.limits)
	}
	return parse.ReadFile(ctx, path, a.limits)
}

// cancelable is a reader that gives up when done is closed, though the read
// below may go on waiting: nobody types into a canceled program.
type cancelable struct {
	done <-chan struct{}
	r    io.Reader
}

// Read implements io.Reader.
func (c cancelable) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	buffer, came := make([]byte, len(p)), make(chan result, 1)
	go func() {
		n, err := c.r.Read(buffer)
		came <- result{n, err}
	}()
	select {
	case <-c.done:
		return 0, context.Canceled
	case got := <-came:
		return copy(p, buffer[:got.n]), got.err
	}
}

// rawArg is an argument taken byte for byte: file names and questions need not
// be UTF-8.
type rawArg string

// rawMapper reads a rawArg.
func rawMapper(ctx *kong.DecodeContext, target reflect.Value) error {
	text, ok := ctx.Scan.Pop().Value.(string)
	if !ok {
		return errors.New("expected a text")
	}
	target.SetString(text)
	return nil
}
