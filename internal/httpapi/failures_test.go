package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFailuresByUpload: a file that cannot be read goes by the id that was sent.
func TestFailuresByUpload(t *testing.T) {
	s := start(t, setup{})
	good, bad := s.upload("", "handbook.md", handbook(t)), s.upload("", "a.pdf", "%PDF-1.4\nnothing")
	got := s.do("POST", "/v1/preprocess", "", map[string]any{
		"messages": []any{map[string]any{"role": "user", "text": "q"}}, "context_length": 4000,
		"files": []any{map[string]any{"id": good}, map[string]any{"id": bad}},
	})
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	var r struct {
		Failures []struct {
			FileID string `json:"file_id"`
		}
	}
	got.into(t, &r)
	require.Len(t, r.Failures, 1)
	require.Equal(t, bad, r.Failures[0].FileID)
}
