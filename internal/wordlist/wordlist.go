// Package wordlist reads the embedded files of words and phrases: a line
// "[name]" begins a list, every other line is an entry of it, and lines that
// begin with # are comments.
package wordlist

import (
	"io/fs"
	"strings"
)

// Read returns the entries of a file by the names of their lists, in the file's
// order. The file is embedded in the program, so a missing one is a bug: it
// panics.
func Read(files fs.FS, name string) map[string][]string {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err)
	}
	return parse(string(data))
}

func parse(data string) map[string][]string {
	lists := map[string][]string{}
	section := ""
	for line := range strings.Lines(data) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			section = strings.Trim(line, "[]")
		default:
			lists[section] = append(lists[section], line)
		}
	}
	return lists
}
