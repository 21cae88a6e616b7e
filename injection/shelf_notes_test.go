package injection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/injection"
	"inlay/library"
	"inlay/library/disk"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
)

// TestNotesOfLibraries: outlines and counts of rows are made of documents of
// libraries as of attached files.
func TestNotesOfLibraries(t *testing.T) {
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	retriever, store := retrieve.New(retrieve.Options{}), disk.Open(t.TempDir())
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	k := &library.Keeper{Index: store, Parser: registry, Indexer: retriever}
	require.NoError(t, k.AddFolders(t.Context(), "", "office", library.Settings{}, nil, nil))
	var rows, chapters strings.Builder
	rows.WriteString("name,city\n")
	for i := range 137 {
		fmt.Fprintf(&rows, "customer %d,Bremen\n", i)
	}
	for i := range 30 {
		fmt.Fprintf(&chapters, "# Chapter %d: Pumps\n\nThe pump of this chapter delivers %d litres, and its valve is of brass and was cast in a small foundry.\n\n", i, i)
	}
	files := map[string]string{"customers.csv": rows.String(), "manual.md": chapters.String()}
	var attached []injection.File
	for name, text := range files {
		_, err := k.Put(t.Context(), "", "office", parse.File{Name: name, Data: []byte(text)}, nil)
		require.NoError(t, err)
		attached = append(attached, injection.File{Name: name, Data: []byte(text)})
	}
	in := &injection.Injector{Reader: registry, Retriever: retriever, Libraries: store}
	for text, want := range map[string]string{"How many customers are in the table?": "137", "What are the chapters?": "Chapter 17: Pumps"} {
		direct := askOf(t, in, injection.Request{Text: text, Files: attached, Model: modelOf(t, 2000), Options: injection.Options{Mode: injection.ModeRetrieval}})
		stored := askOf(t, in, injection.Request{Text: text, Model: modelOf(t, 2000), Options: injection.Options{Libraries: []string{"office"}, Mode: injection.ModeRetrieval}})
		require.NotEmpty(t, direct.Notes, text)
		require.ElementsMatch(t, textsOf(direct.Notes), textsOf(stored.Notes), text)
		require.Contains(t, stored.Prompt, want)
	}
	for i := range 30 {
		_, err := k.Put(t.Context(), "", "office", parse.File{Name: fmt.Sprintf("m%d.md", i), Data: fmt.Appendf(nil, "# Part %d\n\nA valve.\n", i)}, nil)
		require.NoError(t, err)
	}
	many := askOf(t, in, injection.Request{Text: "What are the chapters?", Model: modelOf(t, 2000), Options: injection.Options{Libraries: []string{"office"}, Mode: injection.ModeRetrieval}})
	require.Empty(t, many.Notes)
	require.Equal(t, "notes_skipped", many.Warnings[0].Code, "%v", many.Warnings)
}

func textsOf(notes []injection.Note) (list []string) {
	for _, n := range notes {
		list = append(list, n.File+": "+n.Text)
	}
	return list
}
