package stores

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"inlay/fault"
	"inlay/internal/files"
	"inlay/internal/state"
	"inlay/library"
	"inlay/parse"
)

// Files of one store are made searchable in groups; then it is another store's turn.
const (
	groupFiles = 64
	groupBytes = 32 << 20 // of uploads
)

// enqueue has the files of a store read, unless that waits already.
func (s *Stores) enqueue(k key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue != nil && !s.queued[k] {
		s.queued[k] = true
		s.queue.Add(k)
	}
}

// Arrived has the stores of an upload go on with it: it was read.
func (s *Stores) Arrived(ctx context.Context, f state.File) {
	in, err := s.config.State.StoresOf(ctx, f.Owner, f.ID)
	if err != nil {
		s.log.ErrorContext(ctx, "the vector stores of a file are not known", "file", f.ID, "code", string(fault.CodeOf(err)))
	}
	for _, one := range in {
		s.enqueue(key{f.Owner, one.Store})
	}
}

// read makes a group of the files of a store searchable.
func (s *Stores) read(ctx context.Context, k key) {
	s.mu.Lock()
	delete(s.queued, k)
	s.mu.Unlock()
	done := 0
	err := s.config.State.Exclusive(ctx, "reading vector store "+k.owner+" "+k.id, func() (err error) {
		done, err = s.readGroup(ctx, k)
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "files of a vector store were not read", "store", k.id, "code", string(fault.CodeOf(err)))
		return
	}
	if done > 0 && ctx.Err() == nil {
		s.enqueue(k) // there may be more
	}
}

// arrival is a file on its way into its store.
type arrival struct {
	state.StoreFile

	upload state.File
	ready  library.Ready
	err    error
}

// readGroup returns how many files are not waiting any more.
func (s *Stores) readGroup(ctx context.Context, k key) (done int, err error) {
	group, err := s.waiting(ctx, k)
	if err != nil || len(group) == 0 {
		return 0, err
	}
	if err := s.ensure(ctx, k); err != nil {
		return 0, err
	}
	var wait sync.WaitGroup
	room := make(chan struct{}, s.config.Parallel)
	for _, a := range group {
		wait.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			if a.err == nil {
				a.err = s.prepare(ctx, a)
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	for _, a := range group {
		if passing(a.err) {
			return 0, a.err // the group goes on waiting
		}
	}
	return len(group), s.exclusively(ctx, k, func() error { return s.keep(ctx, k, group) })
}

// waiting are files of a store that can be made searchable now. Uploads that are
// still being read come later.
func (s *Stores) waiting(ctx context.Context, k key) (group []*arrival, err error) {
	bytes, after := int64(0), ""
	for len(group) < groupFiles && bytes < groupBytes {
		list, err := s.config.State.ListStoreFiles(ctx, k.owner, k.id, "", state.StoreWaiting, state.Page{Limit: groupFiles, After: after})
		if err != nil || len(list) == 0 {
			return group, err
		}
		for _, f := range list {
			after = f.File
			a := &arrival{StoreFile: f}
			if a.upload, a.err = s.uploads.File(ctx, k.owner, f.File); a.err == nil && a.upload.State == state.Uploaded {
				continue
			}
			group = append(group, a)
			if bytes += a.upload.Bytes; bytes >= groupBytes {
				break
			}
		}
	}
	return group, nil
}

// prepare makes an upload searchable.
func (s *Stores) prepare(ctx context.Context, a *arrival) error {
	reading, err := files.ReadingOf(a.upload)
	switch {
	case err != nil:
		return err
	case reading.Error != nil:
		return &fault.Error{Code: reading.Error.Code, Subject: a.upload.Name, Reason: reading.Error.Reason, Next: reading.Error.Next}
	case reading.Image:
		return &fault.Error{Code: fault.UnsupportedFormat, Subject: a.upload.Name, Reason: "is an image, and a vector store holds text", Next: "send a document"}
	}
	arrived := library.Arrival{File: parse.File{Name: a.Path}}
	if arrived.Attributes, err = AttributesOf(a.StoreFile); err != nil {
		return err
	}
	if arrived.File.Data, err = s.uploads.Bytes(ctx, a.Owner, a.upload.Content); err != nil {
		return err
	}
	chunking, err := ChunkingOf(a.StoreFile)
	if err != nil {
		return err
	}
	if chunking != nil {
		if arrived.Indexer, err = s.config.Chunked(chunking.Size, chunking.Overlap); err != nil {
			return err
		}
	}
	a.ready, err = s.keeper(a.Owner).Prepare(ctx, arrived)
	return err
}

// keep puts what was made searchable into the library, then notes it. What was
// taken out of the store meanwhile, or canceled, is left out. It must run exclusively.
func (s *Stores) keep(ctx context.Context, k key, group []*arrival) error {
	left, err := s.room(ctx, k.owner)
	if err != nil {
		return err
	}
	var ready []library.Ready
	var noted []*arrival
	for _, a := range group {
		wanted, err := s.wanted(ctx, a)
		if err != nil {
			return err
		}
		if !wanted {
			continue
		}
		noted = append(noted, a)
		size := int64(a.ready.Entry.Text)
		if a.err == nil && size > left {
			a.err = &fault.Error{
				Code: fault.LimitExceeded, Subject: a.upload.Name, Reason: "you would keep more text in vector stores than this server allows",
				Next: "delete files that you no longer need",
			}
		}
		if a.err == nil {
			left -= size
			ready = append(ready, a.ready)
		}
	}
	if len(ready) > 0 {
		if err := s.keeper(k.owner).Keep(context.WithoutCancel(ctx), k.owner, k.id, ready...); err != nil {
			if passing(err) {
				return err // they go on waiting
			}
			for _, a := range noted {
				a.err = errors.Join(a.err, err)
			}
		}
	}
	return s.note(context.WithoutCancel(ctx), noted)
}

// passing reports whether a failure says nothing about a file: a part of the
// service was away, and it is tried again.
func passing(err error) bool {
	return fault.Is(err, fault.StoreUnreachable) || fault.Is(err, fault.Conflict)
}

// wanted reports whether a file is still to be put into its store, and takes over
// attributes that were changed meanwhile.
func (s *Stores) wanted(ctx context.Context, a *arrival) (bool, error) {
	now, err := s.config.State.StoreFile(ctx, a.Owner, a.Store, a.File)
	if errors.Is(err, state.ErrNotFound) || err == nil && now.State != state.StoreWaiting {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a.Attributes = now.Attributes
	a.ready.Entry.Attributes, err = AttributesOf(now)
	return true, err
}

// room is how much text an owner may add.
func (s *Stores) room(ctx context.Context, owner string) (int64, error) {
	const unbounded = 1 << 62
	if s.config.Quota.Bytes == 0 {
		return unbounded, nil
	}
	counts, err := s.config.State.CountStoreFiles(ctx, owner, "", "")
	return s.config.Quota.Bytes - counts.Bytes, err
}

// note keeps what became of files.
func (s *Stores) note(ctx context.Context, group []*arrival) error {
	for _, a := range group {
		a.State, a.Bytes = state.StoreDone, int64(a.ready.Entry.Text)
		if a.err != nil {
			failure, err := json.Marshal(files.ReadingErrorOf(a.err))
			if err != nil {
				return err
			}
			a.State, a.Bytes, a.Failure = state.StoreFailed, 0, failure
		}
		if err := s.config.State.UpdateStoreFile(ctx, a.StoreFile); err != nil && !errors.Is(err, state.ErrNotFound) {
			return err
		}
	}
	return nil
}
