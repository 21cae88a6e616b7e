package mcpserver

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve answers one request by streamable HTTP. Every request has a server of
// its own, so that nothing is kept between requests and any machine may answer
// the next one. Who calls, and from where, was looked at before.
func Serve(w http.ResponseWriter, r *http.Request, c Config) error {
	server, closing, err := New(r.Context(), c)
	if err != nil {
		return err
	}
	server.AddReceivingMiddleware(until(r.Context()))
	mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, Logger: c.Logger,
	}).ServeHTTP(w, r)
	return closing()
}

// until ends calls with the request that they came in: older versions of the
// protocol leave them running when the client goes.
func until(request context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			defer context.AfterFunc(request, func() { cancel(context.Cause(request)) })()
			return next(ctx, method, req)
		}
	}
}
