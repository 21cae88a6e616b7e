package injection_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/strategy"
)

func TestPreprocessor(t *testing.T) {
	p := injection.Preprocessor{Injector: &injection.Injector{Reader: reader{}, Retriever: &finder{}}}
	require.Equal(t, "files", p.Info().ID)
	x := strategy.ExecutionContext{
		Input: "facts", Model: model{length: 1000},
		Attachments: []strategy.Attachment{{
			Attachment: chat.Attachment{FileID: "f1", Name: "a.txt"}, New: true,
			Open: func(context.Context) ([]byte, error) { return []byte("small facts"), nil },
		}},
		Settings: map[string]any{"retrieval_limit": uint64(5), "mode": "retrieval", "retrieval_affinity_threshold": .2, "strict": true},
	}
	res, err := p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, "retrieval", res.Variables["preprocess.files.strategy"])
	require.Equal(t, 5, res.Variables["preprocess.files.limit"])
	citations := res.Variables["preprocess.files.citations"].([]any)
	require.Equal(t, "f1", citations[0].(map[string]any)["file_id"], "the caller's own id")
	key := regexp.MustCompile(`^preprocess\.files(\.[a-z0-9_]+)+$`)
	for name := range res.Variables {
		require.Regexp(t, key, name)
	}

	p.Modes = map[string]injection.Mode{"f1": injection.ModeFull}
	x.Settings = nil
	res, err = p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, "inject-full-content", res.Variables["preprocess.files.strategy"])
	p.Modes["f1"] = injection.ModeRetrieval
	res, err = p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, "retrieval", res.Variables["preprocess.files.strategy"], "one file's own mode")

	x.Input, x.Settings = " ", map[string]any{"query": "facts", "prompt_set": "cited"}
	res, err = p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, "facts", res.Variables["preprocess.files.query"], "the strategy's own question stands alone when the user wrote nothing")
	x.Input = "more"
	res, err = p.Process(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, "facts\n\nmore", res.Variables["preprocess.files.query"])
	require.Contains(t, x.Settings, "query", "the settings are left alone")
	x.Input = "facts"

	for key, value := range map[string]any{
		"prompt_set": "mine", "mode": 3, "retrieval_limit": 1.5, "retrieval_affinity_threshold": "x",
		"strict": "yes", "colour": "red", "policy": "some", "target_context_use": 7,
	} {
		x.Settings = map[string]any{key: value}
		_, err := p.Process(t.Context(), x)
		require.Equal(t, fault.Usage, fault.CodeOf(err), key)
		require.ErrorContains(t, err, key)
	}
}

// TestVariables holds the list of INJ-19.
func TestVariables(t *testing.T) {
	res := inject(t, injection.Request{Text: "q", Files: []injection.File{file("a", "text")}, Model: model{length: 100}})
	require.Equal(t, []string{
		"preprocess.files.citation_count", "preprocess.files.citations", "preprocess.files.citations_text", "preprocess.files.content",
		"preprocess.files.context", "preprocess.files.count", "preprocess.files.limit", "preprocess.files.names", "preprocess.files.notes", "preprocess.files.overview", "preprocess.files.paths",
		"preprocess.files.prompt", "preprocess.files.query", "preprocess.files.reason", "preprocess.files.strategy", "preprocess.files.threshold",
		"preprocess.files.tokens.available", "preprocess.files.tokens.files", "preprocess.files.tokens.files_method", "preprocess.files.tokens.prompt", "preprocess.files.tokens.used",
		"preprocess.files.warnings", "preprocess.files.window.in_context", "preprocess.files.window.length",
		"preprocess.files.window.occupied_percent", "preprocess.files.window.remaining",
	}, slices.Sorted(maps.Keys(res.Variables)))
}
