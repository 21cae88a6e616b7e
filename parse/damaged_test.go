package parse_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/refdata"
	"inlay/parse"
)

// TestDamagedLegacy reads 1,000 damaged copies of real files of each old format (100
// with -short): up to forty bytes turned, one in four cut. The copies are the same in
// every run. Each ends as a sound document or a named error, and no parser panics.
func TestDamagedLegacy(t *testing.T) {
	root := refdata.Path(t, "documents", "legacy")
	r := everything(t)
	copies := 1000
	if testing.Short() {
		copies = 100
	}
	for _, kind := range []string{"doc", "ppt", "xls", "xlsb", "msg", "fb2"} {
		t.Run(kind, func(t *testing.T) {
			paths, err := filepath.Glob(filepath.Join(root, kind, "*"))
			require.NoError(t, err)
			turn := rand.New(rand.NewPCG(5, uint64(len(paths)))) //nolint:gosec // it need not be secret
			for i := range copies {
				data, err := os.ReadFile(paths[i%len(paths)])
				require.NoError(t, err)
				if i%4 == 0 {
					data = data[:1+turn.IntN(len(data))]
				}
				for range 1 + turn.IntN(40) {
					data[turn.IntN(len(data))] = byte(turn.Uint32()) //nolint:gosec // any byte
				}
				d, err := r.Parse(t.Context(), parse.File{Name: filepath.Base(paths[i%len(paths)]), Data: data}, nil)
				if err == nil {
					requireSound(t, d)
					continue
				}
				requireExplained(t, err)
				require.NotContains(t, err.Error(), " failed on it") // a panic
			}
		})
	}
}
