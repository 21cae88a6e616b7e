// Package parsetest is the conformance suite of parsers. A new parser's test is
// a few lines:
//
//	parsetest.Run(t, myformat.New(parse.Limits{}), parsetest.Sample{
//		Name: "small.xyz", Data: data, Contains: []string{"a word in it"},
//	})
package parsetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
)

// Sample is a small file of the parser's format.
type Sample struct {
	Name     string       // with the extension
	Data     []byte       // a few kilobytes: it is parsed once for every length
	Contains []string     // texts that the document must hold, in this order
	Sections []parse.Kind // kinds that must be marked
	Others   []parse.Parser
}

// Run checks that a parser keeps the promises of [parse.Parser] and
// [parse.Document] on every sample.
func Run(t *testing.T, p parse.Parser, samples ...Sample) {
	t.Helper()
	require.NotEmpty(t, samples)
	info := p.Info()
	require.NotEmpty(t, info.Name)
	require.NotEmpty(t, info.Version)
	require.NotEmpty(t, info.Library)
	require.NotEmpty(t, info.MediaTypes)
	for _, s := range samples {
		r, err := parse.NewRegistry(append([]parse.Parser{p}, s.Others...)...)
		require.NoError(t, err)
		t.Run(s.Name, func(t *testing.T) {
			t.Run("text", func(t *testing.T) { testText(t, r, s) })
			t.Run("deterministic", func(t *testing.T) { testDeterministic(t, r, s) })
			t.Run("progress", func(t *testing.T) { testProgress(t, r, s) })
			t.Run("truncated", func(t *testing.T) { testTruncated(t, r, s) })
			t.Run("damaged", func(t *testing.T) { testDamaged(t, r, s) })
			t.Run("scrambled", func(t *testing.T) { testScrambled(t, r, s) })
			t.Run("canceled", func(t *testing.T) { testCanceled(t, p, r, s) })
		})
	}
}

func (s Sample) file(data []byte) parse.File { return parse.File{Name: s.Name, Data: data} }

// testText checks the content and the map over it.
func testText(t *testing.T, r *parse.Registry, s Sample) {
	t.Helper()
	p, err := r.Lookup(s.file(s.Data))
	require.NoError(t, err)
	_, err = p.Parse(t.Context(), s.file(s.Data), nil)
	require.NoError(t, err, "nobody need listen to progress")
	d, err := r.Parse(t.Context(), s.file(s.Data), nil)
	require.NoError(t, err)
	requireSound(t, d)
	require.Equal(t, s.Name, d.Name)
	require.Equal(t, parse.FileID(s.Data), d.FileID)
	rest := d.Text
	for _, want := range s.Contains {
		_, after, found := strings.Cut(rest, want)
		require.True(t, found, "%q is missing or out of order in:\n%s", want, d.Text)
		rest = after
	}
	kinds := map[parse.Kind]bool{}
	for _, section := range d.Sections {
		kinds[section.Kind] = true
	}
	for _, kind := range s.Sections {
		require.True(t, kinds[kind], "no %s section", kind)
	}
}

// requireSound checks what holds for every document.
func requireSound(t *testing.T, d parse.Document) {
	t.Helper()
	require.True(t, utf8.ValidString(d.Text))
	require.NotEmpty(t, strings.TrimSpace(d.Text))
	require.Equal(t, utf8.RuneCountInString(d.Text), d.Coverage.Characters)
	require.NotEmpty(t, d.MediaType)
	require.NotEmpty(t, d.Library)
	require.NotEmpty(t, d.Parser)
	last := 0
	for _, s := range d.Sections {
		require.GreaterOrEqual(t, s.Start, last, "sections are in order")
		require.LessOrEqual(t, s.Start, s.End)
		require.LessOrEqual(t, s.End, len(d.Text))
		require.True(t, utf8.ValidString(d.Text[s.Start:s.End]), "sections are cut between runes")
		last = s.Start
	}
	requireBlocksApart(t, d)
}

// requireBlocksApart checks that blocks, which chunks are made of, do not overlap.
func requireBlocksApart(t *testing.T, d parse.Document) {
	t.Helper()
	end := 0
	for _, s := range d.Sections {
		switch s.Kind {
		case parse.Paragraph, parse.List, parse.Table, parse.Code:
			require.GreaterOrEqual(t, s.Start, end, "blocks do not overlap: %q", d.Text[s.Start:s.End])
			end = s.End
		default:
		}
	}
}

// testDeterministic checks that the same bytes give the same document.
func testDeterministic(t *testing.T, r *parse.Registry, s Sample) {
	t.Helper()
	first, err := r.Parse(t.Context(), s.file(s.Data), nil)
	require.NoError(t, err)
	for range 3 {
		again, err := r.Parse(t.Context(), s.file(s.Data), nil)
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}

// testProgress checks that progress grows from 0 to 1 and ends there.
func testProgress(t *testing.T, r *parse.Registry, s Sample) {
	t.Helper()
	last := -1.0
	_, err := r.Parse(t.Context(), s.file(s.Data), func(done float64) {
		require.Greater(t, done, last)
		last = done
	})
	require.NoError(t, err)
	require.Equal(t, 1.0, last) //nolint:testifylint // exactly one, by contract
}

// testTruncated cuts the file at every length: each must end as a sound
// document or as an error with a code and a next step.
func testTruncated(t *testing.T, r *parse.Registry, s Sample) {
	t.Helper()
	for n := range len(s.Data) {
		requireOutcome(t, r, s.file(s.Data[:n]))
	}
}

// testDamaged overwrites single bytes over the whole length of the file.
func testDamaged(t *testing.T, r *parse.Registry, s Sample) {
	t.Helper()
	step := max(1, len(s.Data)/512)
	for i := 0; i < len(s.Data); i += step {
		for _, b := range []byte{0, 0xFF, '<', '{'} {
			data := append([]byte(nil), s.Data...)
			data[i] = b
			requireOutcome(t, r, s.file(data))
		}
	}
}

// testScrambled turns up to sixteen bytes at once in each of 1,000 copies (100 with
// -short) and cuts every third: the copies are the same in every run.
func testScrambled(t *testing.T, r *parse.Registry, s Sample) {
	t.Helper()
	copies := 1000
	if testing.Short() {
		copies = 100
	}
	turn := rand.New(rand.NewPCG(1, uint64(len(s.Data)))) //nolint:gosec // it need not be secret
	for i := range copies {
		data := append([]byte(nil), s.Data...)
		if i%3 == 0 {
			data = data[:1+turn.IntN(len(data))]
		}
		for range 1 + turn.IntN(16) {
			data[turn.IntN(len(data))] = byte(turn.Uint32())
		}
		requireOutcome(t, r, s.file(data))
	}
}

// requireOutcome parses a file that may well be broken.
func requireOutcome(t *testing.T, r *parse.Registry, f parse.File) {
	t.Helper()
	d, err := r.Parse(t.Context(), f, nil)
	if err == nil {
		requireSound(t, d)
		return
	}
	e, coded := errors.AsType[*fault.Error](err)
	require.True(t, coded, "no code in: %v", err)
	require.Equal(t, f.Name, e.Subject)
	require.NotEmpty(t, e.Reason)
	require.NotEmpty(t, e.Next)
	require.NotEqual(t, fault.Internal, e.Code, err.Error())
}

// testCanceled checks that nothing is read once the context has ended, before
// and during the work.
func testCanceled(t *testing.T, p parse.Parser, r *parse.Registry, s Sample) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Parse(ctx, s.file(s.Data), nil)
	require.True(t, fault.Is(err, fault.Canceled), "got %v", err)
	_, err = p.Parse(ctx, s.file(s.Data), func(float64) {})
	require.True(t, fault.Is(err, fault.Canceled), "got %v", err)

	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	_, err = r.Parse(late, s.file(s.Data), nil)
	require.True(t, fault.Is(err, fault.Timeout), "got %v", err)
}
