//go:build race

package pdf

// raced says that the race detector watches, under which compiling PDFium takes a minute.
const raced = true
