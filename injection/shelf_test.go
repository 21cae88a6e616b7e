package injection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/library"
	"inlay/library/disk"
	"inlay/llm"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
)

// shelved is an injector with the library "parts" of 30 files, and these files.
func shelved(t *testing.T) (*injection.Injector, []injection.File) {
	t.Helper()
	registry, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	retriever, store := retrieve.New(retrieve.Options{}), disk.Open(t.TempDir())
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	k := &library.Keeper{Index: store, Parser: registry, Indexer: retriever}
	require.NoError(t, k.AddFolders(t.Context(), "", "parts", library.Settings{}, nil, nil))
	var files []injection.File
	for i := range 30 {
		data := fmt.Appendf(nil, "# Machine %d\n\nThe pump of machine %d delivers %d litres.\n\nIts valve was made in the year %d by a smith.\n", i, i, 10*i, 1900+i)
		f := parse.File{Name: fmt.Sprintf("machines/%02d.md", i), Data: data}
		_, err := k.Put(t.Context(), "", "parts", f, nil)
		require.NoError(t, err)
		files = append(files, injection.File{Name: f.Name, Data: data})
	}
	return &injection.Injector{Reader: registry, Retriever: retriever, Libraries: store}, files
}

func modelOf(t *testing.T, n int) llm.Measurer {
	t.Helper()
	return named(t, "gpt-4o", n)
}

func named(t *testing.T, model string, n int) llm.Measurer {
	t.Helper()
	m, err := llm.NewStatic(llm.StaticOptions{Model: model, Length: n})
	require.NoError(t, err)
	return m
}

func askOf(t *testing.T, in *injection.Injector, r injection.Request) injection.Result {
	t.Helper()
	res, err := in.Inject(t.Context(), r)
	require.NoError(t, err)
	return res
}

// TestLibraryAsFiles: a question comes to the same over a library and over its
// files: the same decision, the same numbers, the same passages.
func TestLibraryAsFiles(t *testing.T) {
	in, files := shelved(t)
	for _, length := range []int{600, 1200, 100_000} {
		for _, text := range []string{"How many litres does the pump of machine 7 deliver?", "What did the smith make in 1915?", "Where is the zoo?"} {
			direct := askOf(t, in, injection.Request{Text: text, Files: files, Model: modelOf(t, length)})
			stored := askOf(t, in, injection.Request{Text: text, Model: modelOf(t, length), Options: injection.Options{Libraries: []string{"parts"}}})
			require.Equal(t, direct.Strategy, stored.Strategy, "%d %s", length, text)
			require.Equal(t, direct.Decision.Available, stored.Decision.Available)
			for i := range stored.Citations {
				require.Equal(t, "parts", stored.Citations[i].Library)
				stored.Citations[i].Library = ""
			}
			require.Equal(t, direct.Citations, stored.Citations, "%d %s", length, text)
			require.Equal(t, stored.Libraries[0].Strategy, stored.Strategy)
		}
	}
}

// TestFilesAndLibrary: an attached file and a library are decided over together
// and ranked together.
func TestFilesAndLibrary(t *testing.T) {
	in, _ := shelved(t)
	manual := injection.File{Name: "manual.txt", Data: []byte("The crank of the press is oiled on Mondays.\n")}
	o := injection.Options{Libraries: []string{"parts", "parts"}, Limit: 2}
	for question, want := range map[string]string{"When is the crank of the press oiled?": ":manual.txt", "How many litres does the pump of machine 7 deliver?": "parts:machines/07.md"} {
		res := askOf(t, in, injection.Request{Text: question, Files: []injection.File{manual}, Model: modelOf(t, 1200), Options: o})
		require.Equal(t, injection.Retrieval, res.Strategy)
		require.NotEmpty(t, res.Citations, question)
		require.Equal(t, want, res.Citations[0].Library+":"+res.Citations[0].File)
		require.Contains(t, res.Prompt, strings.TrimPrefix(want, ":"))
		require.Greater(t, res.Passages, 25)
	}
	whole := askOf(t, in, injection.Request{Text: "When is the crank oiled?", Files: []injection.File{manual}, Model: modelOf(t, 100_000), Options: o})
	require.Equal(t, injection.InjectFull, whole.Strategy)
	require.Len(t, whole.Files, 31)

	o.Filter = library.Filter{Paths: []string{"0[0-4].md"}}
	few := askOf(t, in, injection.Request{Text: "How many litres does machine 3 pump?", Model: modelOf(t, 2000), Options: o})
	require.Equal(t, injection.InjectFull, few.Strategy)
	require.Equal(t, 5, few.Libraries[0].Documents)

	again := askOf(t, in, injection.Request{
		Messages: []chat.Message{few.Message, {Role: chat.Assistant, Text: "30 litres."}},
		Text:     "And machine 4?", Model: modelOf(t, 2000), Options: o,
	})
	require.Equal(t, injection.None, again.Strategy)
	require.Equal(t, injection.AlreadyInContext, again.ReasonCode)
	require.Equal(t, "And machine 4?", again.Prompt)
}

// TestLibraryOfAnEstimatedModel: where counts are estimates and the documents
// exceed the budget only as a sum, the library is searched.
func TestLibraryOfAnEstimatedModel(t *testing.T) {
	in, _ := shelved(t)
	seen := map[injection.Strategy]int{}
	for length := 1200; length <= 4000; length += 200 {
		res := askOf(t, in, injection.Request{
			Text: "How many litres does the pump of machine 7 deliver?", Model: named(t, "unknown", length),
			Options: injection.Options{Libraries: []string{"parts"}},
		})
		require.NotEqual(t, injection.NoFiles, res.ReasonCode, "%d", length)
		seen[res.Strategy]++
		if res.Strategy == injection.Retrieval {
			require.NotEmpty(t, res.Citations, "%d", length)
			require.Equal(t, "machines/07.md", res.Citations[0].File, "%d", length)
		}
	}
	require.Positive(t, seen[injection.Retrieval])
	require.Positive(t, seen[injection.InjectFull])
}

func TestLibraryModes(t *testing.T) {
	in, _ := shelved(t)
	o := injection.Options{Libraries: []string{"parts"}}
	whole := askOf(t, in, injection.Request{Text: "Summarise the machines.", Model: modelOf(t, 1200), Options: o})
	require.NotNil(t, whole.Coverage, "a selection stands for all of it")
	require.Equal(t, "parts", whole.Citations[0].Library)
	o.Mode = injection.ModeRetrieval
	require.Equal(t, "The mode was set by hand: 0 files whole, 1 library searched.", askOf(t, in, injection.Request{Text: "pump", Model: modelOf(t, 1200), Options: o}).Reason)
	o.Mode = injection.ModeNone
	require.Equal(t, injection.None, askOf(t, in, injection.Request{Text: "x", Model: modelOf(t, 1200), Options: o}).Strategy)
	o.Mode = injection.ModeFull
	_, err := in.Inject(t.Context(), injection.Request{Text: "x", Model: modelOf(t, 600), Options: o})
	require.True(t, fault.Is(err, fault.DoesNotFit), "%v", err)
	o.Mode, o.DryRun = injection.Auto, true
	require.Equal(t, injection.Retrieval, askOf(t, in, injection.Request{Text: "x", Model: modelOf(t, 1200), Options: o}).Strategy)
	o.Libraries = []string{"other"}
	_, err = in.Inject(t.Context(), injection.Request{Text: "x", Model: modelOf(t, 1200), Options: o})
	require.True(t, fault.Is(err, fault.FileNotFound), "%v", err)
	o.Libraries, o.DryRun, o.Filter = []string{"parts"}, false, library.Filter{Types: []string{"pdf"}}
	none := askOf(t, in, injection.Request{Text: "x", Model: modelOf(t, 1200), Options: o})
	require.Equal(t, injection.None, none.Strategy)
	require.Equal(t, "library_empty", none.Warnings[0].Code)
	in.Libraries = nil
	_, err = in.Inject(t.Context(), injection.Request{Text: "x", Model: modelOf(t, 1200), Options: o})
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
}
