// Package librarytest is the suite that every [library.Index] passes.
package librarytest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/library"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/parse/plain"
	"inlay/retrieve"
)

// Run runs the suite; open returns an empty index.
func Run(t *testing.T, open func(t *testing.T) library.Index) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, *bench){
		"AddAndFind": addAndFind, "ChangesAreWhole": changesAreWhole, "DeletesAreGone": deletesAreGone, "OwnersAreApart": ownersAreApart,
		"SameFiguresAsInMemory": sameFigures, "PassagesOverPages": passagesOverPages, "UnknownAndBadNames": unknownNames, "CanceledBatches": canceledBatches,
	} {
		t.Run(name, func(t *testing.T) { test(t, newBench(t, open(t))) })
	}
}

// bench is an index with a library "books" and what fills it.
type bench struct {
	library.Index
	retriever *retrieve.Retriever
	keeper    *library.Keeper
}

func newBench(t *testing.T, index library.Index) *bench {
	t.Helper()
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	b := &bench{Index: index, retriever: retrieve.New(retrieve.Options{})}
	b.keeper = &library.Keeper{Index: index, Parser: registry, Indexer: b.retriever}
	require.NoError(t, b.keeper.AddFolders(t.Context(), "", "books", library.Settings{}, nil, nil))
	return b
}

func (b *bench) put(t *testing.T, owner, path, text string, tags ...string) {
	t.Helper()
	_, err := b.keeper.Put(t.Context(), owner, "books", parse.File{Name: path, Data: []byte(text)}, tags)
	require.NoError(t, err)
}

// find returns the files of the citations above the threshold.
func (b *bench) find(t *testing.T, owner, query string, f library.Filter) []string {
	t.Helper()
	found, err := b.retriever.Retrieve(t.Context(), retrieve.Request{
		Query: query, Limit: 10, Collections: []retrieve.Collection{library.Collection{Index: b.Index, Owner: owner, Library: "books", Filter: f}},
	})
	require.NoError(t, err)
	var files []string
	for _, c := range found.Citations {
		files = append(files, c.File)
	}
	return files
}

func addAndFind(t *testing.T, b *bench) {
	t.Helper()
	require.Empty(t, b.find(t, "", "anything", library.Filter{}), "an empty library finds nothing")
	b.put(t, "", "sea/whale.txt", "The whale surfaced beside the harpooner.", "novel")
	b.put(t, "", "land/fox.md", "# Foxes\n\nThe fox slept in its burrow all day.")
	require.Equal(t, []string{"sea/whale.txt"}, b.find(t, "", "harpooner and whale", library.Filter{}))
	require.Empty(t, b.find(t, "", "harpooner and whale", library.Filter{Paths: []string{"land/**"}}))
	require.Empty(t, b.find(t, "", "harpooner and whale", library.Filter{Types: []string{"md"}}))
	require.Equal(t, []string{"sea/whale.txt"}, b.find(t, "", "harpooner and whale", library.Filter{Tags: []string{"novel"}}))
	require.Equal(t, []string{"land/fox.md"}, b.find(t, "", "the fox in the burrow", library.Filter{Title: "foxes"}))
	require.Empty(t, b.find(t, "", "the fox in the burrow", library.Filter{Until: time.Now().Add(-time.Hour)}))
	d, err := b.Open(t.Context(), "", "books", "land/fox.md")
	require.NoError(t, err)
	require.Equal(t, "land/fox.md", d.Name)
	require.Contains(t, d.Text, "slept in its burrow")
	counts, err := b.Counts(t.Context(), "", "books")
	require.NoError(t, err)
	require.Equal(t, []int{2, 2, 2}, []int{counts.Paths, counts.Documents, counts.Passages})
	extent, err := b.Extent(t.Context(), "", "books", library.Filter{Tags: []string{"novel"}})
	require.NoError(t, err)
	require.Equal(t, 1, extent.Documents)
	require.NoError(t, b.Verify(t.Context(), "", "books"))
}

func changesAreWhole(t *testing.T, b *bench) {
	t.Helper()
	b.put(t, "", "a.txt", "The treaty of Utrecht ended the war.")
	b.put(t, "", "b.txt", "The treaty of Utrecht ended the war.")
	require.Equal(t, []string{"a.txt"}, b.find(t, "", "treaty of Utrecht", library.Filter{}), "the same bytes are cited once")
	require.Equal(t, []string{"b.txt"}, b.find(t, "", "treaty of Utrecht", library.Filter{Paths: []string{"b.txt"}}))
	b.put(t, "", "a.txt", "A recipe for bread with walnuts.")
	require.Equal(t, []string{"b.txt"}, b.find(t, "", "treaty of Utrecht", library.Filter{}))
	require.Equal(t, []string{"a.txt"}, b.find(t, "", "walnut bread recipe", library.Filter{}))
	entries, err := b.Entries(t.Context(), "", "books", library.Filter{})
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

func deletesAreGone(t *testing.T, b *bench) {
	t.Helper()
	for i := range 12 {
		b.put(t, "", fmt.Sprintf("f%02d.txt", i), fmt.Sprintf("Number %d is about the aardvark and its termites.", i))
	}
	n, err := b.keeper.Delete(t.Context(), "", "books", "f03.txt", "f04.txt")
	require.NoError(t, err)
	require.Equal(t, 2, n)
	files := b.find(t, "", "aardvark termites", library.Filter{})
	require.Len(t, files, 10)
	require.NotContains(t, files, "f03.txt")
	_, err = b.Open(t.Context(), "", "books", "f03.txt")
	require.True(t, fault.Is(err, fault.FileNotFound), "%v", err)
	counts, err := b.Counts(t.Context(), "", "books")
	require.NoError(t, err)
	require.Zero(t, counts.Deleted, "nothing of what was deleted stays")
	require.NoError(t, b.Verify(t.Context(), "", "books"))
	require.NoError(t, b.Drop(t.Context(), "", "books"))
	names, err := b.Libraries(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, names)
}

func ownersAreApart(t *testing.T, b *bench) {
	t.Helper()
	require.NoError(t, b.keeper.AddFolders(t.Context(), "k/../1", "books", library.Settings{}, nil, nil))
	b.put(t, "k/../1", "secret.txt", "The password of the vault is marzipan.")
	require.Empty(t, b.find(t, "", "password of the vault", library.Filter{}))
	require.Equal(t, []string{"secret.txt"}, b.find(t, "k/../1", "password of the vault", library.Filter{}))
	require.NoError(t, b.Drop(t.Context(), "", "books"))
	require.Equal(t, []string{"secret.txt"}, b.find(t, "k/../1", "password of the vault", library.Filter{}))
}

// sameFigures: with all passages as candidates, a library has the affinities, the
// order and the citations that the same files have in memory.
func sameFigures(t *testing.T, b *bench) {
	t.Helper()
	subjects := strings.Fields("granite basalt marble slate chalk flint quartz gneiss")
	var docs []parse.Document
	for i := range 40 {
		text := fmt.Sprintf("# Part %d\n\nThe %s lies above the %s here. It was measured twice.\n\nNobody quarried %s in the year %d.\n\nYield of the %s pits\n\n| pit | tons |\n| --- | --- |\n| north | %d |\n| south | %d |\n", i, subjects[i%8], subjects[(i*3+1)%8], subjects[(i*5+2)%8], 1800+i, subjects[(i*7+3)%8], 10*i, 7*i)
		name := fmt.Sprintf("stone/%02d.md", i)
		b.put(t, "", name, text)
		d, err := b.keeper.Parser.Parse(t.Context(), parse.File{Name: name, Data: []byte(text)}, nil)
		require.NoError(t, err)
		d.Name = name
		docs = append(docs, d)
	}
	zero := 0.0
	for _, query := range []string{"where was granite quarried", "slate above marble", "measured in 1815", "quarry", "yield of the chalk pits", "nothing of the kind"} {
		want, err := b.retriever.Retrieve(t.Context(), retrieve.Request{Query: query, Documents: docs, Limit: 20, Threshold: &zero})
		require.NoError(t, err)
		got, err := b.retriever.Retrieve(t.Context(), retrieve.Request{
			Query: query, Limit: 20, Threshold: &zero, Collections: []retrieve.Collection{library.Collection{Index: b.Index, Library: "books"}},
		})
		require.NoError(t, err)
		require.Equal(t, want.Citations, got.Citations, query)
		require.Equal(t, want.Total, got.Total, query)
	}
}

// passagesOverPages: passages that leave out headers and footers of pages are those
// that the same file has in memory.
func passagesOverPages(t *testing.T, b *bench) {
	t.Helper()
	registry, err := parse.NewRegistry(pdf.Parser{})
	require.NoError(t, err)
	b.keeper.Parser = registry
	data := booklet(6)
	_, err = b.keeper.Put(t.Context(), "", "books", parse.File{Name: "a.pdf", Data: data}, nil)
	require.NoError(t, err)
	d, err := registry.Parse(t.Context(), parse.File{Name: "a.pdf", Data: data}, nil)
	require.NoError(t, err)
	req := retrieve.Request{Query: "who measured the marble of pit 3", Limit: 5, Threshold: new(0.0), Documents: []parse.Document{d}}
	want, err := b.retriever.Retrieve(t.Context(), req)
	require.NoError(t, err)
	require.NotEmpty(t, want.Citations[0].Ranges)
	req.Documents, req.Collections = nil, []retrieve.Collection{library.Collection{Index: b.Index, Library: "books"}}
	got, err := b.retriever.Retrieve(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, want.Citations, got.Citations)
}

// booklet is a PDF whose pages have the same line at their top and their number
// below.
func booklet(pages int) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n3 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n2 0 obj <</Type/Pages/Kids[")
	for i := range pages {
		fmt.Fprintf(&b, "%d 0 R ", 10+2*i)
	}
	fmt.Fprintf(&b, "]/Count %d>> endobj\n", pages)
	for i := range pages {
		shown := fmt.Sprintf("BT /F 9 Tf 72 770 Td (Yearbook of quarries) Tj ET BT /F 12 Tf 72 700 Td (In pit %d the marble was measured by clerk %c.) Tj ET BT /F 9 Tf 300 40 Td (%d) Tj ET", i+1, 'A'+i, i+1)
		fmt.Fprintf(&b, "%d 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>> endobj\n", 10+2*i, 11+2*i)
		fmt.Fprintf(&b, "%d 0 obj <</Length %d>> stream\n%s\nendstream endobj\n", 11+2*i, len(shown), shown)
	}
	b.WriteString("trailer <</Root 1 0 R>>\n%%EOF\n")
	return []byte(b.String())
}

func unknownNames(t *testing.T, b *bench) {
	t.Helper()
	_, err := b.Settings(t.Context(), "", "other")
	require.True(t, fault.Is(err, fault.FileNotFound), "%v", err)
	_, err = b.Entries(t.Context(), "", "other", library.Filter{})
	require.True(t, fault.Is(err, fault.FileNotFound), "%v", err)
	for _, name := range []string{"", "..", "a/b", ".x", strings.Repeat("x", 65)} {
		require.True(t, fault.Is(b.Configure(t.Context(), "", name, library.Settings{}), fault.Usage), name)
	}
	_, err = b.Entries(t.Context(), "", "books", library.Filter{Paths: []string{"["}})
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
}

func canceledBatches(t *testing.T, b *bench) {
	t.Helper()
	b.put(t, "", "a.txt", "The lighthouse keeper counted ships.")
	batch, err := b.Begin(t.Context(), "", "books")
	require.NoError(t, err)
	require.NoError(t, batch.Commit(t.Context(), library.Change{Delete: []string{"a.txt"}}))
	batch.Abort()
	batch, err = b.Begin(t.Context(), "", "books")
	require.NoError(t, err)
	batch.Abort()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Begin(ended, "", "books")
	require.ErrorIs(t, err, context.Canceled)
	b.put(t, "", "c.txt", "The lighthouse keeper counted ships again.")
	require.Equal(t, []string{"c.txt"}, b.find(t, "", "lighthouse keeper", library.Filter{}))
}
