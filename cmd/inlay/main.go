// Command inlay injects the right part of your documents into a prompt: it
// measures the model's context window, decides whether attached files go in
// whole or as cited passages, and says why.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"inlay/internal/lazy"
)

func main() {
	lazy.Collect(os.Getenv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(exitCode(err))
}
