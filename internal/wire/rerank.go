package wire

import (
	"time"

	"inlay/llm/rerank"
	"inlay/retrieve"
)

// Reranker names the second reader of passages. The zero value is none.
type Reranker struct {
	At    string        // the address of a rerank endpoint, or "chat"; empty: none
	Model string        // as the server lists it, or PROVIDER:NAME of a chat model
	Time  time.Duration // that it may take for a question; 0: the default
}

// RerankerKeyVariable holds the key of the rerank server. That of the model's
// server is never sent there.
const RerankerKeyVariable = "INLAY_RERANKER_KEY"

// chatReranker is what --reranker says for a chat model.
const chatReranker = "chat"

// OpenReranker opens the second reader; nil where none is named. A chat model
// without a name of its own is the model that answers.
func OpenReranker(s Reranker, m ModelSettings, getenv func(string) string) (retrieve.Reranker, error) {
	switch s.At {
	case "":
		return nil, nil //nolint:nilnil // there is none, and that is fine
	case chatReranker:
		if s.Model != "" {
			m = ModelSettings{Model: s.Model, BaseURL: m.BaseURL}
		}
		model, err := OpenAnswerer(m, getenv)
		if err != nil {
			return nil, err
		}
		return rerank.Chat{Model: model}, nil
	}
	return rerank.NewServer(rerank.Config{URL: s.At, Model: s.Model, Key: getenv(RerankerKeyVariable)})
}
