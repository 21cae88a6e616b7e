package builtin_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/injection"
	"inlay/llm"
	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/pdf"
	"inlay/parse/plain"
	"inlay/retrieve"
	"inlay/strategy"
	"inlay/strategy/builtin"
)

// injector is the real thing: parsers, built-in embedder, exact search.
func injector(t *testing.T) *injection.Injector {
	t.Helper()
	parsers := append(plain.All(parse.Limits{}), markup.All(parse.Limits{})...)
	registry, err := parse.NewRegistry(append(parsers, pdf.Parser{})...)
	require.NoError(t, err)
	return &injection.Injector{Reader: registry, Retriever: retrieve.New(retrieve.Options{})}
}

func model(t *testing.T, length int) llm.Measurer {
	t.Helper()
	m, err := llm.NewStatic(llm.StaticOptions{Model: "openai:gpt-4o", Length: length})
	require.NoError(t, err)
	return m
}

func attach(names ...string) []strategy.Attachment {
	var list []strategy.Attachment
	for _, name := range names {
		list = append(list, strategy.Attachment{
			Attachment: chat.Attachment{Name: name, Path: filepath.Join("testdata", name)}, New: true,
			Open: func(context.Context) ([]byte, error) { return os.ReadFile(filepath.Join("testdata", name)) },
		})
	}
	return list
}

func registry(t *testing.T) *strategy.Registry {
	t.Helper()
	r, err := strategy.NewRegistry(builtin.Preprocessors(builtin.Options{Injector: injector(t), Open: builtin.OpenUnder("testdata")})...)
	require.NoError(t, err)
	return r
}
