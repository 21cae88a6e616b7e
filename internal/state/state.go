// Package state is what the service must not lose: who may call it, the files,
// chats and evaluations of each caller. Bytes and derived data live elsewhere.
//
// Every record but a key has an owner, and every question names one: what
// belongs to another owner is as good as not there. [ErrNotFound] says both.
package state

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ErrNotFound says that there is no such record, or none of this owner.
var ErrNotFound = errors.New("no such record")

// ErrQuota says that a record would take more than its owner may have.
var ErrQuota = errors.New("over the owner's limit")

// Key lets its holder call the service. Only the hash of the secret is kept.
type Key struct {
	ID      string    // names the owner of what is made with it
	Name    string    // as its maker called it
	Hint    string    // first letters of the secret, to tell keys apart
	Hash    []byte    // SHA-256 of the secret
	Created time.Time // to the second
	Revoked time.Time // zero: it is good
}

// Keys are the keys of the service.
type Keys interface {
	AddKey(ctx context.Context, k Key) error
	// KeyByHash finds a key, revoked or not.
	KeyByHash(ctx context.Context, hash []byte) (Key, error)
	// ListKeys is in order of making.
	ListKeys(ctx context.Context) ([]Key, error)
	// RevokeKey is not an error for a key that is revoked already.
	RevokeKey(ctx context.Context, id string, at time.Time) error
	// AnyKey reports whether a key was ever made: then callers need one.
	AnyKey(ctx context.Context) (bool, error)
}

// States of a file.
const (
	Uploaded  = "uploaded"  // waits to be read
	Processed = "processed" // its text can be used, or it is an image
	Failed    = "error"     // it cannot be read; Report says why
)

// File is an upload.
type File struct {
	ID      string
	Owner   string
	Name    string
	Purpose string
	Content string // content id of its bytes
	Bytes   int64
	Created time.Time
	State   string
	Report  json.RawMessage // what reading it came to; nil while it waits
}

// Quota bounds what one owner keeps. Zero means no bound.
type Quota struct {
	Files int
	Bytes int64
}

// Page asks for a part of a list.
type Page struct {
	After string // id of the last record of the page before; empty: from the start
	Limit int    // most records
	Desc  bool   // newest first
}

// Files are the uploads.
type Files interface {
	// AddFile keeps f unless its owner would have more than q allows (ErrQuota).
	AddFile(ctx context.Context, f File, q Quota) error
	File(ctx context.Context, owner, id string) (File, error)
	// ListFiles is in order of upload; purpose "" is any.
	ListFiles(ctx context.Context, owner, purpose string, p Page) ([]File, error)
	// SetFileState notes what reading the file came to.
	SetFileState(ctx context.Context, owner, id, state string, report json.RawMessage) error
	// DeleteFile removes the record and returns it, and whether another file of
	// the owner has the same bytes.
	DeleteFile(ctx context.Context, owner, id string) (f File, shared bool, err error)
}

// Inventory is what a server looks through when it starts.
type Inventory interface {
	// WaitingFiles are the files of all owners that were not read yet, oldest first.
	WaitingFiles(ctx context.Context) ([]File, error)
	// Orphans are those of contents that no file of owner has.
	Orphans(ctx context.Context, owner string, contents ...string) ([]string, error)
	// WaitingEvaluations are those of all owners that are not over, oldest first.
	WaitingEvaluations(ctx context.Context) ([]Evaluation, error)
	// Ping is nil when the state can be read.
	Ping(ctx context.Context) error
}

// Chat is a conversation that the service keeps.
type Chat struct {
	ID      string
	Owner   string
	Title   string
	Created time.Time
	Updated time.Time
	Turns   int // turns so far
}

// Turn is one question of a chat, with all that was made of it.
type Turn struct {
	Number   int // from 1
	Created  time.Time
	Messages json.RawMessage // those it added, as an inlay.history/v1 has them
	Result   json.RawMessage // inlay.result/v1 of the question, for replay
}

// Chats are the conversations.
type Chats interface {
	AddChat(ctx context.Context, c Chat) error
	Chat(ctx context.Context, owner, id string) (Chat, []Turn, error)
	ListChats(ctx context.Context, owner string, p Page) ([]Chat, error)
	// AddTurn appends a turn. Its number must be the next one: of two that
	// answer the same state of a chat the second is refused with ErrConflict.
	AddTurn(ctx context.Context, owner, id string, t Turn) error
	DeleteChat(ctx context.Context, owner, id string) error
}

// Conversations are the chats, and reading on in one.
type Conversations interface {
	Chats
	Said
}

// Said reads on in a conversation.
type Said interface {
	// Since is the turns of a chat after that number, without their results.
	Since(ctx context.Context, owner, id string, after int) ([]Turn, error)
}

// ErrConflict says that a chat has moved on since it was read.
var ErrConflict = errors.New("the record has changed")

// States of an evaluation.
const (
	Queued   = "queued"
	Running  = "running"
	Done     = "done"
	Canceled = "canceled"
	Broken   = "failed"
)

// Evaluation is a batch evaluation under way or over.
type Evaluation struct {
	ID       string
	Owner    string
	Created  time.Time
	State    string
	Request  json.RawMessage // what was asked for
	Progress json.RawMessage
	Result   json.RawMessage // inlay.evaluation/v1, of one that is done
	Failure  json.RawMessage // code and reason, of one that failed
}

// Evaluations are the batch evaluations.
type Evaluations interface {
	AddEvaluation(ctx context.Context, e Evaluation) error
	Evaluation(ctx context.Context, owner, id string) (Evaluation, error)
	ListEvaluations(ctx context.Context, owner string, p Page) ([]Evaluation, error)
	// UpdateEvaluation keeps State, Progress, Result and Failure. One that is
	// over stays as it is.
	UpdateEvaluation(ctx context.Context, e Evaluation) error
	DeleteEvaluation(ctx context.Context, owner, id string) error
}

// Store is all of it.
type Store interface {
	Keys
	Files
	Inventory
	Conversations
	Evaluations
}
