package disk

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"inlay/fault"
	"inlay/internal/durable"
	"inlay/library"
	"inlay/parse"
	"inlay/retrieve"
)

// Names inside a library's folder.
const (
	catalogueName = "catalogue.db"
	segmentsName  = "segments"
	lockName      = "LOCK"
)

// shelf is one open library.
type shelf struct {
	dir       string
	catalogue *catalogue
	unzip     *zstd.Decoder

	mu      sync.Mutex
	current *view
}

func newShelf(ctx context.Context, dir string, create bool) (*shelf, error) {
	c, err := openCatalogue(ctx, filepath.Join(dir, catalogueName), create)
	if err != nil {
		return nil, explain(dir, err)
	}
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(largestPart))
	if err != nil {
		return nil, errors.Join(err, c.db.Close())
	}
	return &shelf{dir: dir, catalogue: c, unzip: unzip}, nil
}

func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = nil
	return s.catalogue.db.Close()
}

func (s *shelf) explain(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return damagedCatalogue(filepath.Join(s.dir, catalogueName), err)
}

// lockWait is how long a change waits for one of another process.
const lockWait = 30 * time.Second

// exclusively keeps other processes from changing the library until release.
func (s *shelf) exclusively(ctx context.Context) (release func(), err error) {
	path := filepath.Join(s.dir, lockName)
	for waited := time.Duration(0); ; waited += 50 * time.Millisecond {
		release, ok, err := durable.TryExclude(path)
		if err != nil {
			return nil, explain(s.dir, err)
		}
		if ok {
			return release, nil
		}
		if waited > lockWait {
			return nil, &fault.Error{Code: fault.Timeout, Subject: "library " + filepath.Base(s.dir), Reason: "is being changed by another process", Next: "try again when that has ended"}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// view is a library at one moment. It never changes.
type view struct {
	generation string
	segments   []*held
	paths      []placed // in order

	all     sync.Once
	allDocs *arrangement // of all documents
}

// held is a segment with what of it is alive.
type held struct {
	*segment
	id    int64
	paths [][]int // of each document, the places in view.paths
}

// placed is a path and where its document is.
type placed struct {
	library.Entry
	segment, doc int
}

// document reads the document of a path.
func (v *view) document(p placed) (parse.Document, error) {
	d, err := v.segments[p.segment].open(p.doc)
	d.Name, d.Path = p.Path, ""
	return d, err
}

// look is the library as it is now.
func (s *shelf) look(ctx context.Context) (*view, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	generation, err := fact(ctx, s.catalogue.db, "generation")
	if err != nil {
		return nil, s.explain(err)
	}
	if s.current != nil && s.current.generation == generation {
		return s.current, nil
	}
	for try := 0; ; try++ {
		next, err := s.load(ctx)
		if err == nil {
			s.current = next
			return next, nil
		}
		if !errors.Is(err, os.ErrNotExist) || try == 5 { // a segment may be merged away meanwhile
			return nil, s.explain(err)
		}
	}
}

// load reads the catalogue in one transaction, so that all of it is of one moment.
func (s *shelf) load(ctx context.Context) (v *view, err error) {
	tx, err := s.catalogue.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	v = &view{}
	if v.generation, err = fact(ctx, tx, "generation"); err != nil {
		return v, err
	}
	known := map[int64]*segment{}
	if s.current != nil {
		for _, one := range s.current.segments {
			known[one.id] = one.segment
		}
	}
	place := map[int64]int{}
	err = each(ctx, tx, "SELECT id, file FROM segments ORDER BY id", func(scan func(...any) error) error {
		var id int64
		var file string
		if err := scan(&id, &file); err != nil {
			return err
		}
		one := known[id]
		if one == nil {
			one, err = openSegment(filepath.Join(s.dir, segmentsName, file), s.unzip)
		}
		if err != nil {
			return err
		}
		place[id] = len(v.segments)
		v.segments = append(v.segments, &held{segment: one, id: id, paths: make([][]int, len(one.docs))})
		return nil
	})
	if err != nil {
		return v, err
	}
	return v, v.readPaths(ctx, tx, place)
}

func (v *view) readPaths(ctx context.Context, tx *sql.Tx, place map[int64]int) error {
	const query = `SELECT p.path, p.folder, p.tags, p.size, p.modified, p.attributes, d.key, d.file_id, d.segment, d.title, d.media_type, d.text, d.passages
		FROM paths p JOIN documents d ON d.id = p.document ORDER BY p.path`
	tags := map[string][]string{}
	return each(ctx, tx, query, func(scan func(...any) error) error {
		var p placed
		var list, key, attributes string
		var modified, segment int64
		if err := scan(&p.Path, &p.Folder, &list, &p.Size, &modified, &attributes, &key, &p.FileID, &segment, &p.Title, &p.MediaType, &p.Text, &p.Passages); err != nil {
			return err
		}
		if _, ok := tags[list]; !ok {
			var read []string
			if err := json.Unmarshal([]byte(list), &read); err != nil {
				return err
			}
			tags[list] = read
		}
		if attributes != "" {
			if err := json.Unmarshal([]byte(attributes), &p.Attributes); err != nil {
				return err
			}
		}
		p.Tags, p.Modified = tags[list], time.Unix(0, modified).UTC()
		var ok bool
		if p.segment, ok = place[segment]; !ok {
			return fmt.Errorf("no segment %d of %s", segment, p.Path)
		}
		one := v.segments[p.segment]
		if p.doc, ok = one.byKey[key]; !ok {
			return damagedSegment(one.file.Name(), errDamaged)
		}
		one.paths[p.doc] = append(one.paths[p.doc], len(v.paths))
		v.paths = append(v.paths, p)
		return nil
	})
}

// counts sums up, without reading any text.
func (s *shelf) counts(ctx context.Context) (library.Counts, error) {
	v, err := s.look(ctx)
	if err != nil {
		return library.Counts{}, err
	}
	c := library.Counts{Paths: len(v.paths), Segments: len(v.segments)}
	for _, one := range v.segments {
		for i, paths := range one.paths {
			if len(paths) == 0 {
				c.Deleted += int64(one.docs[i].text)
				continue
			}
			c.Documents++
			c.Passages += len(one.docs[i].lengths)
			c.Text += int64(one.docs[i].text)
		}
	}
	if err := s.catalogue.db.QueryRowContext(ctx, "SELECT count(*) FROM failures").Scan(&c.Failed); err != nil {
		return c, s.explain(err)
	}
	c.Disk = diskUse(s.dir)
	return c, nil
}

func diskUse(dir string) (bytes int64) {
	for _, pattern := range []string{"*", segmentsName + "/*"} {
		names, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				bytes += info.Size()
			}
		}
	}
	return bytes
}

// arrangement is the documents that a search is about.
type arrangement struct {
	places []int     // in view.paths, of the first path of each document, in order
	order  [][]int32 // by segment and document: its place in places; -1: it is not searched
	whole  []bool    // by segment: every document of it is searched
	size   retrieve.Size
	text   int64
}

// arrange chooses the documents of which a path is kept, each once, in the order
// of these paths.
func (v *view) arrange(f library.Filter) (*arrangement, error) {
	keep, err := f.Matcher()
	if err != nil {
		return nil, err
	}
	if !f.Empty() {
		return v.choose(keep), nil
	}
	v.all.Do(func() { v.allDocs = v.choose(keep) })
	return v.allDocs, nil
}

func (v *view) choose(keep func(library.Entry) bool) *arrangement {
	a := &arrangement{whole: make([]bool, len(v.segments))}
	missing := make([]int, len(v.segments))
	for i, s := range v.segments {
		order := make([]int32, len(s.docs))
		for k := range order {
			order[k] = -1
		}
		a.order = append(a.order, order)
		missing[i] = len(s.docs)
	}
	seen := make(map[string]bool, len(v.paths))
	for i := range v.paths {
		p := &v.paths[i]
		if seen[p.FileID] || !keep(p.Entry) {
			continue
		}
		seen[p.FileID] = true
		a.order[p.segment][p.doc] = int32(len(a.places))
		a.places = append(a.places, i)
		missing[p.segment]--
		m := &v.segments[p.segment].docs[p.doc]
		a.size.Documents++
		a.size.Passages += len(m.lengths)
		a.size.Words += m.words
		a.size.Beside += m.beside
		a.text += int64(m.text)
	}
	for i, n := range missing {
		a.whole[i] = n == 0
	}
	return a
}

func compare(a, b string) int { return cmp.Compare(a, b) }

// sortUnique sorts numbers and drops repetitions.
func sortUnique(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
