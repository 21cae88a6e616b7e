package parse_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
)

func TestBoxes(t *testing.T) {
	var data []byte
	data = parse.AppendBoxes(data, parse.BoxedPage{Page: 1, X0: -3, X1: 612, Y1: 792, Rotate: 90, Boxes: []parse.Box{
		{X0: 72, Y0: 700, X1: 100.5, Y1: 712, Start: 0, End: 3}, {X0: 104, Y0: 700, X1: 130, Y1: 712, Start: 4, End: 7},
	}})
	data = parse.AppendBoxes(data, parse.BoxedPage{Page: 2, X1: 612, Y1: 792})
	data = parse.AppendBoxes(data, parse.BoxedPage{Page: 3, Boxes: []parse.Box{{X0: 10, Y0: -5, X1: 20, Y1: 3, Start: 2, End: 5}}})
	d := parse.Document{Text: "one two\n\n..six", WordBoxes: data, Sections: []parse.Section{
		{Kind: parse.Page, Number: 1, Start: 0, End: 7}, {Kind: parse.Page, Number: 2, Start: 7, End: 7}, {Kind: parse.Page, Number: 3, Start: 9, End: 14},
	}}
	two := parse.Box{Page: 1, X0: 104, Y0: 700, X1: 130, Y1: 712, Start: 4, End: 7}
	six := parse.Box{Page: 3, X0: 10, Y0: -5, X1: 20, Y1: 3, Start: 11, End: 14}
	require.Equal(t, []parse.Box{two, six}, d.Boxes(6, 12), "what overlaps by a byte")
	require.Empty(t, d.Boxes(3, 4), "between words")
	require.Len(t, d.Boxes(0, len(d.Text)), 3)
	require.Equal(t, []parse.BoxedPage{{Page: 1, X0: -3, X1: 612, Y1: 792, Rotate: 90, End: 7, Boxes: []parse.Box{two}}}, d.BoxedPages(5, 9))

	coded, err := json.Marshal(d)
	require.NoError(t, err)
	var again parse.Document
	require.NoError(t, json.Unmarshal(coded, &again))
	require.Equal(t, d.Boxes(0, 14), again.Boxes(0, 14))
	require.Len(t, parse.PageBoxes(data), 2)
}

func FuzzBoxes(f *testing.F) {
	f.Add(parse.AppendBoxes(nil, parse.BoxedPage{Page: 1, Boxes: []parse.Box{{X0: 72, Y0: 700, X1: 100, Y1: 712, Start: 0, End: 3}}}), 0, 9)
	f.Add([]byte{1, 255, 255, 255, 255, 15}, 0, 4)
	f.Fuzz(func(t *testing.T, data []byte, start, end int) {
		d := parse.Document{WordBoxes: data, Sections: []parse.Section{{Kind: parse.Page, Number: 1, Start: 2, End: 50}}}
		for _, b := range d.Boxes(start, end) {
			if b.Start < 2 || b.End > 50 || b.End < b.Start || b.Page != 1 {
				t.Fatalf("%+v", b)
			}
		}
	})
}
