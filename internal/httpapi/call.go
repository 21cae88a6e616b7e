package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	fastjson "github.com/segmentio/encoding/json"

	"inlay/fault"
	"inlay/internal/keys"
	"inlay/internal/lazy"
	"inlay/internal/state"
	"inlay/options"
)

// call is one request on its way.
type call struct {
	*http.Request
	w       *recorder
	id      string // of the request, in answers and logs
	owner   string
	account string // whose limits count: the owner, or empty where nobody needs a key
	caller  keys.Caller
	holds   int64 // bytes of its body that are counted among the bodies
	api     *API
}

func (c *call) ctx() context.Context { return c.Context() }

// json answers with v.
func (c *call) json(v any) error { return c.jsonWith(http.StatusOK, v) }

// jsonWith answers with v and a status.
func (c *call) jsonWith(status int, v any) error {
	b := c.api.buffer()
	defer c.api.release(b)
	var err error
	if b.data, err = appendJSON(b.data, v); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(b.data))) // else it goes in chunks
	if status != http.StatusOK {
		c.w.WriteHeader(status)
	}
	_, _ = patientWriter{c}.Write(b.data) // a client that does not take it is gone
	return nil
}

// buffer holds a body on its way in or out.
type buffer struct{ data []byte }

// maxKept is the largest buffer that is kept for the next request, in bytes.
const maxKept = 64 << 10

// buffer is an empty one; release takes it back when nothing refers to it.
func (a *API) buffer() *buffer {
	b := a.buffers.Get().(*buffer)
	b.data = b.data[:0]
	return b
}

func (a *API) release(b *buffer) {
	if cap(b.data) <= maxKept {
		a.buffers.Put(b)
	}
}

// marshal is JSON as answers have it.
func marshal(v any) ([]byte, error) { return appendJSON(nil, v) }

// appendJSON appends v and a line break, without escaping <, >, &. The answer
// that is asked for most takes a faster way to the same bytes.
func appendJSON(b []byte, v any) ([]byte, error) {
	if answer, ok := v.(*preprocessAnswer); ok {
		b, err := fastjson.Append(b, answer, fastjson.SortMapKeys)
		return append(b, '\n'), err
	}
	into := bytes.NewBuffer(b)
	e := json.NewEncoder(into)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return into.Bytes(), err
}

// decode reads a JSON body into v. Its errors name the field and never the value.
func (c *call) decode(v any) error {
	b := c.api.buffer()
	defer c.api.release(b)
	var err error
	if b.data, err = c.readBody(b.data); err != nil {
		return err
	}
	return decodeJSON(b.data, v)
}

// readBody reads a body of at most Limits.Body bytes, into b where it is large enough.
func (c *call) readBody(b []byte) ([]byte, error) {
	limit := c.api.config.Limits.Body
	if c.ContentLength > limit {
		return b, tooLargeBody(limit)
	}
	return c.held(b, http.MaxBytesReader(c.w, c.Body, limit), limit)
}

// bodyError explains why a body could not be read.
func bodyError(err error, limit int64) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*http.MaxBytesError)):
		return tooLargeBody(limit)
	case errors.As(err, new(*fault.Error)):
		return err
	case isSilent(err):
		return &fault.Error{Code: fault.Timeout, Subject: "body", Reason: "did not arrive in time", Next: "send it again", Err: err}
	}
	return &fault.Error{Code: fault.Usage, Subject: "body", Reason: "did not arrive whole", Next: "send it again", Err: err}
}

// formError explains why the next part of a form could not be read.
func formError(err error, limit int64) error {
	cut := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(net.Error))
	if _, known := errors.AsType[*fault.Error](err); cut || known || isSilent(err) || errors.As(err, new(*http.MaxBytesError)) {
		return bodyError(err, limit)
	}
	return &fault.Error{Code: fault.Usage, Subject: "form", Reason: "has a part whose head cannot be read", Next: "send multipart/form-data", Err: err}
}

func tooLargeBody(limit int64) error {
	return &fault.Error{Code: fault.FileTooLarge, Subject: "body", Reason: fmt.Sprintf("is larger than %d bytes", limit), Next: "upload large files to /v1/files first"}
}

// isSilent reports that a client made the server wait too long.
func isSilent(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// decodeJSON is strict: one value, no unknown field.
func decodeJSON(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && d.More() {
		err = errMoreJSON
	}
	if err == nil {
		return nil
	}
	if _, ok := v.(interface {
		Values(prefix string) (options.Values, error)
	}); ok {
		if now, ok := options.Request.Renamed(unknownField(err)); ok {
			return &fault.Error{Code: fault.Usage, Subject: unknownField(err), Reason: options.RenamedReason(now), Next: "rename it"}
		}
	}
	return jsonError(err)
}

// decodeField is decodeJSON for the value of a field: errors name it.
func decodeField(name string, data []byte, v any) error {
	err := decodeJSON(data, v)
	if f, ok := errors.AsType[*fault.Error](err); ok {
		g := *f
		g.Subject = name + "." + f.Subject
		if f.Subject == "body" {
			g.Subject = name
		}
		return &g
	}
	return err
}

// unknownField is the name of a field that is not known, as the client wrote it.
func unknownField(err error) string {
	name, _ := strings.CutPrefix(err.Error(), unknownFieldError)
	return strings.Trim(name, `"`)
}

// plainName is what a field is called by mistake: a longer or stranger one may be
// content.
var plainName = lazy.Regexp(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// unknownNamed is "the unknown field x", without a name that may be content.
func unknownNamed(name string) string {
	if !plainName().MatchString(name) {
		return "an unknown field"
	}
	return "the unknown field " + name
}

// unknownFieldError is how encoding/json begins to say so.
const unknownFieldError = "json: unknown field "

var errMoreJSON = errors.New("more than one JSON value")

// jsonError says where a body is wrong without repeating any of it.
func jsonError(err error) error {
	e := &fault.Error{Code: fault.Usage, Subject: "body", Next: "see /openapi.json"}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var bytes base64.CorruptInputError
	switch {
	case errors.As(err, &bytes):
		e.Subject, e.Reason = "data", fmt.Sprintf("is not valid base64 at byte %d of it", int64(bytes))
	case errors.As(err, &kind):
		e.Subject, e.Reason = field(kind.Field), "is of the wrong type, want "+jsonType(kind.Type.Kind().String())
	case errors.As(err, &syntax):
		e.Reason = fmt.Sprintf("is not valid JSON at byte %d", syntax.Offset)
	case errors.Is(err, errMoreJSON):
		e.Reason = "holds " + errMoreJSON.Error()
	case strings.HasPrefix(err.Error(), unknownFieldError):
		e.Reason = "has " + unknownNamed(unknownField(err))
	case errors.As(err, new(*fault.Error)):
		return err
	default:
		e.Reason = "is not valid JSON"
	}
	return e
}

// field is a field as clients write it: encoding/json adds the names of embedded
// types, which begin with a capital, as no name of ours does.
func field(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "."), func(part string) bool { return part == "" || part[0] >= 'A' && part[0] <= 'Z' })
	return cmp.Or(strings.Join(parts, "."), "body")
}

func jsonType(kind string) string {
	switch kind {
	case "struct", "map":
		return "an object"
	case "slice", "array":
		return "a list"
	case "bool":
		return "true or false"
	case "string":
		return "a text"
	}
	return "a number"
}

// known refuses a page that is empty because what it begins after, or ends
// before, is not there: who deletes while paging would take it for the end.
func known[T any](list []T, p state.Page, find func(id string) error) error {
	if len(list) > 0 {
		return nil
	}
	for _, at := range []struct{ field, id string }{{"after", p.After}, {"before", p.Before}} {
		if at.id == "" {
			continue
		}
		switch err := find(at.id); {
		case err != nil && statusOf(failureOf(err).code) == http.StatusNotFound:
			return &fault.Error{Code: fault.Usage, Subject: at.field, Reason: "names nothing in this list; it may have been deleted", Next: "leave it out to begin again"}
		case err != nil:
			return err
		}
	}
	return nil
}

// page reads after, limit and order.
func (c *call) page(most int) (state.Page, error) {
	q := c.URL.Query()
	p := state.Page{After: q.Get("after"), Limit: most, Desc: q.Get("order") != "asc"}
	if s := q.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > most {
			return p, &fault.Error{Code: fault.Usage, Subject: "limit", Reason: fmt.Sprintf("is not a number from 1 to %d", most)}
		}
		p.Limit = n
	}
	if o := q.Get("order"); o != "" && o != "asc" && o != "desc" {
		return p, &fault.Error{Code: fault.Usage, Subject: "order", Reason: "is neither asc nor desc"}
	}
	return p, nil
}
