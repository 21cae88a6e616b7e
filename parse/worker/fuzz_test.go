package worker

import (
	"bufio"
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
)

// FuzzFrames lets a worker that was taken over say anything at all: the
// supervisor neither panics nor makes a document that breaks its promises.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("{\"done\":0.5}\n{\"page\":{\"section\":{\"kind\":\"page\",\"number\":2,\"start\":0,\"end\":0},\"of\":3},\"size\":3}\nabc"))
	f.Add([]byte("{\"document\":{\"sections\":[{\"kind\":\"page\",\"start\":-1,\"end\":9}]},\"size\":1}\nx"))
	f.Add([]byte("{\"failure\":{\"code\":\"corrupt\",\"reason\":\"r\"}}\n"))
	f.Add([]byte("{\"size\":-1}\n"))
	f.Fuzz(func(t *testing.T, said []byte) {
		p := spoken(said)
		r, err := parse.NewRegistry(p)
		require.NoError(t, err)
		d, err := r.Parse(t.Context(), parse.File{Name: "a.txt", Data: []byte("x")}, nil)
		if err == nil {
			require.NotEmpty(t, d.Text)
			for _, s := range d.Sections {
				require.LessOrEqual(t, s.End, len(d.Text))
			}
		}
	})
}

// spoken is what a worker said.
type spoken []byte

// Info implements [parse.Parser].
func (spoken) Info() parse.Info {
	return parse.Info{Name: "spoken", Version: "1", Library: "spoken", MediaTypes: []string{"text/plain"}}
}

// Parse hears the worker out as [caged.Parse] does.
func (s spoken) Parse(_ context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	limits := parse.Limits{Text: 1 << 16, PlainText: 1 << 16, Pages: 100}.WithDefaults()
	r := run{file: f, report: report, limits: limits}
	_, err := r.listen(bufio.NewReader(bytes.NewReader(s)))
	switch {
	case r.failure != nil:
		return parse.Document{}, &fault.Error{Code: r.failure.Code, Subject: f.Name}
	case r.document != nil:
		return *r.document, nil
	}
	return r.partial(s.Info(), reasonOf(f.Name, err))
}
