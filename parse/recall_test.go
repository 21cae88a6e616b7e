package parse_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/refdata"
	"inlay/parse"
)

// readers are the Debian programs that read an old format, with the options that
// make them write all text as UTF-8.
func readers() map[string][][]string {
	return map[string][][]string{
		"doc": {{"antiword", "-m", "UTF-8.txt", "-w", "0"}, {"catdoc", "-w", "-dutf-8"}},
		"xls": {{"xls2csv", "-dutf-8"}},
		"ppt": {{"catppt", "-dutf-8"}},
		"msg": {{"msgconvert", "--outfile", "-"}},
	}
}

// leastWords is what a reader must give to be compared with: catppt gives only the
// name of the design of most files.
const leastWords = 20

// TestLegacyRecall measures old Office files against those programs: the share of
// the better one's distinct words with a letter. Files that are locked must be named
// so.
func TestLegacyRecall(t *testing.T) {
	root := refdata.Path(t, "documents", "legacy")
	r := everything(t)
	for kind, programs := range readers() {
		t.Run(kind, func(t *testing.T) {
			files, both, sum, locked := 0, 0, 0.0, 0
			paths, err := filepath.Glob(filepath.Join(root, kind, "*"))
			require.NoError(t, err)
			for _, path := range paths {
				files++
				f, err := parse.ReadFile(t.Context(), path, parse.Limits{})
				require.NoError(t, err)
				d, err := r.Parse(t.Context(), f, nil)
				if err != nil {
					requireExplained(t, err)
					if fault.Is(err, fault.PasswordRequired) {
						locked++
					}
					continue
				}
				if p, err := r.Lookup(f); err != nil || p.Info().Name != kind {
					continue // it is of another format than its name says
				}
				best, compared := -1.0, false
				var lost []string
				for _, program := range programs {
					theirs := told(t, r, program, path)
					if len(theirs) < leastWords {
						continue
					}
					compared = true
					ours := letterWords(d.Text)
					if s := share(theirs, ours); s > best {
						best, lost = s, lacking(theirs, ours)
					}
				}
				if !compared {
					continue
				}
				both++
				sum += best
				if best < .98 {
					t.Logf("%s: %.3f, missing %v", filepath.Base(path), best, lost[:min(len(lost), 10)])
				}
			}
			t.Logf("%d files, %d locked, %d read by both: recall %.4f", files, locked, both, sum/float64(max(both, 1)))
			if both > 0 {
				require.GreaterOrEqual(t, sum/float64(both), .98)
			}
		})
	}
}

// told is what a program reads of a file; nil if it fails or is not there.
func told(t *testing.T, r *parse.Registry, program []string, path string) map[string]bool {
	t.Helper()
	if _, err := exec.LookPath(program[0]); err != nil {
		t.Skipf("%s is not installed: scripts/install-legacy-readers", program[0])
	}
	cmd := exec.CommandContext(t.Context(), program[0], append(slices.Clone(program[1:]), path)...) //nolint:gosec // the programs above
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	if program[0] != "msgconvert" {
		return letterWords(string(out))
	}
	d, err := r.Parse(t.Context(), parse.File{Name: "a.eml", Data: out}, nil)
	if err != nil {
		return nil
	}
	return letterWords(d.Text)
}

// letterWords are the distinct words of a text that have a letter.
func letterWords(text string) map[string]bool {
	found := map[string]bool{}
	programs := []string{"attachment", "error", "hyperlink", "pic", "macrobutton", "numpages", "arabic", "seq", "mergeformat", "page"} // words of the readers' own
	text = regexp.MustCompile(`(?i)/o=[^>\n]*`).ReplaceAllString(text, " ")                                                            // addresses inside an Exchange server
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.ContainsFunc(w, unicode.IsLetter) && !slices.Contains(programs, w) {
			found[w] = true
		}
	}
	return found
}

// lacking lists the words that are not there.
func lacking(want, got map[string]bool) []string {
	var lost []string
	for _, w := range slices.Sorted(maps.Keys(want)) {
		if !got[w] {
			lost = append(lost, w)
		}
	}
	return lost
}

// share is how many of the wanted words there are.
func share(want, got map[string]bool) float64 {
	n := 0
	for w := range want {
		if got[w] {
			n++
		}
	}
	return float64(n) / float64(max(len(want), 1))
}
