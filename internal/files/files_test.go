package files

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNamesOfFiles never lead anywhere.
func TestNamesOfFiles(t *testing.T) {
	for name, want := range map[string]string{"a.txt": "a.txt", "../../etc/passwd": "passwd", `C:\x\b.pdf`: "b.pdf", "": "", "..": "", "a\x00b": "", "\xff": "", strings.Repeat("x", 300): ""} {
		got, err := cleanName(name)
		require.Equal(t, want, got)
		require.Equal(t, want == "", err != nil, name)
	}
}
