package injection_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/parse"
	"inlay/prompts"
	"inlay/retrieve"
	"inlay/tokens"
)

// words counts a token for each word: small numbers that a reader can check.
type words struct{ method tokens.Method }

func (w words) Count(text string) tokens.Count {
	c := tokens.Count{N: len(strings.Fields(text)), Method: w.method, By: "words"}
	if w.method == tokens.Estimated {
		c.Margin = .5
	}
	return c
}

func (w words) Exceeds(budget int, texts ...string) (bool, tokens.Count) {
	c := w.Count(strings.Join(texts, " "))
	if c.N > budget && w.method == tokens.Exact {
		return true, tokens.Count{N: budget + 1, Method: tokens.AtLeast, By: "words"}
	}
	return c.N > budget, c
}

// model is a window of words; each message costs two words more, and a history
// without a user message is refused where strict.
type model struct {
	length  int
	strict  bool
	method  tokens.Method
	counted *[]int // number of messages of each call
}

func (m model) Name() string { return "test:words" }

func (m model) Length(context.Context) (tokens.Count, error) {
	if m.length == 0 {
		return tokens.Count{}, &fault.Error{Code: fault.WindowUnknown, Subject: "test:words", Reason: "no length", Next: "set one"}
	}
	return tokens.Count{N: m.length}, nil
}

func (m model) CountMessages(_ context.Context, messages []chat.Message) (tokens.Count, error) {
	if m.counted != nil {
		*m.counted = append(*m.counted, len(messages))
	}
	user, sum := false, tokens.Count{}
	for _, msg := range messages {
		user = user || msg.Role == chat.User
		c := words{m.method}.Count(msg.Text)
		c.N += 2
		sum = sum.Add(c)
	}
	if m.strict && !user {
		return tokens.Count{}, errors.New("no user message in the conversation")
	}
	return sum, nil
}

func (m model) Counter(context.Context) (tokens.Counter, error) { return words{m.method}, nil }

// reader takes bytes as text; "!CODE" fails with that code.
type reader struct{}

type plainParser struct{}

func (plainParser) Info() parse.Info { return parse.Info{Name: "plain", Library: "inlay/plain"} }

func (plainParser) Parse(_ context.Context, f parse.File, _ parse.Progress) (parse.Document, error) {
	return parse.Document{FileID: parse.FileID(f.Data), Name: f.Name, Path: f.Path, MediaType: "text/plain", Library: "inlay/plain", Text: string(f.Data)}, nil
}

func (reader) Lookup(f parse.File) (parse.Parser, error) {
	if injection.ImageType(f.Data) != "" {
		return nil, &fault.Error{Code: fault.UnsupportedFormat, Subject: f.Name}
	}
	return plainParser{}, nil
}

func (reader) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if code, ok := strings.CutPrefix(string(f.Data), "!"); ok {
		return parse.Document{}, &fault.Error{Code: fault.Code(code), Subject: f.Name, Reason: "is " + code, Next: "mend it"}
	}
	report(.5)
	return plainParser{}.Parse(ctx, f, report)
}

// finder cites every line that shares a word with the query; its affinity is
// the share of the query's words that it holds.
type finder struct {
	mu    sync.Mutex
	calls []retrieve.Request
	err   error
}

func (*finder) Profile() retrieve.Profile {
	return retrieve.Profile{Embedder: "test", Threshold: .3, Limit: 3}
}

func (f *finder) Retrieve(_ context.Context, r retrieve.Request) (retrieve.Passages, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, r)
	limit, threshold := r.Limit, .3
	if limit == 0 {
		limit = 3
	}
	if r.Threshold != nil {
		threshold = *r.Threshold
	}
	p := retrieve.Passages{Embedder: "test", Threshold: threshold, Limit: limit}
	if f.err != nil {
		return p, f.err
	}
	for _, d := range r.Documents {
		r.Report(retrieve.Step{FileID: d.FileID, File: d.Name, Stage: retrieve.Embedding, Done: .5})
		offset, n := 0, 0
		for line := range strings.Lines(d.Text) {
			n++
			text := strings.TrimSuffix(line, "\n")
			c := chat.Citation{
				ID: fmt.Sprintf("%s-%d", d.FileID, n), Text: text, File: d.Name, FileID: d.FileID,
				LineStart: n, LineEnd: n, Start: offset, End: offset + len(text), Affinity: share(r.Query, text),
			}
			offset += len(line)
			p.Total++
			if c.Affinity > threshold && len(p.Citations) < limit {
				c.Number, c.Rank = len(p.Citations)+1, len(p.Citations)+1
				p.Citations = append(p.Citations, c)
			} else if c.Affinity > 0 {
				p.NearMisses = append(p.NearMisses, c)
				p.Candidates = append(p.Candidates, c.Affinity)
			}
		}
		p.Files = append(p.Files, retrieve.FileStats{FileID: d.FileID, File: d.Name, Chunks: n})
		r.Report(retrieve.Step{FileID: d.FileID, File: d.Name, Stage: retrieve.Processed, Done: 1})
	}
	return p, nil
}

func share(query, text string) float64 {
	hit := 0
	for w := range strings.FieldsSeq(query) {
		if strings.Contains(" "+text+" ", " "+w+" ") {
			hit++
		}
	}
	return float64(hit) / float64(len(strings.Fields(query)))
}

// file is an attachment with n words, the last ones telling it from others.
func file(name, text string) injection.File { return injection.File{Name: name, Data: []byte(text)} }

func wordsOf(n int, word string) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }

// inject uses the classic set, whose wording and size the tests spell out.
func inject(t *testing.T, req injection.Request) injection.Result {
	t.Helper()
	req.Options.Prompts = classic(t)
	res, err := (&injection.Injector{Reader: reader{}, Retriever: &finder{}}).Inject(t.Context(), req)
	require.NoError(t, err)
	return res
}

func classic(t *testing.T) *prompts.Set {
	t.Helper()
	set, err := prompts.Named("classic")
	require.NoError(t, err)
	return set
}

func warningCodes(r injection.Result) []string {
	codes := []string{}
	for _, w := range r.Warnings {
		codes = append(codes, w.Code)
	}
	return codes
}
