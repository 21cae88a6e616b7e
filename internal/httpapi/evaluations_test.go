package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/eval"
	"inlay/internal/files"
	"inlay/internal/jobs"
)

// evaluation is what the service shows of one.
type evaluation struct {
	ID          string
	Status      string
	Files       []string
	Questions   int
	Progress    jobs.EvaluationProgress
	Error       *files.ReadingError
	Recommended *eval.Recommendation
}

// evaluate starts a small evaluation of a file.
func (s *server) evaluate(secret, file string) string {
	s.t.Helper()
	var e evaluation
	got := s.do("POST", "/v1/evaluations", secret, map[string]any{
		"files": []any{map[string]string{"id": file}}, "questions": []any{map[string]string{"question": "q"}},
	})
	require.Equal(s.t, http.StatusOK, got.status, string(got.body))
	got.into(s.t, &e)
	return e.ID
}

func (s *server) evaluation(secret, id string) (e evaluation) {
	s.t.Helper()
	got := s.do("GET", "/v1/evaluations/"+id, secret, nil)
	require.Equal(s.t, http.StatusOK, got.status, string(got.body))
	got.into(s.t, &e)
	return e
}

// asked is an evaluation of the handbook and a file beside it.
func asked(file string) map[string]any {
	return map[string]any{
		"name":  "handbook",
		"files": []any{map[string]any{"id": file}, map[string]any{"name": "sky.txt", "data": []byte("The sky over the island is green at noon.")}},
		"questions": []any{
			map[string]any{"question": "How long is the notice period?", "expected": []any{map[string]any{"file": "handbook.md", "quote": "notice period"}}},
			map[string]any{"question": "Which colour has the sky?", "expected": []any{map[string]any{"quote": "sky over the island is green"}}},
			map[string]any{"question": "Who won the cup in 1974?", "files": []string{file}},
		},
		"thresholds": "0:1:0.1", "limits": []int{1, 3}, "chunks": []string{"100/0", "300/0"}, "aim": "f1",
	}
}

// TestEvaluation runs one from its start to its deletion.
func TestEvaluation(t *testing.T) {
	hold := make(chan struct{})
	s := start(t, setup{hold: hold})
	file := s.upload("", "handbook.md", handbook(t))
	got := s.do("POST", "/v1/evaluations", "", asked(file))
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	var begun evaluation
	got.into(t, &begun)
	require.Equal(t, 3, begun.Questions)
	require.Len(t, begun.Files, 2)

	time.AfterFunc(200*time.Millisecond, func() { close(hold) })
	stream := s.do("GET", "/v1/evaluations/"+begun.ID, "", nil, "Accept", "text/event-stream")
	require.Contains(t, string(stream.body), "event: progress\ndata: {\"id\":\""+begun.ID)
	require.Equal(t, "text/event-stream", stream.header.Get("Content-Type"))
	_, last, found := strings.Cut(string(stream.body), "event: result\ndata: ")
	require.True(t, found, string(stream.body))
	var over evaluation
	require.NoError(t, json.Unmarshal([]byte(last), &over), last)
	require.Equal(t, "done", over.Status)
	require.InDelta(t, 1, over.Progress.Share, 0)
	require.NotNil(t, over.Recommended)

	var report eval.Report
	s.do("GET", "/v1/evaluations/"+begun.ID+"/result", "", nil).into(t, &report)
	require.Equal(t, eval.Schema, report.Schema)
	require.Equal(t, eval.Summary{Name: "handbook", Layout: eval.Given, Documents: 2, Questions: 3, Answerable: 2, Unanswerable: 1, ByPassage: true}, report.Set)
	require.Len(t, report.Points, 2*2*11)
	require.Equal(t, report.Recommended, *over.Recommended)
	require.Positive(t, report.Recommended.HitRate)

	var list struct{ Data []evaluation }
	s.do("GET", "/v1/evaluations", "", nil).into(t, &list)
	require.Equal(t, begun.ID, list.Data[0].ID)
	require.Equal(t, http.StatusConflict, s.do("POST", "/v1/evaluations/"+begun.ID+"/cancel", "", nil).status, "it is over")
	require.Contains(t, string(s.do("GET", "/metrics", "", nil).body), `inlay_evaluations_total{status="done"} 1`)

	require.Equal(t, http.StatusOK, s.do("DELETE", "/v1/evaluations/"+begun.ID, "", nil).status)
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/evaluations/"+begun.ID, "", nil).status)
	require.Equal(t, http.StatusOK, s.do("GET", "/v1/files/"+file, "", nil).status, "an upload stays")
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/files/"+begun.Files[1], "", nil).status, "what was made for it goes with it")
}

// TestEvaluationMistakes are told at once where they can be, with their place
// and without what is there.
func TestEvaluationMistakes(t *testing.T) {
	s := start(t, setup{})
	file := s.upload("", "a.txt", "text")
	files := `"files": [{"id": "` + file + `"}], `
	for body, want := range map[string]string{
		`{}`: "files",
		`{"files": [{}], "questions": [{"question": "q"}]}`:                                                  "files[0]",
		`{` + files + `"questions": []}`:                                                                     "questions",
		`{` + files + `"questions": [{"question": " "}]}`:                                                    "questions[0].question",
		`{` + files + `"questions": [{"question": "q", "expected": [{}]}]}`:                                  "questions[0].expected[0]",
		`{` + files + `"questions": [{"question": "q", "expected": [{"file": "secret"}]}]}`:                  "questions[0].expected[0].file",
		`{` + files + `"questions": [{"question": "q", "expected": [{"file": "a.txt", "range": [3, 1]}]}]}`:  "questions[0].expected[0].range",
		`{` + files + `"questions": [{"question": "q", "id": "x"}, {"question": "r", "id": "x"}]}`:           "questions[1].id",
		`{` + files + `"questions": [{"question": "q"}], "thresholds": "secret"}`:                            "thresholds",
		`{` + files + `"questions": [{"question": "q"}], "aim": "secret"}`:                                   "aim",
		`{` + files + `"questions": [{"question": "q"}], "limits": [0]}`:                                     "limits",
		`{` + files + `"questions": [{"question": "q"}], "chunks": ["secret"]}`:                              "chunks[0]",
		`{"files": [{"id": "` + file + `"}, {"id": "` + file + `"}], "questions": [{"question": "secret"}]}`: "files[1].id",
	} {
		got := s.do("POST", "/v1/evaluations", "", []byte(body))
		require.Equal(t, http.StatusBadRequest, got.status, "%s: %s", body, got.body)
		var p struct{ Subject string }
		got.into(t, &p)
		require.Equal(t, want, p.Subject, body)
		require.NotContains(t, string(got.body), "secret")
	}

	var e evaluation
	s.do("POST", "/v1/evaluations", "", []byte(`{`+files+`"questions": [{"question": "q", "expected": [{"quote": "secret words"}]}]}`)).into(t, &e)
	require.Eventually(t, func() bool { return s.evaluation("", e.ID).Status == "failed" }, waitFor, tick)
	why := s.evaluation("", e.ID).Error
	require.Contains(t, why.Reason, "questions[0].expected[0]: quote")
	require.NotContains(t, why.Reason+s.logs.String(), "secret")
	require.Equal(t, http.StatusConflict, s.do("GET", "/v1/evaluations/"+e.ID+"/result", "", nil).status)
}

// TestEvaluationsInTurn: a key has a bounded number of them, a canceled one
// makes room at once, and a server that is ended leaves the others to the next.
func TestEvaluationsInTurn(t *testing.T) {
	dir := t.TempDir()
	s := start(t, setup{dir: dir, keys: true, hold: make(chan struct{})})
	ann, bob := s.key("ann"), s.key("bob")
	file := s.upload(ann, "a.txt", "text")
	var ids []string
	for range jobs.MaxUnfinished {
		ids = append(ids, s.evaluate(ann, file))
	}
	body := []byte(`{"files": [{"name": "b.txt", "data": "eA=="}], "questions": [{"question": "q"}]}`)
	full := s.do("POST", "/v1/evaluations", ann, body)
	require.Equal(t, http.StatusTooManyRequests, full.status)
	require.NotEmpty(t, full.header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, s.do("POST", "/v1/evaluations", bob, body).status, "another key has its own")

	require.Eventually(t, func() bool { return s.evaluation(ann, ids[0]).Status == "running" }, waitFor, tick)
	for _, id := range ids[:2] { // one that runs and one that waits
		var e evaluation
		s.do("POST", "/v1/evaluations/"+id+"/cancel", ann, nil).into(t, &e)
		require.Equal(t, "canceled", e.Status)
	}
	require.Eventually(t, func() bool { return s.do("POST", "/v1/evaluations", ann, body).status == http.StatusOK }, waitFor, tick)
	s.stop()

	s = start(t, setup{dir: dir, keys: true})
	for _, id := range ids[2:] {
		require.Eventually(t, func() bool { return s.evaluation(ann, id).Status == "done" }, waitFor, tick, id)
	}
	require.Equal(t, "canceled", s.evaluation(ann, ids[0]).Status)
}

// TestEvaluationOfTooMuch: an evaluation searches no more than a question may,
// and says which file is the largest and what to do.
func TestEvaluationOfTooMuch(t *testing.T) {
	s := start(t, setup{maxText: 1000})
	id := s.evaluate("", s.upload("", "handbook.md", handbook(t)))
	require.Eventually(t, func() bool { return s.evaluation("", id).Status == "failed" }, waitFor, 5*time.Millisecond)
	why := s.evaluation("", id).Error
	require.Equal(t, "limit_exceeded", string(why.Code))
	require.Contains(t, why.Reason, "at most 1000")
	require.Contains(t, why.Next, "--max-search")
}
