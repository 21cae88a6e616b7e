package olefile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/olefile"
	"inlay/parse/parsetest"
)

func TestRead(t *testing.T) {
	long := strings.Repeat("0123456789", 200)
	data := parsetest.OLE(t, "WordDocument", long, "Pool/_1/Contents", "inner", "Empty", "")
	require.True(t, strings.HasPrefix(string(data), olefile.Magic))
	f, err := olefile.Open(data)
	require.NoError(t, err)
	require.Equal(t, []string{"Empty", "Pool/_1/Contents", "WordDocument"}, f.Names())
	got, whole := f.Read("WORDDOCUMENT")
	require.True(t, whole)
	require.Equal(t, long, string(got))
	got, _ = f.Read("Pool/_1/Contents")
	require.Equal(t, "inner", string(got))
	got, whole = f.Read("nothing")
	require.True(t, whole)
	require.Nil(t, got)
	require.False(t, f.Has("Contents"))
}

func TestDamaged(t *testing.T) {
	data := parsetest.OLE(t, "WordDocument", strings.Repeat("x", 3000))
	_, err := olefile.Open(data[:700])
	require.True(t, fault.Is(err, fault.Corrupt), "%v", err)
	f, err := olefile.Open(data[:len(data)-1024])
	require.NoError(t, err)
	got, whole := f.Read("WordDocument")
	require.False(t, whole)
	require.Less(t, len(got), 3000)
}

// FuzzOpen opens any bytes and reads every stream: none gives more than the file has.
func FuzzOpen(f *testing.F) {
	f.Add(parsetest.OLE(f, "WordDocument", "x", "a/b", strings.Repeat("y", 1000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := olefile.Open(data)
		if err != nil {
			return
		}
		for _, name := range c.Names() {
			got, _ := c.Read(name)
			require.LessOrEqual(t, len(got), len(data))
		}
	})
}
