package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPageAfterDeleted: who deletes the last one of a page and asks for the next
// is told so, and does not see an empty list that looks like the end.
func TestPageAfterDeleted(t *testing.T) {
	s := start(t, setup{keys: true})
	ann, bob := s.key("ann"), s.key("bob")
	file := s.upload(ann, "a.txt", "a text")
	s.upload(ann, "b.txt", "another text")
	var chat struct{ ID string }
	require.NoError(t, json.Unmarshal(s.do(http.MethodPost, "/v1/chats", ann, map[string]any{}).body, &chat))
	store := s.newStore(ann, map[string]any{"name": "Contracts"}).ID
	for at, id := range map[string]string{"files": file, "chats": chat.ID, "vector_stores": store} {
		require.Equal(t, http.StatusOK, s.do(http.MethodGet, "/v1/"+at+"?after="+id+"&order=asc", ann, nil).status, at)
		require.Equal(t, http.StatusOK, s.do(http.MethodDelete, "/v1/"+at+"/"+id, ann, nil).status, at)
		for _, key := range []string{ann, bob} {
			got := s.do(http.MethodGet, "/v1/"+at+"?after="+id, key, nil)
			require.Equal(t, http.StatusBadRequest, got.status, string(got.body))
			require.Contains(t, string(got.body), "after: names nothing in this list", at)
		}
	}
	for _, at := range []string{"evaluations?after=eval_gone", "vector_stores?before=vs_gone", "responses/resp_gone/input_items?after=item_gone"} {
		require.NotEqual(t, http.StatusOK, s.do(http.MethodGet, "/v1/"+at, ann, nil).status, at)
	}
}
