package strategy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/strategy"
)

func TestRegistry(t *testing.T) {
	ok := writes("files", nil)
	r, err := strategy.NewRegistry(ok, writes("a.b-c", nil))
	require.NoError(t, err)
	require.Equal(t, "a.b-c", r.All()[0].ID)
	require.Equal(t, "files", r.All()[1].ID)
	_, found := r.Lookup("files")
	require.True(t, found)
	r.Remove("files")
	_, found = r.Lookup("files")
	require.False(t, found)
	require.Empty(t, (*strategy.Registry)(nil).All())

	require.Error(t, r.Register(nil))
	require.ErrorContains(t, r.Register(writes("a.b-c", nil)), "taken")
	for _, p := range []part{writes("", nil), writes("Files", nil), writes("a b", nil), {id: "x", timeout: -1}, {id: "x", contain: []string{"Argument"}}} {
		require.Error(t, r.Register(p), p.id)
	}
	require.Error(t, strategy.Info{ID: "x", DisplayName: "X", Description: "X."}.Validate())
}

func TestToolRules(t *testing.T) {
	standard := strategy.ToolRules{"*": {"*": true}, "builtin.shell": {"*": false}}
	own := strategy.ToolRules{"builtin.web.*": {"*": false, "search*": true, "search_images": false}, "builtin.*": {"web_search": true}, "builtin.tie": {"a*": true, "*b": false, "?b": false}}
	chatRules := strategy.ToolRules{"builtin.web.page": {"*": true}}
	for _, tt := range []struct {
		plugin, function string
		allowed, known   bool
	}{
		{"builtin.files", "read", true, true},
		{"builtin.shell", "run", false, true},
		{"builtin.shell", "web_search", true, true},
		{"builtin.web.tools", "fetch", false, true},
		{"builtin.web.tools", "search", true, true},
		{"Builtin.Web.Tools", "Search_Images", false, true},
		{"builtin.web.tools", "web_search", false, true},
		{"builtin.web.page", "search_images", true, true},
		{"builtin.tie", "ab", false, true},
	} {
		d := strategy.Decide(tt.plugin, tt.function, standard, own, chatRules)
		require.Equal(t, tt.allowed, d.Allowed, "%s %s %+v", tt.plugin, tt.function, d)
		require.Equal(t, tt.known, d.Known)
	}
	require.False(t, strategy.Decide("x", "y").Known)
	require.False(t, strategy.Decide("x", "y", own).Known)
}
