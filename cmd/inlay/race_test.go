//go:build race

package main

// raced says that the race detector watches, under which compiling PDFium takes a minute.
const raced = true
