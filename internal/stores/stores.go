// Package stores keeps vector stores: libraries that clients of the service make
// of their uploads, in the form of the OpenAI API. A store is a library by the
// store's id, and records of which upload is under which of its paths.
package stores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"inlay/fault"
	"inlay/internal/queue"
	"inlay/internal/state"
	"inlay/library"
	"inlay/retrieve"
)

// Config is what [Stores] work with.
type Config struct {
	State     state.Store
	Index     library.Index
	Settings  library.Settings                                 // of the library of a new store
	Parser    func(owner string) library.Parser                // reads uploads of an owner
	Retriever *retrieve.Retriever                              // searches
	Chunked   func(size, overlap int) (library.Indexer, error) // makes passages of another size, in tokens
	Usual     Chunking                                         // how large passages are where nothing else is asked for
	Quota     state.Quota                                      // of each owner: its bytes bound the text in all stores
	Parallel  int                                              // files made searchable at once; 0 means half of the processors
	Logger    *slog.Logger                                     // ids, codes and times, never names or content
}

// Uploads are where files come from.
type Uploads interface {
	File(ctx context.Context, owner, id string) (state.File, error)
	Bytes(ctx context.Context, owner, content string) ([]byte, error)
}

// Stores are all vector stores. Make them with [New].
type Stores struct {
	config  Config
	uploads Uploads
	log     *slog.Logger
	queue   *queue.Queue[key]
	end     func() // stops looking for stores whose time is over
	locks   [64]sync.Mutex

	mu     sync.Mutex
	queued map[key]bool
}

// key names a store.
type key struct{ owner, id string }

// New makes stores, of which [Stores.Forget] can be used before [Stores.Start].
func New(c Config) *Stores {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Parallel = cmp.Or(c.Parallel, max(1, runtime.GOMAXPROCS(0)/2))
	return &Stores{config: c, log: c.Logger, queued: map[key]bool{}}
}

// Start goes on with what an earlier process had accepted.
func (s *Stores) Start(ctx context.Context, uploads Uploads) error {
	s.uploads = uploads
	waiting, err := s.config.State.WaitingStores(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.queue = queue.Start(1, queue.Turns(func(k key) string { return k.owner }), s.read) // a group of one store at a time, its files side by side
	s.mu.Unlock()
	for _, v := range waiting {
		s.enqueue(key{v.Owner, v.ID})
	}
	expiring, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() { s.expireAlways(expiring) })
	done.Go(func() { s.takeOverAlways(expiring) })
	s.end = func() { cancel(); done.Wait() }
	return nil
}

// Stop ends the work; the next process goes on with it.
func (s *Stores) Stop() {
	s.end()
	s.queue.Stop()
}

// takeOverEvery is how often a server looks for files that wait though nobody
// reads them: another server accepted them, or a part of the service was away.
const takeOverEvery = 5 * time.Second

func (s *Stores) takeOverAlways(ctx context.Context) {
	every := time.NewTicker(takeOverEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		waiting, err := s.config.State.WaitingStores(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "vector stores with files that wait are not known", "code", string(fault.CodeOf(err)))
		}
		for _, v := range waiting {
			s.enqueue(key{v.Owner, v.ID})
		}
	}
}

// exclusively runs f while nobody else, on other servers neither, changes what a
// store holds.
func (s *Stores) exclusively(ctx context.Context, k key, f func() error) error {
	h := fnv.New32a()
	_, _ = h.Write([]byte(k.owner + "\x00" + k.id))
	m := &s.locks[h.Sum32()%uint32(len(s.locks))]
	m.Lock()
	defer m.Unlock()
	return s.config.State.Exclusive(ctx, "vector store "+k.owner+" "+k.id, f)
}

func missing(id string, err error) error {
	return state.Missing(fault.NotFound, "vector store", id, err)
}

// maxStores is how many stores one owner can have.
const maxStores = 1000

// Create makes a store; its ID, Owner and times are set here.
func (s *Stores) Create(ctx context.Context, owner string, v state.VectorStore) (state.VectorStore, error) {
	have, err := s.config.State.ListVectorStores(ctx, owner, state.Page{Limit: maxStores})
	if err != nil {
		return v, err
	}
	if len(have) >= maxStores {
		return v, &fault.Error{
			Code: fault.LimitExceeded, Subject: "vector stores", Reason: fmt.Sprintf("you would have more than %d", maxStores),
			Next: "delete those that you no longer need",
		}
	}
	v.ID, v.Owner, v.Created = state.NewID("vs_"), owner, state.Now()
	v.Active = v.Created
	if err := s.config.State.AddVectorStore(ctx, v); err != nil {
		return v, err
	}
	return v, s.ensure(ctx, key{owner, v.ID})
}

// ensure makes the library of a store, unless it is there.
func (s *Stores) ensure(ctx context.Context, k key) error {
	_, err := s.config.Index.Settings(ctx, k.owner, k.id)
	if !fault.Is(err, fault.FileNotFound) {
		return err
	}
	settings := s.config.Settings
	settings.Fingerprint, settings.Created = s.config.Retriever.Fingerprint(), state.Now()
	return s.config.Index.Configure(ctx, k.owner, k.id, settings)
}

// Store is one store.
func (s *Stores) Store(ctx context.Context, owner, id string) (state.VectorStore, error) {
	v, err := s.config.State.VectorStore(ctx, owner, id)
	if err == nil && overdue(v) {
		v.Expired = true
	}
	return v, missing(id, err)
}

func overdue(v state.VectorStore) bool {
	at := v.Expires()
	return !at.IsZero() && !time.Now().Before(at)
}

// Usable is a store that has not expired.
func (s *Stores) Usable(ctx context.Context, owner, id string) (state.VectorStore, error) {
	v, err := s.Store(ctx, owner, id)
	if err == nil && v.Expired {
		err = &fault.Error{Code: fault.Usage, Subject: "vector store " + id, Reason: "has expired", Next: "make a new one of the files"}
	}
	return v, err
}

// Stores is one page of an owner's stores; more says that the list goes on.
func (s *Stores) Stores(ctx context.Context, owner string, p state.Page) (list []state.VectorStore, more bool, err error) {
	list, more, err = state.OnePage(p, func(p state.Page) ([]state.VectorStore, error) { return s.config.State.ListVectorStores(ctx, owner, p) })
	for i := range list {
		list[i].Expired = list[i].Expired || overdue(list[i])
	}
	return list, more, err
}

// Modify changes a store as change says.
func (s *Stores) Modify(ctx context.Context, owner, id string, change func(*state.VectorStore)) (v state.VectorStore, err error) {
	err = s.exclusively(ctx, key{owner, id}, func() (err error) {
		if v, err = s.Usable(ctx, owner, id); err != nil {
			return err
		}
		change(&v)
		v.Active = state.Now()
		return missing(id, s.config.State.UpdateVectorStore(ctx, v))
	})
	return v, err
}

// Remove deletes a store with all that it was made of; the uploads stay.
func (s *Stores) Remove(ctx context.Context, owner, id string) error {
	return s.exclusively(ctx, key{owner, id}, func() error {
		if _, err := s.Store(ctx, owner, id); err != nil {
			return err
		}
		if err := s.drop(ctx, key{owner, id}); err != nil {
			return err
		}
		return missing(id, s.config.State.DeleteVectorStore(ctx, owner, id))
	})
}

func (s *Stores) drop(ctx context.Context, k key) error {
	err := s.config.Index.Drop(ctx, k.owner, k.id)
	if fault.Is(err, fault.FileNotFound) {
		return nil
	}
	return err
}

// Chunking is how large passages are where a file asks for nothing else.
func (s *Stores) Chunking() Chunking { return s.config.Usual }

// Counts count the files of a store, or of one of its batches.
func (s *Stores) Counts(ctx context.Context, owner, id, batch string) (state.StoreCounts, error) {
	return s.config.State.CountStoreFiles(ctx, owner, id, batch)
}

// touchEvery is how often the use of a store is noted.
const touchEvery = time.Minute

// touch notes that a store is used.
func (s *Stores) touch(ctx context.Context, v state.VectorStore) error {
	now := state.Now()
	if now.Sub(v.Active) < touchEvery {
		return nil
	}
	err := s.config.State.TouchVectorStore(ctx, v.Owner, v.ID, now)
	if errors.Is(err, state.ErrNotFound) {
		return nil
	}
	return err
}

// expireEvery is how often stores are looked for whose time is over; they cannot
// be used any more from that time on.
const expireEvery = time.Minute

func (s *Stores) expireAlways(ctx context.Context) {
	every := time.NewTicker(expireEvery)
	defer every.Stop()
	for {
		if err := s.Expire(ctx); err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "vector stores whose time is over were not emptied", "code", string(fault.CodeOf(err)))
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// Expire deletes the content of stores whose time is over. They stay listed as
// expired until they are deleted.
func (s *Stores) Expire(ctx context.Context) error {
	list, err := s.config.State.OverdueStores(ctx)
	for _, v := range list {
		k := key{v.Owner, v.ID}
		err = errors.Join(err, s.exclusively(ctx, k, func() error { return s.expire(ctx, k) }))
	}
	return err
}

// expire must run exclusively.
func (s *Stores) expire(ctx context.Context, k key) error {
	v, err := s.config.State.VectorStore(ctx, k.owner, k.id)
	if err != nil || !overdue(v) {
		return missing(k.id, err)
	}
	if err := s.drop(ctx, k); err != nil {
		return err
	}
	for {
		files, err := s.config.State.ListStoreFiles(ctx, k.owner, k.id, "", "", state.Page{Limit: groupFiles})
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := s.config.State.DeleteStoreFile(ctx, k.owner, k.id, f.File); err != nil && !errors.Is(err, state.ErrNotFound) {
				return err
			}
		}
		if len(files) == 0 {
			break
		}
	}
	v.Expired = true
	return s.config.State.UpdateVectorStore(ctx, v)
}
