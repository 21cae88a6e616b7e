package state

import (
	"context"
	"encoding/json"
	"time"
)

// VectorStore is a library that a client makes of uploads. The library has its id
// as its name.
type VectorStore struct {
	ID          string
	Owner       string
	Name        string
	Description string
	Created     time.Time
	Active      time.Time         // when it was last searched or changed
	Days        int               // it expires so many days after Active; 0: never
	Expired     bool              // its time is over: its files were taken out of it
	Metadata    map[string]string // the client's own
}

// Expires is when the store's time is over; zero: never.
func (v VectorStore) Expires() time.Time {
	if v.Days == 0 {
		return time.Time{}
	}
	return v.Active.AddDate(0, 0, v.Days)
}

// States of a file in a vector store.
const (
	StoreWaiting  = "in_progress"
	StoreDone     = "completed"
	StoreFailed   = "failed"
	StoreCanceled = "cancelled" // as the OpenAI API spells it
)

// StoreFile is an upload in a vector store.
type StoreFile struct {
	Owner      string
	Store      string
	File       string // id of the upload
	Batch      string // id of the batch that brought it; empty: it came alone
	Path       string // inside the library; unique in the store
	Created    time.Time
	State      string
	Bytes      int64           // of its text; 0 until it is done
	Attributes json.RawMessage // nil: none
	Chunking   json.RawMessage // as the client asked for it; nil: the server's own
	Failure    json.RawMessage // code and reason, of one that failed
}

// StoreBatch is a number of uploads that were put into a store at once.
type StoreBatch struct {
	Owner    string
	Store    string
	ID       string
	Created  time.Time
	Canceled bool
}

// StoreCounts count the files of a store or a batch.
type StoreCounts struct {
	States map[string]int // by state
	Bytes  int64
}

// VectorStores are the stores.
type VectorStores interface {
	AddVectorStore(ctx context.Context, v VectorStore) error
	VectorStore(ctx context.Context, owner, id string) (VectorStore, error)
	ListVectorStores(ctx context.Context, owner string, p Page) ([]VectorStore, error)
	// UpdateVectorStore keeps everything but Created.
	UpdateVectorStore(ctx context.Context, v VectorStore) error
	// DeleteVectorStore removes a store with its batches and the records of its files.
	DeleteVectorStore(ctx context.Context, owner, id string) error
}

// StoreFiles are what stores hold.
type StoreFiles interface {
	// PutStoreFile adds an upload to a store, or replaces what is known of it
	// there, and returns it with its path: f.Path, with a number where another
	// file has it.
	PutStoreFile(ctx context.Context, f StoreFile) (StoreFile, error)
	StoreFile(ctx context.Context, owner, store, file string) (StoreFile, error)
	// ListStoreFiles is in order of addition; an empty batch or state is any.
	ListStoreFiles(ctx context.Context, owner, store, batch, state string, p Page) ([]StoreFile, error)
	// UpdateStoreFile keeps State, Bytes, Attributes and Failure.
	UpdateStoreFile(ctx context.Context, f StoreFile) error
	DeleteStoreFile(ctx context.Context, owner, store, file string) error
}

// StoreInventory is what is asked across stores and batches.
type StoreInventory interface {
	// CountStoreFiles counts the files of a store, or of one of its batches; without
	// a store, of all that the owner has.
	CountStoreFiles(ctx context.Context, owner, store, batch string) (StoreCounts, error)
	// StoresOf are the stores that an upload is in.
	StoresOf(ctx context.Context, owner, file string) ([]StoreFile, error)
	// WaitingStores are the stores of all owners that have files to be read.
	WaitingStores(ctx context.Context) ([]VectorStore, error)
	// OverdueStores are the stores of all owners whose time is over and that still
	// have their content.
	OverdueStores(ctx context.Context) ([]VectorStore, error)
}

// StoreBatches are the batches of stores.
type StoreBatches interface {
	AddStoreBatch(ctx context.Context, b StoreBatch) error
	StoreBatch(ctx context.Context, owner, store, id string) (StoreBatch, error)
	// CancelStoreBatch cancels what of a batch was not read yet.
	CancelStoreBatch(ctx context.Context, owner, store, id string) error
}

// StoreUse is what a search asks and notes.
type StoreUse interface {
	// TouchVectorStore notes when a store was last used.
	TouchVectorStore(ctx context.Context, owner, id string, at time.Time) error
	// StoreFileAt is the file at a path of a store.
	StoreFileAt(ctx context.Context, owner, store, path string) (StoreFile, error)
}

// Collections are vector stores with all that belongs to them.
type Collections interface {
	VectorStores
	StoreFiles
	StoreInventory
	StoreBatches
	StoreUse
}
