package httpapi

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"time"

	"inlay/injection"
)

// events is an answer of server-sent events. It may be used by several
// goroutines.
type events struct {
	c    *call
	mu   sync.Mutex
	open bool
	stop func()
}

// beat is how often an idle stream shows that it lives.
const beat = 15 * time.Second

// wantsEvents reports whether the client asked for a stream of events.
func (c *call) wantsEvents() bool {
	return strings.Contains(c.Header.Get("Accept"), "text/event-stream")
}

// send writes one event; the first opens the stream. name "" is an event
// without a name, as the OpenAI API sends them.
func (e *events) send(name string, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.begin()
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: ")
	b.Write(bytes.TrimSpace(data))
	b.WriteString("\n\n")
	return e.write(b.Bytes())
}

func (e *events) begin() {
	if e.open {
		return
	}
	e.open = true
	h := e.c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	e.c.w.WriteHeader(http.StatusOK)
	ticker, done := time.NewTicker(beat), make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				e.mu.Lock()
				_ = e.write([]byte(": alive\n\n"))
				e.mu.Unlock()
			}
		}
	})
	e.stop = func() {
		ticker.Stop()
		close(done)
		beats.Wait()
	}
}

func (e *events) write(data []byte) error {
	if _, err := (patientWriter{e.c}).Write(data); err != nil {
		return err
	}
	return http.NewResponseController(e.c.w).Flush()
}

// close ends the beats; nothing may be sent after it.
func (e *events) close() {
	e.mu.Lock()
	stop := e.stop
	e.stop = nil
	e.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// json sends v as an event.
func (e *events) json(name string, v any) error {
	data, err := marshal(v)
	if err != nil {
		return err
	}
	return e.send(name, data)
}

// answerOrEvents answers with what work returns: as JSON, or, where the client
// asked for events, after the statuses as they come, as the event result. A
// failure is the event error, since the answer has begun.
func (c *call) answerOrEvents(work func(report func(injection.Status)) (any, error)) error {
	if !c.wantsEvents() {
		v, err := work(nil)
		if err != nil {
			return err
		}
		return c.json(v)
	}
	return c.events(func(send func(string, any)) (any, error) {
		return work(func(s injection.Status) { send("status", s) })
	})
}

// events answers with the events that work sends, and with what it returns as
// the event result. A failure is the event error where the answer has begun.
func (c *call) events(work func(send func(name string, v any)) (any, error)) error {
	e := &events{c: c}
	defer e.close()
	v, err := work(func(name string, v any) { _ = e.json(name, v) })
	if err != nil && !e.open {
		return err
	}
	if err != nil {
		_ = e.json("error", c.problemOf(failureOf(ended(c.ctx(), err))))
		return err
	}
	return e.json("result", v)
}
