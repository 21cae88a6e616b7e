package strategy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/strategy"
)

func TestAllowed(t *testing.T) {
	type rules = strategy.ToolRules
	type functions = map[string]bool
	none := rules{"*": {"*": false}}
	for name, tt := range map[string]struct {
		layers  []rules
		allowed []string
		denied  []string
		unknown []string
	}{
		"no rules":   {unknown: []string{"rm", "fs.rm", ""}},
		"nothing":    {layers: []rules{none}, denied: []string{"rm", "fs.rm", "fs__rm", "fs-rm", "mcp__fs__rm", "a/b:c", "", "_", "."}},
		"everything": {layers: []rules{{"*": {"*": true}}}, allowed: []string{"rm", "mcp__fs__rm"}},
		"one function": {
			layers: []rules{{"fs": {"rm": false}}}, denied: []string{"fs.rm", "fs__rm", "fs-rm", "FS.Rm", "mcp__fs__rm", "mcp-fs-rm"},
			unknown: []string{"rm", "fs_rm", "fs.rmdir", "fs", "zfs.rm", "fs.rm.x", "a__fs__rm"},
		},
		"all but one": {
			layers: []rules{{"*": {"*": false}, "fs": {"read": true}}}, allowed: []string{"fs.read", "fs__read", "mcp__fs__read"},
			denied: []string{"read", "fs.rm", "fs.read_all", "web.read"},
		},
		"one but all":   {layers: []rules{{"*": {"*": true}, "fs": {"rm": false}}}, allowed: []string{"fs.read", "rm"}, denied: []string{"fs-rm"}},
		"plugin":        {layers: []rules{{"fs": {"*": false, "read*": true}}}, allowed: []string{"fs.read", "fs__read_file"}, denied: []string{"fs.rm", "fs"}, unknown: []string{"web.read"}},
		"bare function": {layers: []rules{{"*": {"rm": false}}}, denied: []string{"rm", "fs.rm", "mcp__fs__rm"}, unknown: []string{"rmdir", "fs.rmdir"}},
		// "rm: false" in a strategy file is the plugin rm with all its functions.
		"flat rule": {layers: []rules{{"rm": {"*": false}}}, denied: []string{"rm", "rm.all"}, unknown: []string{"fs.rm", "rm_all"}},
		"dotted plugin": {layers: []rules{{"builtin.file_system": {"write*": false}}}, denied: []string{
			"builtin.file_system.write",
			"builtin-file_system-write_all", "builtin_file_system__write",
		}, unknown: []string{"builtin.shell.write", "file_system.write"}},
		"separators inside": {layers: []rules{{"my-server": {"read_file": true}}}, allowed: []string{"mcp__my-server__read_file", "my-server.read_file"}, unknown: []string{"my.server.read.files"}},
		"equally specific":  {layers: []rules{{"a": {"b.c": true}, "b": {"c": true}, "a.b": {"c": false}, "A.B": {"c": true}}}, denied: []string{"a.b.c"}, allowed: []string{"b.c", "mcp.b.c"}},
		"deny of a reading": {layers: []rules{{"a": {"b.c": false}, "a.b": {"c": true}}}, denied: []string{"a.b.c", "a__b__c"}},
		"later layer":       {layers: []rules{{"fs": {"rm": false}}, {"*": {"*": true}}}, allowed: []string{"fs.rm"}},
		"silent layer":      {layers: []rules{{"fs": {"rm": false}}, {"web": {"*": true}}, nil}, denied: []string{"fs.rm"}, allowed: []string{"web.search"}},
		"chat over default": {layers: []rules{{"*": {"*": true}}, {"*": {"*": false}, "web": {"search": true}}, {"web": {"search": false}}}, denied: []string{"web.search", "rm"}},
		"question marks":    {layers: []rules{{"fs": {"r?": false}}}, denied: []string{"fs.rm"}, unknown: []string{"fs.rmd"}},
		"plugin wildcard":   {layers: []rules{{"mcp__*": {"*": false}}}, denied: []string{"mcp__fs__rm"}, unknown: []string{"fs__rm"}},
		"not a bare mcp":    {layers: []rules{{"mcp": functions{"*": false}}}, denied: []string{"mcp__fs__rm", "mcp"}, unknown: []string{"fs__rm"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, tool := range tt.allowed {
				require.True(t, strategy.Allowed(tool, tt.layers...).Allowed, tool)
			}
			for _, tool := range tt.denied {
				d := strategy.Allowed(tool, tt.layers...)
				require.True(t, d.Known, tool)
				require.False(t, d.Allowed, tool)
			}
			for _, tool := range tt.unknown {
				require.Equal(t, strategy.Decision{}, strategy.Allowed(tool, tt.layers...), tool)
			}
		})
	}
}

func TestAllowedBoundsNames(t *testing.T) {
	d := strategy.Allowed(strings.Repeat("a-", 1<<20), strategy.ToolRules{"*": {"*": true}})
	require.Equal(t, strategy.Decision{Known: true}, d)
}

// What decided is named by its patterns, as the strategy wrote them.
func TestAllowedNamesItsRule(t *testing.T) {
	d := strategy.Allowed("mcp__fs__rm", strategy.ToolRules{"*": {"*": true}, "FS": {"rm": false}})
	require.Equal(t, strategy.Decision{Known: true, Plugin: "FS", Func: "rm"}, d)
}
