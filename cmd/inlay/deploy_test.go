package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"inlay/options"
)

// TestDeploy: what the image, the unit and the Compose file tell the command
// are things that it knows.
func TestDeploy(t *testing.T) {
	parser, err := kong.New(&cli{}, kong.PostBuild(fillFlags), kong.Vars{"version": version}, kong.Bind(&app{}), kong.Exit(func(int) {}))
	require.NoError(t, err)
	var known []string
	for _, command := range parser.Model.Children {
		for _, f := range command.Flags {
			known = append(known, options.EnvName(f.Name))
		}
	}
	variable := regexp.MustCompile(`INLAY_[A-Z_]+`)
	texts := map[string]string{}
	for _, name := range []string{"Dockerfile", "deploy/compose.yaml", "deploy/inlay.service"} {
		data, err := os.ReadFile("../../" + name)
		require.NoError(t, err)
		texts[name] = string(data)
		for _, v := range variable.FindAllString(texts[name], -1) {
			require.True(t, slices.Contains(known, v) || v == "INLAY_UPSTREAM_KEY_NAME", "%s in %s", v, name)
		}
	}
	parses := func(words []string) {
		require.Equal(t, "/usr/local/bin/inlay", words[0])
		_, err := parser.Parse(words[1:])
		require.NoError(t, err, words)
	}
	for _, line := range regexp.MustCompile(`(?:HEALTHCHECK .* )CMD (\[.*\])`).FindAllStringSubmatch(texts["Dockerfile"], -1) {
		var words []string
		require.NoError(t, json.Unmarshal([]byte(line[1]), &words))
		parses(words)
	}
	parses(strings.Fields(regexp.MustCompile(`ExecStart=(.*)`).FindStringSubmatch(texts["deploy/inlay.service"])[1]))

	var compose struct {
		Services map[string]struct {
			Environment map[string]string
			Volumes     []string
			DependsOn   []string `yaml:"depends_on"`
		}
		Volumes map[string]any
	}
	require.NoError(t, yaml.Unmarshal([]byte(texts["deploy/compose.yaml"]), &compose))
	_, upstream, _ := strings.Cut(compose.Services["inlay"].Environment["INLAY_UPSTREAM"], "=ollama:http://")
	host, _, _ := strings.Cut(upstream, ":")
	require.Contains(t, compose.Services, host)
	for name, service := range compose.Services {
		for _, volume := range service.Volumes {
			kept, _, _ := strings.Cut(volume, ":")
			require.Contains(t, compose.Volumes, kept, name)
		}
		for _, other := range service.DependsOn {
			require.Contains(t, compose.Services, other)
		}
	}
}
