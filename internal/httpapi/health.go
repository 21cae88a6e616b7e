package httpapi

import "inlay/fault"

// statusAnswer is the answer of the probes.
type statusAnswer struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
}

func (a *API) health(c *call) error {
	return c.json(statusAnswer{Status: "ok", Version: a.config.Version})
}

func (a *API) ready(c *call) error {
	if err := a.service.Ready(c.ctx()); err != nil {
		return &fault.Error{Code: fault.StoreDamaged, Subject: "state", Reason: "cannot be read", Next: "see the server's log", Err: err}
	}
	return c.json(statusAnswer{Status: "ready", Version: a.config.Version})
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
