package intent_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/intent"
	"inlay/llm"
	"inlay/strategy"
	"inlay/strategy/strategytest"
	"inlay/tokens"
	"inlay/tokens/tokenstest"
)

var update = flag.Bool("update", false, "rewrite golden files")

func model(tb testing.TB, window int) llm.Measurer {
	tb.Helper()
	m, err := llm.NewStatic(llm.StaticOptions{Model: "test:words", Length: window, Counter: tokenstest.Words{}})
	require.NoError(tb, err)
	return m
}

const trace = `Traceback (most recent call last):
  File "/srv/jobs/nightly.py", line 41, in <module>
    main()
  File "/srv/jobs/nightly.py", line 33, in main
    totals = monthly_totals(args.ledger)
ValueError: could not convert string to float`

// pasted is a request of six words around a trace of 25.
const pasted = "Why does this fail?\n\n" + trace + "\n\nAnswer briefly."

func TestTenPercentExactly(t *testing.T) {
	n := tokenstest.Words{}.Count(pasted).N
	for window, documents := range map[int]int{10 * n: 1, 10*n + 1: 0, 10*n - 1: 1, n: 1, 1000 * n: 0} {
		res, err := intent.Extractor{}.Extract(t.Context(), intent.Request{MessageID: "m7", Text: pasted, Model: model(t, window)})
		require.NoError(t, err)
		require.Len(t, res.Documents, documents, "%d tokens in a window of %d", n, window)
		require.True(t, res.Valid)
		if documents == 0 {
			require.Equal(t, pasted, res.Text)
			require.Empty(t, res.DocList)
			continue
		}
		require.Equal(t, "Why does this fail?\n\n\n\nAnswer briefly.", res.Text)
		require.Equal(t, "docList:m7:user_context", res.DocList)
		d := res.Documents[0]
		require.Equal(t, []string{"user_context_1.txt", "user_context", "text/plain", trace}, []string{d.Name, d.Label, d.MimeType, d.Content})
		require.Equal(t, d.Content, pasted[d.Start:d.End])
		require.Equal(t, pasted, res.Raw)
		require.Equal(t, "en", res.Language)
	}
}

// TestBulkIsSignificantlyLarger: a message that fills the window stays whole
// while what could be moved is not larger than the request around it.
func TestBulkIsSignificantlyLarger(t *testing.T) {
	for words, documents := range map[int]int{2: 1, 200: 0} {
		text := strings.Repeat("Please tell me why this fails. ", words) + "\n\n" + trace
		res, err := intent.Extractor{}.Extract(t.Context(), intent.Request{MessageID: "m1", Text: text, Model: model(t, 100)})
		require.NoError(t, err)
		require.Len(t, res.Documents, documents, res.Reason)
		if documents == 0 {
			require.Equal(t, text, res.Text)
		}
	}
}

// TestNothingIsLost: on every message of both halves, and on pieces of them cut
// and glued at random, intent and items laid together are the message.
func TestNothingIsLost(t *testing.T) {
	var texts []string
	for _, half := range parts() {
		for _, s := range samples(t, half) {
			texts = append(texts, s.text)
		}
	}
	r := rand.New(rand.NewPCG(3, 5)) //nolint:gosec // the same every time
	for range 80 {
		a, b := texts[r.IntN(len(texts))], texts[r.IntN(len(texts))]
		texts = append(texts, a[:r.IntN(len(a)+1)]+b[r.IntN(len(b)+1):])
	}
	for i, text := range texts {
		if i%8 == 0 || !testing.Short() { // short runs are those under the race detector
			whole(t, text)
		}
	}
}

func whole(tb testing.TB, text string) {
	tb.Helper()
	m := intent.Message{Text: text, Window: 100, Large: true}
	a, err := intent.Builtin{}.Analyze(tb.Context(), m)
	require.NoError(tb, err)
	var b strings.Builder
	rest, end := a.Intent, 0
	for _, it := range a.ContextItems {
		require.Equal(tb, text[it.Start:it.End], it.Content)
		require.GreaterOrEqual(tb, it.Start, end)
		b.WriteString(rest[:it.Start-end] + it.Content)
		rest, end = rest[it.Start-end:], it.End
	}
	require.Equal(tb, text, b.String()+rest)
	if strings.TrimSpace(text) != "" {
		require.NoError(tb, intent.Check(m, a))
	}
	again, err := intent.Builtin{}.Analyze(tb.Context(), m)
	require.NoError(tb, err)
	require.Equal(tb, a, again, "the same message gives the same bytes")
}

// TestHostile: messages made of openings without ends end soon, and lose nothing.
func TestHostile(t *testing.T) {
	for _, unit := range []string{"{\n", "[[[", "```a\n", "<a>\n", "<<<\n", "\"\"\"\nx\n", "-----BEGIN A-----\n", "Abc: x\n", "\"a,b\n", "> \n", "\r", "\x00", "\xff\n", "x"} {
		whole(t, strings.Repeat(unit, 16000/len(unit))+"\n\nWhat is this?")
	}
}

func FuzzBuiltin(f *testing.F) {
	f.Add(pasted)
	for _, half := range []string{"tune", "held"} {
		for _, p := range handPieces(f, half) {
			f.Add("What is this?\n" + p.text)
		}
	}
	for _, s := range samples(f, "wild") {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) { whole(t, text) })
}

// scripted answers with one text after the other.
type scripted struct {
	answers []string
	fail    error
	asked   []llm.Request
}

func (*scripted) Name() string { return "test:scripted" }

func (s *scripted) Generate(_ context.Context, r llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		s.asked = append(s.asked, r)
		if s.fail != nil {
			yield(llm.Delta{}, s.fail)
			return
		}
		text := s.answers[min(len(s.asked), len(s.answers))-1]
		if cut, ok := strings.CutSuffix(text, "…"); ok {
			yield(llm.Delta{Text: cut, Done: "length"}, nil)
			return
		}
		yield(llm.Delta{Text: text, Done: "stop"}, nil)
	}
}

func answer(intention, content string) string {
	return fmt.Sprintf(`{"detectedLanguage":"en","intent":%q,"contextItems":[{"title":"User context 1","mimeType":"text/plain","content":%q}]}`, intention, content)
}

func TestModel(t *testing.T) {
	good := answer("Explain why the nightly job fails, briefly.", trace)
	cases := map[string]struct {
		answers []string
		fail    error
		calls   int
		reason  string // part of it, where the raw message is
	}{
		"good":                    {answers: []string{good}, calls: 1},
		"in a fence":              {answers: []string{"```json\n" + good + "\n```"}, calls: 1},
		"good at the second time": {answers: []string{"I cannot", good}, calls: 2},
		"no JSON":                 {answers: []string{"Sure! Here it is."}, calls: 2, reason: "not the JSON"},
		"wrong type":              {answers: []string{`{"detectedLanguage":"en","intent":3,"contextItems":[]}`}, calls: 2, reason: "not the JSON"},
		"no slice":                {answers: []string{answer("Explain.", "Traceback, shortened")}, calls: 2, reason: "not an exact slice"},
		"empty item":              {answers: []string{answer("Explain.", "")}, calls: 2, reason: "not an exact slice"},
		"empty intent":            {answers: []string{answer("  ", trace)}, calls: 2, reason: "intent is empty"},
		"overlap": {answers: []string{`{"detectedLanguage":"en","intent":"x","contextItems":[{"title":"","mimeType":"","content":"Traceback (most recent"},` +
			`{"title":"","mimeType":"","content":"(most recent call last)"}]}`}, calls: 2, reason: "overlap"},
		"breaks off":  {answers: []string{good[:40] + "…"}, calls: 2, reason: "breaks off"},
		"unreachable": {fail: &fault.Error{Code: fault.BackendUnreachable, Reason: "secret"}, calls: 2, reason: "backend_unreachable"},
		"unfinished":  {fail: &fault.Error{Code: fault.AnswerUnfinished, Reason: "secret", Err: llm.ErrUnfinished}, calls: 2, reason: "repeats itself"},
		"timeout":     {fail: fmt.Errorf("secret: %w", context.DeadlineExceeded), calls: 2, reason: "timeout"},
		"failing":     {fail: errors.New("secret words"), calls: 2, reason: "it failed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := &scripted{answers: c.answers, fail: c.fail}
			var logged bytes.Buffer
			e := intent.Extractor{Analyzer: intent.Model{Generator: g}, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
			res, err := e.Extract(t.Context(), intent.Request{MessageID: "m1", Text: pasted, Model: model(t, 200)})
			require.NoError(t, err)
			require.Len(t, g.asked, c.calls)
			require.Equal(t, c.reason == "", res.Valid)
			if c.reason != "" {
				require.Contains(t, res.Reason, c.reason)
				require.Equal(t, pasted, res.Text)
				require.Empty(t, res.Documents)
				require.Empty(t, res.Language)
			} else {
				require.Equal(t, "Explain why the nightly job fails, briefly.", res.Text)
				require.Equal(t, trace, res.Documents[0].Content)
				require.Equal(t, "en", res.Language)
			}
			require.NotContains(t, res.Reason+logged.String(), "secret")
			require.NotContains(t, logged.String(), "nightly")
			for _, measure := range []string{fmt.Sprintf("bytes_in=%d ", len(pasted)), "bytes_out=", fmt.Sprintf("documents=%d ", len(res.Documents)), "took="} {
				require.Contains(t, logged.String(), measure)
			}
			require.NotEmpty(t, g.asked[0].Schema)
		})
	}
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		g := &scripted{fail: context.Canceled}
		_, err := intent.Extractor{Analyzer: intent.Model{Generator: g}}.Extract(ctx, intent.Request{Text: pasted, Model: model(t, 200)})
		require.True(t, fault.Is(err, fault.Canceled))
		require.LessOrEqual(t, len(g.asked), 1)
	})
	t.Run("items of a small message", func(t *testing.T) {
		g := &scripted{answers: []string{good}}
		res, err := intent.Extractor{Analyzer: intent.Model{Generator: g}}.Extract(t.Context(), intent.Request{Text: pasted, Model: model(t, 100000)})
		require.NoError(t, err)
		require.False(t, res.Valid)
		require.Contains(t, res.Reason, "below a tenth")
	})
}

// TestPrompt holds the prompt to the seed's, byte for byte.
func TestPrompt(t *testing.T) {
	var b strings.Builder
	for _, large := range []bool{false, true} {
		for _, m := range intent.Prompt(intent.Message{Text: "Sum up:\n<data>", Window: 8192, Tokens: tokens.Count{N: 820}, Large: large}) {
			fmt.Fprintf(&b, "== %s\n%s\n", m.Role, m.Text)
		}
	}
	const golden = "testdata/prompt.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func TestCheck(t *testing.T) {
	text := "Compare report.pdf with https://example.org/x?a=1, please.\n" + trace
	item := intent.Item{Content: trace, Start: strings.Index(text, trace), End: len(text)}
	m := intent.Message{Text: text, Large: true}
	for name, c := range map[string]struct {
		intention string
		item      intent.Item
		ok        bool
	}{
		"keeps both":           {"Compare report.pdf with https://example.org/x?a=1.", item, true},
		"lacks the file name":  {"Compare the report with https://example.org/x?a=1.", item, false},
		"lacks the address":    {"Compare report.pdf with a page.", item, false},
		"another slice":        {"Compare report.pdf with https://example.org/x?a=1.", intent.Item{Content: trace, Start: 3, End: 3 + len(trace)}, false},
		"outside":              {"Compare report.pdf with https://example.org/x?a=1.", intent.Item{Content: trace, Start: item.Start, End: len(text) + 9}, false},
		"negative":             {"Compare report.pdf with https://example.org/x?a=1.", intent.Item{Content: trace, Start: -1, End: 4}, false},
		"names in the item go": {"Compare report.pdf with https://example.org/x?a=1.", item, true},
	} {
		err := intent.Check(m, intent.Analysis{Intent: c.intention, ContextItems: []intent.Item{c.item}})
		require.Equal(t, c.ok, err == nil, "%s: %v", name, err)
	}
}

func TestDocumentNames(t *testing.T) {
	raw := strings.Repeat("a,b,c\n", 4) + strings.Repeat("d,e,f\n", 4) + strings.Repeat("g,h,i\n", 4) + strings.Repeat("j,k,l\n", 4)
	var items []string
	for i, title := range []string{"sales.csv", "../../etc/passwd.txt", "sales.csv", "User context 4"} {
		items = append(items, fmt.Sprintf(`{"title":%q,"mimeType":"text/csv","content":%q}`, title, raw[24*i:24*i+24]))
	}
	g := &scripted{answers: []string{`{"detectedLanguage":"EN-gb","intent":"Add up.","contextItems":[` + strings.Join(items, ",") + `]}`}}
	res, err := intent.Extractor{Analyzer: intent.Model{Generator: g}}.Extract(t.Context(), intent.Request{Text: raw, Model: model(t, 8)})
	require.NoError(t, err)
	require.True(t, res.Valid, res.Reason)
	var names []string
	for _, d := range res.Documents {
		names = append(names, d.Name)
	}
	require.Equal(t, []string{"sales.csv", "user_context_2.txt", "user_context_3.txt", "user_context_4.txt"}, names)
	require.Equal(t, "en", res.Language)
}

func TestLanguage(t *testing.T) {
	for text, want := range map[string]string{
		"Could you please explain what happens in this part?": "en", "Kannst du mir bitte erklären, was hier genau passiert?": "de",
		"Peux-tu m'expliquer ce qui se passe ici, s'il te plaît ?": "fr", "次の内容を要約してください。漢字": "ja", "请总结以下内容。": "zh",
		"Объясни, пожалуйста, почему эти строки не работают": "ru", "ok": "", "": "", "https://example.org/a/long/address/that/is/no/language": "", "12345 67890": "",
	} {
		require.Equal(t, want, intent.Language(text), text)
	}
}

// A message in two languages is in the one of most of its words.
func TestMixedLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"Please explain to me what this German error message means and how I can get rid of it: Die Datei wurde nicht gefunden.":                        "en",
		"Kannst du mir bitte erklären, warum hier steht \"the file was not found\" und was ich jetzt dagegen tun soll? Ich verstehe es wirklich nicht.": "de",
		"Peux-tu m'expliquer pourquoi ce message apparaît chaque matin sur mon ordinateur: the disk is full and cannot be written.":                     "fr",
	} {
		require.Equal(t, want, intent.Language(text), text)
	}
}

// The language is the request's, also where a log stays beside it since the
// message is small.
func TestLanguageOfSmallMessages(t *testing.T) {
	for _, large := range []bool{false, true} {
		a, err := intent.Builtin{}.Analyze(t.Context(), intent.Message{Text: "Why does it fail? Tell me in one sentence what to do.\n\n" + strings.Repeat("2024-11-18 Feil: filen finnes ikke på serveren, prøver igjen\n", 5), Large: large})
		require.NoError(t, err)
		require.Equal(t, "en", a.DetectedLanguage)
	}
}

func TestConformance(t *testing.T) {
	strategytest.Run(t, intent.Preprocessor{}, strategy.ExecutionContext{Input: pasted, Model: model(t, 200)})
}

func TestPreprocessor(t *testing.T) {
	x := strategy.ExecutionContext{Input: pasted, Model: model(t, 200), Messages: make([]chat.Message, 2)}
	r, err := intent.Preprocessor{}.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"preprocess.intent.text": "Why does this fail?\n\n\n\nAnswer briefly.", "preprocess.intent.raw": pasted, "preprocess.intent.language": "en",
		"preprocess.intent.documents": []any{map[string]any{
			"name": "user_context_1.txt", "title": "User context 1", "mime_type": "text/plain", "label": "user_context",
			"doc_list": "docList:message_3:user_context", "start": 21, "end": 21 + len(trace),
		}},
	}, r.Variables)

	known, err := intent.Extractor{}.Extract(t.Context(), intent.Request{Text: "another", Model: x.Model})
	require.NoError(t, err)
	r, err = intent.Preprocessor{Known: &known}.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, "another", r.Variables["preprocess.intent.raw"])

	x.Settings = map[string]any{"mood": "good"}
	_, err = intent.Preprocessor{}.Process(t.Context(), x)
	require.True(t, fault.Is(err, fault.Usage))
}
