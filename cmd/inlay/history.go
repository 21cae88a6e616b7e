package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/download"
	"inlay/parse"
	"inlay/turn"
)

// history is a conversation in a file.
type history struct {
	chat.History
	path string
	file []byte            // as this process read or wrote it last; nil: it was not there
	held map[string][]byte // files of this process that have no path, by id
}

// hold keeps the bytes of files that no path leads to again: standard input and
// downloads.
func (h *history) hold(files []injection.File) {
	for _, f := range files {
		if f.Path != "" && !download.IsAddress(f.Path) || f.Data == nil {
			continue
		}
		if h.held == nil {
			h.held = map[string][]byte{}
		}
		h.held[parse.FileID(f.Data)] = f.Data
	}
}

// openHistory reads the conversation; a path that is not there yet is an empty one.
func openHistory(path string) (*history, error) {
	h := &history{path: path}
	if path == "" {
		return h, nil
	}
	if err := notRegular(path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, &fault.Error{Code: fault.CodeOf(err), Subject: path, Reason: "the history cannot be read: " + reasonOf(err), Next: "check --history", Err: err}
	}
	h.file = data
	if h.History, err = chat.ReadHistory(bytes.NewReader(data)); err != nil {
		return nil, &fault.Error{Code: fault.Corrupt, Subject: path, Reason: "is not valid inlay.history/v1: " + err.Error(), Next: "fix or remove it", Err: err}
	}
	return h, nil
}

// notRegular refuses a path that is there and is no plain file: reading a pipe
// may never end.
func notRegular(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fault.Error{Code: fault.FileUnreadable, Subject: path, Reason: "it is not a regular file", Next: "name a file"}
	}
	return nil
}

// said is the conversation as turns take it. Files are opened when they are
// needed.
func (h *history) said(limits parse.Limits) []turn.Said {
	out := make([]turn.Said, len(h.Messages))
	for i, m := range h.Messages {
		out[i] = turn.Said{Message: m}
		for _, a := range m.Attachments {
			if !a.IsImage() {
				out[i].Files = append(out[i].Files, injection.File{ID: a.FileID, Name: a.Name, Path: a.Path, MediaType: a.DocumentType(), Open: h.opener(a, m.Raw, limits)})
			}
		}
	}
	return out
}

// files are the attachments of earlier turns, each once, oldest first.
func (h *history) files() []chat.Attachment {
	seen := map[string]bool{}
	var out []chat.Attachment
	for _, m := range h.Messages {
		for _, a := range m.Attachments {
			if !seen[a.FileID] {
				seen[a.FileID] = true
				out = append(out, a)
			}
		}
	}
	return out
}

// opener reads an attachment of an earlier turn from where it was found then,
// and makes sure that it is still the same. A document that was cut from its
// message is cut from it again.
func (h *history) opener(a chat.Attachment, raw string, limits parse.Limits) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		if data, ok := a.Cut(raw); ok {
			return data, nil
		}
		if data, ok := h.held[a.FileID]; ok {
			return data, nil
		}
		if download.IsAddress(a.Path) {
			return nil, &fault.Error{Code: fault.FileNotFound, Subject: a.Path, Reason: "was downloaded on an earlier turn and is not kept", Next: "attach it again with -f"}
		}
		if a.Path == "" {
			return nil, &fault.Error{Code: fault.FileNotFound, Subject: a.Name, Reason: "was attached on an earlier turn and the history does not say where it is", Next: "attach it again with -f"}
		}
		f, err := parse.ReadFile(ctx, a.Path, limits)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(a.FileID, parse.FileIDPrefix) && parse.FileID(f.Data) != a.FileID {
			return nil, &fault.Error{Code: fault.FileUnreadable, Subject: a.Path, Reason: "has changed since it was attached", Next: "attach it again with -f"}
		}
		return f.Data, nil
	}
}

// add appends messages and keeps them in the file, if there is one.
func (h *history) add(messages ...chat.Message) error {
	for _, m := range messages {
		for i, a := range m.Attachments {
			if abs, err := filepath.Abs(a.Path); err == nil && a.Path != "" && !download.IsAddress(a.Path) {
				m.Attachments[i].Path = abs
			}
		}
	}
	h.Messages = append(h.Messages, messages...)
	if h.path == "" {
		return nil
	}
	return h.save(h.path)
}

// save replaces a file at once, so that a reader sees the old conversation or
// the new one. The chat's own file is not replaced when another process has
// written it meanwhile: what that one added would be lost.
func (h *history) save(path string) error {
	var b bytes.Buffer
	if err := h.Write(&b); err != nil {
		return err
	}
	unlock, err := lockFile(path)
	if err == nil {
		defer unlock()
		if path == h.path {
			if err := h.unchanged(); err != nil {
				return err
			}
		}
		err = replaceFile(path, b.Bytes())
	}
	if err != nil {
		return &fault.Error{Code: fault.FileUnreadable, Subject: path, Reason: "the history cannot be written: " + reasonOf(err), Next: "check the folder's permissions", Err: err}
	}
	if path == h.path {
		h.file = b.Bytes()
	}
	return nil
}

// unchanged is an error when the file is not as this process knows it.
func (h *history) unchanged() error {
	data, err := os.ReadFile(h.path)
	if errors.Is(err, fs.ErrNotExist) && h.file == nil || err == nil && h.file != nil && bytes.Equal(data, h.file) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &fault.Error{Code: fault.CodeOf(err), Subject: h.path, Reason: "the history cannot be read again: " + reasonOf(err), Next: "check --history", Err: err}
	}
	return &fault.Error{
		Code: fault.FileUnreadable, Subject: h.path, Reason: "another process has changed the history meanwhile; this turn was not added to it",
		Next: "keep it elsewhere (/save FILE in a chat), or ask again with the history as it is now",
	}
}

const (
	lockWait  = 3 * time.Second      // for another process to write
	lockStale = 10 * time.Second     // older: whoever held it is gone
	lockPause = 5 * time.Millisecond // between two looks
)

// lockFile makes path.lock, for as long as it takes to look at a file and
// replace it; unlock removes it.
func lockFile(path string) (unlock func(), err error) {
	lock := path + ".lock"
	for end := time.Now().Add(lockWait); ; time.Sleep(lockPause) {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return func() { _ = os.Remove(lock) }, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err := os.Stat(lock); err == nil && time.Since(info.ModTime()) > lockStale {
			_ = os.Remove(lock)
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("%s is held by another process", lock)
		}
	}
}

// replaceFile writes data beside path and renames it into place.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}
