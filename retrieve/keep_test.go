package retrieve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

const kept = "The notice period is six weeks to the end of a month."

// TestKeptUnderAnotherName: what was made searchable is used again, and cited by
// the name that it has now.
func TestKeptUnderAnotherName(t *testing.T) {
	r := New(Options{})
	one := parse.Document{FileID: "file-1", Name: "old.txt", Text: kept}
	other := parse.Document{FileID: "file-2", Name: "other.txt", Text: "Boats leave with the ebb tide."}
	for _, docs := range [][]parse.Document{{one}, {one, other}, {other, one}} {
		first, err := r.Prepare(t.Context(), Request{Documents: docs})
		require.NoError(t, err)
		renamed := append([]parse.Document(nil), docs...)
		for i := range renamed {
			renamed[i].Name = "new-" + renamed[i].Name
		}
		var steps []Step
		again, err := r.Prepare(t.Context(), Request{Documents: renamed, Report: func(s Step) { steps = append(steps, s) }})
		require.NoError(t, err)
		require.Same(t, first.index, again.index)
		require.Equal(t, Step{FileID: docs[0].FileID, File: renamed[0].Name, Stage: Processed, Done: 1, Cached: true}, steps[3])
		p, err := again.Search(t.Context(), "How long is the notice period?", 1, nil)
		require.NoError(t, err)
		require.Equal(t, "new-old.txt", p.Citations[0].File)
		require.True(t, p.Files[0].Cached)
		p, err = first.Search(t.Context(), "How long is the notice period?", 1, nil)
		require.NoError(t, err)
		require.Equal(t, "old.txt", p.Citations[0].File)
	}
}

// TestKeptNotTrusted: a document that is alike in all but its text is made
// searchable by itself.
func TestKeptNotTrusted(t *testing.T) {
	r := New(Options{})
	_, err := r.Prepare(t.Context(), Request{Documents: []parse.Document{{FileID: "file", Text: kept}}})
	require.NoError(t, err)
	c, err := r.Prepare(t.Context(), Request{Documents: []parse.Document{{FileID: "file", Text: kept + " Or eight."}}})
	require.NoError(t, err)
	p, err := c.Search(t.Context(), "notice period", 1, nil)
	require.NoError(t, err)
	require.Contains(t, c.files[0].text(), "eight")
	require.NotEmpty(t, p.Citations)
}

func TestForgotten(t *testing.T) {
	r := New(Options{})
	docs := []parse.Document{{FileID: "file-1", Text: kept}, {FileID: "file-2", Text: "Boats leave with the ebb tide."}}
	prepare := func(namespace string, docs ...parse.Document) *Corpus {
		c, err := r.Prepare(t.Context(), Request{Documents: docs, Namespace: namespace})
		require.NoError(t, err)
		return c
	}
	mine, both, other := prepare("me", docs[0]), prepare("me", docs...), prepare("other", docs[0])
	r.Forget("me", "file-2")
	require.Same(t, mine.index, prepare("me", docs[0]).index)
	require.NotSame(t, both.index, prepare("me", docs...).index)
	r.Erase("me")
	require.NotSame(t, mine.index, prepare("me", docs[0]).index)
	require.Same(t, other.index, prepare("other", docs[0]).index)
	(*Retriever)(nil).Erase("me")
}
