package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// questions are asked of npm's node-llama-cpp: `make second-opinion`.
type questions struct {
	Texts []string        `json:"texts"`
	Chats [][]api.Message `json:"chats"`
}

type opinions struct {
	Texts [][]int32 `json:"texts"`
	Chats [][]int32 `json:"chats"`
}

func TestSecondOpinionOnTokensAndTemplates(t *testing.T) {
	script := os.Getenv("INLAY_SECOND_OPINION")
	if script == "" {
		t.Skip("no node-llama-cpp: run `make second-opinion`")
	}
	dir := t.TempDir()
	ollamatest.WriteModels(t, dir)
	q := ask()
	for model, recording := range map[string]string{
		ollamatest.Chat: "TestAnswerStreams-tiny-chat.json", ollamatest.Llama3: "TestAnswerStreams-tiny-llama3.json",
	} {
		t.Run(model, func(t *testing.T) {
			there := secondOpinion(t, script, filepath.Join(dir, model+".gguf"), q)
			p, err := newPrompter(recordedShow(t, recording))
			require.NoError(t, err)
			require.Len(t, there.Texts, len(q.Texts))
			for i, text := range q.Texts {
				here, err := p.vocabulary.plain.encoder.Encode(text, false)
				require.NoError(t, err)
				require.Equal(t, there.Texts[i], nonNil(here), "%q", text)
			}
			for i, messages := range q.Chats {
				prompt, err := p.render(messages, nil)
				require.NoError(t, err)
				here, err := p.vocabulary.prompts.encoder.Encode(prompt, true)
				require.NoError(t, err)
				require.Equal(t, there.Chats[i], here, "chat %d", i)
			}
			t.Logf("ids equal on %d texts and %d chats", len(q.Texts), len(q.Chats))
		})
	}
}

func nonNil(ids []int32) []int32 { return append([]int32{}, ids...) }

// ask makes 240 texts and 60 chats of what tokenizers differ on.
func ask() questions {
	r := rand.New(rand.NewPCG(5, 6))
	q := questions{Texts: []string{"", " ", "a", "naïve café 東京 🙂", "  leading   spaces\t\ttabs\r\n", "<|im_end|> in a text", "don't WE'LL"}}
	for len(q.Texts) < 240 {
		q.Texts = append(q.Texts, randomUnicode(r, 1+r.IntN(200)))
	}
	for range 60 {
		var chat []api.Message
		for k := range 1 + r.IntN(5) {
			role := []string{"user", "assistant"}[k%2]
			chat = append(chat, api.Message{Role: role, Content: fmt.Sprintf("%d %s", k, randomUnicode(r, 1+r.IntN(80)))})
		}
		q.Chats = append(q.Chats, chat)
	}
	return q
}

// randomUnicode is randomText without what JSON cannot carry.
func randomUnicode(r *rand.Rand, n int) string {
	return string(bytes.ReplaceAll(bytes.ToValidUTF8([]byte(randomText(r, n)), nil), []byte{0}, nil))
}

func secondOpinion(t *testing.T, script, model string, q questions) opinions {
	t.Helper()
	data, err := json.Marshal(q)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "node", script, model)
	cmd.Dir, cmd.Stdin, cmd.Stderr = filepath.Dir(script), bytes.NewReader(data), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var o opinions
	require.NoError(t, json.Unmarshal(out, &o))
	return o
}
