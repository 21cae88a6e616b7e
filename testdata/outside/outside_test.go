package outside_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"example.org/outside"
	"example.org/outside/todo"
	"example.org/outside/wordhash"

	"inlay"
	"inlay/cache"
	"inlay/chat"
	"inlay/embed"
	"inlay/ignore"
	"inlay/injection"
	"inlay/llm"
	"inlay/parse"
	"inlay/processor"
	"inlay/processor/processortest"
	"inlay/route"
	"inlay/strategy"
	"inlay/strategy/strategytest"
)

const tasks = "# House\nx paint the door\nmend the roof before winter\n" +
	"# Garden\nprune the apple trees in March\nx mow the lawn\nrepair the fence beside the pond\n"

// counting counts the passages that are embedded.
type counting struct {
	wordhash.Embedder
	passages *atomic.Int64
}

func (c counting) Embed(ctx context.Context, task embed.Task, texts []string) ([]embed.Vector, error) {
	if task == embed.Document {
		c.passages.Add(int64(len(texts)))
	}
	return c.Embedder.Embed(ctx, task, texts)
}

func model(t *testing.T, length int) llm.Measurer {
	t.Helper()
	m, err := llm.NewStatic(llm.StaticOptions{Model: "openai:gpt-4o", Length: length})
	check(t, err)
	return m
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A folder keeps what was derived: the second process embeds nothing.
func TestCacheOutlivesTheProcess(t *testing.T) {
	dir := t.TempDir()
	var passages atomic.Int64
	for run := range 2 {
		store, err := cache.OpenDir(dir, cache.Options{})
		check(t, err)
		in, err := outside.NewInjector(store, counting{passages: &passages})
		check(t, err)
		before := passages.Load()
		res, err := in.Inject(t.Context(), injection.Request{
			Text: "When do we prune the apple trees?", Files: []injection.File{{Name: "house.todo", Data: []byte(tasks)}},
			Model: model(t, 1024), Options: injection.Options{Mode: injection.ModeRetrieval, Limit: 1},
		})
		check(t, err)
		if len(res.Citations) != 1 || !strings.Contains(res.Citations[0].Text, "prune the apple trees in March") {
			t.Fatalf("%s: %+v", res.Reason, res.Citations)
		}
		if embedded := passages.Load() - before; (embedded > 0) != (run == 0) {
			t.Fatalf("run %d embedded %d passages", run, embedded)
		}
	}
}

// A question about a file of a format of our own, searched by an embedder of our own.
func TestInlay(t *testing.T) {
	in, err := inlay.Open(t.Context(), inlay.Options{
		ContextLength: 1024, Embedder: wordhash.Embedder{}, Chunk: "20/0", Parsers: []parse.Parser{todo.New(parse.Limits{})},
		Injection: injection.Options{Mode: injection.ModeRetrieval, Limit: 1},
	})
	check(t, err)
	answer, err := in.Answer(t.Context(), inlay.Question{Text: "When do we prune the apple trees?", Files: []injection.File{{Name: "house.todo", Data: []byte(tasks)}}})
	check(t, err)
	if len(answer.Citations) != 1 || !strings.Contains(answer.Citations[0].Text, "prune the apple trees in March") {
		t.Fatalf("%s: %+v", answer.Reason, answer.Citations)
	}
	check(t, in.Close())
}

func TestStrategy(t *testing.T) {
	in, err := outside.NewInjector(&cache.Memory{}, nil)
	check(t, err)
	registry, err := strategy.NewRegistry(outside.OpenTasks{}, injection.Preprocessor{Injector: in})
	check(t, err)
	s, diagnostics := strategy.Loader{Provider: "user", Registry: registry}.Load(t.Context(), os.DirFS("."), "open.strategy.md")
	if s == nil || len(diagnostics) > 0 {
		t.Fatal(diagnostics)
	}
	engine := &strategy.Engine{Registry: registry}
	out, err := engine.Execute(t.Context(), s, strategy.ExecutionContext{Input: "Shortest first.", Model: model(t, 4096), Attachments: []strategy.Attachment{attached()}})
	check(t, err)
	for _, want := range []string{"these 3 tasks", "Open: mend the roof before winter", "Shortest first."} {
		if !strings.Contains(string(out.Prompt), want) {
			t.Fatalf("%q is not in\n%s", want, out.Prompt)
		}
	}
}

func attached() strategy.Attachment {
	return strategy.Attachment{
		Attachment: chat.Attachment{Name: "house.todo"}, New: true,
		Open: func(context.Context) ([]byte, error) { return []byte(tasks), nil },
	}
}

func TestPreprocessor(t *testing.T) {
	strategytest.Run(t, outside.OpenTasks{}, strategy.ExecutionContext{Attachments: []strategy.Attachment{attached()}})
}

func TestProcessor(t *testing.T) {
	processortest.Messages(t, outside.Shout(), processor.Say(chat.User, processor.FromUser, "When?"))
	chain, err := processor.MessageChain(outside.Shout())
	check(t, err)
	out, _, err := chain.Run(t.Context(), &processor.Turn{}, []processor.Message{processor.Say(chat.User, processor.FromUser, "When?")})
	check(t, err)
	if got := out[0].Text(); got != "WHEN?" {
		t.Fatal(got)
	}
}

func TestIgnoreRules(t *testing.T) {
	folder := fstest.MapFS{
		".gitignore": {Data: []byte("secret.go\n")}, "secret.go": {Data: []byte("package main")}, "main.go": {Data: []byte("package main")},
	}
	router := outside.NewRouter(folder)
	if err := router.Rules.Check("secret.go"); !errors.Is(err, ignore.ErrIgnored) {
		t.Fatal(err)
	}
	code, _ := route.FindMode("code")
	for ask, want := range map[string]string{"Read main.go": "read_file", "Read secret.go": "ask_followup_question"} {
		out, err := router.Decide(t.Context(), route.Request{Ask: ask, System: "s", Mode: code})
		check(t, err)
		if out.Decision == nil || out.Decision.Tool == nil || out.Decision.Tool.Name != want {
			t.Errorf("%s: %+v", ask, out.Decision)
		}
	}
}
