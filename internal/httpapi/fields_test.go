package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// goName is how a field is called in Go and never in JSON.
var goName = regexp.MustCompile(`\b[A-Z][a-z]+[A-Z.][A-Za-z.]*|^[A-Z]\w*\.`)

// TestFieldsByTheirNames sends every field of every JSON body with a value of a
// wrong type: the refusal names the field as the client wrote it.
func TestFieldsByTheirNames(t *testing.T) {
	s := start(t, setup{})
	mine := s.made("")
	var spec struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Type any }
			}
		}
	}
	require.NoError(t, json.Unmarshal(s.do("GET", "/openapi.json", "", nil).body, &spec))
	n := 0
	for path, methods := range spec.Paths {
		for method, op := range methods {
			ref := op.RequestBody.Content["application/json"].Schema.Ref
			for name, field := range spec.Components.Schemas[ref[strings.LastIndex(ref, "/")+1:]].Properties {
				wrong := `{"` + name + `": 7}`
				if strings.Contains(fmt.Sprint(field.Type), "number") || strings.Contains(fmt.Sprint(field.Type), "integer") {
					wrong = `{"` + name + `": "secret"}`
				}
				id := mine[kindOf(path)]
				got := s.do(strings.ToUpper(method), strings.NewReplacer("{id}", id, "{turn}", "1").Replace(path), "", []byte(wrong))
				said := subjectOf(got.body)
				require.NotRegexp(t, goName, said, "%s %s: %s", path, wrong, got.body)
				if got.status == http.StatusBadRequest && strings.Contains(string(got.body), "wrong type") {
					require.Contains(t, said, name, "%s %s: %s", path, wrong, got.body)
					n++
				}
			}
		}
	}
	require.Greater(t, n, 30)
}

// subjectOf is what an error is about, in either form.
func subjectOf(body []byte) string {
	var e struct {
		Subject string
		Error   struct{ Message string }
	}
	_ = json.Unmarshal(body, &e)
	if e.Subject != "" {
		return e.Subject
	}
	subject, _, _ := strings.Cut(e.Error.Message, ": ")
	return subject
}

// TestExpiresAfter: a file says when it is deleted by itself; other wishes are
// refused by the field's name.
func TestExpiresAfter(t *testing.T) {
	s := start(t, setup{})
	send := func(anchor, seconds string) answer {
		return s.do("POST", "/v1/files", "", formOf(t, "purpose", "user_data", "expires_after[anchor]", anchor, "expires_after[seconds]", seconds, "@file:a.txt", "text"))
	}
	var f struct {
		ID        string
		ExpiresAt int64 `json:"expires_at"`
	}
	got := send("created_at", "3600")
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	got.into(t, &f)
	require.InDelta(t, time.Now().Add(time.Hour).Unix(), f.ExpiresAt, 60)
	for _, bad := range [][3]string{{"created_at", "3599", "seconds"}, {"created_at", "x", "seconds"}, {"now", "3600", "anchor"}} {
		got := send(bad[0], bad[1])
		require.Equal(t, http.StatusBadRequest, got.status)
		require.Contains(t, string(got.body), "expires_after."+bad[2])
	}
}
