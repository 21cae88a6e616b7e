package inlay_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/wire"
	"inlay/parse/pdf"
)

// TestMain is the worker of [TestWorker] too.
func TestMain(m *testing.M) {
	if slices.Equal(os.Args[1:], []string{wire.WorkerCommand}) {
		if err := wire.Work(context.Background(), os.Getenv, os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if slices.Equal(os.Args[1:], []string{wire.CompileCommand}) {
		os.Exit(0) // it would go on after the tests
	}
	os.Exit(m.Run())
}

const question = "How long is the notice period?"

// request is what a server was asked.
type request struct {
	Key      string
	Messages []struct{ Role, Content string }
}

// server answers as an OpenAI-compatible one: words, of which each is a piece.
func server(t *testing.T, words ...string) (address string, asked func() []request) {
	t.Helper()
	var mu sync.Mutex
	var list []request
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		one := request{Key: r.Header.Get("Authorization")}
		_ = json.NewDecoder(r.Body).Decode(&one)
		mu.Lock()
		list = append(list, one)
		mu.Unlock()
		for i, word := range words {
			finish := "null"
			if i == len(words)-1 {
				finish = `"stop"`
			}
			text, _ := json.Marshal(word)
			_, _ = io.WriteString(w, `data: {"id":"x","choices":[{"index":0,"delta":{"content":`+string(text)+`},"finish_reason":`+finish+"}]}\n\n")
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", func() []request {
		mu.Lock()
		defer mu.Unlock()
		return list
	}
}

func open(t *testing.T, o inlay.Options) *inlay.Inlay {
	t.Helper()
	in, err := inlay.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, in.Close()) })
	return in
}

// The zero value makes prompts, and says that the window is assumed.
func TestZeroValue(t *testing.T) {
	in := open(t, inlay.Options{})
	answer, err := in.Answer(t.Context(), inlay.Question{Text: question, Files: []injection.File{{Name: "a.txt", Data: []byte("The notice period is four weeks.")}}})
	require.NoError(t, err)
	require.Empty(t, answer.Text)
	require.Equal(t, injection.InjectFull, answer.Strategy)
	require.Contains(t, answer.Prompt, "The notice period is four weeks.")
	require.Contains(t, answer.Prompt, question)
	require.Equal(t, 4096, answer.Decision.Window.Length.N)
	require.Equal(t, "window_assumed", answer.Warnings[0].Code)
	require.Len(t, answer.Messages, 1)
}

// A model is asked what the answer says it was asked, and its citations are found.
func TestModelAnswers(t *testing.T) {
	address, asked := server(t, "Four weeks [1], ", "and more [7].")
	in := open(t, inlay.Options{
		Model: "openai:mystery", BaseURL: address, Key: "secret", ContextLength: 1024, Chunk: "100/0", Injection: injection.Options{Limit: 2},
	})
	answer, err := in.Ask(t.Context(), question, "testdata/handbook.md")
	require.NoError(t, err)
	require.Equal(t, "Four weeks [1], and more [7].", answer.Text)
	require.Equal(t, "stop", answer.Finish)
	require.Len(t, asked(), 1)
	require.Equal(t, "Bearer secret", asked()[0].Key)
	require.Equal(t, answer.Prompt, asked()[0].Messages[0].Content)
	require.True(t, answer.Citations[0].Cited)
	require.Equal(t, "[1] handbook.md, lines 69-73", answer.Citations[0].String())
	for _, c := range answer.Citations[1:] {
		require.False(t, c.Cited)
	}
	require.Equal(t, []int{7}, answer.Unknown)
}

// A whole file that the answer refers to is a citation without a place; of two
// files, the one that it names.
func TestModelCitesWholeFiles(t *testing.T) {
	address, _ := server(t, "Four weeks [2].")
	in := open(t, inlay.Options{Model: "openai:mystery", BaseURL: address, ContextLength: 8192})
	answer, err := in.Ask(t.Context(), question, "testdata/import-question.txt", "testdata/handbook.md")
	require.NoError(t, err)
	require.Equal(t, injection.InjectFull, answer.Strategy)
	require.Len(t, answer.Citations, 1)
	require.True(t, answer.Citations[0].Cited)
	require.Equal(t, "[2] handbook.md", answer.Citations[0].String())
	require.Empty(t, answer.Unknown)
}

// A library is kept between programs, searched as files are and cited with its name.
func TestLibrary(t *testing.T) {
	o := inlay.Options{Libraries: t.TempDir(), ContextLength: 1024, Chunk: "100/0", Injection: injection.Options{Limit: 1, Libraries: []string{"office"}}}
	docs := t.TempDir()
	handbook, err := os.ReadFile("testdata/handbook.md")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(docs, "handbook.md"), handbook, 0o600))
	out, err := open(t, o).AddLibrary(t.Context(), "office", docs)
	require.NoError(t, err)
	require.Equal(t, 1, out.Added)

	in := open(t, o)
	answer, err := in.Ask(t.Context(), question)
	require.NoError(t, err)
	require.Equal(t, injection.Retrieval, answer.Strategy)
	require.Contains(t, answer.Citations[0].String(), "handbook.md, lines 69-73")
	require.Equal(t, "office", answer.Citations[0].Library)

	require.NoError(t, os.WriteFile(filepath.Join(docs, "handbook.md"), []byte("# Leaving\n\nThe notice period is one day.\n"), 0o600))
	out, err = in.SyncLibrary(t.Context(), "office")
	require.NoError(t, err)
	require.Equal(t, 1, out.Changed)
	answer, err = in.Ask(t.Context(), question)
	require.NoError(t, err)
	require.Contains(t, answer.Prompt, "one day")
	require.NotContains(t, answer.Prompt, "four weeks")

	_, err = open(t, inlay.Options{}).AddLibrary(t.Context(), "office", docs)
	require.ErrorContains(t, err, "Options.Libraries")
	_, err = open(t, inlay.Options{Injection: o.Injection}).Ask(t.Context(), question)
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
}

// A chat goes on with what was said and attached, and streams.
func TestChat(t *testing.T) {
	address, asked := server(t, "Four ", "weeks.")
	chat := open(t, inlay.Options{Model: "openai:mystery", BaseURL: address, ContextLength: 8192}).Chat()
	first, err := chat.Say(t.Context(), question, "testdata/handbook.md")
	require.NoError(t, err)
	require.Equal(t, injection.InjectFull, first.Strategy)

	var pieces []string
	for piece, err := range chat.Stream(t.Context(), inlay.Question{Text: "And in the trial period?"}) {
		require.NoError(t, err)
		pieces = append(pieces, piece)
	}
	require.Equal(t, []string{"Four ", "weeks."}, pieces)
	require.Equal(t, "Four weeks.", chat.Last().Text)
	require.Equal(t, injection.AlreadyInContext, chat.Last().ReasonCode)
	second := asked()[1].Messages
	require.Len(t, second, 3)
	require.Equal(t, first.Prompt, second[0].Content)
	require.Equal(t, "Four weeks.", second[1].Content)
	require.Equal(t, "And in the trial period?", second[2].Content)
	require.Len(t, chat.Messages(), 4)
}

// What did not fit on the first turn is searched again on the next.
func TestChatSearchesEarlierFiles(t *testing.T) {
	chat := open(t, inlay.Options{ContextLength: 2048, Chunk: "100/0", Injection: injection.Options{Limit: 1, Mode: injection.ModeRetrieval}}).Chat()
	_, err := chat.Say(t.Context(), question, "testdata/handbook.md")
	require.NoError(t, err)
	next, err := chat.Say(t.Context(), "Who keeps the roster of the crews?")
	require.NoError(t, err)
	require.Len(t, next.Citations, 1)
	require.Contains(t, next.Citations[0].Text, "harbour master keeps the roster")
}

// A mark of the answer can be of a turn before: numbers go on.
func TestChatCitesWhatWasShownBefore(t *testing.T) {
	address, _ := server(t, "Two people [2], four weeks [1], nothing [3].")
	chat := open(t, inlay.Options{
		Model: "openai:mystery", BaseURL: address, ContextLength: 2048, Chunk: "100/0", Injection: injection.Options{Limit: 1, Mode: injection.ModeRetrieval},
	}).Chat()
	first, err := chat.Say(t.Context(), question, "testdata/handbook.md")
	require.NoError(t, err)
	require.Equal(t, []int{2, 3}, first.Unknown)
	next, err := chat.Say(t.Context(), "Who keeps the roster of the crews?")
	require.NoError(t, err)
	require.Equal(t, []int{3}, next.Unknown)
	require.Len(t, next.Citations, 2)
	require.Contains(t, next.Citations[0].String(), "[2] handbook.md")
	require.Equal(t, first.Citations[0], next.Citations[1])
}

// An answer that the caller ends is kept as far as it came; a turn that fails
// leaves the chat as it was.
func TestChatEndsEarly(t *testing.T) {
	address, _ := server(t, "Four ", "weeks.")
	chat := open(t, inlay.Options{Model: "openai:mystery", BaseURL: address, ContextLength: 4096}).Chat()
	for _, err := range chat.Stream(t.Context(), inlay.Question{Text: question}) {
		require.NoError(t, err)
		break
	}
	require.Equal(t, "Four ", chat.Last().Text)
	require.Len(t, chat.Messages(), 2)
	require.Equal(t, "Four ", chat.Messages()[1].Text)

	_, err := chat.Say(t.Context(), question, filepath.Join(t.TempDir(), "none.pdf"))
	require.True(t, fault.Is(err, fault.FileNotFound), "%v", err)
	require.Len(t, chat.Messages(), 2)
}

// One file of several that cannot be read is told, and not asked for again.
func TestUnreadableFile(t *testing.T) {
	chat := open(t, inlay.Options{}).Chat()
	missing := filepath.Join(t.TempDir(), "none.pdf")
	answer, err := chat.Say(t.Context(), question, missing, "testdata/handbook.md")
	require.NoError(t, err)
	require.Len(t, answer.Failures, 1)
	require.Equal(t, missing, answer.Failures[0].File)
	answer, err = chat.Say(t.Context(), "And then?")
	require.NoError(t, err)
	require.Empty(t, answer.Failures)
}

// A picture is a document where OCR reads it, and stays one on later turns.
func TestReadsPictures(t *testing.T) {
	ocr := &pdf.Tesseract{}
	if err := ocr.Check(t.Context()); err != nil {
		t.Skip(err)
	}
	threshold := 0.0
	chat := open(t, inlay.Options{OCR: ocr, Injection: injection.Options{Mode: injection.ModeRetrieval, Threshold: &threshold}}).Chat()
	first, err := chat.Say(t.Context(), "What has a text layer?", "parse/picture/testdata/words.png")
	require.NoError(t, err)
	require.Equal(t, injection.Retrieval, first.Strategy)
	next, err := chat.Say(t.Context(), "And which layer is it?")
	require.NoError(t, err)
	require.Empty(t, next.Failures)
	require.Equal(t, injection.AlreadyInContext, next.ReasonCode)

	_, err = inlay.Open(t.Context(), inlay.Options{OCR: &pdf.Tesseract{Language: "klingon"}})
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
}

// Markup and containers are read here, without a worker.
func TestReadsHere(t *testing.T) {
	page := "<!doctype html><title>Check</title><p>The notice period is four weeks.</p>"
	path := filepath.Join(t.TempDir(), "a.html")
	require.NoError(t, os.WriteFile(path, []byte(page), 0o600))
	answer, err := open(t, inlay.Options{Store: t.TempDir()}).Ask(t.Context(), question, path)
	require.NoError(t, err)
	require.Contains(t, answer.Prompt, "four weeks")
	require.NotContains(t, answer.Prompt, "<p>")
}

// A strategy makes the prompt, a system prompt included; its folder is ours.
func TestStrategy(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "brief.strategy.md"),
		[]byte("---\nname: Brief\npreprocessors: [files]\nsystemPrompt: You are brief.\n---\nIn one word: {Argument}\n\n{preprocess.files.context}\n"), 0o600))
	address, asked := server(t, "Four [1].")
	in := open(t, inlay.Options{Model: "openai:mystery", BaseURL: address, ContextLength: 1024, Chunk: "100/0", Strategies: dir, Injection: injection.Options{Limit: 1}})
	answer, err := in.Answer(t.Context(), inlay.Question{Text: question, Paths: []string{"testdata/handbook.md"}, Strategy: "user.brief"})
	require.NoError(t, err)
	sent := asked()[0].Messages
	require.Len(t, sent, 2)
	require.Equal(t, "You are brief.", strings.TrimSpace(sent[0].Content))
	require.Equal(t, answer.Prompt, sent[1].Content)
	require.True(t, strings.HasPrefix(answer.Prompt, "In one word: "+question))
	require.True(t, answer.Citations[0].Cited)

	_, err = in.Answer(t.Context(), inlay.Question{Text: question, Strategy: "nope"})
	require.True(t, fault.Is(err, fault.StrategyNotFound), "%v", err)
}

// With a worker, files are read in its processes.
func TestWorker(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	page := injection.File{Name: "a.html", Data: []byte("<!doctype html><title>Check</title><p>The notice period is four weeks.</p>")}
	for program, ok := range map[string]bool{self: true, filepath.Join(t.TempDir(), "none"): false} {
		answer, err := open(t, inlay.Options{Worker: program}).Answer(t.Context(), inlay.Question{Text: question, Files: []injection.File{page}})
		if !ok {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		require.Contains(t, answer.Prompt, "four weeks")
	}
}

// What options cannot mean is refused, by their names in Go.
func TestRefusedOptions(t *testing.T) {
	for name, tt := range map[string]struct {
		options inlay.Options
		subject string
	}{
		"provider":  {inlay.Options{Model: "foo:gpt"}, "Options.Model"},
		"chunking":  {inlay.Options{Chunk: "many"}, ""},
		"threshold": {inlay.Options{Injection: injection.Options{Threshold: new(2.0)}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := inlay.Open(t.Context(), tt.options)
			require.True(t, fault.Is(err, fault.Usage), "%v", err)
			require.ErrorContains(t, err, tt.subject)
			require.NotContains(t, err.Error(), "--")
		})
	}
	_, err := open(t, inlay.Options{}).Ask(t.Context(), " ")
	require.True(t, fault.Is(err, fault.Usage))
}
