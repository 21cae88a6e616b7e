package httpapi_test

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/schema"
	"inlay/options"
)

// description is openapi.json, of which every answer of every test is held to
// what it says.
type description struct {
	mu         sync.Mutex
	paths      map[string]map[string]described
	components json.RawMessage
	schemas    map[string]*schema.Schema
}

type described struct {
	RequestBody struct{ Content map[string]media }
	Responses   map[string]struct{ Content map[string]media }
}

type media struct{ Schema json.RawMessage }

var spec description

func (d *description) load(tb testing.TB, s *server) {
	tb.Helper()
	if d.paths != nil {
		return
	}
	resp, err := s.Client().Get(s.URL + "/openapi.json") //nolint:noctx // a server of this test
	require.NoError(tb, err)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	require.NoError(tb, err)
	var doc struct {
		Paths      map[string]map[string]described
		Components json.RawMessage
	}
	require.NoError(tb, json.Unmarshal(data, &doc))
	d.paths, d.components, d.schemas = doc.Paths, doc.Components, map[string]*schema.Schema{}
}

// check holds a request that was taken and its answer to the description.
func (d *description) check(s *server, method, path string, sent []byte, got answer) {
	s.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load(s.t, s)
	template, op := d.find(method, path)
	if template == "" {
		return
	}
	at := method + " " + template
	if m := op.RequestBody.Content["application/json"]; sent != nil && m.Schema != nil && got.status < 300 {
		d.hold(s.t, at+" request", m.Schema, sent)
	}
	is, ok := op.Responses[strconv.Itoa(got.status)]
	if !ok {
		require.GreaterOrEqual(s.t, got.status, 300, "%s: a status that openapi.json does not have", at)
		is = op.Responses["default"]
	}
	kind, _, _ := mime.ParseMediaType(got.header.Get("Content-Type"))
	if got.status == http.StatusNotModified {
		require.Empty(s.t, kind)
		return
	}
	require.Contains(s.t, is.Content, kind, "%s %d", at, got.status)
	if m := is.Content[kind]; m.Schema != nil {
		d.hold(s.t, at+" "+kind, m.Schema, got.body)
	}
}

// find is the operation of a path.
func (d *description) find(method, path string) (template string, op described) {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for t, methods := range d.paths {
		names := strings.Split(t, "/")
		op, ok := methods[strings.ToLower(method)]
		if !ok || len(names) != len(parts) {
			continue
		}
		same, exact := true, true
		for i, n := range names {
			variable := strings.HasPrefix(n, "{")
			same, exact = same && (variable || n == parts[i]), exact && !variable
		}
		if exact && same {
			return t, op
		}
		if same {
			template = t
		}
	}
	return template, d.paths[template][strings.ToLower(method)]
}

func (d *description) hold(tb testing.TB, at string, m json.RawMessage, value []byte) {
	tb.Helper()
	one := d.schemas[string(m)]
	if one == nil {
		whole, err := json.Marshal(map[string]json.RawMessage{"allOf": json.RawMessage("[" + string(m) + "]"), "components": d.components})
		require.NoError(tb, err)
		one, err = schema.Compile(whole)
		require.NoError(tb, err, at)
		d.schemas[string(m)] = one
	}
	require.NoError(tb, one.Check(value), "%s is not as openapi.json says: %.600s", at, value)
}

// TestDescriptionIsWhole: what a client sends and gets beside our own fields is
// allowed, and fields that write themselves are described as they are written.
func TestDescriptionIsWhole(t *testing.T) {
	u := newUpstream(t, says("Four weeks [1]."))
	s := start(t, setup{upstreams: u.list(), chains: chained(t, redacting)})
	id := s.upload("", "handbook.md", handbook(t))
	got := s.do("POST", "/v1/chat/completions", "", ask([]any{withFile("How long is the notice period?", id)}, "temperature", 0.5))
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, string(got.body), `"verdict":"continue"`)
	require.Contains(t, string(got.body), `"method":"`)
	got = s.do("POST", "/v1/strategies/builtin.summarize-documents/execute", "", map[string]any{"files": []any{map[string]any{"id": id}}, "context_length": 8000})
	require.Equal(t, http.StatusOK, got.status)
	require.NotEmpty(t, spec.schemas, "answers are held to it")
}

// TestOptionsAreDescribed: the fields of requests have the kinds, bounds and
// values of the table of options.
func TestOptionsAreDescribed(t *testing.T) {
	s := start(t, setup{})
	type described struct {
		Type             any
		Enum             []string
		Minimum, Maximum *float64
		ExclusiveMinimum *float64
	}
	type property struct {
		described
		OneOf []described
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]property
			}
		}
	}
	s.do("GET", "/openapi.json", "", nil).into(t, &doc)
	for _, name := range []string{"PreprocessRequest", "ExecuteRequest", "ServiceWants"} {
		fields := doc.Components.Schemas[name].Properties
		for _, key := range options.Request.Keys() {
			o, _ := options.Find(key)
			f := fields[key]
			if o.Word != "" {
				require.Equal(t, []string{o.Word}, f.OneOf[1].Enum, key)
				f.described = f.OneOf[0]
			}
			require.NotNil(t, f.Type, "%s.%s", name, key)
			require.Equal(t, o.Choices, f.Enum, key)
			if o.Bounds.Max != 0 {
				require.InDelta(t, o.Bounds.Max, *f.Maximum, 0, key)
			}
		}
		limit := fields["retrieval_limit"].OneOf[0]
		require.Equal(t, "integer", limit.Type)
		require.InDelta(t, 1, *limit.Minimum, 0)
		require.InDelta(t, 0, *fields["target_context_use"].ExclusiveMinimum, 0)
		require.NotContains(t, fields, "limit")
	}
}

// TestOpenAIAddresses: what a client of the OpenAI API asks for and is not here
// is answered in the form that it reads, with what is here.
func TestOpenAIAddresses(t *testing.T) {
	s := start(t, setup{})
	for _, path := range []string{"/v1/assistants", "/v1/vector_stores/x/nothing", "/v1/responses/x/nothing", "/v1/chat/nothing"} {
		var e struct {
			Error struct{ Message, Type, Code string }
		}
		got := s.do("POST", path, "", map[string]any{"model": "m", "input": "secret words"})
		got.into(t, &e)
		require.Equal(t, http.StatusNotFound, got.status)
		require.Equal(t, "invalid_request_error", e.Error.Type)
		require.Contains(t, e.Error.Message, "/v1/chat/completions")
		require.Contains(t, e.Error.Message, "/v1/responses")
		require.Contains(t, e.Error.Message, "/v1/vector_stores")
		require.NotContains(t, string(got.body), "secret")
	}
	require.Contains(t, string(s.do("POST", "/v1/nothing", "", nil).body), "urn:inlay:error:not_found")
}
