package intent_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/injection"
	"inlay/intent"
	"inlay/llm"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/retrieve"
	"inlay/tokens"
)

// posed is a message with bulk and a question, and the lines of the bulk that
// its answer needs.
type posed struct {
	kind, text     string
	question, bulk string
	needed         []string
}

var (
	people = strings.Fields("Ineke Tom Farid Marta Oluwaseun Jiro Priya Stefan Lucía Anouk Bartosz Henrike Samuel Noor Katarzyna Diego Wanjiru Emil Sofia Rashid")
	places = strings.Fields("Bremen Rostock Harlingen Emden Vlissingen Sassnitz Cuxhaven Husum Esbjerg Oostende Gdynia Kiel Delfzijl Skagen Turku Aarhus")
	things = strings.Fields("pump winch anchor engine rudder compass radio generator battery pier crane buoy hatch lantern fender propeller")
	doings = []string{"was serviced", "was replaced", "failed the inspection", "is on order", "was painted", "needs a permit", "was sold", "is out of stock"}
)

// maker makes lines of one kind; line(-1, …) is the needed one.
type maker struct {
	kind string
	head string
	ask  func(who, where, what string) string
	line func(i int, who, where, what, done string) string
	tail string
}

func makers() []maker {
	return []maker{
		{"log", "", func(_, where, what string) string {
			return "Why did the " + what + " job of " + where + " stop last night?"
		}, func(i int, _, where, what, done string) string {
			return fmt.Sprintf("2024-11-18T%02d:%02d:07Z INFO jobs: %s of %s %s (step %d)", i/60%24, i%60, what, where, done, i)
		}, ""},
		{"csv", "name,place,item,state,fee\n", func(who, where, _ string) string { return "Which fee does " + who + " pay in " + where + "?" }, func(i int, who, where, what, done string) string {
			return fmt.Sprintf("%s,%s,%s,%s,%d", who, where, what, done, 100+i*7%900)
		}, ""},
		{"code", "package store\n\n", func(who, _, what string) string {
			return "What does the function for the " + what + " of " + who + " return?"
		}, func(i int, who, where, what, _ string) string {
			return fmt.Sprintf("func %s%s%d() string { return %q } // %s of %s", strings.ToLower(what), who, i, where, what, who)
		}, ""},
		{"settings", "", func(_, where, what string) string {
			return "What is the timeout of the " + what + " in " + where + " set to?"
		}, func(i int, _, where, what, _ string) string {
			return fmt.Sprintf("%s.%s.timeout = %ds", strings.ToLower(where), what, 5+i*3%600)
		}, ""},
		{"json", "[\n", func(who, where, _ string) string { return "When is the appointment of " + who + " in " + where + "?" }, func(i int, who, where, what, _ string) string {
			return fmt.Sprintf("  {\"id\": %d, \"who\": %q, \"place\": %q, \"about\": %q, \"day\": %d},", i, who, where, what, i%28+1)
		}, "  {}\n]"},
		{"transcript", "", func(who, where, what string) string {
			return "What did " + who + " say about the " + what + " of " + where + "?"
		}, func(i int, who, where, what, done string) string {
			return fmt.Sprintf("%s: I looked at it on day %d, and the %s of %s %s.", who, i, what, where, done)
		}, ""},
		{"mail", "From: office@harbour.example\nTo: all@harbour.example\nSubject: Notes of the week\n\n", func(_, where, what string) string {
			return "What do these mails say about the " + what + " of " + where + "?"
		}, func(i int, who, where, what, done string) string {
			return fmt.Sprintf("> %s wrote on day %d that the %s of %s %s.", who, i, what, where, done)
		}, ""},
		{"minutes", "", func(_, where, what string) string { return "What was decided about the " + what + " of " + where + "?" }, func(i int, who, where, what, done string) string {
			return fmt.Sprintf("The board heard in item %d from %s that the %s of %s %s and will look at it again in spring.", i, who, what, where, done)
		}, ""},
		{"list", "", func(_, where, what string) string {
			return "Is the " + what + " of " + where + " on this list, and in which state?"
		}, func(i int, _, where, what, done string) string {
			return fmt.Sprintf("%d. %s of %s: %s", i+1, what, where, done)
		}, ""},
		{"spec", "# Equipment of the harbours\n\n", func(_, where, what string) string {
			return "What does the specification ask for the " + what + " of " + where + "?"
		}, func(i int, _, where, what, _ string) string {
			return fmt.Sprintf("- [R%d] The %s of %s must hold for %d months without service.", i, what, where, 3+i%40)
		}, ""},
	}
}

// pose makes the messages: every kind in many sizes, from a few lines to a
// multiple of the smallest window, with one to three needed lines.
func pose(n int) (out []posed) {
	r := rand.New(rand.NewPCG(17, 19)) //nolint:gosec // the same every time
	all := makers()
	for i := range n {
		m := all[i%len(all)]
		lines := int(12 * math.Pow(100, r.Float64())) // 12 to 1,200
		who, where, what := people[r.IntN(len(people))], places[r.IntN(len(places))], things[r.IntN(len(things))]
		at := map[int]bool{}
		for range 1 + r.IntN(3) {
			at[r.IntN(lines)] = true
		}
		p := posed{kind: m.kind}
		var b strings.Builder
		b.WriteString(m.head)
		for j := range lines {
			w, l, t := people[r.IntN(len(people))], places[r.IntN(len(places))], things[r.IntN(len(things))]
			switch {
			case at[j]:
				w, l, t = who, where, what
			case l == where:
				l = places[(r.IntN(len(places)-1)+1)%len(places)] + "-Nord"
			}
			line := m.line(j, w, l, t, doings[r.IntN(len(doings))])
			if at[j] {
				p.needed = append(p.needed, strings.TrimSpace(line))
			}
			b.WriteString(line + "\n")
		}
		b.WriteString(m.tail)
		question, bulk := m.ask(who, where, what), strings.TrimSuffix(b.String(), "\n")
		p.question, p.bulk = question, bulk
		if p.text = question + "\n\n" + bulk; r.IntN(3) == 0 {
			p.text = bulk + "\n\n" + question
		}
		out = append(out, p)
	}
	return out
}

// reached is the share of the needed lines that a prompt holds.
func (p posed) reached(prompt string) float64 {
	n := 0
	for _, line := range p.needed {
		if strings.Contains(prompt, line) {
			n++
		}
	}
	return float64(n) / float64(len(p.needed))
}

// answering is what the model sees of a message with intent off: all of it, or
// nothing where it does not fit.
func answering(tb testing.TB, model *llm.Static, c tokens.Counter, text string) string {
	tb.Helper()
	length, err := model.Length(tb.Context())
	require.NoError(tb, err)
	if c.Count(text).N > length.N-reserve {
		return ""
	}
	return text
}

// reserve is what the answer may take.
const reserve = 256

// splitters are analyzers by name: the built-in one, and models that answer as
// asked, leave half of the bulk out, or answer nonsense, each through the
// analyzer of models and its checks.
func splitters() map[string]func(p posed) intent.Analyzer {
	says := func(a string) intent.Analyzer { return intent.Model{Generator: &scripted{answers: []string{a}}} }
	return map[string]func(p posed) intent.Analyzer{
		"builtin":       func(posed) intent.Analyzer { return nil },
		"model":         func(p posed) intent.Analyzer { return says(answer(p.question, p.bulk)) },
		"model-half":    func(p posed) intent.Analyzer { return says(answer(p.question, p.bulk[:len(p.bulk)/2])) },
		"model-useless": func(posed) intent.Analyzer { return says("I am sorry.") },
	}
}

// splitting is what the model sees of a message that an analyzer splits, put
// together as a turn does it, and what was decided.
func splitting(tb testing.TB, in *injection.Injector, model *llm.Static, c tokens.Counter, by intent.Analyzer, text string) (string, intent.Decision) {
	tb.Helper()
	ctx := tb.Context()
	res, err := intent.Extractor{Analyzer: by}.Extract(ctx, intent.Request{MessageID: "m1", Text: text, Model: model})
	require.NoError(tb, err)
	if len(res.Documents) == 0 {
		return answering(tb, model, c, text), res.Decision
	}
	length, err := model.Length(ctx)
	require.NoError(tb, err)
	req := injection.Request{Text: res.Text, Model: model, Options: injection.Options{ReserveOutput: reserve, Limit: 20}}
	for _, d := range res.Documents {
		req.Files = append(req.Files, injection.File{Name: d.Name, MediaType: d.MimeType, Data: []byte(d.Content)})
	}
	got, err := in.Inject(ctx, req)
	require.NoError(tb, err)
	choice := res.Prefer(intent.Fit{
		Room: length.N - reserve, Raw: c.Count(text).N, Whole: got.Strategy == injection.InjectFull, Found: len(got.Citations),
	})
	switch {
	case choice.Raw:
		return text, choice.Decision
	case choice.Cover:
		got = cover(ctx, tb, in, req)
	}
	return got.Prompt, choice.Decision
}

// cover takes the best passages whatever they scored.
func cover(ctx context.Context, tb testing.TB, in *injection.Injector, req injection.Request) injection.Result {
	tb.Helper()
	all := 0.0
	req.Options.Threshold = &all
	got, err := in.Inject(ctx, req)
	require.NoError(tb, err)
	return got
}

func injector(tb testing.TB) *injection.Injector {
	tb.Helper()
	parsers, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(tb, err)
	return &injection.Injector{Reader: parsers, Retriever: retrieve.New(retrieve.Options{Splitter: retrieve.Splitter{Size: 100}})}
}

// report is what a set came to at one window.
type report struct {
	off, on   float64 // mean share of the needed lines in the prompt
	less      []string
	decisions map[intent.Decision]int
}

func reach(tb testing.TB, set []posed, window int, by func(posed) intent.Analyzer) report {
	tb.Helper()
	model, err := llm.NewStatic(llm.StaticOptions{Model: "openai:gpt-4o", Length: window})
	require.NoError(tb, err)
	c, err := model.Counter(tb.Context())
	require.NoError(tb, err)
	in := injector(tb)
	r := report{decisions: map[intent.Decision]int{}}
	for _, p := range set {
		off := p.reached(answering(tb, model, c, p.text))
		prompt, decision := splitting(tb, in, model, c, by(p), p.text)
		on := p.reached(prompt)
		if on < off {
			r.less = append(r.less, p.kind)
		}
		r.off, r.on = r.off+off/float64(len(set)), r.on+on/float64(len(set))
		r.decisions[decision]++
	}
	return r
}

// TestMovingNeverGivesLess: no message has fewer of its needed lines in the
// prompt with intent on than with it off.
func TestMovingNeverGivesLess(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	n := 40
	if testing.Short() {
		n = 10
	}
	for name, by := range splitters() {
		for _, window := range []int{2048, 8192} {
			r := reach(t, pose(n), window, by)
			require.Empty(t, r.less, "%s, window %d", name, window)
			require.GreaterOrEqual(t, r.on, r.off)
			t.Logf("%s, window %d: off %.3f, on %.3f, %v", name, window, r.off, r.on, r.decisions)
		}
	}
}

// TestWhatIsNotSeenIsNamed: in windows of any size, a document that is not in the
// prompt whole is named with the share that is left out.
func TestWhatIsNotSeenIsNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 29)) //nolint:gosec // the same every time
	in := injector(t)
	named := 0
	for _, p := range pose(30) {
		model, err := llm.NewStatic(llm.StaticOptions{Model: "openai:gpt-4o", Length: 1024 + r.IntN(8192)})
		require.NoError(t, err)
		res, err := intent.Extractor{}.Extract(t.Context(), intent.Request{MessageID: "m1", Text: p.text, Model: model})
		require.NoError(t, err)
		accounted(t, res)
		req := injection.Request{Text: res.Text, Model: model, Options: injection.Options{Limit: 5}}
		for _, d := range res.Documents {
			req.Files = append(req.Files, injection.File{Name: d.Name, MediaType: d.MimeType, Data: []byte(d.Content)})
		}
		got, err := in.Inject(t.Context(), req)
		require.NoError(t, err)
		left := res.Seen(shownOf(res, got))
		for _, d := range res.Documents {
			gone := slices.IndexFunc(left, func(l intent.LeftOut) bool { return l.Name == d.Name })
			require.Equal(t, strings.Contains(got.Prompt, d.Content), gone < 0, d.Name)
			if gone >= 0 {
				named++
				require.Positive(t, left[gone].Share)
			}
		}
	}
	require.Positive(t, named)
}

// shownOf are the ranges of the moved documents that a turn injected.
func shownOf(res intent.Result, got injection.Result) map[int][]intent.Range {
	shown := map[int][]intent.Range{}
	for i, d := range res.Documents {
		if got.Strategy == injection.InjectFull {
			shown[i] = []intent.Range{{End: len(d.Content)}}
			continue
		}
		end := 0
		for _, c := range slices.SortedFunc(slices.Values(got.Citations), func(a, b chat.Citation) int { return a.Start - b.Start }) {
			if at := strings.Index(d.Content, c.Text); c.File == d.Name && at >= 0 {
				from := max(at, end)
				end = max(end, at+len(c.Text))
				shown[i] = append(shown[i], intent.Range{Start: from, End: max(end, from)})
			}
		}
	}
	return shown
}

// BenchmarkReach prints the share of the needed lines of 300 messages that reach
// the prompt, with intent off and by each analyzer.
func BenchmarkReach(b *testing.B) {
	set := pose(300)
	all := splitters()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, window := range []int{2048, 8192, 32768} {
			b.Run(fmt.Sprintf("%s/%d", name, window), func(b *testing.B) {
				var r report
				for b.Loop() {
					r = reach(b, set, window, all[name])
				}
				b.ReportMetric(r.off, "off")
				b.ReportMetric(r.on, "on")
				b.ReportMetric(float64(len(r.less)), "less")
				b.Log(r.decisions)
			})
		}
	}
}
