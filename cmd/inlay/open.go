package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"inlay/internal/keys"
	"inlay/internal/service"
	"inlay/internal/state"
	"inlay/internal/wire"
)

// openCmd is the service for one person at this computer, and its page.
type openCmd struct {
	serveCmd
	NoBrowser bool     `help:"Print the address and open no browser."`
	Files     []rawArg `arg:"" optional:"" name:"file" help:"Files, folders, globs and web addresses to ask about."`
}

// Run serves the page until ctx ends. Only who has the address with its secret is let in.
func (c *openCmd) Run(ctx context.Context, a *app) error {
	c.Data = wire.DataDir(c.Data, a.getenv)
	secret := keys.Prefix + strings.ToLower(rand.Text()+rand.Text())
	return c.run(ctx, a, opening{secret: secret, quiet: true, ready: func(s *service.Service, address string) error {
		ids, err := c.upload(ctx, a, s)
		if err != nil {
			return err
		}
		return c.show(ctx, a, pageAddress(address, secret, ids))
	}})
}

// upload makes uploads of what the user named.
func (c *openCmd) upload(ctx context.Context, a *app, s *service.Service) (ids []string, err error) {
	for _, name := range c.Files {
		files, notes, err := a.read(ctx, string(name))
		if err != nil {
			return nil, err
		}
		for _, note := range notes {
			_, _ = fmt.Fprintln(a.stderr, note)
		}
		for _, f := range files {
			in, err := s.Receive(ctx, f.Name, bytes.NewReader(f.Data), c.MaxFile)
			if err != nil {
				return nil, err
			}
			made, err := s.Accept(ctx, state.Local, "user_data", in)
			in.Discard()
			if err != nil {
				return nil, err
			}
			ids = append(ids, made.ID)
		}
	}
	return ids, nil
}

// pageAddress has what the page needs after the #, which browsers send to no server.
func pageAddress(address, secret string, ids []string) string {
	to := address + "/#key=" + secret
	if len(ids) > 0 {
		to += "&files=" + strings.Join(ids, ",")
	}
	return to
}

// show prints the address and opens it in the browser.
func (c *openCmd) show(ctx context.Context, a *app, address string) error {
	_, err := fmt.Fprintf(a.stdout, "inlay is open at %s\nCtrl-C ends it.\n", address)
	if err != nil || c.NoBrowser {
		return err
	}
	name, args := browserCommand(runtime.GOOS, a.getenv)
	if name == "" {
		return nil
	}
	if err := exec.CommandContext(ctx, name, append(args, address)...).Start(); err != nil {
		_, _ = fmt.Fprintln(a.stderr, "No browser could be opened: open the address in one.")
	}
	return nil
}

// browserCommand opens an address in the user's browser; empty where there is no screen.
func browserCommand(system string, getenv func(string) string) (name string, args []string) {
	switch system {
	case "darwin":
		return "open", nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return "", nil
	}
	return "xdg-open", nil
}
