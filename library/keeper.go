package library

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"inlay/fault"
	"inlay/parse"
	"inlay/retrieve"
)

// Parser turns bytes into documents; *parse.Registry is one.
type Parser interface {
	Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error)
}

// Indexer makes documents searchable; *retrieve.Retriever is one.
type Indexer interface {
	Fingerprint() string
	Index(ctx context.Context, d parse.Document) (retrieve.Indexed, error)
}

// Keeper brings libraries up to date. Its fields are set once; it is safe for
// concurrent use.
type Keeper struct {
	Index    Index
	Parser   Parser
	Indexer  Indexer
	Limits   parse.Limits
	Parallel int            // files read at once; 0: the number of processors
	Report   func(Progress) // may be nil; called from one goroutine at a time
	Retry    bool           // files that could not be read before are tried again
	Avoid    []string       // absolute folders that are never read: where the libraries are
}

// Progress is how far bringing a library up to date has come.
type Progress struct {
	Looking    bool  // the folders are being listed; the totals are not known yet
	Files      int   // that were read, out of Total
	Total      int   // files that are new or have changed
	Bytes      int64 // of those read, out of TotalBytes
	TotalBytes int64
	Kept       int // files that are kept for good: no crash loses them
	Elapsed    time.Duration
}

// Rate is how many bytes of files were read in a second.
func (p Progress) Rate() float64 { return float64(p.Bytes) / max(p.Elapsed.Seconds(), 1e-3) }

// Left is how long the rest will take at this rate, 0 where that is not known.
func (p Progress) Left() time.Duration {
	if p.Bytes == 0 {
		return 0
	}
	return time.Duration(float64(p.TotalBytes-p.Bytes) / p.Rate() * float64(time.Second))
}

// Outcome is what bringing a library up to date came to.
type Outcome struct {
	Added     int           `json:"added"`
	Changed   int           `json:"changed"`
	Moved     int           `json:"moved"`
	Removed   int           `json:"removed"`
	Unchanged int           `json:"unchanged"`
	Failed    []Failure     `json:"failed"` // on this run
	Bytes     int64         `json:"bytes"`  // of the files that were read
	Took      time.Duration `json:"-"`
	Changes   []PathChange  `json:"changes,omitempty"`
}

// PathChange is what became of one path.
type PathChange struct {
	Kind string `json:"kind"` // added, changed, moved, removed, failed
	Path string `json:"path"`
	From string `json:"from,omitempty"` // of a path that was moved
	// Warnings are what the parser said of a file that was read now, such as pages
	// that it could not read.
	Warnings []parse.Warning `json:"warnings,omitempty"`
}

// job is a file that may have to be read.
type job struct {
	found
	known   *Entry // what the library has at its path
	entry   Entry  // of now, once it was read
	failure *Failure
	said    []parse.Warning // by the parser
}

// Sync brings a library up to date with its folders. When ctx ends, what was
// read by then is kept and the next run goes on from there.
func (k *Keeper) Sync(ctx context.Context, owner, name string) (Outcome, error) {
	r, err := k.prepare(ctx, owner, name)
	if err != nil {
		return Outcome{}, err
	}
	files, err := k.walk(ctx, r.settings.Folders)
	if err != nil {
		return Outcome{}, err
	}
	if err := r.compare(ctx, files); err != nil {
		return Outcome{}, err
	}
	err = r.run(ctx)
	r.out.Took = time.Since(r.start)
	return r.out, err
}

// run is one run of Sync.
type run struct {
	*Keeper
	owner, name string
	settings    Settings
	start       time.Time
	out         Outcome

	entries  map[string]Entry // of the library, by path
	contents map[string]int   // by key of what it has: the paths that have it
	failed   map[string]Failure
	jobs     []*job
	gone     []Entry

	mu   sync.Mutex
	done Progress
}

// prepare reads what the library holds.
func (k *Keeper) prepare(ctx context.Context, owner, name string) (*run, error) {
	r := &run{
		Keeper: k, owner: owner, name: name, start: time.Now(),
		entries: map[string]Entry{}, contents: map[string]int{}, failed: map[string]Failure{}, done: Progress{Looking: true},
	}
	var err error
	if r.settings, err = k.Index.Settings(ctx, owner, name); err != nil {
		return nil, err
	}
	if err := r.settings.Check(name, k.Indexer.Fingerprint()); err != nil {
		return nil, err
	}
	entries, err := k.Index.Entries(ctx, owner, name, Filter{})
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		r.entries[e.Path] = e
		r.contents[e.key()]++
	}
	failures, err := k.Index.Failures(ctx, owner, name)
	for _, f := range failures {
		r.failed[f.Path] = f
	}
	r.report()
	return r, err
}

// Check refuses, as fault.EmbedderMismatch, a library of another making.
func (s Settings) Check(name, fingerprint string) error {
	if s.Fingerprint == fingerprint {
		return nil
	}
	e := &fault.Error{
		Code: fault.EmbedderMismatch, Subject: "library " + s.Called(name),
		Reason: fmt.Sprintf("was made with the embedder %s and chunks of %s, and the ones in force are others", s.Embedder, orDefault(s.Chunk)),
		Next:   "use these, or " + s.again(name),
	}
	if retrieve.SameBut(s.Fingerprint, fingerprint) {
		e.Reason, e.Next = "was made by another version of inlay, which makes other passages", s.again(name)
	}
	return e
}

// again says how a library is made again.
func (s Settings) again(name string) string {
	if len(s.Folders) == 0 {
		return "make it again: delete it, and add its files to a new one"
	}
	add := []string{"make it again: inlay library remove " + name + ", then inlay library add " + name}
	for _, f := range s.Folders {
		add = append(add, strconv.Quote(f.Path))
	}
	return strings.Join(add, " ")
}

func orDefault(chunk string) string {
	if chunk == "" {
		return "the default size"
	}
	return chunk
}

// key names content as the library does: by bytes and extension.
func (e Entry) key() string { return e.FileID + extension(e.Path) }

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

// compare finds out which files have to be read.
func (r *run) compare(ctx context.Context, files []found) error {
	seen := make(map[string]bool, len(files))
	for _, f := range files {
		seen[f.path] = true
		j := &job{found: f}
		if e, ok := r.entries[f.path]; ok {
			if e.Size == f.size && e.Modified.Equal(f.modified) && e.Folder == f.folder.Path && sameTags(e.Tags, f.folder.Tags) {
				r.out.Unchanged++
				continue
			}
			j.known = &e
		}
		if old, ok := r.failed[f.path]; ok && !r.Retry && old.Size == f.size && old.Modified.Equal(f.modified) {
			r.out.Failed = append(r.out.Failed, old)
			continue
		}
		r.jobs = append(r.jobs, j)
		r.done.TotalBytes += f.size
	}
	for p, e := range r.entries {
		if !seen[p] && e.Folder != "" {
			r.gone = append(r.gone, e)
		}
	}
	for p, f := range r.failed {
		if !seen[p] && f.Folder != "" {
			r.gone = append(r.gone, Entry{Path: p, Folder: f.Folder, Size: -1})
		}
	}
	r.done.Looking, r.done.Total = false, len(r.jobs)
	r.report()
	return ctx.Err()
}

func sameTags(a, b []string) bool {
	return strings.Join(a, "\x00") == strings.Join(b, "\x00")
}

// What one change holds at most, so that little is lost when the process is
// killed. A file that is not a plain text takes long to read and weighs more.
const (
	groupBytes = 64 << 20
	groupFiles = 4000
	groupTime  = 10 * time.Second
	heavy      = 16
)

// run reads what has to be read, a group at a time. What was only moved comes
// first, with what is gone, so that nothing is read again for that.
func (r *run) run(ctx context.Context) error {
	if err := r.commit(ctx, r.moved(ctx)); err != nil {
		return err
	}
	left := slices.DeleteFunc(r.jobs, (*job).read) // those that were moved
	for len(left) > 0 {
		n, weight := 0, int64(0)
		for n < len(left) && n < groupFiles && weight < groupBytes {
			weight += left[n].weight()
			n++
		}
		group := left[:n]
		if err := r.commit(ctx, group); err != nil {
			return err
		}
		left = append(slices.DeleteFunc(slices.Clone(group), (*job).read), left[n:]...)
	}
	return nil
}

// read reports that it is known what the file is, or why it cannot be read.
func (j *job) read() bool { return j.entry.FileID != "" || j.failure != nil }

func (j *job) weight() int64 {
	switch extension(j.path) {
	case ".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".epub", ".html", ".htm", ".doc", ".xls", ".ppt", ".msg", ".eml", ".zip", ".rtf":
		return heavy * j.size
	}
	return j.size
}

// moved are the files that may be others under a new path: of the size of one
// that is gone. It leaves them with their entries if they are.
func (r *run) moved(ctx context.Context) []*job {
	sizes := map[int64]bool{}
	for _, e := range r.gone {
		sizes[e.Size] = true
	}
	var list []*job
	for _, j := range r.jobs {
		if ctx.Err() == nil && j.known == nil && sizes[j.size] && r.identify(ctx, j) == nil && r.contents[j.entry.key()] > 0 {
			list = append(list, j)
			continue
		}
		j.entry, j.data = Entry{}, nil
	}
	return list
}

// commit reads a group of files and keeps them. Files that are gone are removed
// with the first group.
func (r *run) commit(ctx context.Context, group []*job) error {
	if len(group) == 0 && len(r.gone) == 0 {
		return nil
	}
	batch, err := r.Index.Begin(ctx, r.owner, r.name)
	if err != nil {
		return err
	}
	defer batch.Abort()
	stopped := r.read(ctx, batch, group)
	if stopped != nil && ctx.Err() == nil {
		return stopped
	}
	change, said := r.change(group)
	if len(change.Set)+len(change.Delete)+len(change.Failed) > 0 {
		if err := batch.Commit(context.WithoutCancel(ctx), change); err != nil {
			return err
		}
	}
	r.keep(change, said)
	if stopped != nil {
		return canceled(stopped)
	}
	return nil
}

func canceled(err error) error {
	if fault.CodeOf(err) == fault.Canceled || !errors.Is(err, context.Canceled) {
		return err
	}
	return &fault.Error{Code: fault.Canceled, Reason: "canceled; what was read so far is kept", Err: err}
}

// read reads the files of a group side by side, and returns what stops all of it.
func (r *run) read(ctx context.Context, batch Batch, group []*job) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := r.Parallel
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	start := time.Now()
	for range min(workers, len(group)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(group) && ctx.Err() == nil && (i < workers || time.Since(start) < groupTime); i = int(next.Add(1)) - 1 {
				if err := r.one(ctx, batch, group[i]); err != nil {
					stop(err)
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// one reads a file. An error is one that stops the run; a file that cannot be
// read is a failure of its own.
func (r *run) one(ctx context.Context, batch Batch, j *job) error {
	err := r.load(ctx, batch, j)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		j.entry = Entry{}
		return ctx.Err()
	case stops(err):
		j.entry = Entry{}
		return err
	default:
		j.failure = failureOf(j.found, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done.Files++
	r.done.Bytes += j.size
	r.report()
	return nil
}

// stops reports whether an error is not the file's: no other would fare better.
func stops(err error) bool {
	switch fault.CodeOf(err) {
	case fault.BackendUnreachable, fault.Unauthorized, fault.ModelNotFound, fault.RateLimited, fault.EmbedderMismatch, fault.StoreDamaged, fault.Canceled:
		return true
	default:
		return false
	}
}

func failureOf(f found, err error) *Failure {
	out := &Failure{Path: f.path, Folder: f.folder.Path, Size: f.size, Modified: f.modified, Code: fault.CodeOf(err), Reason: err.Error()}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		out.Next = e.Next
		if e.Reason != "" {
			out.Reason = e.Reason
		}
	}
	return out
}

// identify sets the entry of a file from its bytes, which it returns in j.data.
func (r *run) identify(ctx context.Context, j *job) error {
	f, err := j.load(ctx, r.Limits)
	if err != nil {
		return err
	}
	j.data = f.Data
	j.entry = Entry{Path: j.path, FileID: parse.FileID(f.Data), Folder: j.folder.Path, Tags: j.folder.Tags, Size: int64(len(f.Data)), Modified: j.modified}
	return nil
}

// load reads, parses and indexes a file, unless the library has its content.
func (r *run) load(ctx context.Context, batch Batch, j *job) error {
	if j.entry.FileID == "" {
		if err := r.identify(ctx, j); err != nil {
			return err
		}
	}
	data := j.data
	j.data = nil
	if r.contents[j.entry.key()] > 0 {
		return nil
	}
	d, err := r.Parser.Parse(ctx, parse.File{Name: filepath.Base(j.path), Path: j.path, Data: data}, nil)
	if err != nil {
		return err
	}
	j.said = d.Warnings
	doc, err := r.document(ctx, j.path, d)
	if err != nil {
		return err
	}
	return batch.Put(ctx, doc)
}

// document makes a parsed file searchable.
func (k *Keeper) document(ctx context.Context, name string, d parse.Document) (Document, error) {
	d.Name = name
	indexed, err := k.Indexer.Index(ctx, d)
	return Document{Document: d, Extension: extension(name), Title: titleOf(d), Indexed: indexed}, err
}

// titleOf is the first heading of a document.
func titleOf(d parse.Document) string {
	for i := range d.Sections {
		if d.Sections[i].Kind == parse.Heading && d.Sections[i].Label != "" {
			return d.Sections[i].Label
		}
	}
	return ""
}

// report says how far the run is; r.mu is held, or nobody else runs.
func (r *run) report() {
	if r.Report != nil {
		r.done.Elapsed = time.Since(r.start)
		r.Report(r.done)
	}
}
