package wordlist

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	files := fstest.MapFS{"words/en.txt": {Data: []byte("# comment\n[please]\r\nplease\r\ncould you \n\n[documents]\nfiles?\n[please]\nkindly\n")}}
	require.Equal(t, map[string][]string{"please": {"please", "could you ", "kindly"}, "documents": {"files?"}}, Read(files, "words/en.txt"))
	require.Panics(t, func() { Read(files, "words/xx.txt") })
}
