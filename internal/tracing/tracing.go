// Package tracing sends spans to an OpenTelemetry collector: of requests, of
// the stages of their work, of calls to servers of models. It is the only
// package that knows OpenTelemetry.
//
// Spans hold routes, methods, codes and names of the configuration; never
// content, keys, names of files or values. A nil [Tracer] is off and costs
// nothing.
package tracing

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"inlay/fault"
)

// Config says where spans go, in OpenTelemetry's own words.
type Config struct {
	// Getenv reads OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_ENDPOINT,
	// OTEL_SERVICE_NAME, OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER and
	// OTEL_EXPORTER_OTLP_PROTOCOL. Headers, timeouts and samplers are read by
	// the library from the process's environment.
	Getenv  func(string) string
	Version string
	Logger  *slog.Logger
}

// Tracer makes spans. Nil makes none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	wire     propagation.TraceContext
}

// Open begins tracing where the environment names a collector, else it is nil.
// A protocol other than OTLP over HTTP is fault.Usage.
func Open(ctx context.Context, c Config) (*Tracer, error) {
	address := endpoint(c.Getenv)
	if address == "" {
		return nil, nil //nolint:nilnil // a nil Tracer is off
	}
	protocol := cmp.Or(c.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), c.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"), "http/protobuf")
	if protocol != "http/protobuf" {
		return nil, &fault.Error{Code: fault.Usage, Subject: "OTEL_EXPORTER_OTLP_PROTOCOL", Reason: "is not spoken here", Next: "set it to http/protobuf"}
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(address))
	if err != nil {
		return nil, &fault.Error{Code: fault.Usage, Subject: "OTEL_EXPORTER_OTLP_ENDPOINT", Reason: "cannot be used", Next: "give the URL of a collector, like http://localhost:4318", Err: err}
	}
	about, err := resource.Merge(resource.Environment(), resource.NewSchemaless(
		attribute.String("service.name", cmp.Or(c.Getenv("OTEL_SERVICE_NAME"), "inlay")), attribute.String("service.version", c.Version)))
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {
		c.Logger.Warn("spans were not taken by the collector")
	}))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return &Tracer{provider: provider, tracer: provider.Tracer("inlay")}, nil
}

// endpoint is the URL for spans; empty: none is configured.
func endpoint(getenv func(string) string) string {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return ""
	}
	if address := getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); address != "" {
		return address
	}
	if address := getenv("OTEL_EXPORTER_OTLP_ENDPOINT"); address != "" {
		return strings.TrimSuffix(address, "/") + "/v1/traces"
	}
	return ""
}

// Close sends what waits.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Request begins the span of a request, below the caller's if it names one.
// The span ends with the answer's status and the code of its failure.
func (t *Tracer) Request(r *http.Request, route string) (ctx context.Context, end func(status int, code fault.Code)) {
	ctx = r.Context()
	if t == nil {
		return ctx, func(int, fault.Code) {}
	}
	ctx = t.wire.Extract(ctx, propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, r.Method+" "+route, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", r.Method), attribute.String("http.route", route)))
	return ctx, func(status int, code fault.Code) {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if code != "" {
			span.SetAttributes(attribute.String("error.type", string(code)))
		}
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, string(code))
		}
		span.End()
	}
}

// Stage begins the span of a stage of the work: parse, count, decide, embed,
// search, render.
func (t *Tracer) Stage(ctx context.Context, name string) (context.Context, func()) {
	if t == nil {
		return ctx, func() {}
	}
	ctx, span := t.tracer.Start(ctx, name)
	return ctx, func() { span.End() }
}
