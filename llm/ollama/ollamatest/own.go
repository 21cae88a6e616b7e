package ollamatest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Own starts a real server that the test may kill, with the tiny models in it,
// and skips the test when there is no program of one.
func Own(tb testing.TB) (base string, kill func()) {
	tb.Helper()
	program, home := Program(tb), tb.TempDir()
	l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	host := l.Addr().String()
	require.NoError(tb, l.Close())
	cmd := exec.Command(program, "serve") //nolint:noctx // killed below
	cmd.Env = append(os.Environ(), "HOME="+home, "OLLAMA_HOST="+host, "OLLAMA_MODELS="+home+"/models", "OLLAMA_NOPRUNE=1", "OLLAMA_NO_CLOUD=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its runners die with it
	require.NoError(tb, cmd.Start())
	killed := false
	kill = func() {
		if !killed {
			killed = true
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		}
	}
	tb.Cleanup(kill)
	base = "http://" + host
	require.Eventually(tb, func() bool { return Import(tb.Context(), base) == nil }, 30*time.Second, 50*time.Millisecond)
	return base, kill
}

// FreeAfter runs leave, which asks [Endless] and goes away in the middle of the
// answer, and again, which must get an answer then. Each time they have a server
// of their own: Ollama v0.24.0 may lose the model's slot for good when its client
// goes while it hands on a word (its handler waits to send to a stream that nobody
// reads any more), one time in some forty. What happens three times in a row is
// no accident.
func FreeAfter(t *testing.T, leave func(base string), again func(ctx context.Context, base string) error) {
	t.Helper()
	var err error
	for range 3 {
		base, kill := Own(t)
		leave(base)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		err = again(ctx, base)
		cancel()
		kill()
		if err == nil {
			return
		}
		t.Logf("not free after its client left: %v", err)
	}
	require.NoError(t, err)
}
