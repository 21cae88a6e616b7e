//go:build race

package main

// raced says that the race detector watches, under which a command takes ten times as long.
const raced = true
