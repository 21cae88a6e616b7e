package httpapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/durable"
	"inlay/internal/state"
)

// Allowed is how many of the three scopes a route is open to.
func Allowed(a *API, path string) (n int) {
	for _, r := range a.routes {
		for _, s := range []state.Scope{state.Read, state.Write, state.Admin} {
			if r.method+" "+r.path == path && s.Allows(r.scope()) {
				n++
			}
		}
	}
	return n
}

// Protected lists the routes that need a key, as "METHOD path".
func Protected(a *API) []string {
	var out []string
	for _, r := range a.routes {
		if !r.open {
			out = append(out, r.method+" "+r.path)
		}
	}
	return out
}

// TestEveryCodeHasAStatus: a new code of fault needs its line in statusOf, or
// is meant to be a 500.
func TestEveryCodeHasAStatus(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../../fault/fault.go", nil, 0)
	require.NoError(t, err)
	table, err := parser.ParseFile(token.NewFileSet(), "problem.go", nil, 0)
	require.NoError(t, err)
	named := map[string]bool{}
	ast.Inspect(table, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			named[s.Sel.Name] = true
		}
		return true
	})
	codes := 0
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v, ok := spec.(*ast.ValueSpec)
			require.True(t, ok)
			lit, ok := v.Values[0].(*ast.BasicLit)
			require.True(t, ok)
			code, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			require.True(t, named[v.Names[0].Name], "%s is not in statusOf", code)
			status := statusOf(fault.Code(code))
			require.True(t, status >= 400 && status < 600, code)
			codes++
		}
	}
	require.Greater(t, codes, 25)
}

// TestNothingLeaks: an error that is no fault has no words in answers.
func TestNothingLeaks(t *testing.T) {
	_, err := strconv.Atoi("secret words")
	f := failureOf(err)
	require.Equal(t, http.StatusInternalServerError, f.status)
	require.NotContains(t, f.detail(), "secret")
	require.NotContains(t, errorTypes(err), "secret")

	for _, cause := range []error{syscall.EACCES, syscall.ENOSPC} {
		f = failureOf(durable.Explain("/srv/secret/files", &fs.PathError{Op: "open", Path: "/srv/secret/files/x", Err: cause}))
		require.GreaterOrEqual(t, f.status, http.StatusInternalServerError)
		require.NotContains(t, f.detail(), "srv")
	}

	var v struct {
		Limit int `json:"limit"`
	}
	for _, body := range []string{`{"limit": "secret words"}`, `{"secret words": 1}`, `{"limit": 1} "secret words"`, `{secret words`, `"secret words"`} {
		err := decodeJSON([]byte(body), &v)
		require.True(t, fault.Is(err, fault.Usage), body)
		require.NotContains(t, err.Error(), "secret", body)
	}
	require.True(t, strings.HasPrefix(decodeJSON([]byte(`{"limit": "x"}`), &v).Error(), "limit: is of the wrong type, want a number"))
}
