package ollama

import (
	"context"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"inlay/fault"
	"inlay/tokens"
)

// Length implements [llm.Measurer]: the window that the server runs the model
// with. The model is loaded for it if it is not. Later requests repeat the number.
func (m *Model) Length(ctx context.Context) (tokens.Count, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.window(ctx)
	if m.config.Fallback.N > 0 && fault.Is(err, fault.WindowUnknown) {
		return m.config.Fallback, nil
	}
	if err != nil {
		return tokens.Count{}, err
	}
	return tokens.Count{N: n, Method: tokens.Exact, By: m.name()}, nil
}

// window measures once for each model that the server has under the name; m.mu is held.
func (m *Model) window(ctx context.Context) (int, error) {
	m.renew(ctx)
	if m.length > 0 {
		return m.length, nil
	}
	n, digest, err := m.running(ctx)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, m.fault(fault.WindowUnknown, "the server does not say how large the window is", "set the context length", nil)
	}
	if digest != "" { // a vocabulary may have been learned before
		m.believe(digest)
	}
	m.length, m.seen = n, time.Now()
	return n, nil
}

// running returns window and digest of the model, loaded for it if it is not.
func (m *Model) running(ctx context.Context) (n int, digest string, err error) {
	if m.config.Length == 0 {
		if n, digest, err = m.loaded(ctx); n > 0 || err != nil {
			return n, digest, err
		}
	}
	if err := m.load(ctx); err != nil {
		return 0, "", err
	}
	if n, digest, err = m.loaded(ctx); n > 0 || err != nil {
		return n, digest, err
	}
	if n, err = m.shared(ctx); err != nil {
		return 0, "", err
	}
	digest, err = m.listedDigest(ctx)
	return n, digest, err
}

// renew asks from time to time whether the server still has the same model
// under the name; m.mu is held. A server that does not answer is not a reason to
// forget: the request itself will tell.
func (m *Model) renew(ctx context.Context) {
	if m.seen.IsZero() || time.Since(m.seen) < m.config.Fresh {
		return
	}
	m.seen = time.Now()
	if digest, err := m.listedDigest(ctx); err == nil && digest != "" {
		m.believe(digest)
	}
}

// believe forgets what was learned of another model than digest; m.mu is held.
func (m *Model) believe(digest string) {
	if m.digest != "" && m.digest != digest {
		m.log.Info("the server has another model under this name")
		m.length, m.prompt, m.sure = 0, nil, calibration{}
	}
	m.digest = digest
}

// load has the server load the model, with the configured window if there is one.
func (s *server) load(ctx context.Context) error {
	req := &api.ChatRequest{Model: s.config.Model, KeepAlive: s.keepAlive()}
	if s.config.Length > 0 {
		req.Options = map[string]any{"num_ctx": s.config.Length}
	}
	done := false
	err := s.chat(ctx, req, func(r api.ChatResponse) error {
		done = r.Done
		return nil
	})
	if err != nil {
		return s.explain(err)
	}
	if !done {
		return s.broken(ctx.Err())
	}
	return nil
}

// loaded returns window and digest of the model as it runs now, 0 if it does not.
func (s *server) loaded(ctx context.Context) (int, string, error) {
	running, err := s.api.ListRunning(ctx)
	if err != nil {
		return 0, "", s.explain(err)
	}
	for _, p := range running.Models {
		if sameModel(p.Model, s.config.Model) {
			return p.ContextLength, p.Digest, nil
		}
	}
	return 0, "", nil
}

// shared returns the window of a running model with the same weights: the server
// runs two names of one file once, and lists only the name that was asked first.
func (s *server) shared(ctx context.Context) (int, error) {
	running, err := s.api.ListRunning(ctx)
	if err != nil {
		return 0, s.explain(err)
	}
	mine, err := s.weights(ctx, s.config.Model)
	if err != nil || mine == "" {
		return 0, err
	}
	for _, p := range running.Models {
		if theirs, err := s.weights(ctx, p.Model); err == nil && theirs == mine {
			return p.ContextLength, nil
		}
	}
	return 0, nil
}

// weights names the file that a model is made of.
func (s *server) weights(ctx context.Context, model string) (string, error) {
	show, err := s.api.Show(ctx, &api.ShowRequest{Model: model})
	if err != nil {
		return "", s.explain(err)
	}
	for line := range strings.Lines(show.Modelfile) {
		if from, ok := strings.CutPrefix(line, "FROM "); ok {
			return strings.TrimSpace(from), nil
		}
	}
	return "", nil
}

func (s *server) keepAlive() *api.Duration {
	if s.config.KeepAlive == 0 {
		return nil
	}
	return &api.Duration{Duration: s.config.KeepAlive}
}

// sameModel compares names as the server lists them with names as people write them.
func sameModel(listed, asked string) bool {
	return strings.EqualFold(listed, asked) || strings.EqualFold(listed, asked+":latest")
}
