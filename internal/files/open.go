// Package files keeps the uploads of owners: their bytes, what reading them came
// to, and what turns must know of them. Owners never meet: not in the state, not
// in the bytes, not in what is derived from them.
package files

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"

	"inlay/cache"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/blobs"
	"inlay/internal/durable"
	"inlay/internal/queue"
	"inlay/internal/state"
)

// Config is what [Files] work with.
type Config struct {
	Data  string      // folder of what arrives, and of the bytes where Blobs is nil
	State state.Store // of the records
	Blobs blobs.Store // of the bytes; nil: Data
	Cache cache.Store // of what is derived from files
	// Reader reads the documents of one owner.
	Reader func(owner string) injection.Reader
	// Apart reads the upload at a path in a process of its own, whose reader leaves it in the cache for owner's
	// reader, so that large files take no memory here; nil: all are read here.
	Apart       func(ctx context.Context, owner, name, path string) (Reading, error)
	Quota       state.Quota           // of each owner
	Parallel    int                   // files read at once after upload; 0 means half of the processors
	ParseFailed func(code fault.Code) // told of files that cannot be read; nil: nobody
	// Deleting takes a file that is being deleted out of what was made of it; nil: nothing was.
	Deleting  func(ctx context.Context, owner, id string) error
	Read      func(ctx context.Context, f state.File) // told of files that were read, or could not be; nil: nobody
	Forgotten func()                                  // told that a file was deleted; nil: nobody
	Logger    *slog.Logger                            // ids, codes and times, never names or content
}

func (c Config) parseFailed(code fault.Code) {
	if c.ParseFailed != nil {
		c.ParseFailed(code)
	}
}

// Files are all uploads. Open them with [Open].
type Files struct {
	config  Config
	log     *slog.Logger
	uploads uploads
	queue   *queue.Queue[state.File] // nil: the state hands out the work
	end     func()                   // stops deleting what has expired, and waits for it
}

// Open clears what a killed process left behind and goes on reading the files
// that it had accepted. Where servers share the state, they share this work too.
func Open(ctx context.Context, c Config) (*Files, error) {
	s := &Files{config: c, log: c.Logger}
	if c.Blobs == nil {
		s.config.Blobs = blobs.NewFolder(c.Data)
	}
	for _, root := range []string{c.Data, filepath.Join(c.Data, "files")} { // earlier versions received files in the second
		if err := durable.RemoveStale(root); err != nil {
			return nil, durable.Explain(root, err)
		}
	}
	parallel := cmp.Or(c.Parallel, max(1, runtime.GOMAXPROCS(0)/2))
	if work, ok := c.State.(state.Work); ok {
		work.Handle(state.WorkRead, parallel, s.readByID)
	} else if err := s.readWaiting(ctx, parallel); err != nil {
		return nil, err
	}
	expiring, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() { s.expireAlways(expiring) })
	s.end = func() { cancel(); done.Wait() }
	return s, nil
}

// readWaiting clears what nobody else can need, and reads what waits.
func (s *Files) readWaiting(ctx context.Context, parallel int) error {
	if err := s.sweep(ctx); err != nil {
		return err
	}
	waiting, err := s.config.State.WaitingFiles(ctx)
	if err != nil {
		return err
	}
	s.queue = queue.Start(parallel, queue.Turns(func(f state.File) string { return f.Owner }), s.read)
	for _, f := range waiting {
		s.queue.Add(f)
	}
	return nil
}

// readByID reads a file that was handed out to this server. Of one that was read
// or deleted meanwhile there is nothing to do.
func (s *Files) readByID(ctx context.Context, t state.Task) error {
	f, err := s.config.State.File(ctx, t.Owner, t.ID)
	if errors.Is(err, state.ErrNotFound) || err == nil && f.State != state.Uploaded {
		return nil
	}
	if err == nil {
		err = s.readOnce(ctx, f)
	}
	if err != nil && t.Last && ctx.Err() == nil {
		report, _ := json.Marshal(Reading{Error: ReadingErrorOf(err)})
		err = s.config.State.SetFileState(ctx, f.Owner, f.ID, state.Failed, report)
	}
	return err
}

// shared reports that other servers work on the same state.
func (s *Files) shared() bool {
	_, ok := s.config.State.(state.Work)
	return ok
}

// Stop ends reading; the next process goes on with it.
func (s *Files) Stop() {
	s.end()
	if s.queue != nil {
		s.queue.Stop()
	}
}
