package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// goClient is OpenAI's client for Go, beyond what TestOfficialClient has of it.
// Vector stores are left out where a service has none.
func goClient(t *testing.T, address, folder string, stores bool) (works []string) {
	t.Helper()
	client := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(0))
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	handbook, err := os.Open(filepath.Join(folder, "handbook.md"))
	require.NoError(t, err)
	defer func() { _ = handbook.Close() }()
	file, err := client.Files.New(ctx, openai.FileNewParams{File: handbook, Purpose: openai.FilePurposeUserData})
	require.NoError(t, err)

	completion := openai.ChatCompletionNewParams{Model: ollamatest.Chat, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("How long is the notice period?")}}
	whole, err := client.Chat.Completions.New(ctx, completion)
	require.NoError(t, err)
	require.Equal(t, ollamatest.Answer, whole.Choices[0].Message.Content)
	var sum openai.ChatCompletionAccumulator
	for chunks := client.Chat.Completions.NewStreaming(ctx, completion); chunks.Next(); {
		require.True(t, sum.AddChunk(chunks.Current()))
	}
	require.Equal(t, ollamatest.Answer, sum.Choices[0].Message.Content)
	works = append(works, "chat", "chat stream")

	ask := responses.ResponseNewParams{Model: ollamatest.Chat, Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
		responses.ResponseInputItemParamOfMessage(responses.ResponseInputMessageContentListParam{
			responses.ResponseInputContentParamOfInputText("How long is the notice period?"),
			{OfInputFile: &responses.ResponseInputFileParam{FileID: param.NewOpt(file.ID)}},
		}, responses.EasyInputMessageRoleUser),
	}}}
	retrieval := option.WithJSONSet("inlay", map[string]any{"mode": "retrieval", "retrieval_limit": 2})
	first, err := client.Responses.New(ctx, ask, retrieval)
	require.NoError(t, err)
	require.Equal(t, ollamatest.Answer, first.OutputText())
	require.Positive(t, first.Usage.InputTokens)
	works = append(works, "responses")
	mark := first.Output[0].Content[0].Annotations[0].AsFileCitation()
	require.Equal(t, file.ID, mark.FileID)
	require.EqualValues(t, strings.Index(ollamatest.Answer, "[1]"), mark.Index)
	works = append(works, "citations")

	stream := client.Responses.NewStreaming(ctx, ask, retrieval)
	var text strings.Builder
	var last responses.Response
	for n := int64(0); stream.Next(); n++ {
		e := stream.Current()
		require.NotNil(t, e.AsAny(), e.Type)
		require.Equal(t, n, e.SequenceNumber)
		if e.Type == "response.output_text.delta" {
			text.WriteString(e.Delta)
		}
		last = e.Response
	}
	require.NoError(t, stream.Err())
	require.Equal(t, ollamatest.Answer, text.String())
	require.Equal(t, ollamatest.Answer, last.OutputText())
	works = append(works, "responses stream")

	next, err := client.Responses.New(ctx, responses.ResponseNewParams{
		Model: ollamatest.Chat, PreviousResponseID: openai.String(first.ID), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("And then?")},
	})
	require.NoError(t, err)
	require.Equal(t, first.ID, next.PreviousResponseID)
	works = append(works, "follow-up")
	items := client.Responses.InputItems.ListAutoPaging(ctx, first.ID, responses.InputItemListParams{})
	require.True(t, items.Next())
	require.Equal(t, "How long is the notice period?", items.Current().AsMessage().Content[0].Text)
	require.NoError(t, client.Responses.Delete(ctx, next.ID))
	_, err = client.Responses.Get(ctx, next.ID, responses.ResponseGetParams{})
	var refused *openai.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, 404, refused.StatusCode)
	works = append(works, "stored")

	tools := []responses.ToolUnionParam{responses.ToolParamOfFunction("read_file", map[string]any{"type": "object", "properties": map[string]any{"path": map[string]any{"type": "string"}}}, false)}
	called, err := client.Responses.New(ctx, responses.ResponseNewParams{Model: ollamatest.Caller, Tools: tools, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("How many days?")}})
	require.NoError(t, err)
	call := called.Output[len(called.Output)-1].AsFunctionCall()
	require.Equal(t, "read_file", call.Name)
	answered, err := client.Responses.New(ctx, responses.ResponseNewParams{
		Model: ollamatest.Caller, Tools: tools, PreviousResponseID: openai.String(called.ID),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
			CallID: param.NewOpt(call.CallID), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("Twenty days.")},
		}}}},
	})
	require.NoError(t, err)
	require.Equal(t, ollamatest.Answer, answered.OutputText())
	works = append(works, "responses tools")

	vectors, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{Model: "builtin", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a boat", "a ship"}}})
	require.NoError(t, err)
	require.Len(t, vectors.Data[1].Embedding, 1024)
	works = append(works, "embeddings")

	upload, err := client.Uploads.New(ctx, openai.UploadNewParams{Bytes: 4, Filename: "a.txt", MimeType: "text/plain", Purpose: openai.FilePurposeUserData})
	require.NoError(t, err)
	part, err := client.Uploads.Parts.New(ctx, upload.ID, openai.UploadPartNewParams{Data: strings.NewReader("text")})
	require.NoError(t, err)
	done, err := client.Uploads.Complete(ctx, upload.ID, openai.UploadCompleteParams{PartIDs: []string{part.ID}})
	require.NoError(t, err)
	require.Equal(t, "a.txt", done.File.Filename)
	works = append(works, "uploads")

	if stores {
		works = append(works, goStores(t, client, done.File.ID)...)
	}
	_, err = client.Responses.New(ctx, responses.ResponseNewParams{Model: shared.ResponsesModel("none"), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("x")}})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "model_not_found", refused.Code)
	return append(works, "errors")
}

// goStores is what OpenAI's client for Go does with vector stores, over an upload.
func goStores(t *testing.T, client openai.Client, file string) (works []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	store, err := client.VectorStores.New(ctx, openai.VectorStoreNewParams{Name: openai.String("notes"), Metadata: shared.Metadata{"team": "red"}})
	require.NoError(t, err)
	kept, err := client.VectorStores.Files.NewAndPoll(ctx, store.ID, openai.VectorStoreFileNewParams{
		FileID: file, Attributes: map[string]openai.VectorStoreFileNewParamsAttributeUnion{"kind": {OfString: openai.String("note")}},
	}, 10)
	require.NoError(t, err)
	require.Equal(t, openai.VectorStoreFileStatusCompleted, kept.Status)
	batch, err := client.VectorStores.FileBatches.NewAndPoll(ctx, store.ID, openai.VectorStoreFileBatchNewParams{FileIDs: []string{file}}, 10)
	require.NoError(t, err)
	require.EqualValues(t, 1, batch.FileCounts.Completed)
	found, err := client.VectorStores.Search(ctx, store.ID, openai.VectorStoreSearchParams{Query: openai.VectorStoreSearchParamsQueryUnion{OfString: openai.String("text")}})
	require.NoError(t, err)
	require.Equal(t, "text", found.Data[0].Content[0].Text)
	require.Equal(t, file, found.Data[0].FileID)
	pages := client.VectorStores.Files.ListAutoPaging(ctx, store.ID, openai.VectorStoreFileListParams{Limit: openai.Int(1)})
	require.True(t, pages.Next())
	require.Equal(t, file, pages.Current().ID)
	works = append(works, "vector stores")

	searched, err := client.Responses.New(ctx, responses.ResponseNewParams{
		Model: ollamatest.Chat, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("What is the text?")},
		Tools:   []responses.ToolUnionParam{responses.ToolParamOfFileSearch([]string{store.ID})},
		Include: []responses.ResponseIncludable{responses.ResponseIncludableFileSearchCallResults},
	})
	require.NoError(t, err)
	call := searched.Output[0].AsFileSearchCall()
	require.Equal(t, []string{"What is the text?"}, call.Queries)
	require.Equal(t, file, call.Results[0].FileID)
	require.Equal(t, ollamatest.Answer, searched.OutputText())
	works = append(works, "file search")
	gone, err := client.VectorStores.Delete(ctx, store.ID)
	require.NoError(t, err)
	require.True(t, gone.Deleted)
	return works
}
