package httpapi

import (
	"net/http"
	"time"

	"inlay/fault"
)

// statusAnswer is the answer of the probes.
type statusAnswer struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
}

func (a *API) health(c *call) error {
	return c.json(statusAnswer{Status: "ok", Version: a.config.Version})
}

// readyAnswer is what requests need, and how it is.
type readyAnswer struct {
	Status    string           `json:"status" doc:"ready or not_ready"`
	Version   string           `json:"version,omitempty"`
	Disk      string           `json:"disk" doc:"ok; full: nothing can be kept until something is deleted"`
	Upstreams []upstreamAnswer `json:"upstreams,omitempty" doc:"the servers of models; ready while one works"`
}

// upstreamAnswer is how one server of models is.
type upstreamAnswer struct {
	Name   string `json:"name"`
	State  string `json:"state" doc:"up; failing: it failed lately; down: requests are refused until it answers again; unknown: not asked yet"`
	Models int    `json:"models" doc:"that it listed last"`
	Code   string `json:"code,omitempty" doc:"of its last failure"`
	Retry  int    `json:"retry_after,omitempty" doc:"seconds until it is asked again"`
}

func (a *API) ready(c *call) error {
	ready := a.service.Ready(c.ctx())
	if fault.Is(ready.State, fault.StoreUnreachable) {
		return ready.State
	}
	if ready.State != nil {
		return &fault.Error{Code: fault.StoreDamaged, Subject: "state", Reason: "cannot be read", Next: "see the server's log", Err: ready.State}
	}
	out := readyAnswer{Status: "ready", Version: a.config.Version, Disk: "ok"}
	if ready.Full {
		out.Disk = "full"
	}
	for _, h := range ready.Upstreams {
		out.Upstreams = append(out.Upstreams, upstreamAnswer{h.Name, h.State, h.Models, string(h.Code), int((h.Retry + time.Second - 1) / time.Second)})
	}
	if ready.OK() {
		return c.json(out)
	}
	out.Status = "not_ready"
	return c.jsonWith(http.StatusServiceUnavailable, out)
}

func (a *API) metrics(c *call) error {
	a.config.Metrics.handler.ServeHTTP(c.w, c.Request)
	return nil
}

func (a *API) openapi(c *call) error {
	c.w.Header().Set("Content-Type", "application/json")
	_, _ = c.w.Write(a.spec)
	return nil
}

func (a *API) clearCache(c *call) error {
	if err := a.service.ClearCache(c.ctx(), c.owner); err != nil {
		return err
	}
	return c.json(deleted{ID: "cache", Object: "cache", Deleted: true})
}
