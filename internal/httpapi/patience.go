package httpapi

import (
	"io"
	"net/http"
	"time"
)

// slowest is how many bytes a second a client must send on the average. Below
// it, a body byte by byte would hold its place for ever.
const slowest = 1 << 10

// patient is a body whose every read gets its own time, and all of them
// together as much as the slowest client may take.
type patient struct {
	io.ReadCloser
	c     *call
	bytes int64
	spent time.Duration // waiting for the client
}

// Read implements io.Reader.
func (p *patient) Read(b []byte) (int, error) {
	silence := p.c.api.config.Limits.Silence
	left := silence + time.Duration(p.bytes)*time.Second/slowest - p.spent
	start := time.Now()
	_ = http.NewResponseController(p.c.w.ResponseWriter).SetReadDeadline(start.Add(min(silence, left)))
	n, err := p.ReadCloser.Read(b)
	p.bytes += int64(n)
	p.spent += time.Since(start)
	return n, err
}

// patientWriter is an answer whose every write gets its own time.
type patientWriter struct{ c *call }

// Write implements io.Writer.
func (p patientWriter) Write(b []byte) (int, error) {
	_ = http.NewResponseController(p.c.w.ResponseWriter).SetWriteDeadline(time.Now().Add(p.c.api.config.Limits.Silence))
	return p.c.w.Write(b)
}

// leave bounds what net/http waits for after an answer: the rest of a body that
// nobody wanted to read.
func (c *call) leave() {
	_ = http.NewResponseController(c.w.ResponseWriter).SetReadDeadline(time.Now().Add(c.api.config.Limits.Silence))
}
