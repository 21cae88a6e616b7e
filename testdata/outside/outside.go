// Package outside uses inlay as another module does: a parser, an embedder, an
// index, a preprocessor, a strategy and a processor of its own, a cache on
// disk and ignore files. Nothing here may need an internal package.
package outside

import (
	"context"
	"io/fs"
	"strings"

	"example.org/outside/nearest"
	"example.org/outside/todo"
	"example.org/outside/wordhash"

	"inlay/cache"
	"inlay/embed"
	"inlay/ignore"
	"inlay/injection"
	"inlay/parse"
	"inlay/parse/plain"
	"inlay/processor"
	"inlay/retrieve"
	"inlay/route"
	"inlay/strategy"
)

// NewInjector returns an injector over parts of its own, which keeps what it
// derives in store.
func NewInjector(store cache.Store, embedder embed.Embedder) (*injection.Injector, error) {
	limits := parse.Limits{}
	parsers, err := parse.NewRegistry(append(plain.All(limits), todo.New(limits))...)
	if err != nil {
		return nil, err
	}
	if embedder == nil {
		embedder = wordhash.Embedder{}
	}
	return &injection.Injector{
		Reader: parse.Cached{Registry: parsers, Store: store, Limits: limits},
		Retriever: retrieve.New(retrieve.Options{
			Embedder: embedder,
			Splitter: retrieve.Splitter{Size: 20},
			NewIndex: func() (retrieve.Index, error) { return nearest.New(), nil },
			Cache:    store,
		}),
	}, nil
}

// NewRouter returns a router that proposes nothing of what the ignore files of
// a folder keep out.
func NewRouter(workspace fs.FS) route.Router {
	settings := route.Defaults()
	settings.EnablePromptPreprocessor = true
	return route.Router{Settings: settings, CodebaseSearch: true, Rules: ignore.New(workspace, ignore.Defaults())}
}

// OpenTasks counts the open tasks among the attached files.
type OpenTasks struct{}

// Info implements [strategy.Preprocessor].
func (OpenTasks) Info() strategy.Info {
	return strategy.Info{ID: "open-tasks", DisplayName: "Open tasks", Description: "Counts open tasks.", Permission: "Reads attached files"}
}

// Process implements [strategy.Preprocessor].
func (OpenTasks) Process(ctx context.Context, x strategy.ExecutionContext) (strategy.Result, error) {
	if err := ctx.Err(); err != nil {
		return strategy.Result{}, err
	}
	count := 0
	for _, f := range x.Attachments {
		data, err := f.Open(ctx)
		if err != nil {
			return strategy.Result{}, err
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "x ") {
				count++
			}
		}
	}
	return strategy.Result{Variables: map[string]any{"preprocess.open_tasks.count": count}}, nil
}

// Shout puts what the user wrote into capital letters.
func Shout() processor.MessageModifier {
	return processor.MessageModifier{Name: "Shout", Run: func(_ context.Context, _ *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
		v = processor.CloneMessages(v)
		for i := range v {
			for j, part := range v[i].Parts {
				if part.Origin.Expandable() {
					v[i].Parts[j].Text = strings.ToUpper(part.Text)
				}
			}
		}
		return v, processor.Continue(), nil
	}}
}
