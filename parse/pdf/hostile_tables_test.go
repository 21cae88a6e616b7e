package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/pdf"
)

// TestTablesOfTooMuch reads pages that would cost the square of their size, or
// more, if tables were looked for without bounds: each is read, or is over a limit.
func TestTablesOfTooMuch(t *testing.T) {
	var rows, grids, words, rules, cell strings.Builder
	for i := range 20_000 { // rows of two columns, with too many words for a table
		fmt.Fprintf(&rows, "1 0 0 1 0 %g Tm (a b c d e f g h i j k l) Tj 1 0 0 1 300 %g Tm (a b c d e f g h i j k l) Tj ", 700-float64(i)/100, 700-float64(i)/100)
	}
	for i := range 1000 {
		fmt.Fprintf(&grids, "%d %d m %d %d l %d %d m %d %d l S ", i, i%700, i+9, i%700, i, i%700, i, i%700+9)
	}
	for i := range 100_000 { // one row of as many columns
		fmt.Fprintf(&words, "1 0 0 1 %g 700 Tm (a) Tj ", float64(i)/200)
	}
	for i := range 2000 {
		fmt.Fprintf(&rules, "0 %d m 9000 %d l %d 0 m %d 9000 l ", i*5, i*5, i*5, i*5)
	}
	for i := range 60_000 { // one cell of many heights
		fmt.Fprintf(&cell, "1 0 0 1 20 %g Tm (a) Tj ", float64(i)/100)
	}
	for name, content := range map[string]string{
		"rows":  "BT /F1 .005 Tf " + rows.String() + "ET",
		"grids": grids.String() + "BT /F1 8 Tf " + words.String() + "ET",
		"words": "BT /F1 .001 Tf " + words.String() + "ET",
		"rules": rules.String() + "S BT /F1 .001 Tf " + words.String() + "ET",
		"cell":  "0 0 600 600 re 300 0 m 300 600 l S BT /F1 .005 Tf " + cell.String() + "ET",
	} {
		_, err := pdf.Parser{}.Parse(t.Context(), parse.File{Name: name, Data: texts(content)}, nil)
		if err != nil {
			require.True(t, fault.Is(err, fault.LimitExceeded), "%s: %v", name, err)
		}
	}
}
