package zipfile_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse/zipfile"
)

// archive makes a zip whose entries hold that many zero bytes each.
func archive(t *testing.T, sizes ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, size := range sizes {
		f, err := w.Create(fmt.Sprintf("dir/%d", i))
		require.NoError(t, err)
		_, err = f.Write(make([]byte, size))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestLimits(t *testing.T) {
	wide := zipfile.Limits{Entries: 10, Entry: 1 << 30, Total: 1 << 30, Ratio: 1 << 30}
	tests := map[string]struct {
		limits zipfile.Limits
		sizes  []int
		ok     bool
	}{
		"fits":                     {wide, []int{1000, 1000}, true},
		"entry":                    {zipfile.Limits{Entries: 10, Entry: 999, Total: 1 << 30, Ratio: 1 << 30}, []int{1000}, false},
		"total":                    {zipfile.Limits{Entries: 10, Entry: 1000, Total: 1999, Ratio: 1 << 30}, []int{1000, 1000}, false},
		"entries":                  {zipfile.Limits{Entries: 1, Entry: 1000, Total: 2000, Ratio: 1 << 30}, []int{1, 1}, false},
		"ratio":                    {zipfile.Limits{Entries: 10, Entry: 1 << 30, Total: 1 << 30, Ratio: 100}, []int{65 << 20}, false},
		"small ratio is no matter": {zipfile.Limits{Entries: 10, Entry: 1 << 30, Total: 1 << 30, Ratio: 2}, []int{1 << 20}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a, err := zipfile.Open(archive(t, tt.sizes...), tt.limits)
			for i := 0; err == nil && i < len(tt.sizes); i++ {
				_, err = a.Read(fmt.Sprintf("/dir/%d", i))
			}
			if tt.ok {
				require.NoError(t, err)
				return
			}
			require.True(t, fault.Is(err, fault.LimitExceeded), "%v", err)
		})
	}
}

func TestReadMissingAndDamaged(t *testing.T) {
	limits := zipfile.Limits{Entries: 10, Entry: 1 << 20, Total: 1 << 20, Ratio: 100}
	data := archive(t, 5000)
	a, err := zipfile.Open(data, limits)
	require.NoError(t, err)
	require.Equal(t, []string{"dir/0"}, a.Names())
	require.True(t, a.Has(`dir\0`))
	_, err = a.Read("nothing")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = zipfile.Open(data[:len(data)-30], limits)
	require.True(t, fault.Is(err, fault.Corrupt), "%v", err)
	copy(data[40:], "\xff\xff\xff\xff")
	a, err = zipfile.Open(data, limits)
	require.NoError(t, err)
	_, err = a.Read("dir/0")
	require.True(t, fault.Is(err, fault.Corrupt), "%v", err)
}
