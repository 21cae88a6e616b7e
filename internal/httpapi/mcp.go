package httpapi

import (
	"net/http"
	"strings"

	"inlay/fault"
	"inlay/internal/mcpserver"
	"inlay/internal/state"
)

// mcpMessage describes a message of JSON-RPC.
type mcpMessage struct {
	_       struct{} `additionalProperties:"true"`
	JSONRPC string   `json:"jsonrpc" enum:"2.0"`
	ID      any      `json:"id,omitempty"`
	Method  string   `json:"method,omitempty"`
}

// mcp answers agents by the Model Context Protocol, over the libraries of the
// caller. Documents can be changed where the server allows it and the key does.
func (a *API) mcp(c *call) error {
	config, err := a.service.MCP(c.ctx(), c.owner, a.config.MCPWrite && c.may(state.Write) == nil)
	if err != nil {
		return err
	}
	config.Version = a.config.Version
	w := &mcpResponse{recorder: c.w, c: c}
	if err := mcpserver.Serve(w, c.Request, config); err != nil {
		return err
	}
	return w.refusal()
}

// mcpResponse is a response whose every write gets its own time. A refusal in
// plain text is kept back, to be said as the service says errors.
type mcpResponse struct {
	*recorder

	c       *call
	refused int // status; 0: it is not
}

// WriteHeader implements [http.ResponseWriter].
func (m *mcpResponse) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(m.Header().Get("Content-Type"), "text/plain") {
		m.refused = status
		return
	}
	m.recorder.WriteHeader(status)
}

// Write implements io.Writer.
func (m *mcpResponse) Write(b []byte) (int, error) {
	if m.refused != 0 {
		return len(b), nil
	}
	return patientWriter{m.c}.Write(b)
}

// Unwrap is for [http.ResponseController].
func (m *mcpResponse) Unwrap() http.ResponseWriter { return m.recorder }

func (m *mcpResponse) refusal() error {
	switch m.refused {
	case 0:
		return nil
	case http.StatusRequestEntityTooLarge:
		return &fault.Error{Code: fault.FileTooLarge, Subject: "body", Reason: "is larger than 4194304 bytes", Next: "send less in one message"}
	}
	return &fault.Error{
		Code: fault.Usage, Subject: "request", Reason: "is not a message of the Model Context Protocol",
		Next: "send JSON-RPC with the header Accept: application/json, text/event-stream",
	}
}
