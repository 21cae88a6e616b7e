// Package ollamatest gives tests an Ollama server: the real one that
// scripts/ollama-server runs, with tiny models of ours in it, or a double that
// replays what the real one answered.
//
// A test written against [Server] runs both ways. Without a real server it
// replays the recording beside the test; with one it checks that the server
// still answers what was recorded, and with INLAY_RECORD=1 records again.
package ollamatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/internal/tinymodel"
)

// The variables that scripts/ollama-server sets.
const (
	URLVariable     = "INLAY_OLLAMA_URL"
	ProgramVariable = "INLAY_OLLAMA_BIN"
	RecordVariable  = "INLAY_RECORD"
)

// The tiny models.
const (
	Embedder = "tiny-embed"    // 512 tokens, 128 dimensions, truly retrieves
	Chat     = "tiny-chat"     // ChatML, 8192 tokens, always says the same sentence
	Endless  = "tiny-endless"  // like Chat, but never stops
	Llama3   = "tiny-llama3"   // turns and vocabulary in the manner of Llama 3
	Tools    = "tiny-tools"    // like Llama3, with a template that shows a request's tools and calls
	Caller   = "tiny-caller"   // calls read_file for notes.md, and says Answer once it has the result
	Sentence = "tiny-sentence" // a SentencePiece vocabulary whose counts differ in process
)

// Nomic is the name that makes an embedder the default; a test gives it with [Alias].
const Nomic = "nomic-embed-text"

// Answer is what every chat model but Endless and Sentence says.
const Answer = tinymodel.Answer

// Real returns the address of the real server, with the tiny models imported and
// none of them loaded, and skips the test when there is none. A model that an
// earlier test loaded would keep the context window that this test asked for.
func Real(tb testing.TB) string {
	tb.Helper()
	base := os.Getenv(URLVariable)
	if base == "" {
		tb.Skipf("no real Ollama server: run `make integration`")
	}
	require.NoError(tb, Import(tb.Context(), base))
	require.NoError(tb, unload(tb.Context(), base))
	return base
}

// Program returns the path of the server's program, for tests that start and
// kill one of their own, and skips the test when there is none.
func Program(tb testing.TB) string {
	tb.Helper()
	p := os.Getenv(ProgramVariable)
	if p == "" {
		tb.Skipf("no real Ollama server: run `make integration`")
	}
	return p
}

var importing sync.Mutex //nolint:gochecknoglobals // one import at a time, per process

// Import puts the tiny models that the server lacks into it.
func Import(ctx context.Context, base string) error {
	importing.Lock()
	defer importing.Unlock()
	u, err := url.Parse(base)
	if err != nil {
		return fmt.Errorf("import models: %w", err)
	}
	c := api.NewClient(u, http.DefaultClient)
	list, err := c.List(ctx)
	if err != nil {
		return fmt.Errorf("import models: %w", err)
	}
	have := map[string]bool{}
	for _, m := range list.Models {
		have[m.Model] = true
	}
	for name, m := range models() {
		if have[name+":latest"] {
			continue
		}
		if err := create(ctx, c, name, m); err != nil {
			return fmt.Errorf("import %s: %w", name, err)
		}
	}
	return nil
}

// unload has the server unload its models, and waits until it has.
func unload(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return fmt.Errorf("unload models: %w", err)
	}
	c := api.NewClient(u, http.DefaultClient)
	for {
		loaded, err := loadedModels(ctx, c)
		if err != nil || len(loaded) == 0 {
			return err
		}
		for _, name := range loaded {
			now := &api.GenerateRequest{Model: name, KeepAlive: &api.Duration{}}
			if err := c.Generate(ctx, now, func(api.GenerateResponse) error { return nil }); err != nil {
				return fmt.Errorf("unload %s: %w", name, err)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("unload models: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// loadedModels are the models that the server runs. One that was deleted or
// replaced while it ran cannot be named any more and is left out.
func loadedModels(ctx context.Context, c *api.Client) ([]string, error) {
	list, err := c.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list models: %w", err)
	}
	running, err := c.ListRunning(ctx)
	if err != nil {
		return nil, fmt.Errorf("list running models: %w", err)
	}
	digests := map[string]string{}
	for _, m := range list.Models {
		digests[m.Model] = m.Digest
	}
	var names []string
	for _, m := range running.Models {
		if digests[m.Model] == m.Digest {
			names = append(names, m.Model)
		}
	}
	return names, nil
}

// Alias gives a tiny model another name on the real server for as long as the
// test takes. Without a real server it does nothing.
func Alias(tb testing.TB, model, name string) {
	tb.Helper()
	base := os.Getenv(URLVariable)
	if base == "" {
		return
	}
	require.NoError(tb, Import(tb.Context(), base))
	u, err := url.Parse(base)
	require.NoError(tb, err)
	c := api.NewClient(u, http.DefaultClient)
	require.NoError(tb, c.Copy(tb.Context(), &api.CopyRequest{Source: model, Destination: name}))
	tb.Cleanup(func() {
		require.NoError(tb, unload(context.Background(), base))
		require.NoError(tb, c.Delete(context.Background(), &api.DeleteRequest{Model: name}))
	})
}

type source struct {
	write    func() []byte
	template string // in Ollama's language; empty: the server finds it
}

func models() map[string]source {
	return map[string]source{
		Embedder: {write: tinymodel.Embedder},
		Chat:     {write: tinymodel.Chat},
		Endless:  {write: tinymodel.Endless},
		Llama3:   {write: tinymodel.Llama3, template: tinymodel.Llama3Template},
		Tools:    {write: tinymodel.Llama3, template: tinymodel.ToolsTemplate},
		Caller:   {write: tinymodel.Caller, template: tinymodel.CallerTemplate},
		Sentence: {write: tinymodel.Sentence, template: "{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}"},
	}
}

// create uploads a model. The server answers 200 even when it fails: the last
// line of its answer says how it went.
func create(ctx context.Context, c *api.Client, name string, m source) error {
	data := m.write()
	sum := sha256.Sum256(data)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	if err := c.CreateBlob(ctx, digest, bytes.NewReader(data)); err != nil {
		return err
	}
	last := ""
	err := c.Create(ctx, &api.CreateRequest{Model: name, Files: map[string]string{name + ".gguf": digest}, Template: m.template},
		func(p api.ProgressResponse) error {
			last = p.Status
			return nil
		})
	if err == nil && last != "success" {
		err = fmt.Errorf("the server ended with %q", last)
	}
	return err
}

// WriteModels writes every tiny model into dir as NAME.gguf.
func WriteModels(tb testing.TB, dir string) {
	tb.Helper()
	for name, m := range models() {
		require.NoError(tb, os.WriteFile(dir+"/"+name+".gguf", m.write(), 0o600))
	}
}
