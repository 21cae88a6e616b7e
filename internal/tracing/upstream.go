package tracing

import (
	"io"
	"net/http"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Around puts a span around each call to an upstream, and tells the upstream
// of it by W3C's traceparent. A span lasts until the answer was read.
func (t *Tracer) Around(upstream string) func(http.RoundTripper) http.RoundTripper {
	if t == nil {
		return nil
	}
	return func(inner http.RoundTripper) http.RoundTripper { return traced{inner, t, upstream} }
}

type traced struct {
	inner    http.RoundTripper
	tracer   *Tracer
	upstream string
}

// RoundTrip implements http.RoundTripper.
func (t traced) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, span := t.tracer.tracer.Start(req.Context(), "upstream "+t.upstream, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("inlay.upstream", t.upstream), attribute.String("http.request.method", req.Method)))
	req = req.Clone(ctx)
	t.tracer.wire.Inject(ctx, propagation.HeaderCarrier(req.Header))
	resp, err := t.inner.RoundTrip(req)
	if err != nil {
		span.SetStatus(codes.Error, "no answer")
		span.End()
		return resp, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", resp.StatusCode))
	if resp.StatusCode >= http.StatusBadRequest {
		span.SetStatus(codes.Error, "")
	}
	resp.Body = &body{ReadCloser: resp.Body, end: sync.OnceFunc(func() { span.End() })}
	return resp, nil
}

// body ends a span when it is closed.
type body struct {
	io.ReadCloser
	end func()
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
