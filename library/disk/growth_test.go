package disk_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver

	"inlay/library"
	"inlay/library/disk"
	"inlay/parse"
	"inlay/retrieve"
)

// TestGrowth prints how a library grows with its text, beside SQLite's FTS5 over
// the same passages: make bench-library CORPUS=DIR.
func TestGrowth(t *testing.T) {
	corpus := os.Getenv("INLAY_GROWTH_CORPUS")
	if corpus == "" {
		t.Skip("INLAY_GROWTH_CORPUS is not set")
	}
	fmt.Println("| text | engine | build | on disk | open | p50 | p95 | peak memory |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
	for size := range strings.SplitSeq(os.Getenv("INLAY_GROWTH_SIZES"), ",") {
		limit, err := strconv.Atoi(size)
		require.NoError(t, err)
		folder := filepath.Join(t.TempDir(), "files")
		total := sample(t, corpus, folder, int64(limit)<<20)
		growOurs(t, folder, total)
		if limit <= 100 {
			growFTS5(t, folder, total)
		}
	}
}

// sample links files of the corpus into a folder, in a random order that is
// always the same.
func sample(t *testing.T, corpus, folder string, limit int64) (total int64) {
	t.Helper()
	var paths []string
	require.NoError(t, filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	}))
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(paths), func(i, k int) { paths[i], paths[k] = paths[k], paths[i] })
	for i, path := range paths {
		if total >= limit {
			break
		}
		info, err := os.Stat(path)
		require.NoError(t, err)
		to := filepath.Join(folder, strconv.Itoa(i/1000), strconv.Itoa(i)+filepath.Ext(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o700))
		if os.Link(path, to) != nil {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(to, data, 0o600))
		}
		total += info.Size()
	}
	return total
}

func growOurs(t *testing.T, folder string, total int64) {
	t.Helper()
	r, dir := retrieve.New(retrieve.Options{}), t.TempDir()
	store := disk.Open(dir)
	k := keeper(store, r)
	require.NoError(t, k.AddFolders(t.Context(), "", "grow", library.Settings{}, []string{folder}, nil))
	start := time.Now()
	_, err := k.Sync(t.Context(), "", "grow")
	require.NoError(t, err)
	build := time.Since(start)
	counts, err := store.Counts(t.Context(), "", "grow")
	require.NoError(t, err)
	require.NoError(t, store.Close())
	store = disk.Open(dir)
	defer func() { _ = store.Close() }()
	start = time.Now()
	_, err = store.Extent(t.Context(), "", "grow", library.Filter{})
	require.NoError(t, err)
	opened := time.Since(start)
	growRow("inlay, "+strconv.Itoa(counts.Passages)+" passages", counts.Text, build, counts.Disk, opened, timed(t, func(q string) error {
		_, err := r.Retrieve(t.Context(), retrieve.Request{Query: q, Collections: []retrieve.Collection{library.Collection{Index: store, Library: "grow"}}})
		return err
	}))
	_ = total
}

// growFTS5 puts the same passages into a table of SQLite's full-text search.
func growFTS5(t *testing.T, folder string, _ int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fts.db")
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), "CREATE VIRTUAL TABLE passages USING fts5(file UNINDEXED, text, tokenize = 'porter unicode61')")
	require.NoError(t, err)
	parser := keeper(nil, nil).Parser
	start, text := time.Now(), int64(0)
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	insert, err := tx.PrepareContext(t.Context(), "INSERT INTO passages VALUES (?, ?)")
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := parse.ReadFile(t.Context(), path, parse.Limits{})
		if err != nil {
			return err
		}
		doc, err := parser.Parse(t.Context(), f, nil)
		if err != nil {
			return nil //nolint:nilerr // as for a library, it is left out
		}
		text += int64(len(doc.Text))
		for _, c := range (retrieve.Splitter{}).Split(doc) {
			if _, err := insert.ExecContext(t.Context(), path, c.Text); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, tx.Commit())
	build := time.Since(start)
	info, err := os.Stat(path)
	require.NoError(t, err)
	growRow("SQLite FTS5", text, build, info.Size(), 0, timed(t, func(q string) error {
		words := strings.FieldsFunc(q, func(r rune) bool { return r < '0' || r > 'z' })
		for i, w := range words {
			words[i] = `"` + w + `"`
		}
		rows, err := db.QueryContext(t.Context(), "SELECT file, text, bm25(passages) FROM passages WHERE passages MATCH ? ORDER BY rank LIMIT 10", strings.Join(words, " OR "))
		if err != nil {
			return err
		}
		for rows.Next() {
			var file, text string
			var rank float64
			if err := rows.Scan(&file, &text, &rank); err != nil {
				return err
			}
		}
		return rows.Close()
	}))
}

// timed asks all questions twice and returns the sorted times of the second round.
func timed(t *testing.T, ask func(q string) error) (took []time.Duration) {
	t.Helper()
	for round := range 2 {
		for _, q := range benchQueries {
			start := time.Now()
			require.NoError(t, ask(q))
			if round == 1 {
				took = append(took, time.Since(start))
			}
		}
	}
	slices.Sort(took)
	return took
}

func growRow(engine string, text int64, build time.Duration, onDisk int64, opened time.Duration, took []time.Duration) {
	open := "-"
	if opened > 0 {
		open = opened.Round(time.Millisecond).String()
	}
	fmt.Printf("| %.1f MB | %s | %.1f s, %.2f MB/s | %.1f MB, %.2f of the text | %s | %v | %v | %s |\n", float64(text)/1e6, engine, build.Seconds(), float64(text)/1e6/build.Seconds(),
		float64(onDisk)/1e6, float64(onDisk)/float64(text), open, took[len(took)/2].Round(time.Millisecond), took[len(took)*95/100].Round(time.Millisecond), peak())
}

// peak is the most memory that this process has had, where the system says so.
func peak() string {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			return fmt.Sprintf("%d MiB", kib>>10)
		}
	}
	return "-"
}
