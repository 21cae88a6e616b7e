package intent

import (
	"strings"

	"inlay/internal/lazy"
)

// What must stay in the intent (INT-1): addresses of pages, and names of files.
var (
	address = lazy.Regexp(`(?i)\b(?:https?|ftp|file)://[^\s<>"'` + "`" + `)\]}]+`)
	named   = lazy.Regexp(`(?i)\b[\w-]{2,64}\.(?:pdf|docx?|xlsx?|pptx?|odt|rtf|epub|csv|tsv|json|jsonl|ya?ml|xml|html?|md|txt|log|eml|py|go|js|ts|java|c|cpp|h|rs|rb|php|sql|sh|ipynb|zip|png|jpe?g)\b`)
)

// longest is the bytes from which an address counts as pasted content itself.
const longest = 600

// references are the addresses and file names of a text, without the
// punctuation that follows them.
func references(text string) []string {
	var out []string
	for _, url := range address().FindAllString(text, -1) {
		if len(url) < longest {
			out = append(out, strings.TrimRight(url, ".,;:!?*_"))
		}
	}
	return append(out, named().FindAllString(address().ReplaceAllString(text, " "), -1)...)
}
