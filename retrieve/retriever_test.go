package retrieve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/cache"
	"inlay/embed"
	"inlay/fault"
	"inlay/parse"
	"inlay/retrieve"
	"inlay/retrieve/chromem"
)

const handbook = `# Handbook

## Leave

New employees get 25 days of paid leave a year. Unused days expire in March.

## Travel

Trains are booked through the travel desk. Flights need the approval of a manager.

## Equipment

Laptops are replaced every four years. Broken screens are repaired by the help desk.
`

const recipe = `# Bread

Mix flour, water, salt and yeast. Knead the dough for ten minutes and let it rise overnight.

Bake at 230 degrees until the crust is brown.
`

// markdown makes a document with its headings marked.
func markdown(name, text string) parse.Document {
	d := parse.Document{FileID: parse.FileID([]byte(text)), Name: name, MediaType: "text/markdown", Parser: "markdown/1", Text: text}
	at := 0
	for line := range strings.Lines(text) {
		if label := strings.TrimLeft(line, "#"); label != line {
			end := len(text)
			d.Sections = append(d.Sections, parse.Section{Kind: parse.Heading, Label: strings.TrimSpace(label), Level: len(line) - len(label), Start: at, End: end})
		}
		at += len(line)
	}
	for i := range d.Sections {
		for _, next := range d.Sections[i+1:] {
			if next.Level <= d.Sections[i].Level {
				d.Sections[i].End = next.Start
				break
			}
		}
	}
	return d
}

func retrieveAll(t *testing.T, r *retrieve.Retriever, query string, docs ...parse.Document) retrieve.Passages {
	t.Helper()
	p, err := r.Retrieve(t.Context(), retrieve.Request{Query: query, Documents: docs})
	require.NoError(t, err)
	return p
}

// small cuts the test documents into several chunks.
var small = retrieve.Splitter{Size: 30}

func TestRetrieve(t *testing.T) {
	indexes := map[string]func() (retrieve.Index, error){
		"exact": nil, "chromem": func() (retrieve.Index, error) { return chromem.New(), nil },
	}
	for name, index := range indexes {
		t.Run(name, func(t *testing.T) {
			r := retrieve.New(retrieve.Options{Splitter: small, NewIndex: index})
			docs := []parse.Document{markdown("bread.md", recipe), markdown("handbook.md", handbook)}
			p := retrieveAll(t, r, "How many days of paid leave do new employees get?", docs...)
			require.NotEmpty(t, p.Citations)
			require.Len(t, p.Files, 2)
			c := p.Citations[0]
			require.Equal(t, "handbook.md", c.File)
			require.Equal(t, "Handbook > Leave", c.Heading)
			require.Contains(t, c.Text, "25 days")
			require.Equal(t, handbook[c.Start:c.End], c.Text)
			require.Equal(t, 1+strings.Count(handbook[:c.Start], "\n"), c.LineStart)
			require.Equal(t, 1, c.Number)
			require.Equal(t, 1, c.Rank)
			require.Greater(t, c.Affinity, p.Threshold)
			again := retrieveAll(t, retrieve.New(retrieve.Options{Splitter: small, NewIndex: index}), "How many days of paid leave do new employees get?", docs...)
			p.Files, again.Files = nil, nil // they hold times
			require.Equal(t, p, again)
		})
	}
}

func TestSilentOnOtherSubjects(t *testing.T) {
	r := retrieve.New(retrieve.Options{})
	p := retrieveAll(t, r, "Who won the football world championship in 1998?", markdown("bread.md", recipe))
	require.Empty(t, p.Citations)
	require.Equal(t, 1, p.Total)
	p = retrieveAll(t, r, "How long should the dough be kneaded?", markdown("bread.md", recipe))
	require.NotEmpty(t, p.Citations)
}

func TestAffinityIsThePassagesOwn(t *testing.T) {
	r := retrieve.New(retrieve.Options{})
	query := "replacement of a laptop"
	alone := retrieveAll(t, r, query, markdown("handbook.md", handbook))
	beside := retrieveAll(t, r, query, markdown("bread.md", recipe), markdown("handbook.md", handbook))
	require.NotZero(t, alone.Candidates[0])
	require.InDelta(t, alone.Candidates[0], beside.Candidates[0], 0)
}

func TestLimitThenThreshold(t *testing.T) {
	r := retrieve.New(retrieve.Options{Splitter: small})
	doc := markdown("handbook.md", handbook)
	query := "laptops, flights and unused days"
	search := func(limit int, threshold float64) retrieve.Passages {
		p, err := r.Retrieve(t.Context(), retrieve.Request{Query: query, Documents: []parse.Document{doc}, Limit: limit, Threshold: &threshold})
		require.NoError(t, err)
		return p
	}
	all := search(100, 0)
	require.Equal(t, len(all.Citations), all.Total, "all was cited, and what was joined counts once")
	best := all.Candidates[0]
	require.Empty(t, search(100, best).Citations, "the threshold itself does not pass")
	require.NotEmpty(t, search(100, math.Nextafter(best, 0)).Citations)
	missed := search(1, best)
	require.InDelta(t, best, missed.NearMisses[0].Affinity, 0)
	require.Zero(t, missed.NearMisses[0].Number)
	one := search(1, 0)
	require.Len(t, one.Citations, 1)
	require.Equal(t, all.Candidates, one.Candidates)
}

func TestBadRequests(t *testing.T) {
	r := retrieve.New(retrieve.Options{})
	for _, req := range []retrieve.Request{{Limit: -2}, {Limit: 101}, {Threshold: new(1.5)}, {Threshold: new(math.NaN())}} {
		_, err := r.Retrieve(t.Context(), req)
		require.True(t, fault.Is(err, fault.Usage), "%v", err)
	}
	p, err := r.Retrieve(t.Context(), retrieve.Request{Query: "anything"})
	require.NoError(t, err)
	require.Zero(t, p.Total)
}

// TestMaxText: more text than allowed is refused by name, before any of it is
// embedded; documents of the same bytes count once.
func TestMaxText(t *testing.T) {
	small := parse.Document{FileID: "file-s", Name: "small.txt", Text: "The tide."}
	large := parse.Document{FileID: "file-l", Name: "large.txt", Text: strings.Repeat("Boats leave with the ebb tide. ", 10)}
	r := retrieve.New(retrieve.Options{MaxText: len(small.Text) + len(large.Text)})
	_, err := r.Retrieve(t.Context(), retrieve.Request{Query: "tide", Documents: []parse.Document{small, large, large}})
	require.NoError(t, err)
	other := parse.Document{FileID: "file-o", Name: "other.txt", Text: "x"}
	_, err = r.Retrieve(t.Context(), retrieve.Request{Query: "tide", Documents: []parse.Document{small, large, other}})
	require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
	require.ErrorContains(t, err, "large.txt")
	require.ErrorContains(t, err, "310 bytes of the 320 bytes")
}

func TestNeighboursJoinedDuplicatesCitedOnce(t *testing.T) {
	r := retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: 12}})
	text := "The harbour bridge opened in spring.\n\nThe harbour bridge closed in autumn.\n\n" + strings.Repeat("Nothing of note happened that winter in town.\n\n", 6) +
		"The Harbour  bridge opened in spring.\n"
	p, err := r.Retrieve(t.Context(), retrieve.Request{
		Query: "harbour bridge", Documents: []parse.Document{markdown("a.md", text)}, Threshold: new(0.0), Limit: 5,
	})
	require.NoError(t, err)
	require.Len(t, p.Citations, 1)
	require.Contains(t, p.Citations[0].Text, "opened")
	require.Contains(t, p.Citations[0].Text, "closed")
	require.Equal(t, text[p.Citations[0].Start:p.Citations[0].End], p.Citations[0].Text)
}

// counting embeds as the built-in embedder does and can be told to fail.
type counting struct {
	*embed.Builtin
	texts  atomic.Int64
	print  string
	refuse func(texts []string) error
}

func (c *counting) Spec() embed.Spec {
	s := c.Builtin.Spec()
	s.Fingerprint += c.print
	return s
}

func (c *counting) Embed(ctx context.Context, task embed.Task, texts []string) ([]embed.Vector, error) {
	if task == embed.Document {
		if c.refuse != nil {
			if err := c.refuse(texts); err != nil {
				return nil, err
			}
		}
		c.texts.Add(int64(len(texts)))
	}
	return c.Builtin.Embed(ctx, task, texts)
}

func TestSecondQuestionEmbedsNothing(t *testing.T) {
	store, err := cache.OpenDir(t.TempDir(), cache.Options{})
	require.NoError(t, err)
	doc := markdown("handbook.md", handbook)
	ask := func(e *counting, namespace string) retrieve.Passages {
		r := retrieve.New(retrieve.Options{Embedder: e, Cache: store, Splitter: small})
		p, err := r.Retrieve(t.Context(), retrieve.Request{Query: "leave", Documents: []parse.Document{doc}, Namespace: namespace})
		require.NoError(t, err)
		return p
	}
	first := &counting{Builtin: embed.NewBuiltin()}
	fresh := ask(first, "")
	require.False(t, fresh.Files[0].Cached)
	require.EqualValues(t, fresh.Files[0].Chunks, first.texts.Load())

	second := &counting{Builtin: embed.NewBuiltin()}
	again := ask(second, "")
	require.True(t, again.Files[0].Cached)
	require.Zero(t, again.Files[0].EmbedMillis)
	require.Zero(t, second.texts.Load())
	require.Equal(t, fresh.Citations, again.Citations)

	require.False(t, ask(second, "another key").Files[0].Cached)
	other := &counting{Builtin: embed.NewBuiltin(), print: "other"}
	require.False(t, ask(other, "").Files[0].Cached, "another embedder's vectors are not used")
}

func TestStepsInOrder(t *testing.T) {
	r := retrieve.New(retrieve.Options{})
	ask := func() []string {
		var steps []string
		_, err := r.Retrieve(t.Context(), retrieve.Request{
			Query: "leave", Documents: []parse.Document{markdown("handbook.md", handbook)},
			Report: func(s retrieve.Step) {
				require.Equal(t, "handbook.md", s.File)
				steps = append(steps, fmt.Sprint(s.Stage, " ", s.Done))
			},
		})
		require.NoError(t, err)
		return steps
	}
	require.Equal(t, []string{"starting 0", "loading 0", "loading 1", "chunking 0", "chunking 1", "embedding 0", "embedding 1", "processed 1"}, ask())
	require.Equal(t, []string{"starting 0", "loading 0", "loading 1", "processed 1"}, ask())
}

func TestOneBadChunkDoesNotLoseTheFile(t *testing.T) {
	e := &counting{Builtin: embed.NewBuiltin()}
	e.refuse = func(texts []string) error {
		for _, text := range texts {
			if strings.Contains(text, "Flights") {
				return errors.New("refused")
			}
		}
		return nil
	}
	store := &cache.Memory{}
	r := retrieve.New(retrieve.Options{Embedder: e, Splitter: small, Cache: store})
	p := retrieveAll(t, r, "Do flights need approval?", markdown("handbook.md", handbook))
	require.Len(t, p.Warnings, 1)
	require.Contains(t, p.Warnings[0].Message, "handbook.md: 1 of ")
	require.Contains(t, p.Citations[0].Text, "Flights", "it is still found by its words")

	e.refuse = nil
	e.texts.Store(0)
	p = retrieveAll(t, r, "Do flights need approval?", markdown("handbook.md", handbook))
	require.Empty(t, p.Warnings)
	require.EqualValues(t, 1, e.texts.Load(), "only the refused one is tried again")
}

func TestTooLongIsEmbeddedInParts(t *testing.T) {
	e := &counting{Builtin: embed.NewBuiltin()}
	e.refuse = func(texts []string) error {
		for _, text := range texts {
			if len(text) > 100 {
				return &fault.Error{Code: fault.LimitExceeded, Subject: "text", Reason: "too long"}
			}
		}
		return nil
	}
	p := retrieveAll(t, retrieve.New(retrieve.Options{Embedder: e}), "laptops", markdown("handbook.md", handbook))
	require.Empty(t, p.Warnings)
	require.Positive(t, e.texts.Load())
}

func TestEmbedderDown(t *testing.T) {
	e := &counting{Builtin: embed.NewBuiltin()}
	calls := 0
	e.refuse = func([]string) error {
		calls++
		return &fault.Error{Code: fault.BackendUnreachable, Subject: "embedder"}
	}
	_, err := retrieve.New(retrieve.Options{Embedder: e, Splitter: small}).Retrieve(t.Context(),
		retrieve.Request{Query: "leave", Documents: []parse.Document{markdown("handbook.md", handbook)}})
	require.True(t, fault.Is(err, fault.BackendUnreachable), "%v", err)
	require.Equal(t, 1, calls)
}

func TestCancelStoresNothing(t *testing.T) {
	store := &cache.Memory{}
	e := &counting{Builtin: embed.NewBuiltin()}
	r := retrieve.New(retrieve.Options{Embedder: e, Splitter: retrieve.Splitter{Size: 10}, Cache: store})
	doc := markdown("handbook.md", strings.Repeat(handbook, 20))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := r.Retrieve(ctx, retrieve.Request{Query: "leave", Documents: []parse.Document{doc}, Report: func(s retrieve.Step) {
		if s.Stage == retrieve.Embedding && s.Done > 0 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	e.texts.Store(0)
	require.False(t, retrieveAll(t, r, "leave", doc).Files[0].Cached)
	require.Positive(t, e.texts.Load())
}

// broken gives vectors that no index can hold.
type broken struct {
	*embed.Builtin
	value float32
}

func (b broken) Embed(_ context.Context, _ embed.Task, texts []string) ([]embed.Vector, error) {
	vectors := make([]embed.Vector, len(texts))
	for i := range vectors {
		vectors[i] = make(embed.Vector, b.Spec().Dimensions)
		vectors[i][0] = b.value
	}
	return vectors, nil
}

func TestBrokenVectorsAreNamed(t *testing.T) {
	for _, value := range []float32{0, float32(math.NaN()), float32(math.Inf(1))} {
		r := retrieve.New(retrieve.Options{Embedder: broken{embed.NewBuiltin(), value}})
		_, err := r.Retrieve(t.Context(), retrieve.Request{Query: "leave", Documents: []parse.Document{markdown("handbook.md", handbook)}})
		require.ErrorContains(t, err, "embedder builtin")
		require.ErrorContains(t, err, "handbook.md")
	}
}

func TestProfile(t *testing.T) {
	p := retrieve.New(retrieve.Options{}).Profile()
	require.Equal(t, "builtin", p.Embedder)
	require.Equal(t, 3, p.Limit)
	require.InDelta(t, embed.NewBuiltin().Spec().Threshold, p.Threshold, 0)
}

func ExampleRetriever() {
	text := "Laptops are replaced every four years. Broken screens go to the help desk."
	doc := parse.Document{FileID: parse.FileID([]byte(text)), Name: "equipment.txt", Text: text}
	p, err := retrieve.New(retrieve.Options{}).Retrieve(context.Background(), retrieve.Request{
		Query: "When are laptops replaced?", Documents: []parse.Document{doc},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range p.Citations {
		fmt.Printf("%d. %s, line %d: %s\n", c.Number, c.File, c.LineStart, c.Text)
	}
	// Output: 1. equipment.txt, line 1: Laptops are replaced every four years. Broken screens go to the help desk.
}
