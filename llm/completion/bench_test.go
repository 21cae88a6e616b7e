package completion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkDecode reads what a proxy reads most: one chunk of a stream.
func BenchmarkDecode(b *testing.B) {
	line := []byte(relayedChunk)
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		c, err := Decode(bytes.Clone(line)) // as it is taken off the stream
		if err != nil || c.Choices[0].Text == "" {
			b.Fatal(err)
		}
	}
}

// BenchmarkMessages reads and writes the messages of a long chat: nothing is
// changed but the newest.
func BenchmarkMessages(b *testing.B) {
	var list []string
	for i := range 100 {
		list = append(list, fmt.Sprintf(`{"role":"user","content":%q}`, strings.Repeat(fmt.Sprintf("Question %d about leave.\n", i), 20)))
	}
	data := json.RawMessage("[" + strings.Join(list, ",") + "]")
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		messages, err := ParseMessages(data)
		if err != nil {
			b.Fatal(err)
		}
		messages[len(messages)-1].Rewrite("How many days?")
		if _, err := MarshalMessages(messages); err != nil {
			b.Fatal(err)
		}
	}
}
