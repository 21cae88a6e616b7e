package intent_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"inlay/intent"
	"inlay/tokens/tokenstest"
)

// sales is a table of some 2.5 kB.
func sales() string {
	var b strings.Builder
	b.WriteString("month,harbour,boats,fees\n")
	for i := range 90 {
		fmt.Fprintf(&b, "2024-%02d,Harbour %d,%d,%d\n", i%12+1, i, 40+i, 1000+7*i)
	}
	return b.String()
}

// TestModelLeavesOut: a valid answer of a model that leaves a part of the
// message out is completed, or not used.
func TestModelLeavesOut(t *testing.T) {
	table := sales()
	text := "Which harbour had the most boats?\n\n" + table + "\nDo not count the guest berths. Thanks!"
	itemOf := func(content string) string {
		return fmt.Sprintf(`{"detectedLanguage":"en","intent":"Which harbour had the most boats?","contextItems":[{"title":"","mimeType":"","content":%q}]}`, content)
	}
	for name, c := range map[string]struct {
		answer string
		window int
		valid  bool
		items  []string // contents, white space around them aside
		text   string
		code   intent.Decision
	}{
		"no items": {
			`{"detectedLanguage":"en","intent":"Which harbour had the most boats?","contextItems":[]}`, 1000, true,
			[]string{table},
			"Which harbour had the most boats? Do not count the guest berths.", intent.Completed,
		},
		"the first 500 bytes": {
			itemOf(table[:500]), 1000, true,
			[]string{table[:500], table[500:]},
			"Which harbour had the most boats? Do not count the guest berths.", intent.Completed,
		},
		"all of it": {
			itemOf(table), 1000, true,
			[]string{table},
			"Which harbour had the most boats? Do not count the guest berths.", intent.Completed,
		},
		"no items in a large window": {
			`{"detectedLanguage":"en","intent":"Which harbour had the most boats?","contextItems":[]}`, 100_000, false, nil, text, intent.Refused,
		},
		"two paragraphs": {
			`{"detectedLanguage":"en","intent":"Which harbour had the most boats?\n\nDo not count the guest berths. Thanks!","contextItems":[]}`, 1000, false, nil, text, intent.Refused,
		},
		"not concise": {
			fmt.Sprintf(`{"detectedLanguage":"en","intent":%q,"contextItems":[]}`, strings.Repeat("Which harbour? ", 400)), 1000, false, nil, text, intent.Refused,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := intent.Extractor{Analyzer: intent.Model{Generator: &scripted{answers: []string{c.answer}}}}
			res, err := e.Extract(t.Context(), intent.Request{MessageID: "m1", Text: text, Model: model(t, c.window)})
			require.NoError(t, err)
			require.Equal(t, c.valid, res.Valid, res.Reason)
			require.Equal(t, c.code, res.Decision)
			require.Equal(t, c.text, res.Text)
			require.Len(t, res.Documents, len(c.items))
			for i, want := range c.items {
				require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(res.Documents[i].Content))
			}
			accounted(t, res)
		})
	}
}

// accounted holds a result to INT-9 without the package's own reckoning: every
// character of the message is in a document, in a sentence that the prompt has
// word for word, or in a range that is named as said in other words.
func accounted(tb testing.TB, r intent.Result) {
	tb.Helper()
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	left := []byte(r.Raw)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			left[i] = '\n'
		}
	}
	for _, d := range r.Documents {
		require.Equal(tb, r.Raw[d.Start:d.End], d.Content)
		blank(d.Start, d.End)
	}
	if rest := fold(string(left)); rest == fold(r.Text) {
		return
	}
	reworded := 0
	for _, p := range r.Paraphrased {
		reworded += p.End - p.Start
		blank(p.Start, p.End)
	}
	require.LessOrEqual(tb, reworded, 4*len(r.Text)+200, "an intent cannot say that much in other words")
	for line := range strings.Lines(string(left)) {
		for _, sentence := range split(line) {
			require.Contains(tb, fold(r.Text), fold(sentence), "of %q with documents %v", r.Raw, r.Documents)
		}
	}
	a := r.Account()
	require.Equal(tb, len(strings.Join(strings.Fields(r.Raw), "")), a.Text+a.Documents+a.Paraphrased)
}

// split takes a line apart behind the marks that end a sentence.
func split(line string) (out []string) {
	from := 0
	for i, r := range line {
		next := i + len(string(r))
		end := strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && (next >= len(line) || unicode.IsSpace(rune(line[next])))
		if end {
			out, from = append(out, line[from:next]), next
		}
	}
	return append(out, line[from:])
}

// forger makes messages and analyses of them: honest, partial and forged.
type forger struct{ *rand.Rand }

func (f forger) pick(list ...string) string { return list[f.IntN(len(list))] }

func (f forger) request() string {
	return f.pick("Why did the import stop?", "Sum up the minutes, please.", "Fix the bug in parse_row() and do not touch the tests.", "Fasse das zusammen. Nenne auch die 3 Termine!",
		"Which of the 12 boats pays \"late fees\"? See https://example.org/fees and list.csv.", "以下の内容を要約してください。", "Hi,", "Thanks a lot", "Explique pourquoi, brièvement.", "Answer in Dutch.")
}

func (f forger) bulk() string {
	switch f.IntN(6) {
	case 0:
		return sales()[:200+f.IntN(1500)]
	case 1:
		return strings.Repeat("2024-11-18T06:00:01Z ERROR import: row 17 has no fee\n", 2+f.IntN(30))
	case 2:
		return trace
	case 3:
		return strings.Repeat("The harbour was founded when the river changed its bed, and the first pier is older than the town hall. ", 1+f.IntN(12))
	case 4:
		return "{\n  \"boats\": [" + strings.Repeat("{\"name\": \"Anna\", \"length\": 12.5},\n", 1+f.IntN(20)) + "{}]\n}"
	}
	return strings.Repeat("\t\n", f.IntN(3)) + strings.Repeat("x\x00ÿ\xff\u00a0é ", f.IntN(20))
}

func (f forger) message() string {
	var b strings.Builder
	for range 1 + f.IntN(4) {
		b.WriteString(f.pick(f.request(), f.bulk(), f.request()) + f.pick("\n\n", "\n", " ", "\r\n"))
	}
	return b.String()
}

func (f forger) item(raw string) intent.Item {
	from := f.IntN(len(raw))
	to := from + 1 + f.IntN(len(raw)-from)
	return intent.Item{Content: raw[from:to], Start: from, End: to}
}

func (f forger) analysis(raw string) intent.Analysis {
	a := intent.Analysis{ContextItems: []intent.Item{}, Intent: f.pick("Do it.", "Explain why the import stopped.", "", raw,
		raw[:f.IntN(len(raw)+1)], "Sum up.\n\nAnd list.", strings.Join(strings.Fields(raw), " "))}
	end := 0
	for range f.IntN(4) {
		it := f.item(raw)
		switch {
		case f.IntN(8) == 0:
			it.Content += "!"
		case f.IntN(8) == 0:
			it.End += f.IntN(9)
		case it.Start < end && f.IntN(8) > 0:
			continue
		}
		a.ContextItems, end = append(a.ContextItems, it), it.End
	}
	if f.IntN(2) == 0 { // honest: the intent is the rest
		a.Intent, end = "", 0
		for _, it := range a.ContextItems {
			a.Intent += raw[min(end, it.Start):it.Start]
			end = it.End
		}
		a.Intent += raw[min(end, len(raw)):]
	}
	a.Paraphrased = []intent.Range{{End: len(raw)}} // nobody's word is taken for it
	return a
}

// TestEveryByteIsAccountedFor: whatever the message and its analysis, the
// analysis is refused or every byte is in the intent, in an item or named.
func TestEveryByteIsAccountedFor(t *testing.T) {
	f := forger{rand.New(rand.NewPCG(11, 13))} //nolint:gosec // the same every time
	used := map[bool]int{}
	rounds := 6000
	if testing.Short() {
		rounds = 600
	}
	for range rounds {
		raw := f.message()
		m := intent.Message{Text: raw, Window: 500, Large: f.IntN(4) > 0}
		given := f.analysis(raw)
		a, err := intent.Complete(m, given)
		used[err == nil]++
		if err != nil {
			continue
		}
		require.False(t, !m.Large && len(a.ContextItems) > 0)
		accounted(t, asResult(raw, a))
		again, err := intent.Complete(m, a)
		require.NoError(t, err)
		require.Equal(t, a.ContextItems, again.ContextItems)
		require.Equal(t, a.Intent, again.Intent)
	}
	require.Greater(t, used[true], rounds/10)
	require.Greater(t, used[false], rounds/10)
}

func asResult(raw string, a intent.Analysis) intent.Result {
	r := intent.Result{Raw: raw, Text: a.Intent, Paraphrased: a.Paraphrased}
	for _, it := range a.ContextItems {
		r.Documents = append(r.Documents, intent.Document{Item: it})
	}
	return r
}

func FuzzComplete(f *testing.F) {
	f.Add(pasted, "Explain why the nightly job fails, briefly.", 21, 21+len(trace), true)
	f.Fuzz(func(t *testing.T, raw, intention string, from, to int, large bool) {
		a := intent.Analysis{Intent: intention}
		if 0 <= from && from < to && to <= len(raw) {
			a.ContextItems = []intent.Item{{Content: raw[from:to], Start: from, End: to}}
		}
		done, err := intent.Complete(intent.Message{Text: raw, Window: 100, Large: large}, a)
		if err == nil {
			accounted(t, asResult(raw, done))
		}
	})
}

// TestPrefer: what is moved never gives the model less than the raw message.
func TestPrefer(t *testing.T) {
	moved := intent.Result{Raw: "Why?\n\n" + trace, Text: "Why?", Decision: intent.Moved, Documents: []intent.Document{{Item: intent.Item{Content: trace, Start: 6, End: 6 + len(trace)}}}}
	for name, c := range map[string]struct {
		fit  intent.Fit
		want intent.Choice
	}{
		"whole":                {intent.Fit{Room: 90, Raw: 80, Whole: true}, intent.Choice{Decision: intent.Moved}},
		"whole, raw too large": {intent.Fit{Room: 90, Raw: 95, Whole: true}, intent.Choice{Decision: intent.Moved}},
		"raw fits":             {intent.Fit{Room: 90, Raw: 90, Found: 3}, intent.Choice{Decision: intent.RawFits, Raw: true}},
		"raw fits, none found": {intent.Fit{Room: 90, Raw: 12}, intent.Choice{Decision: intent.RawFits, Raw: true}},
		"searched":             {intent.Fit{Room: 90, Raw: 91, Found: 1}, intent.Choice{Decision: intent.Moved}},
		"nothing found":        {intent.Fit{Room: 90, Raw: 91}, intent.Choice{Decision: intent.Covered, Cover: true}},
	} {
		got := moved.Prefer(c.fit)
		got.Reason = ""
		require.Equal(t, c.want, got, name)
		if got.Raw {
			raw := moved.AsRaw(got)
			require.Equal(t, moved.Raw, raw.Text)
			require.Empty(t, raw.Documents)
			require.Equal(t, intent.RawFits, raw.Decision)
		}
	}
	small := intent.Result{Raw: "Why?", Text: "Why?", Decision: intent.Small}
	require.False(t, small.Prefer(intent.Fit{Raw: 1}).Cover, "there is nothing to cover")
}

// TestBulkThatFitsStays: a program of 380 lines in a window of 9,000 and a log of
// 60 lines in one of 2,000 went to the model as 208 characters of nothing found.
func TestBulkThatFitsStays(t *testing.T) {
	var program, log strings.Builder
	program.WriteString("package tide\n\nimport \"fmt\"\n\n")
	for i := range 94 {
		fmt.Fprintf(&program, "func height%d(hours float64) float64 {\n\treturn %d + hours*%d/12\n}\n\n", i, i, i+3)
	}
	for i := range 60 {
		fmt.Fprintf(&log, "2024-11-18T06:%02d:00Z INFO import: row %d of harbour %d read\n", i, i*17, i)
	}
	for name, c := range map[string]struct {
		text   string
		window int
	}{
		"program": {"Fix the bug.\n\n" + program.String(), 9000},
		"log":     {"Why did the import stop?\n\n" + log.String(), 2000},
	} {
		res, err := intent.Extractor{}.Extract(t.Context(), intent.Request{MessageID: "m1", Text: c.text, Model: model(t, c.window)})
		require.NoError(t, err)
		raw := tokenstest.Words{}.Count(c.text).N
		require.Less(t, raw, c.window, "%s fits as it is", name)
		choice := res.Prefer(intent.Fit{Room: c.window, Raw: raw, Whole: false, Found: 0})
		if len(res.Documents) > 0 {
			require.True(t, choice.Raw, name)
			require.Equal(t, c.text, res.AsRaw(choice).Text)
		}
	}
}

func TestSeen(t *testing.T) {
	r := intent.Result{Documents: []intent.Document{{Item: intent.Item{Start: 0, End: 100}, Name: "a.txt"}, {Item: intent.Item{Start: 200, End: 250}, Name: "b.txt"}}}
	require.Equal(t, []intent.LeftOut{{Name: "a.txt", Bytes: 75, Share: .75}}, r.Seen(map[int][]intent.Range{0: {{0, 10}, {20, 35}}, 1: {{0, 50}}}))
	require.Empty(t, r.Seen(map[int][]intent.Range{0: {{0, 100}}, 1: {{0, 50}}}))
}

// TestParaphrase: a small message may be put in other words, as long as they
// carry its sentences; what they do not carry is added.
func TestParaphrase(t *testing.T) {
	m := intent.Message{Text: "Hi! Could you tell me which notice period the lease of 2019 has? Answer in Dutch.", Window: 8000}
	for given, want := range map[string]string{
		"Which notice period does the lease of 2019 have? Answer in Dutch.": "Which notice period does the lease of 2019 have? Answer in Dutch.",
		"Which notice period does the lease of 2019 have?":                  "Which notice period does the lease of 2019 have? Answer in Dutch.",
		"What notice period has the lease? Answer in Dutch.":                "What notice period has the lease? Answer in Dutch. Could you tell me which notice period the lease of 2019 has?",
	} {
		a, err := intent.Complete(m, intent.Analysis{Intent: given})
		require.NoError(t, err)
		require.Equal(t, want, a.Intent)
		accounted(t, asResult(m.Text, a))
	}
}

// TestCutLines: an item that begins or ends within a word has the whole line.
func TestCutLines(t *testing.T) {
	raw := "Why did it stop?\n08:00 INFO one row\n08:01 INFO two rows\n08:02 ERROR no disk\n08:03 INFO stop"
	at := func(from, to string) intent.Item {
		s, e := strings.Index(raw, from), strings.Index(raw, to)+len(to)
		return intent.Item{Title: "x", MimeType: "text/plain", Content: raw[s:e], Start: s, End: e}
	}
	for want, item := range map[string]intent.Item{
		"08:00 INFO one row\n08:01 INFO two rows":                      at("08:00", "08:01 INFO tw"),
		"08:01 INFO two rows\n08:02 ERROR no disk":                     at("1 INFO two", "08:02 ERROR no di"),
		"08:00 INFO one row\n08:01 INFO two rows\n08:02 ERROR no disk": at("08:00", "08:02 ERROR"),
		"INFO two rows\n08:02 ERROR no disk":                           at("INFO two", "08:02 ERROR no disk"),
	} {
		a, err := intent.Complete(intent.Message{Text: raw, Large: true, Window: 100}, intent.Analysis{Intent: "Why did it stop?", ContextItems: []intent.Item{item}})
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(a.ContextItems, func(i intent.Item) bool {
			return i.Content == want && raw[i.Start:i.End] == want
		}), "%q: %+v", want, a.ContextItems)
	}
}
