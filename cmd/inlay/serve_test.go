package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"inlay/llm/ollama/ollamatest"
)

// served runs the command's service beside a test and returns its address.
func served(t *testing.T, args ...string) string {
	t.Helper()
	address, _ := servedIn(t, nil, args...)
	return address
}

// servedIn is served with an environment. end ends the service before the test does.
func servedIn(t *testing.T, env map[string]string, args ...string) (address string, end func()) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	out, in := io.Pipe()
	var log bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		args := append([]string{"serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"), "--drain", "5s"}, args...)
		ended <- run(ctx, args, func(name string) string {
			switch name {
			case "HOME":
				return t.TempDir()
			case "XDG_CACHE_HOME":
				return os.DevNull // no folder: nothing is compiled ahead
			}
			return env[name]
		}, strings.NewReader(""), in, &log)
	}()
	end = sync.OnceFunc(func() {
		stop()
		require.NoError(t, <-ended)
		http.DefaultClient.CloseIdleConnections()
		goleak.VerifyNone(t, before)
	})
	t.Cleanup(end)
	line := make([]byte, 200)
	n, err := out.Read(line)
	require.NoError(t, err)
	address = regexp.MustCompile(`https?://\S+`).FindString(string(line[:n]))
	require.NotEmpty(t, address)
	return address, end
}

// TestOfficialClient is OpenAI's Go client, unchanged but for the base URL,
// with a real Ollama server behind: its own protocol, and the Responses API.
func TestOfficialClient(t *testing.T) {
	upstream := ollamatest.Real(t)
	for name, args := range map[string][]string{
		"ollama":           {"--upstream", "local=ollama:" + upstream},
		"openai-responses": {"--upstream", "local=openai-responses:" + upstream + "/v1", "--context-length", "8192"},
	} {
		t.Run(name, func(t *testing.T) { officialClient(t, served(t, args...)) })
	}
}

func officialClient(t *testing.T, address string) {
	t.Helper()
	client := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(0))
	ctx := t.Context()

	models, err := client.Models.List(ctx)
	require.NoError(t, err)
	var names []string
	for _, m := range models.Data {
		names = append(names, m.ID)
	}
	require.Contains(t, names, ollamatest.Chat+":latest")
	one, err := client.Models.Get(ctx, ollamatest.Chat)
	require.NoError(t, err)
	require.Equal(t, "local", one.OwnedBy)

	handbook, err := os.Open("../../testdata/handbook.md")
	require.NoError(t, err)
	defer func() { _ = handbook.Close() }()
	file, err := client.Files.New(ctx, openai.FileNewParams{File: handbook, Purpose: openai.FilePurposeUserData})
	require.NoError(t, err)
	require.Equal(t, "handbook.md", file.Filename)

	question := openai.ChatCompletionNewParams{
		Model: ollamatest.Chat,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart("How long is the notice period?"),
			openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{FileID: openai.String(file.ID)}),
		})},
	}
	retrieval := option.WithJSONSet("inlay", map[string]any{"mode": "retrieval", "retrieval_limit": 2})
	answer, err := client.Chat.Completions.New(ctx, question, retrieval)
	require.NoError(t, err)
	require.Equal(t, ollamatest.Answer, answer.Choices[0].Message.Content)
	require.Contains(t, answer.JSON.ExtraFields["inlay"].Raw(), `"strategy":"retrieval"`)
	require.NotEmpty(t, answer.Choices[0].Message.Annotations)
	require.Contains(t, answer.Choices[0].Message.Annotations[0].RawJSON(), file.ID)
	require.Positive(t, answer.Usage.PromptTokens)

	var text strings.Builder
	var decision, annotations string
	stream := client.Chat.Completions.NewStreaming(ctx, question, retrieval)
	for stream.Next() {
		chunk := stream.Current()
		if raw := chunk.JSON.ExtraFields["inlay"].Raw(); raw != "" {
			decision = raw
		}
		for _, c := range chunk.Choices {
			text.WriteString(c.Delta.Content)
			if raw := c.Delta.JSON.ExtraFields["annotations"].Raw(); raw != "" {
				annotations = raw
			}
		}
	}
	require.NoError(t, stream.Err())
	require.Equal(t, ollamatest.Answer, text.String())
	require.Contains(t, decision, `"strategy":"retrieval"`)
	require.Contains(t, annotations, `"type":"file_citation"`)

	inline := question
	inline.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
		openai.TextContentPart("What is it about?"),
		openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{
			FileData: openai.String("data:text/plain;base64,VGhlIHNreSBpcyBncmVlbi4="), Filename: openai.String("sky.txt"),
		}),
	})}
	answer, err = client.Chat.Completions.New(ctx, inline)
	require.NoError(t, err)
	require.Contains(t, answer.JSON.ExtraFields["inlay"].Raw(), `"strategy":"inject-full-content"`)

	list, err := client.Files.List(ctx, openai.FileListParams{})
	require.NoError(t, err)
	require.Len(t, list.Data, 1)
	gone, err := client.Files.Delete(ctx, file.ID)
	require.NoError(t, err)
	require.True(t, gone.Deleted)
	_, err = client.Chat.Completions.New(ctx, question)
	var refused *openai.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 404, refused.StatusCode)
	require.Equal(t, "file_not_found", refused.Code)
	question.Model, question.Messages = "no-such-model", []openai.ChatCompletionMessageParamUnion{openai.UserMessage("How long is it?")}
	_, err = client.Chat.Completions.New(ctx, question)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "model_not_found", refused.Code)
}

// TestGoneClient: a client that leaves stops the model.
func TestGoneClient(t *testing.T) {
	say := func(model, text string) openai.ChatCompletionNewParams {
		return openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
	}
	var client openai.Client
	ollamatest.FreeAfter(t, func(base string) {
		address := served(t, "--upstream", "local=ollama:"+base)
		client = openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(0))
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		stream := client.Chat.Completions.NewStreaming(ctx, say(ollamatest.Endless, "talk"))
		for range 3 {
			require.True(t, stream.Next(), "%v", stream.Err())
		}
		leave()
		for stream.Next() { // what had already come
		}
		require.ErrorIs(t, stream.Err(), context.Canceled)
	}, func(ctx context.Context, _ string) error {
		short := say(ollamatest.Endless, "again")
		short.MaxTokens = openai.Int(2)
		_, err := client.Chat.Completions.New(ctx, short)
		return err
	})
}
