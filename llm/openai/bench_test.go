package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inlay/llm/openai"
)

// BenchmarkRelay hands on a stream of 500 chunks.
func BenchmarkRelay(b *testing.B) {
	const piece = `data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1732260000,"model":"m","choices":[{"index":0,"delta":{"content":" days of leave"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"
	body := strings.Repeat(piece, 499) + strings.Replace(piece, `"finish_reason":null`, `"finish_reason":"stop"`, 1) + "data: [DONE]\n\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }))
	defer s.Close()
	m, err := openai.New(openai.Config{Model: "m", BaseURL: s.URL + "/v1"})
	if err != nil {
		b.Fatal(err)
	}
	request := map[string]json.RawMessage{"stream": json.RawMessage("true"), "messages": json.RawMessage(`[{"role":"user","content":"How many?"}]`)}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range m.Relay(b.Context(), request) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 500 {
			b.Fatal(n)
		}
	}
}
