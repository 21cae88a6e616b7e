package injection_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/injection"
)

func TestWhere(t *testing.T) {
	for want, c := range map[string]chat.Citation{
		"":                                 {},
		"line 7":                           {LineStart: 7, LineEnd: 7},
		"page 3, lines 10-14":              {Page: 3, LineStart: 10, LineEnd: 14},
		"pages 9-10, lines 1-90":           {Page: 9, PageEnd: 10, LineStart: 1, LineEnd: 90},
		"slides 2-3, lines 4-5":            {Slide: 2, SlideEnd: 3, LineStart: 4, LineEnd: 5},
		`sheet "Orders", rows 1236-1240`:   {Sheet: "Orders", RowStart: 1236, RowEnd: 1240, LineStart: 1238, LineEnd: 1242},
		"row 5":                            {RowStart: 5, RowEnd: 5, LineStart: 9, LineEnd: 9},
		"time 0:01:02-0:01:05":             {TimeStart: "0:01:02", TimeEnd: "0:01:05", LineStart: 3, LineEnd: 3},
		`in "offer.pdf", page 2, line 1`:   {Part: "offer.pdf", Page: 2, LineStart: 1, LineEnd: 1},
		`in "a\nb", sheet "\"x\"", line 1`: {Part: "a\nb", Sheet: `"x"`, LineStart: 1, LineEnd: 1},
	} {
		require.Equal(t, want, injection.Where(c))
	}
}
