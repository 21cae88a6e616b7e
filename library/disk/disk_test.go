package disk_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/library"
	"inlay/library/disk"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
)

func keeper(store library.Index, r *retrieve.Retriever) *library.Keeper {
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	if err != nil {
		panic(err)
	}
	return &library.Keeper{Index: store, Parser: registry, Indexer: r}
}

// collection is a library as a retriever sees it.
type collection struct {
	library.Index
	name   string
	filter library.Filter
}

func (c collection) Candidates(ctx context.Context, q retrieve.Question) (retrieve.Candidates, error) {
	return c.Index.Candidates(ctx, "", c.name, q, c.filter)
}

// TestSameFiguresAsInMemory: the same questions over a library and over its files
// have the same passages with the same affinities, to the last digit.
func TestSameFiguresAsInMemory(t *testing.T) {
	ctx := t.Context()
	dir := refdata.Path(t, "retrieval", "languages", "de")
	docs := filepath.Join(dir, "docs")
	r := retrieve.New(retrieve.Options{})
	store := disk.Open(t.TempDir())
	k := keeper(store, r)
	require.NoError(t, k.AddFolders(ctx, "", "german", library.Settings{}, []string{docs}, nil))
	out, err := k.Sync(ctx, "", "german")
	require.NoError(t, err)
	names, err := os.ReadDir(docs)
	require.NoError(t, err)
	require.Equal(t, len(names), out.Added)
	var all []parse.Document
	for _, n := range names {
		f, err := parse.ReadFile(ctx, filepath.Join(docs, n.Name()), parse.Limits{})
		require.NoError(t, err)
		d, err := k.Parser.Parse(ctx, f, nil)
		require.NoError(t, err)
		d.Name = "docs/" + n.Name()
		all = append(all, d)
	}
	memory, err := r.Prepare(ctx, retrieve.Request{Documents: all})
	require.NoError(t, err)
	shelf, err := r.Prepare(ctx, retrieve.Request{Collections: []retrieve.Collection{collection{Index: store, name: "german"}}})
	require.NoError(t, err)
	for i, q := range []string{"Wie viele Menschen leben in der Stadt?", "Wann wurde die Schlacht geschlagen?", "Kohlenstoff und Sauerstoff", "Panthers", "zzzz"} {
		zero := 0.0
		a, err := memory.Find(ctx, retrieve.Request{Query: q, Limit: 10, Threshold: &zero})
		require.NoError(t, err)
		b, err := shelf.Find(ctx, retrieve.Request{Query: q, Limit: 10, Threshold: &zero})
		require.NoError(t, err)
		require.Equal(t, a.Citations, b.Citations, "%d %s", i, q)
		require.Equal(t, a.Total, b.Total)
	}
}
