package httpapi

import (
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	router "inlay/route"
	"inlay/turn"
)

// Metrics are the service's figures. Their labels are routes, codes and names
// of the configuration, never what a request said.
type Metrics struct {
	registry    *prometheus.Registry
	handler     http.Handler
	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec
	under       prometheus.Gauge
	stages      *prometheus.HistogramVec
	decisions   *prometheus.CounterVec
	saved       prometheus.Counter
	lookups     *prometheus.CounterVec
	unread      *prometheus.CounterVec
	upstream    *prometheus.CounterVec
	retries     *prometheus.CounterVec
	evaluations *prometheus.CounterVec
	splits      *prometheus.CounterVec
	documents   prometheus.Counter
	routed      *prometheus.CounterVec
	reasons     *prometheus.CounterVec
	routeTokens *prometheus.CounterVec
	routeSaved  prometheus.Counter
}

// NewMetrics makes a set of figures at zero.
func NewMetrics() *Metrics {
	r := prometheus.NewRegistry()
	m := &Metrics{
		registry:  r,
		requests:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inlay_requests_total", Help: "Requests answered."}, []string{"method", "route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "inlay_request_duration_seconds", Help: "Time to the end of the answer.", Buckets: buckets()}, []string{"method", "route"}),
		under:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "inlay_requests_in_flight", Help: "Requests under way."}),
		stages:    prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "inlay_stage_duration_seconds", Help: "Time of a stage: decide, first_token, answer.", Buckets: buckets()}, []string{"stage"}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inlay_decisions_total", Help: "Decisions by strategy and reason."}, []string{"strategy", "reason"}),
		saved: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "inlay_tokens_saved_total",
			Help: "Tokens of files that whole injection would have put into prompts beyond what was put there; files that were counted only as far as the decision needed count that far.",
		}),
		lookups:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inlay_cache_lookups_total", Help: "Lookups of parses, chunks and vectors."}, []string{"kind", "result"}),
		unread:      prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inlay_parse_failures_total", Help: "Files that could not be read."}, []string{"code"}),
		retries:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inlay_upstream_retries_total", Help: "Requests that a busy server of models was sent again."}, []string{"upstream"}),
		upstream:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inlay_upstream_errors_total", Help: "Failures of servers of models."}, []string{"upstream", "code"}),
		evaluations: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inlay_evaluations_total", Help: "Evaluations that are over, by how they ended."}, []string{"status"}),
		splits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inlay_intent_analyses_total",
			Help: "Questions looked through for pasted bulk: whole (nothing moved), moved, failed (the question stayed).",
		}, []string{"analyzer", "outcome"}),
		documents: prometheus.NewCounter(prometheus.CounterOpts{Name: "inlay_intent_documents_total", Help: "Documents made of pasted bulk."}),
		routed:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inlay_route_decisions_total", Help: "Routed turns by decision: tool, big, none (the prompt stayed)."}, []string{"decision"}),
		reasons:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "inlay_route_reasons_total", Help: "Routed turns by why they went there."}, []string{"code"}),
		routeTokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inlay_route_tokens_total",
			Help: "Tokens of answered routed turns by stage: preprocessor, big, big-retry.",
		}, []string{"stage", "direction"}),
		routeSaved: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "inlay_route_saved_tokens_total",
			Help: "Tokens that answered routed turns saved against their unrouted prompts; turns that cost more count nothing.",
		}),
	}
	r.MustRegister(m.requests, m.durations, m.under, m.stages, m.decisions, m.saved, m.lookups, m.unread, m.upstream, m.retries, m.evaluations,
		m.splits, m.documents, m.routed, m.reasons, m.routeTokens, m.routeSaved,
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/gc/heap/live:bytes$`)})), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(r, promhttp.HandlerOpts{})
	return m
}

// buckets reach from a tenth of a millisecond to several minutes.
func buckets() []float64 { return prometheus.ExponentialBucketsRange(.0001, 300, 24) }

// begin counts a request until the returned function is called with its status.
func (m *Metrics) begin(r route) func(status int) {
	start := time.Now()
	m.under.Inc()
	return func(status int) {
		m.under.Dec()
		method := r.method
		if method == "" {
			method = "other"
		}
		m.requests.WithLabelValues(method, r.path, strconv.Itoa(status)).Inc()
		m.durations.WithLabelValues(method, r.path).Observe(time.Since(start).Seconds())
	}
}

// ParseFailed counts a file that could not be read.
func (m *Metrics) ParseFailed(code fault.Code) { m.unread.WithLabelValues(string(code)).Inc() }

// Decided implements [turn.Observer].
func (m *Metrics) Decided(r injection.Result) {
	m.decisions.WithLabelValues(string(r.Strategy), string(r.ReasonCode)).Inc()
	if !r.DryRun && r.Strategy != injection.InjectFull {
		m.saved.Add(float64(max(0, r.Decision.Files.N+r.Decision.Prompt.N-r.Used.N)))
	}
	for _, f := range r.Failures {
		m.ParseFailed(f.Code)
	}
}

// Split implements [turn.Observer].
func (m *Metrics) Split(analyzer string, r intent.Result) {
	outcome := "whole"
	switch {
	case !r.Valid:
		outcome = "failed"
	case len(r.Documents) > 0:
		outcome = "moved"
	}
	m.splits.WithLabelValues(analyzer, outcome).Inc()
	m.documents.Add(float64(len(r.Documents)))
}

// Routed implements [turn.Observer].
func (m *Metrics) Routed(o router.Outcome) {
	decision := "none"
	if o.Routed {
		decision = string(o.Decision.Decision)
	}
	m.routed.WithLabelValues(decision).Inc()
	if o.Code != "" {
		m.reasons.WithLabelValues(string(o.Code)).Inc()
	}
}

// Spent implements [turn.Observer].
func (m *Metrics) Spent(r turn.Routed) {
	m.routeSaved.Add(float64(max(0, r.Saved)))
	for _, s := range r.Stages {
		m.routeTokens.WithLabelValues(s.Name, "in").Add(float64(s.In))
		m.routeTokens.WithLabelValues(s.Name, "out").Add(float64(s.Out))
	}
}

// Stage implements [turn.Observer].
func (m *Metrics) Stage(name string, took time.Duration) {
	m.stages.WithLabelValues(name).Observe(took.Seconds())
}

// UpstreamFailed counts a failure of a server of models.
func (m *Metrics) UpstreamFailed(upstream string, code fault.Code) {
	m.upstream.WithLabelValues(upstream, string(code)).Inc()
}

// UpstreamRetried counts a request that a server of models was sent again.
func (m *Metrics) UpstreamRetried(upstream string) { m.retries.WithLabelValues(upstream).Inc() }

// Lookup counts a look into the cache.
func (m *Metrics) Lookup(kind string, hit bool) {
	result := "miss"
	if hit {
		result = "hit"
	}
	m.lookups.WithLabelValues(kind, result).Inc()
}
