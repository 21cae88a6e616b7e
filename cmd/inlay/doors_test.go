package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/options"
)

// sample is a valid value of an option, other than its default, as YAML has it.
func sample(o options.Option) string {
	if o.Key == "parse_limits" {
		return `"file=7MiB"`
	}
	switch o.Kind {
	case options.Choice:
		for _, c := range o.Choices {
			if c != o.Default {
				return fmt.Sprintf("%q", c)
			}
		}
	case options.Bool:
		return map[string]string{"true": "false"}[o.Default] + map[bool]string{true: "", false: "true"}[o.Default == "true"]
	case options.Count, options.Tokens, options.Bytes:
		return "7"
	case options.Number:
		return "0.5"
	case options.Duration:
		return "7s"
	case options.List:
		return `["a", "b"]`
	default:
	}
	return `"x"`
}

// refused is a value that an option does not take, as text; empty: it takes any.
func refused(o options.Option) string {
	switch o.Kind {
	case options.Text, options.List:
		return ""
	case options.Count, options.Tokens, options.Bytes, options.Number:
		if !o.Bounds.Any {
			return "-1"
		}
	case options.Choice:
		if o.Also != "" {
			return ""
		}
	default:
	}
	return "SECRET"
}

// TestEveryOptionOfTheCommand walks the table through the flag, the environment
// and the configuration file: a valid value is in force, an invalid one is
// refused with the same sentence and its place. A value of the environment or the
// file is not repeated, unless it is a number.
func TestEveryOptionOfTheCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "inlay.yaml")
	config := func(env map[string]string, text string, args ...string) (string, error) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		var out, errs bytes.Buffer
		err := run(t.Context(), append([]string{"config", "--config", file}, args...), func(name string) string { return env[name] }, strings.NewReader(""), &out, &errs)
		if err != nil {
			return errs.String(), err
		}
		return out.String(), nil
	}
	for _, o := range options.All() {
		if o.Flag == "" {
			continue
		}
		yaml := sample(o)
		text := strings.NewReplacer(`["a", "b"]`, "a,b", `"`, "").Replace(yaml)
		line := func(from string) string {
			return fmt.Sprintf("%-52s # %s; --%s, %s\n", o.Key+": "+yaml, from, o.Flag, o.Env())
		}
		out, err := config(nil, "", "--"+o.Flag+"="+text)
		require.NoError(t, err, out)
		require.Contains(t, out, line("flag --"+o.Flag))
		out, err = config(map[string]string{o.Env(): text}, "")
		require.NoError(t, err, out)
		require.Contains(t, out, line("environment "+o.Env()))
		out, err = config(nil, o.Key+": "+yaml+"\n")
		require.NoError(t, err, out)
		require.Contains(t, out, line(file+":1"))

		bad := refused(o)
		if bad == "" {
			continue
		}
		sentence := "must be " + o.Wants()
		if bad != "SECRET" {
			sentence += ", not " + bad
		}
		out, err = config(nil, "", "--"+o.Flag+"="+bad)
		require.Error(t, err, o.Key)
		if bad == "SECRET" { // a flag's value was typed on the spot and is repeated
			require.Contains(t, out, "inlay: --"+o.Flag+": "+sentence+`, not "SECRET"`)
		} else {
			require.Contains(t, out, "inlay: --"+o.Flag+": "+sentence)
		}
		out, _ = config(map[string]string{o.Env(): bad}, "")
		require.Contains(t, out, "inlay: environment "+o.Env()+": "+sentence)
		require.NotContains(t, out, "SECRET")
		out, _ = config(nil, o.Key+": "+bad+"\n")
		require.Contains(t, out, "inlay: "+file+":1: "+o.Key+": "+sentence)
		require.NotContains(t, out, "SECRET")
	}
}

// asked is what a question is asked with, at any door.
type asked struct {
	question string
	past     []string // user and assistant by turns
	files    map[string]string
	options  map[string]any // as JSON has them
}

// outcome is what a turn came to, as far as every door shows it.
type outcome struct {
	Strategy  string
	Limit     int
	Threshold float64
	Prompt    string
	Citations int
	Window    int
	Refused   string // the error
}

// door asks a turn.
type door struct {
	name  string
	takes options.Door
	ask   func(t *testing.T, q asked) outcome
	spell func(o options.Option) string // how an error names the option
}

// trial sets an option and sees it in force.
type trial struct {
	value any
	turn  asked
	shows func(o outcome) bool // with the value; not without
}

const leave = "The notice period is four weeks to the end of a month. "

// manual is a document of some 800 tokens.
func manual() string {
	return leave + "\n\n" + strings.Repeat("Lamps are cleaned on Mondays and oil is bought in the harbour.\n\n", 50)
}

// trials are the options of a request, each with a turn in which it matters.
func trials() map[string]trial {
	ask := func(question string, with map[string]any) asked {
		return asked{question: question, files: map[string]string{"manual.md": manual()}, options: with}
	}
	const period = "How long is the notice period?"
	broken := map[string]string{"broken.bin": strings.Repeat("\x01\x02", 500)}
	mixed := ask(period, nil)
	mixed.files["small.md"] = "Nobody asked about the purple lantern."
	half := ask(period, nil)
	half.files["broken.bin"] = broken["broken.bin"]
	leaning := ask("And then?", map[string]any{"mode": "retrieval"})
	leaning.past = []string{period, "It depends."}
	pasted := ask("Which is the tallest?\n\n```csv\nname,height\n"+strings.Repeat("lamp,12\n", 60)+"```\n", nil)
	pasted.files = nil
	return map[string]trial{
		"mode":            {"none", ask(period, nil), func(o outcome) bool { return o.Strategy == "none" && o.Prompt == period }},
		"policy":          {"mixed", mixed, func(o outcome) bool { return strings.Contains(o.Prompt, "purple lantern") }},
		"coverage":        {"off", ask("Summarise the document.", map[string]any{"retrieval_affinity_threshold": 0.99}), func(o outcome) bool { return o.Citations == 0 }},
		"on_overflow":     {"retrieve", ask(period, map[string]any{"mode": "full", "context_length": 700}), func(o outcome) bool { return o.Strategy == "retrieval" }},
		"on_failure":      {"continue", asked{question: period, files: broken}, func(o outcome) bool { return o.Refused == "" }},
		"strict":          {true, half, func(o outcome) bool { return o.Refused != "" }},
		"expand_query":    {true, leaning, func(o outcome) bool { return strings.Contains(o.Prompt, "four weeks") }},
		"retrieval_limit": {2, ask(period, map[string]any{"mode": "retrieval"}), func(o outcome) bool { return o.Limit == 2 }},
		"citation_share": {1.0, ask(period, map[string]any{"mode": "retrieval", "retrieval_limit": 1, "context_length": 2048}), func(o outcome) bool {
			return strings.Count(o.Prompt, "Lamps") > 30
		}},
		"retrieval_affinity_threshold": {0.9, ask(period, map[string]any{"mode": "retrieval"}), func(o outcome) bool { return o.Threshold == 0.9 }},
		"target_context_use":           {1, ask(period, nil), func(o outcome) bool { return o.Strategy == "inject-full-content" }},
		"reserve_output_tokens":        {600, ask(period, map[string]any{"mode": "full"}), func(o outcome) bool { return o.Refused != "" }},
		"prompt_set":                   {"classic", ask(period, nil), func(o outcome) bool { return strings.Contains(o.Prompt, "Citation 1:") }},
		"library":                      {"nowhere", ask(period, nil), func(o outcome) bool { return strings.Contains(o.Refused, "nowhere") }},
		"context_length":               {3000, ask(period, nil), func(o outcome) bool { return o.Strategy == "inject-full-content" }},
		"intent": {"builtin", pasted, func(o outcome) bool {
			return strings.Contains(o.Prompt, "user_context_1") || !strings.HasPrefix(o.Prompt, "Which is the tallest?\n\n```csv")
		}},
	}
}

// TestEveryOptionOfARequest walks the options that shape a turn through every
// door that takes them: the value is in force, and a mistake is refused with the
// same sentence, under the name that the door has for it.
func TestEveryOptionOfARequest(t *testing.T) {
	all := trials()
	for _, d := range doors(t) {
		t.Run(d.name, func(t *testing.T) {
			if testing.Short() && (d.name == "environment" || d.name == "file") {
				t.Skip("the flags are tried")
			}
			for i, o := range options.All() {
				if !o.At(options.Request) || o.Doors&d.takes == 0 || testing.Short() && i%4 != 0 {
					continue
				}
				one, ok := all[o.Key]
				filter := strings.HasPrefix(o.Key, "library_")                    // shown by the script library.txtar, which has one
				if o.Key == "rerank" || o.Key == "chunk" || o.Key == "embedder" { // shown by the parity matrix, which has a reranker, and by TestSearchOfARequest
					continue
				}
				require.True(t, ok || filter, "%s has no trial", o.Key)
				plain := d.ask(t, one.turn)
				if !filter {
					require.False(t, one.shows(plain), "%s without: %+v", o.Key, plain)
					value := one.value
					if o.Kind == options.List && d.takes != options.Command {
						value = []any{value}
					}
					set := d.ask(t, with(one.turn, o.Key, value))
					require.True(t, one.shows(set), "%s: %+v", o.Key, set)
				}
				if o.Word != "" {
					worded := d.ask(t, with(one.turn, o.Key, o.Word))
					require.Empty(t, worded.Refused)
					require.NotEqual(t, plain.Limit, worded.Limit, "auto takes what a tenth of the window holds")
				}

				if d.takes == options.Command && (o.Kind == options.List || filter) {
					continue // any text is a list of one, and a filter of texts
				}
				bad, not := any("SECRET"), ""
				if o.Kind != options.Choice && o.Kind != options.Bool {
					bad, not = -1, ", not -1"
				}
				if o.Kind == options.List || o.Kind == options.Text {
					not = ""
				}
				wants := o.Wants()
				if o.Also != "" && d.takes == options.Command {
					wants = o.WantsText()
				}
				got := d.ask(t, with(one.turn, o.Key, bad))
				require.Contains(t, got.Refused, d.spell(o))
				require.Contains(t, got.Refused, "must be "+wants+not)
				if d.name != "flag" { // what was typed on the spot is repeated
					require.NotContains(t, got.Refused, "SECRET")
				}
			}
		})
	}
}

// with is a turn with one more option.
func with(q asked, key string, value any) asked {
	set := map[string]any{key: value}
	for k, v := range q.options {
		if k != key {
			set[k] = v
		}
	}
	q.options = set
	return q
}

// doors are the ways to ask: the command by flag, environment and file, a
// strategy, and the service by /v1/preprocess and by chat completions.
func doors(t *testing.T) []door {
	t.Helper()
	model := &overheard{}
	s := httptest.NewServer(model)
	t.Cleanup(s.Close)
	address := served(t, "--upstream", "here=openai:"+s.URL+"/v1")
	flag := func(o options.Option) string { return "--" + o.Flag + ": " }
	return []door{
		{"flag", options.Command, func(t *testing.T, q asked) outcome { t.Helper(); return askCommand(t, q, "flag") }, flag},
		{"environment", options.Command, func(t *testing.T, q asked) outcome { t.Helper(); return askCommand(t, q, "environment") }, func(o options.Option) string { return "environment " + o.Env() + ": " }},
		{"file", options.Command, func(t *testing.T, q asked) outcome { t.Helper(); return askCommand(t, q, "file") }, func(o options.Option) string { return ": " + o.Key + ": " }},
		{"strategy", options.Files, runStrategy, func(o options.Option) string { return "options.preprocessors.files." + o.Key + ": " }},
		{"preprocess", options.Request, func(t *testing.T, q asked) outcome { t.Helper(); return preprocess(t, address, q) }, func(o options.Option) string { return `"` + o.Key + ": " }},
		{"completions", options.Request, func(t *testing.T, q asked) outcome { t.Helper(); return complete(t, address, model, q) }, func(o options.Option) string { return `"inlay.` + o.Key + ": " }},
	}
}

// windowed is a turn's options in a window of 1,024 tokens, unless it names another.
func windowed(q asked) map[string]any {
	if _, ok := q.options["context_length"]; ok {
		return q.options
	}
	return with(q, "context_length", 1024).options
}

// writeTurn writes a turn's files and history, and returns the flags for them.
func writeTurn(t *testing.T, q asked) []string {
	t.Helper()
	dir := t.TempDir()
	var args []string
	for name, text := range q.files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		args = append(args, "-f", filepath.Join(dir, name))
	}
	if q.past == nil {
		return args
	}
	data, err := json.Marshal(map[string]any{"schema": "inlay.history/v1", "messages": pastOf(q, "role", "text")})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "past.json"), data, 0o600))
	return append(args, "--history", filepath.Join(dir, "past.json"))
}

// pastOf is the past as messages, with the names of their fields.
func pastOf(q asked, role, text string) []any {
	list := []any{}
	for i, words := range q.past {
		list = append(list, map[string]any{role: []string{"user", "assistant"}[i%2], text: words})
	}
	return list
}

// result is the part of inlay.result/v1 that is looked at.
type result struct {
	Strategy  string
	Limit     int
	Threshold float64
	Prompt    string
	Citations []any
}

func (r result) outcome() outcome {
	return outcome{Strategy: r.Strategy, Limit: r.Limit, Threshold: r.Threshold, Prompt: r.Prompt, Citations: len(r.Citations)}
}

func askCommand(t *testing.T, q asked, by string) outcome {
	t.Helper()
	env := map[string]string{}
	var file strings.Builder
	args := append([]string{"ask", "-q", "--no-save", "--output", "json"}, writeTurn(t, q)...)
	for key, value := range windowed(q) {
		o, _ := options.Find(key)
		switch by {
		case "flag":
			args = append(args, fmt.Sprintf("--%s=%v", o.Flag, value))
		case "environment":
			env[o.Env()] = fmt.Sprint(value)
		case "file":
			fmt.Fprintf(&file, "%s: %v\n", key, value)
		}
	}
	if by == "file" {
		env["INLAY_CONFIG"] = filepath.Join(t.TempDir(), "inlay.yaml")
		require.NoError(t, os.WriteFile(env["INLAY_CONFIG"], []byte(file.String()), 0o600))
	}
	var out, errs bytes.Buffer
	err := run(t.Context(), append(args, "--", q.question), func(name string) string { return env[name] }, strings.NewReader(""), &out, &errs)
	if err != nil {
		return outcome{Refused: errs.String()}
	}
	var r result
	require.NoError(t, json.Unmarshal(out.Bytes(), &r))
	return r.outcome()
}

func runStrategy(t *testing.T, q asked) outcome {
	t.Helper()
	settings := map[string]any{}
	length := 1024
	for key, value := range q.options {
		if key == "context_length" {
			length = value.(int) // not a strategy's to set
			continue
		}
		settings[key] = value
	}
	yaml, err := json.Marshal(settings)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.strategy.md")
	text := "---\nid: user.a\nname: A\npreprocessors: [files]\noptions:\n  preprocessors:\n    files: " + string(yaml) + "\n---\n{preprocess.files.prompt}\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	args := append([]string{"strategy", "run", path, "-q", "--output", "json", "--input", q.question, fmt.Sprintf("--context-length=%d", length)}, writeTurn(t, q)...)
	var out, errs bytes.Buffer
	err = run(t.Context(), args, func(string) string { return "" }, strings.NewReader(""), &out, &errs)
	if err != nil {
		return outcome{Refused: strings.ReplaceAll(errs.String(), ": The setting ", ": ")}
	}
	var x struct {
		Steps []struct{ Variables map[string]any }
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &x))
	v := x.Steps[0].Variables
	got := outcome{Strategy: v["preprocess.files.strategy"].(string), Prompt: v["preprocess.files.prompt"].(string)}
	got.Threshold, _ = v["preprocess.files.threshold"].(float64)
	limit, _ := v["preprocess.files.limit"].(float64)
	count, _ := v["preprocess.files.citation_count"].(float64)
	got.Limit, got.Citations = int(limit), int(count)
	return got
}

// post sends JSON and returns the status and the answer.
func post(t *testing.T, url string, body any) (int, []byte) {
	t.Helper()
	data, err := json.Marshal(body)
	require.NoError(t, err)
	res, err := http.Post(url, "application/json", bytes.NewReader(data)) //nolint:noctx // a test's
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, answer
}

func preprocess(t *testing.T, address string, q asked) outcome {
	t.Helper()
	body := map[string]any{"messages": append(pastOf(q, "role", "text"), map[string]any{"role": "user", "text": q.question})}
	var files []any
	for name, text := range q.files {
		files = append(files, map[string]any{"name": name, "data": []byte(text)})
	}
	body["files"] = files
	maps.Copy(body, windowed(q))
	status, answer := post(t, address+"/v1/preprocess", body)
	if status != http.StatusOK {
		return outcome{Refused: string(answer)}
	}
	var r result
	require.NoError(t, json.Unmarshal(answer, &r))
	return r.outcome()
}

// overheard is a server of models that keeps the last message it was sent.
type overheard struct {
	mu   sync.Mutex
	last string
}

func (m *overheard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	var body struct {
		Messages []struct{ Content json.RawMessage }
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	last := body.Messages[len(body.Messages)-1].Content
	var text string
	if json.Unmarshal(last, &text) != nil {
		var parts []struct{ Text string }
		_ = json.Unmarshal(last, &parts)
		for _, p := range parts {
			text += p.Text
		}
	}
	m.mu.Lock()
	m.last = text
	m.mu.Unlock()
	_, _ = io.WriteString(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`)
}

func (m *overheard) prompt() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

func complete(t *testing.T, address string, model *overheard, q asked) outcome {
	t.Helper()
	content := []any{map[string]any{"type": "text", "text": q.question}}
	for name, text := range q.files {
		data := "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString([]byte(text))
		content = append(content, map[string]any{"type": "file", "file": map[string]any{"filename": name, "file_data": data}})
	}
	status, answer := post(t, address+"/v1/chat/completions", map[string]any{
		"model": "here/gpt-4o", "inlay": windowed(q),
		"messages": append(pastOf(q, "role", "content"), map[string]any{"role": "user", "content": content}),
	})
	if status != http.StatusOK {
		return outcome{Refused: string(answer)}
	}
	var r struct{ Inlay result }
	require.NoError(t, json.Unmarshal(answer, &r))
	got := r.Inlay.outcome()
	got.Prompt = model.prompt()
	return got
}

// TestSearchOfARequest: a request to the service chooses the size of passages, and the embedder among
// those that the service has; a mistake is refused without its value.
func TestSearchOfARequest(t *testing.T) {
	turn := trials()["retrieval_limit"].turn
	for _, d := range doors(t) {
		if d.takes != options.Request {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			usual := d.ask(t, turn)
			small := d.ask(t, with(turn, "chunk", "40/0"))
			require.Empty(t, small.Refused)
			require.Positive(t, small.Citations)
			require.Less(t, len(small.Prompt), len(usual.Prompt)/2, "passages of 40 tokens are shorter than those of 300")
			builtin := d.ask(t, with(turn, "embedder", "builtin"))
			require.Equal(t, usual, builtin)
			for key, values := range map[string][]any{"chunk": {"SECRET", "8/0", "100/90"}, "embedder": {"SECRET", "openai:SECRET", "static:/SECRET"}} {
				for _, bad := range values {
					got := d.ask(t, with(turn, key, bad))
					require.Contains(t, got.Refused, key, bad)
					require.Contains(t, got.Refused, "is invalid", bad)
					require.NotContains(t, got.Refused, "SECRET")
				}
			}
		})
	}
}
