package pdf

import (
	"strings"
	"unicode"

	lib "github.com/ledongthuc/pdf"
)

// Bounds of the tree of bookmarks.
const (
	maxBookmarks     = 5000
	maxBookmarkDepth = 8
)

// bookmarks returns the titles of a document's bookmarks with their levels from 1,
// each by its letters and digits.
func (d *document) bookmarks() map[string]int {
	out := map[string]int{}
	left := maxBookmarks
	_ = guard(func() error { // damaged ones are as good as none
		d.addBookmarks(out, d.reader.Trailer().Key("Root").Key("Outlines").Key("First"), 1, &left)
		return nil
	})
	return out
}

func (d *document) addBookmarks(out map[string]int, v lib.Value, level int, left *int) {
	for ; v.Kind() == lib.Dict && *left > 0; v = v.Key("Next") {
		*left--
		d.charge(4)
		if title := titleKey(v.Key("Title").Text()); title != "" && out[title] == 0 {
			out[title] = level
		}
		if level < maxBookmarkDepth {
			d.addBookmarks(out, v.Key("First"), level+1, left)
		}
	}
}

// titleKey is a title by which bookmarks and lines are compared.
func titleKey(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
