package openai

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOpenAIAway: OpenAI's own server is not one that a person starts, and a key
// that is missing is named.
func TestOpenAIAway(t *testing.T) {
	away := errors.New("dial tcp: no such host")
	for _, c := range []struct{ base, key, want string }{
		{"", "", "openai:gpt-4o: api.openai.com cannot be reached, and OPENAI_API_KEY is not set (check the network and set the key, or set the base URL of another server)"},
		{"", "sk-x", "openai:gpt-4o: api.openai.com cannot be reached (check the network and its proxy)"},
		{"http://127.0.0.1:9/v1", "", "openai:gpt-4o: no server answers at http://127.0.0.1:9/v1 (start it, or set the base URL of the one that runs)"},
	} {
		s, err := newServer(Config{Model: "gpt-4o", BaseURL: c.base, Key: c.key})
		require.NoError(t, err)
		require.EqualError(t, s.explain(away), c.want)
	}
	s, err := newServer(Config{Model: "gpt-4o"})
	require.NoError(t, err)
	require.Equal(t, "OPENAI_API_KEY is not set", s.classify(http.StatusUnauthorized, refusal{}).Reason)
}
