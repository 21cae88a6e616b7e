// Package libraries keeps libraries where any number of servers share them: which
// documents there are in the tables of a database, their texts in a store of
// blobs, and their passages in Weaviate, which finds the documents worth ranking.
// These are ranked as on one machine, by the same code, package library/disk.
//
// A document that is put gets a number that is never used again. Its blob and its
// passages are written first, under that number; a commit then names it in one
// transaction. What nobody names is in the table library_garbage from before it is
// written until after it is deleted, so that no crash leaves anything behind.
package libraries

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"inlay/cache"
	"inlay/fault"
	"inlay/internal/blobs"
	"inlay/internal/state"
	"inlay/internal/state/tables"
	"inlay/internal/weaviate"
	"inlay/library"
	"inlay/library/disk"
	"inlay/parse"
)

// Config is what libraries are kept in.
type Config struct {
	Database tables.Engine
	Blobs    blobs.Store
	Index    *weaviate.Client
	Memory   int64        // bytes of documents that are kept in memory; 0 means 256 MiB
	Direct   int          // a library, or what a filter leaves of it, of so many documents is ranked without the index; 0 means 32, negative: none is
	Beyond   int          // passages asked of the index for each one wanted; 0 means 4
	Logger   *slog.Logger // ids and codes; nil: nothing is logged
}

// Store is a [library.Index]. Open one with [Open]; close it after use.
type Store struct {
	Config

	packer disk.Packer
	unpack *disk.Unpacker
	docs   cache.LRU[int64, *disk.Single]
	views  cache.LRU[place, *view]
	end    func() // ends the sweeping

	mu   sync.Mutex
	made map[string]bool // classes and tenants that are there
}

var _ library.Index = (*Store)(nil)

// place is where a library is.
type place struct{ owner, name string }

// Defaults of a [Config].
const (
	defaultMemory = 256 << 20
	defaultDirect = 32
	defaultBeyond = 4
)

// sweepEvery is how often what is left of deleted documents is looked for.
const sweepEvery = 30 * time.Second

// Open uses the database, whose tables are there already.
func Open(ctx context.Context, c Config) (*Store, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Memory, c.Direct, c.Beyond = cmp.Or(c.Memory, defaultMemory), cmp.Or(c.Direct, defaultDirect), cmp.Or(c.Beyond, defaultBeyond)
	unpack, err := disk.NewUnpacker()
	if err != nil {
		return nil, err
	}
	s := &Store{Config: c, unpack: unpack, made: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() { s.sweepAlways(ctx) })
	s.end = func() { cancel(); done.Wait() }
	return s, nil
}

// Close ends the sweeping and closes the connections to the index.
func (s *Store) Close() error {
	s.end()
	return s.Index.Close()
}

// Ping is nil when the index answers. Database and blobs are looked at elsewhere.
func (s *Store) Ping(ctx context.Context) error { return s.Index.Ping(ctx) }

// at is where a library is. A person alone on a computer and who calls a service
// without keys are one owner.
func at(owner, name string) place { return place{cmp.Or(owner, state.Local), name} }

func hashed(text string, letters int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:letters]
}

// tenantOf is the tenant of an owner.
func tenantOf(owner string) string { return "t" + hashed(owner, 40) }

// classOf is the class of passages of one making.
func classOf(fingerprint string) string { return "Inlay_" + hashed(fingerprint, 16) }

// blobOf is the key of a document.
func blobOf(owner string, doc int64) string {
	return "libraries/" + hashed(owner, 32) + "/" + strconv.FormatInt(doc, 10)
}

// Libraries implements [library.Directory].
func (s *Store) Libraries(ctx context.Context, owner string) ([]string, error) {
	var names []string
	err := s.read(ctx, func(row tables.Row) error {
		var name string
		err := row.Scan(&name)
		names = append(names, name)
		return err
	}, "SELECT name FROM libraries WHERE owner = $1 ORDER BY name", at(owner, "").owner)
	return names, err
}

// Configure implements [library.Directory].
func (s *Store) Configure(ctx context.Context, owner, name string, set library.Settings) error {
	if err := library.CheckName(name); err != nil {
		return err
	}
	p, class := at(owner, name), classOf(set.Fingerprint)
	if err := s.makeRoom(ctx, class, p.owner); err != nil {
		return err
	}
	value, err := json.Marshal(set)
	if err != nil {
		return err
	}
	return s.exec(ctx, `INSERT INTO libraries AS l (owner, name, class, settings, id) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (owner, name) DO UPDATE SET settings = excluded.settings, generation = l.generation + 1,
			class = CASE WHEN EXISTS (SELECT 1 FROM library_documents WHERE library = l.id) THEN l.class ELSE excluded.class END`,
		p.owner, p.name, class, string(value), weaviate.NewNumber())
}

// makeRoom makes the class and the owner's tenant in the index.
func (s *Store) makeRoom(ctx context.Context, class, owner string) error {
	key := class + " " + owner
	s.mu.Lock()
	there := s.made[key]
	s.mu.Unlock()
	if there {
		return nil
	}
	if err := s.Index.MakeClass(ctx, class); err != nil {
		return err
	}
	if err := s.Index.MakeTenant(ctx, class, tenantOf(owner)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made[key] = true
	return nil
}

// Settings implements [library.Directory].
func (s *Store) Settings(ctx context.Context, owner, name string) (set library.Settings, err error) {
	one, err := s.find(ctx, at(owner, name))
	if err == nil {
		err = json.Unmarshal([]byte(one.settings), &set)
	}
	return set, err
}

// Drop implements [library.Directory]. What was left of one that is gone is deleted too.
func (s *Store) Drop(ctx context.Context, owner, name string) error {
	b, err := s.begin(ctx, at(owner, name))
	if fault.Is(err, fault.FileNotFound) {
		if left := s.sweep(ctx, "owner = $1 AND NOT EXISTS (SELECT 1 FROM libraries WHERE id = library)", at(owner, name).owner); left != nil {
			return left
		}
	}
	if err != nil {
		return err
	}
	defer b.Abort()
	err = s.change(ctx, func(q tables.Queries) error {
		if err := b.still(ctx, q); err != nil {
			return err
		}
		if _, err := q.Exec(ctx, `INSERT INTO library_garbage SELECT doc, library, $2, $3, text, false, NULL FROM library_documents WHERE library = $1`, b.id, b.place.owner, b.class); err != nil {
			return err
		}
		_, err := q.Exec(ctx, "DELETE FROM libraries WHERE id = $1", b.id)
		return err
	})
	if err != nil {
		return err
	}
	return s.sweep(context.WithoutCancel(ctx), "library = $1", b.id)
}

// Entries implements [library.Reader].
func (s *Store) Entries(ctx context.Context, owner, name string, f library.Filter) ([]library.Entry, error) {
	keep, err := f.Matcher()
	if err != nil {
		return nil, err
	}
	v, err := s.look(ctx, at(owner, name))
	if err != nil {
		return nil, err
	}
	var list []library.Entry
	for _, p := range v.paths {
		if keep(p.Entry) {
			list = append(list, p.Entry)
		}
	}
	return list, nil
}

// Open implements [library.Reader].
func (s *Store) Open(ctx context.Context, owner, name, path string) (parse.Document, error) {
	v, err := s.look(ctx, at(owner, name))
	if err != nil {
		return parse.Document{}, err
	}
	i, ok := slices.BinarySearchFunc(v.paths, path, func(p placed, path string) int { return cmp.Compare(p.Path, path) })
	if !ok {
		return parse.Document{}, &fault.Error{Code: fault.FileNotFound, Subject: path, Reason: "is not in the library " + name, Next: "see inlay library show " + name}
	}
	return s.open(ctx, v, i)
}

func (s *Store) open(ctx context.Context, v *view, i int) (parse.Document, error) {
	p := v.paths[i]
	one, err := s.single(ctx, v.place.owner, p.doc)
	if err != nil {
		return parse.Document{}, blobs.Missing(err)
	}
	d, err := one.Open()
	d.Name, d.Path = p.Path, ""
	return d, err
}

// single reads a document. One that is gone is fs.ErrNotExist.
func (s *Store) single(ctx context.Context, owner string, doc int64) (*disk.Single, error) {
	if one, ok := s.docs.Get(doc); ok {
		return one, nil
	}
	key := blobOf(owner, doc)
	data, err := blobs.Read(ctx, s.Blobs, key)
	if err != nil {
		return nil, err
	}
	one, err := s.unpack.Unpack(key, data)
	if err == nil {
		s.docs.Put(doc, one, one.Bytes(), s.Memory)
	}
	return one, err
}

// Failures implements [library.Reader].
func (s *Store) Failures(ctx context.Context, owner, name string) (list []library.Failure, err error) {
	one, err := s.find(ctx, at(owner, name))
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(row tables.Row) error {
		var f library.Failure
		var modified int64
		err := row.Scan(&f.Path, &f.Folder, &f.Size, &modified, &f.Code, &f.Reason, &f.Next)
		f.Modified = time.Unix(0, modified).UTC()
		list = append(list, f)
		return err
	}, "SELECT path, folder, size, modified, code, reason, next FROM library_failures WHERE library = $1 ORDER BY path", one.id)
	return list, err
}

// Counts implements [library.Inspector]: the room on disk is that of the blobs.
func (s *Store) Counts(ctx context.Context, owner, name string) (c library.Counts, err error) {
	one, err := s.find(ctx, at(owner, name))
	if err != nil {
		return c, err
	}
	err = s.Database.Read.One(ctx, `SELECT (SELECT count(*) FROM library_paths WHERE library = $1), count(*), coalesce(sum(passages), 0)::bigint, coalesce(sum(text), 0)::bigint,
			coalesce(sum(bytes), 0)::bigint, (SELECT count(*) FROM library_failures WHERE library = $1),
			(SELECT coalesce(sum(text), 0)::bigint FROM library_garbage WHERE library = $1)
		FROM library_documents WHERE library = $1`, one.id).Scan(&c.Paths, &c.Documents, &c.Passages, &c.Text, &c.Disk, &c.Failed, &c.Deleted)
	return c, s.explain("count a library", err)
}

// verifyAtOnce is of how many documents passages are counted at a time.
const verifyAtOnce = 500

// Verify implements [library.Inspector]: it reads every blob, and counts the
// passages in the index.
func (s *Store) Verify(ctx context.Context, owner, name string) error {
	v, err := s.look(ctx, at(owner, name))
	if err != nil {
		return err
	}
	for some := range slices.Chunk(v.docIDs(), verifyAtOnce) {
		want := 0
		for _, doc := range some {
			want += v.docs[doc].size.Passages + 1
			one, err := s.single(ctx, v.place.owner, doc)
			if err == nil {
				err = one.Verify()
			}
			if err != nil {
				return blobs.Missing(err)
			}
		}
		found, err := s.Index.Count(ctx, v.class, tenantOf(v.place.owner), []weaviate.Where{{Library: v.id, Docs: some}})
		if err != nil {
			return err
		}
		if found[0] != want {
			return &fault.Error{
				Code: fault.StoreDamaged, Subject: "library " + name, Reason: "the index does not have all of its passages",
				Next: "make the library again of its files",
			}
		}
	}
	return nil
}
