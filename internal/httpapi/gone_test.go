package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeletedFileOfKeptChat: a chat goes on without a file that was deleted, and
// says so; the others are searched, and one that this request names has to be
// there.
func TestDeletedFileOfKeptChat(t *testing.T) {
	u := newUpstream(t, says("Four weeks [1]."))
	s := start(t, setup{upstreams: u.list()})
	for _, mode := range []string{"auto", "retrieval", "full"} {
		for _, others := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s, %d others", mode, others), func(t *testing.T) {
				id, look := s.newChat(t)
				gone := s.upload("", "handbook.md", handbook(t))
				files := []map[string]any{{"id": gone}}
				if others > 0 {
					files = append(files, map[string]any{"id": s.upload("", "leaving.md", "# Leaving\n\nThe notice period is six weeks.\n")})
				}
				asked := func(files []map[string]any) answer {
					return s.do("POST", "/v1/preprocess", "", map[string]any{
						"chat_id": id, "messages": user("How long is the notice period?"), "files": files, "context_length": 2000, "mode": mode, "strict": true, "prompt_set": "classic",
					})
				}
				began := s.do("POST", "/v1/preprocess", "", map[string]any{
					"chat_id": id, "messages": user("Which notice period?"), "files": files, "context_length": 1024, "mode": "retrieval", "prompt_set": "classic",
				})
				require.Equal(t, http.StatusOK, began.status, string(began.body))
				require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/files/"+gone, "", nil).status)

				r := ask([]any{map[string]any{"role": "user", "content": "How long is the notice period?"}})
				r["inlay"].(map[string]any)["chat_id"], r["inlay"].(map[string]any)["mode"] = id, mode
				later := asked(nil)
				require.Equal(t, others > 0, strings.Contains(string(later.body), "leaving.md"), "the other one is laid out: %s", later.body)
				for _, got := range []answer{later, s.do("POST", "/v1/chat/completions", "", r)} {
					require.Equal(t, http.StatusOK, got.status, string(got.body))
					require.Contains(t, string(got.body), `"code":"file_gone","file":"handbook.md"`)
				}
				require.Len(t, look().History.Messages, 4)
				r["inlay"].(map[string]any)["preprocessors"], r["inlay"].(map[string]any)["context_length"] = []string{"files"}, 2048
				executed := s.do("POST", "/v1/chat/completions", "", r)
				require.Equal(t, http.StatusOK, executed.status, string(executed.body))
				require.Contains(t, string(executed.body), "file_gone")
				named := asked(files[:1])
				require.Equal(t, http.StatusNotFound, named.status, string(named.body))
				require.Contains(t, string(named.body), "file_not_found")
			})
		}
	}
}
