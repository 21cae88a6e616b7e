package main

// This file is the part of the wiring that reads large uploads in a process of
// their own, so that the server's memory does not follow their size.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"inlay/cache"
	"inlay/fault"
	"inlay/internal/files"
	"inlay/internal/wire"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/parse/worker"
)

// readerCommand makes the program read one upload into the cache.
const readerCommand = "read-upload"

// apart is what the process needs to read as the server would.
type apart struct {
	Name   string
	Path   string
	Owner  string
	Cache  string
	Limits parse.Limits
	OCR    *pdf.Tesseract

	push func(ctx context.Context, keys []cache.Key) // told what the process has put into the cache
}

// reported is what the process says.
type reported struct {
	files.Reading
	Put []cache.Key
}

// read has an upload read by another process.
func (a apart) read(ctx context.Context, owner, name, path string) (r files.Reading, err error) {
	a.Owner, a.Name, a.Path = owner, name, path
	in, err := json.Marshal(a)
	if err != nil {
		return r, err
	}
	cmd, err := worker.Command{Args: []string{readerCommand}, Env: readerEnvironment()}.Process(ctx)
	if err != nil {
		return r, err
	}
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	var said reported
	if err == nil {
		err = json.Unmarshal(out, &said)
		r = said.Reading
	}
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case err != nil:
		return r, &fault.Error{Code: fault.Internal, Subject: name, Reason: "the process that reads it broke down", Next: "try again with more memory free", Err: err}
	case r.Error != nil:
		return r, &fault.Error{Code: r.Error.Code, Subject: name, Reason: r.Error.Reason, Next: r.Error.Next}
	}
	a.push(ctx, said.Put)
	return r, nil
}

// readerEnvironment is what the process may see of ours: where things are, no keys.
func readerEnvironment() []string {
	env := []string{"GOTRACEBACK=none"}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "TMPDIR", "PATH", "TESSDATA_PREFIX"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// readApart is the whole program as the reader of one upload.
func readApart(ctx context.Context, getenv func(string) string, stdin io.Reader, stdout io.Writer) error {
	var a apart
	if err := json.NewDecoder(stdin).Decode(&a); err != nil {
		return fmt.Errorf("read the task: %w", err)
	}
	r, err := a.parse(ctx, getenv)
	if err != nil {
		r = reported{Reading: files.Reading{Error: files.ReadingErrorOf(err)}}
	}
	return json.NewEncoder(stdout).Encode(r)
}

// parse reads the upload into the owner's part of the cache.
func (a apart) parse(ctx context.Context, getenv func(string) string) (r reported, err error) {
	registry, err := wire.OpenParsers(a.Limits, a.OCR, getenv)
	if err != nil {
		return r, err
	}
	store, err := wire.OpenStore(a.Cache)
	if err != nil {
		return r, err
	}
	data, err := os.ReadFile(a.Path)
	if err != nil {
		return r, &fault.Error{Code: fault.StoreDamaged, Subject: "file", Reason: "its bytes cannot be read", Next: "upload it again", Err: err}
	}
	noting := &noting{Store: store}
	reader := parse.Cached{Registry: registry, Store: noting, Namespace: a.Owner, Limits: a.Limits}
	r.Reading, err = files.ReadWith(ctx, reader, parse.File{Name: a.Name, Data: data})
	r.Put = noting.put
	return r, err
}

// noting is a store that notes what is put into it.
type noting struct {
	cache.Store
	put []cache.Key
}

// Put implements [cache.Store].
func (n *noting) Put(ctx context.Context, key cache.Key, data []byte) error {
	n.put = append(n.put, key)
	return n.Store.Put(ctx, key, data)
}
