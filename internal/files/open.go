// Package files keeps the uploads of owners: their bytes, what reading them came
// to, and what turns must know of them. Owners never meet: not in the state, not
// in the bytes, not in what is derived from them.
package files

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"inlay/cache"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/queue"
	"inlay/internal/state"
)

// Config is what [Files] work with.
type Config struct {
	Data  string      // folder of the bytes
	State state.Store // of the records
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
	blobs   blobs
	parts   parts
	uploads uploads
	queue   *queue.Queue[state.File]
	end     func()     // stops deleting what has expired, and waits for it
	content sync.Mutex // held while bytes and the record that names them come or go together
}

// Open clears what a killed process left behind and goes on reading the files
// that it had accepted.
func Open(ctx context.Context, c Config) (*Files, error) {
	s := &Files{config: c, log: c.Logger, blobs: blobs{root: filepath.Join(c.Data, "files")}, parts: parts{root: filepath.Join(c.Data, "uploads"), mu: &sync.Mutex{}}}
	s.parts.sweep(time.Now())
	if err := s.sweep(ctx); err != nil {
		return nil, err
	}
	waiting, err := c.State.WaitingFiles(ctx)
	if err != nil {
		return nil, err
	}
	s.queue = queue.Start(cmp.Or(c.Parallel, max(1, runtime.GOMAXPROCS(0)/2)), nil, s.read)
	for _, f := range waiting {
		s.queue.Add(f)
	}
	expiring, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() { s.expireAlways(expiring) })
	s.end = func() { cancel(); done.Wait() }
	return s, nil
}

// Stop ends reading; the next process goes on with it.
func (s *Files) Stop() {
	s.end()
	s.queue.Stop()
}

// Bytes are those of a content that belongs to owner.
func (s *Files) Bytes(owner, content string) ([]byte, error) { return s.blobs.read(owner, content) }
