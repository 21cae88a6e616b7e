package tracing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// sender posts spans to a collector as OTLP over HTTP. The library's own client
// brings gRPC along, a thirtieth of the command's size.
type sender struct {
	address string
	headers map[string]string
	client  *http.Client
}

// sendTimeout is the protocol's default.
const sendTimeout = 10 * time.Second

// newSender reads OTEL_EXPORTER_OTLP_TRACES_HEADERS, else OTEL_EXPORTER_OTLP_HEADERS:
// name=value parted by commas, percent-encoded.
func newSender(address string, getenv func(string) string) (*sender, error) {
	at, err := url.Parse(address)
	if err == nil && (at.Host == "" || at.Scheme != "http" && at.Scheme != "https") {
		err = errors.New("an http or https URL is needed")
	}
	if err != nil {
		return nil, err
	}
	s := &sender{address: address, headers: map[string]string{}, client: &http.Client{Timeout: sendTimeout}}
	list := getenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS")
	if list == "" {
		list = getenv("OTEL_EXPORTER_OTLP_HEADERS")
	}
	for pair := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if ok && err == nil {
			s.headers[strings.TrimSpace(name)] = decoded
		}
	}
	return s, nil
}

// Start implements otlptrace.Client.
func (s *sender) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (s *sender) Stop(context.Context) error {
	s.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. TracesData is an export request on the
// wire, field by field.
func (s *sender) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	for name, value := range s.headers {
		req.Header.Set(name, value)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return fmt.Errorf("send spans: %w", err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	_ = resp.Body.Close()
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("send spans: the collector answers with status %d", resp.StatusCode)
	}
	return nil
}
