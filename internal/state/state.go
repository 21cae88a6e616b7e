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
	"slices"
	"time"
)

// ErrNotFound says that there is no such record, or none of this owner.
var ErrNotFound = errors.New("no such record")

// ErrQuota says that a record would take more than its owner may have.
var ErrQuota = errors.New("over the owner's limit")

// Scope is what a key lets its holder do.
type Scope string

// Scopes, each with what the ones before it allow.
const (
	Read  Scope = "read"  // look at what its owner has, ask questions; changes nothing that is kept
	Write Scope = "write" // upload, delete, keep chats, run evaluations
	Admin Scope = "admin" // make, rotate and revoke keys of its owner
)

// Allows reports whether s includes what needs the scope other.
func (s Scope) Allows(other Scope) bool { return s.rank() >= other.rank() && s.rank() > 0 }

// rank is 0 for what is not a scope.
func (s Scope) rank() int { return 1 + slices.Index([]Scope{Read, Write, Admin}, s) }

// Key lets its holder call the service for its owner. Only the hash of the
// secret is kept.
type Key struct {
	ID        string
	Owner     string // id of whose files, chats and evaluations it opens
	OwnerName string
	Name      string    // as its maker called it
	Hint      string    // first letters of the secret, to tell keys apart
	Hash      []byte    // SHA-256 of the secret
	Scope     Scope     // what it allows
	Created   time.Time // to the second
	Expires   time.Time // zero: never
	Revoked   time.Time // zero: it is not; in the future: until then it is good
}

// Good reports whether a key counts at a time.
func (k Key) Good(at time.Time) bool {
	return (k.Expires.IsZero() || at.Before(k.Expires)) && (k.Revoked.IsZero() || at.Before(k.Revoked))
}

// Holdings count what an owner has.
type Holdings struct{ Files, Chats, Evaluations int }

// Keys are the keys of the service.
//
//nolint:interfacebloat // one table, and what its owners have
type Keys interface {
	// AddKey keeps k and returns it with its owner. Without k.Owner it belongs to
	// the owner called k.OwnerName, who is made where there is none. The first
	// owner ever, and one called [Local], is [Local], whose is what was kept without keys.
	AddKey(ctx context.Context, k Key) (Key, error)
	// KeyByHash finds a key, good or not.
	KeyByHash(ctx context.Context, hash []byte) (Key, error)
	// ListKeys are the keys of an owner, or of all if owner is empty, in order of making.
	ListKeys(ctx context.Context, owner string) ([]Key, error)
	// RevokeKey ends a key, of any owner if owner is empty, at a time. It is no
	// error for one that ends before; the earlier time stays.
	RevokeKey(ctx context.Context, owner, id string, at time.Time) error
	// AnyKey reports whether a key was ever made: then callers need one.
	AnyKey(ctx context.Context) (bool, error)
	// Holdings count what an owner has.
	Holdings(ctx context.Context, owner string) (Holdings, error)
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
	Expires time.Time // it is not found any more from then on; zero: never
	State   string
	Report  json.RawMessage // what reading it came to; nil while it waits

	Upload string // id of the upload in parts that it is made of, which ends with it; not kept
}

// Quota bounds what one owner keeps. Zero means no bound.
type Quota struct {
	Files int
	Bytes int64
}

// Page asks for a part of a list.
type Page struct {
	After  string // id of the last record of the page before; empty: from the start
	Before string // id of the first record of the page after, for vector stores; empty: to the end
	Limit  int    // most records
	Desc   bool   // newest first
}

// Backwards reports that the page is the one right before a record.
func (p Page) Backwards() bool { return p.Before != "" && p.After == "" }

// Files are the uploads.
type Files interface {
	// AddFile keeps f unless its owner would have more than q allows (ErrQuota).
	// Where f.Upload is not under way it is ErrNotFound.
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

// Upload is a file on its way in, in parts.
type Upload struct {
	ID      string
	Owner   string
	Name    string
	Purpose string
	Bytes   int64 // of the whole file, as announced
	Created time.Time
	Expires time.Time     // it is not found any more from then on
	Life    time.Duration // of the file that is made of it, in seconds; 0: for ever
}

// Part is a part of an upload.
type Part struct {
	ID    string
	Bytes int64
}

// Arriving are the files on their way in. Files.AddFile completes one.
type Arriving interface {
	// AddUpload begins u unless its owner would have more, or more bytes, under way
	// than q allows (ErrQuota).
	AddUpload(ctx context.Context, u Upload, q Quota) error
	// Upload is one under way with its parts, in no order.
	Upload(ctx context.Context, owner, id string) (Upload, []Part, error)
	// AddPart keeps a part unless the upload would have more bytes than were
	// announced, or more parts than most (ErrQuota).
	AddPart(ctx context.Context, owner, id string, p Part, most int) error
	DeleteUpload(ctx context.Context, owner, id string) error
	// ExpiredUploads are those of all owners whose time is over.
	ExpiredUploads(ctx context.Context) ([]Upload, error)
}

// Inventory is what a server looks through when it starts.
type Inventory interface {
	// ExpiredFiles are the files of all owners whose time is over.
	ExpiredFiles(ctx context.Context) ([]File, error)
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

// Conversations are the chats, reading on in one, and responses.
type Conversations interface {
	Chats
	Titles
	Said
	Responses
}

// Titles changes the titles of chats.
type Titles interface {
	// RenameChat gives a chat another title; nothing else of it changes.
	RenameChat(ctx context.Context, owner, id, title string) error
}

// Said reads on in a conversation.
type Said interface {
	// Since is the turns of a chat after that number, without their results.
	Since(ctx context.Context, owner, id string, after int) ([]Turn, error)
}

// ErrConflict says that a chat has moved on since it was read.
var ErrConflict = errors.New("the record has changed")

// Response is an answer of the Responses API that the service keeps, and the
// turn that it ended. Those that continue one another are a conversation, which
// may branch.
type Response struct {
	ID       string
	Owner    string
	Previous string // id of the one that it continues; empty: none
	Created  time.Time
	Messages json.RawMessage // those that the turn added, as an inlay.history/v1 has them
	Input    json.RawMessage // the items of its request
	Body     json.RawMessage // the response, as clients get it
	Files    []string        // ids of uploads that were made of files in its request
}

// Responses are the answers of the Responses API.
type Responses interface {
	AddResponse(ctx context.Context, r Response) error
	Response(ctx context.Context, owner, id string) (Response, error)
	// Conversation is a response and those before it, oldest first, without
	// Input and Body. Where one of them was deleted, it begins after that one.
	Conversation(ctx context.Context, owner, id string) ([]Response, error)
	// DeleteResponse removes the record and returns its Files.
	DeleteResponse(ctx context.Context, owner, id string) (files []string, err error)
	// OldResponses are those of all owners that were made before that time and
	// that none continues, oldest first, without Messages, Input and Body.
	OldResponses(ctx context.Context, before time.Time) ([]Response, error)
}

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
	// AddEvaluation keeps e unless its owner has as many as most that are not over (ErrQuota).
	AddEvaluation(ctx context.Context, e Evaluation, most int) error
	Evaluation(ctx context.Context, owner, id string) (Evaluation, error)
	ListEvaluations(ctx context.Context, owner string, p Page) ([]Evaluation, error)
	// UpdateEvaluation keeps State, Progress, Result and Failure. One that is
	// over stays as it is.
	UpdateEvaluation(ctx context.Context, e Evaluation) error
	DeleteEvaluation(ctx context.Context, owner, id string) error
}

// Locks keep others away, in other processes too.
type Locks interface {
	// Exclusive runs f while nobody else runs one under the same name. Within f,
	// other names can be locked.
	Exclusive(ctx context.Context, name string, f func() error) error
}

// Rates are the requests that owners may send to all servers that share a state.
// A [Store] that is shared implements it.
type Rates interface {
	// Take takes up to want requests of an owner, who may send rate a second and
	// burst at once, and returns how many there are.
	Take(ctx context.Context, owner string, want int, rate float64, burst int) (granted int, err error)
}

// Deletion says that what was derived from a content is to be forgotten.
type Deletion struct {
	Owner string
	Of    string // the content; empty: all that the owner has
}

// Bulletin has the servers that share a state forget what one of them deleted. A
// [Store] that is shared implements it.
type Bulletin interface {
	Announce(ctx context.Context, d Deletion) error
	// Deletions are those of the time since, and maybe older ones.
	Deletions(ctx context.Context, since time.Duration) ([]Deletion, error)
}

// Kinds of work.
const (
	WorkRead     = "read"     // a file
	WorkEvaluate = "evaluate" // an evaluation
)

// Task is a piece of work: a record of an owner.
type Task struct {
	Owner string
	ID    string
	Last  bool // it is not tried again if it fails
}

// Work hands out what was accepted to the servers that share a state: each file
// and each evaluation that is kept is a task, from the same transaction on. A
// [Store] that is shared implements it.
type Work interface {
	// Handle says what does one kind of work, so many tasks at once. A task whose
	// f fails, or whose server goes away, is handed out again.
	Handle(kind string, parallel int, f func(context.Context, Task) error)
	// Start begins handing out.
	Start(ctx context.Context) error
	// Stop ends the tasks under way, which go to other servers, and waits for them.
	Stop()
}

// Uploads are the files, those on their way in, and what a server looks through
// when it starts.
type Uploads interface {
	Locks
	Files
	Arriving
	Inventory
}

// Store is all of it.
type Store interface {
	Keys
	Uploads
	Conversations
	Evaluations
	Collections
}
