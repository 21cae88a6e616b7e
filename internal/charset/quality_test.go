package charset_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/charset"
)

// TestIconv measures detection on texts that iconv encoded: each language of
// testdata/languages.txt (the first articles of the Universal Declaration of
// Human Rights) in each encoding named there, as a long text, a short one, and
// a few words among lines of plain ASCII. Right means: the same characters back.
func TestIconv(t *testing.T) {
	iconv, err := exec.LookPath("iconv")
	if err != nil {
		t.Skip("iconv is not installed")
	}
	data, err := os.ReadFile("testdata/languages.txt")
	require.NoError(t, err)
	right, total := 0, 0
	for entry := range strings.SplitSeq(string(data), "\n\n") {
		names, text, _ := strings.Cut(strings.TrimSpace(entry), "\n")
		fields := strings.Fields(names)
		runes := []rune(text)
		half := string(runes[:len(runes)/2])
		ascii := strings.Repeat("id = 17; status = ok\n", 20)
		for _, encoding := range fields[1:] {
			for shape, text := range map[string]string{"long": text + "\n" + text, "short": half, "mixed": ascii + half + "\n" + ascii} {
				cmd := exec.CommandContext(t.Context(), iconv, "-f", "utf-8", "-t", encoding)
				cmd.Stdin = strings.NewReader(text)
				encoded, err := cmd.Output()
				require.NoError(t, err, "%s %s", fields[0], encoding)
				total++
				if got := charset.Decode(encoded, ""); got.Text == text {
					right++
				} else {
					t.Logf("%s in %s, %s: taken for %s", fields[0], encoding, shape, got.Charset)
				}
			}
		}
	}
	t.Logf("%d of %d right: %.3f", right, total, float64(right)/float64(total))
	require.GreaterOrEqual(t, float64(right)/float64(total), .95)
}
