package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/llm/ollama/ollamatest"
)

// codexConfig is what docs/clients.md says for Codex.
const codexConfig = `model = %q
model_provider = "inlay"
model_context_window = 32768
web_search = "disabled"

[model_providers.inlay]
name = "inlay"
base_url = "%s/v1"
wire_api = "responses"
env_key = "INLAY_KEY"

[analytics]
enabled = false
`

// codex has the agent Codex do a task: it reads a file by a command of its own,
// and answers.
func codex(t *testing.T, address string) []string {
	t.Helper()
	args := []string{"codex"}
	if os.Getenv(ollamatest.URLVariable) == "" {
		args = []string{"-n", "codex"} // large: installed beside a real server of models
	}
	program := filepath.Join(installed(t, args...), "node_modules", ".bin", "codex")
	home, work := t.TempDir(), clientFolder(t)
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.toml"), fmt.Appendf(nil, codexConfig, ollamatest.Caller, address), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), waitFor)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "exec", "--json", "--skip-git-repo-check", "--sandbox", "danger-full-access", "How many days of leave? See notes.md.")
	cmd.Dir, cmd.WaitDelay = work, 10*time.Second
	cmd.Env = append(os.Environ(), "CODEX_HOME="+home, "INLAY_KEY=any", "HOME="+home, "no_proxy=127.0.0.1", "OTEL_SDK_DISABLED=true")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
	require.Contains(t, string(out), ollamatest.Answer)
	require.Contains(t, string(out), "twenty days of leave", "the command ran")
	return []string{"responses stream", "responses tools"}
}
