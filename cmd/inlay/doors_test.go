package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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
	command := func(by string) func(*testing.T, asked) outcome {
		return func(t *testing.T, q asked) outcome { t.Helper(); return askCommand(t, q, by) }
	}
	return []door{
		{"flag", options.Command, command("flag"), func(o options.Option) string { return "--" + o.Flag + ": " }},
		{"environment", options.Command, command("environment"), func(o options.Option) string { return "environment " + o.Env() + ": " }},
		{"file", options.Command, command("file"), func(o options.Option) string { return ": " + o.Key + ": " }},
		{"strategy", options.Files, runStrategy, func(o options.Option) string { return "options.preprocessors.files." + o.Key + ": " }},
		{"preprocess", options.Request, func(t *testing.T, q asked) outcome { t.Helper(); return preprocess(t, address, q) }, func(o options.Option) string { return `"` + o.Key + ": " }},
		{"completions", options.Request, func(t *testing.T, q asked) outcome { t.Helper(); return complete(t, address, model, q) }, func(o options.Option) string { return `"inlay.` + o.Key + ": " }},
	}
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
