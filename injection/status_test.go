package injection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/injection"
	"inlay/retrieve"
)

// record collects statuses as indented lines, and checks that the tree is
// sound: parents come first, ids grow, nothing is left open.
type record struct {
	lines  []string
	states map[int]injection.Status
}

func (r *record) take(s injection.Status) {
	if r.states == nil {
		r.states = map[int]injection.Status{}
	}
	r.states[s.ID] = s
	depth := 0
	for p := s.Parent; p != 0; p = r.states[p].Parent {
		depth++
	}
	r.lines = append(r.lines, fmt.Sprintf("%s%s: %s", strings.Repeat("  ", depth), s.State, s.Text))
}

func TestStatusTree(t *testing.T) {
	for name, c := range map[string]struct {
		files []injection.File
		text  string
		want  string
	}{
		"whole": {[]injection.File{file("a.txt", "text")}, "q", `
loading: Deciding how to handle the document(s)...
  waiting: Loading parser for a.txt...
  loading: Loading parser for a.txt...
  loading: inlay/plain loaded for a.txt...
  loading: Parsing file a.txt... (50.00%)
  done: inlay/plain loaded for a.txt...
done: Chosen context injection strategy: 'inject-full-content'. All content can fit into the context`},
		"retrieval": {[]injection.File{file("a.txt", "tide tables\n"+wordsOf(900, "x"))}, "tide", `
loading: Deciding how to handle the document(s)...
  waiting: Loading parser for a.txt...
  loading: Loading parser for a.txt...
  loading: inlay/plain loaded for a.txt...
  loading: Parsing file a.txt... (50.00%)
  done: inlay/plain loaded for a.txt...
done: Chosen context injection strategy: 'retrieval'. Retrieval is optimal for the size of content provided
loading: Loading an embedding model for retrieval...
loading: Retrieving relevant citations for user query...
  waiting: Process a.txt for retrieval
  loading: Embedding a.txt for retrieval (50.0%)
  done: Processed a.txt for retrieval
done: Retrieved 1 relevant citations for user query`},
		"nothing found": {[]injection.File{file("a.txt", wordsOf(900, "x"))}, "tide", `
loading: Deciding how to handle the document(s)...
  waiting: Loading parser for a.txt...
  loading: Loading parser for a.txt...
  loading: inlay/plain loaded for a.txt...
  loading: Parsing file a.txt... (50.00%)
  done: inlay/plain loaded for a.txt...
done: Chosen context injection strategy: 'retrieval'. Retrieval is optimal for the size of content provided
loading: Loading an embedding model for retrieval...
loading: Retrieving relevant citations for user query...
  waiting: Process a.txt for retrieval
  loading: Embedding a.txt for retrieval (50.0%)
  done: Processed a.txt for retrieval
canceled: No relevant citations found for user query`},
	} {
		t.Run(name, func(t *testing.T) {
			var r record
			inject(t, injection.Request{Text: c.text, Files: c.files, Model: model{length: 1000}, Report: r.take})
			require.Equal(t, strings.TrimPrefix(c.want, "\n"), strings.Join(r.lines, "\n"))
		})
	}
}

func TestStatusOfFailures(t *testing.T) {
	var r record
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{err: &fault.Error{Code: fault.BackendUnreachable, Subject: "x"}}}
	_, err := in.Inject(t.Context(), injection.Request{
		Text: "q", Files: []injection.File{file("bad", "!corrupt"), file("a", wordsOf(900, "x"))}, Model: model{length: 1000}, Report: r.take,
	})
	require.Equal(t, fault.BackendUnreachable, fault.CodeOf(err))
	states := map[string]injection.State{}
	for _, s := range r.states {
		states[s.Text] = s.State
		require.NotContains(t, []injection.State{injection.Loading, injection.Waiting}, s.State, s.Text)
	}
	require.Equal(t, injection.Errored, states["inlay/plain loaded for bad..."])
	require.Equal(t, injection.Errored, states["Process a for retrieval"])
	require.Equal(t, retrieve.Profile{Embedder: "test", Threshold: .3, Limit: 3}, in.Retriever.Profile())
}
