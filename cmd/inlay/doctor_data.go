package main

// The checks of inlay doctor that look at the data folder.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"inlay/internal/durable"
	"inlay/internal/plural"
	"inlay/internal/state/sqlite"
	"inlay/internal/wire"
)

const noData = "no --data: the service is not set up"

// statePath is where the service's state lies.
func (s dataSettings) statePath() string { return filepath.Join(s.Data, stateFile) }

// served reports whether a server works in the data folder. It takes the lock
// for a moment to know.
func (s dataSettings) served() bool {
	path := filepath.Join(s.Data, "serve.lock")
	if _, err := os.Stat(path); err != nil {
		return false
	}
	release, ok, err := durable.TryExclude(path)
	if ok {
		release()
	}
	return err == nil && !ok
}

// lookData looks at the folder and the state in it.
func lookData(ctx context.Context, e *examination) []finding {
	if e.Data == "" {
		return left(noData)
	}
	info, err := os.Stat(e.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return lookParent(e.Data)
	}
	if err == nil && !info.IsDir() {
		return bad(e.Data+" is not a folder", "name another one with --data")
	}
	if err == nil {
		err = writable(e.Data)
	}
	if err != nil {
		return ofError(durable.Explain(e.Data, err), "give the service's user the folder")
	}
	out := lookState(ctx, e)
	if info.Mode().Perm()&0o077 != 0 {
		out = append(out, finding{Verdict: worry, Found: fmt.Sprintf("others can look into %s (%v)", e.Data, info.Mode().Perm()), Next: "chmod 700 " + e.Data})
	}
	return out
}

// lookParent is for a folder that serve will make.
func lookParent(dir string) []finding {
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		_, err := os.Stat(parent)
		if errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent) {
			continue
		}
		if err == nil {
			err = writable(parent)
		}
		if err != nil {
			return ofError(durable.Explain(dir, err), "make the folder and give it to the service's user")
		}
		return fine("%s is not there yet; serve makes it", dir)
	}
}

// writable writes a file and removes it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("inlay doctor")
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}

func lookState(ctx context.Context, e *examination) []finding {
	i, err := sqlite.Inspect(ctx, e.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return fine("%s can be written; nothing is kept in it yet", e.Data)
	}
	if err != nil {
		return ofError(err, "restore it from a backup")
	}
	use := "no server works in it"
	if e.served() {
		use = "a server works in it"
	}
	version := fmt.Sprintf("schema %d", i.Version)
	if i.Version < i.Known {
		version += fmt.Sprintf(", serve brings it up to %d", i.Known)
	}
	return fine("%s can be written, the state is sound (%s, %s), %s", e.Data, version, plural.Of(i.Files, "file"), use)
}

// Free room below which the doctor warns, and below which it calls it a failure.
const (
	littleRoom = 1 << 30
	noRoom     = 64 << 20
)

func lookDisk(_ context.Context, e *examination) []finding {
	if e.Data == "" {
		return left(noData)
	}
	dir := e.Data
	for _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
		dir = filepath.Dir(dir)
	}
	free, ok := durable.Free(dir)
	if !ok {
		return left("free room cannot be known here")
	}
	room := fmt.Sprintf("%.1f GiB free", float64(free)/(1<<30))
	switch {
	case free < noRoom:
		return bad(room, "make room, or name a folder on another disk with --data")
	case free < littleRoom:
		return []finding{{Verdict: worry, Found: room, Next: "make room soon; a key keeps up to --max-total, the cache takes up to 2 GiB"}}
	}
	return fine("%s", room)
}

// lookCache opens the service's cache, else that of --store.
func lookCache(_ context.Context, e *examination) []finding {
	dir := e.Store
	if e.Data != "" {
		dir = filepath.Join(e.Data, "cache")
	}
	if dir == "" {
		return left("no --store: nothing is kept between questions")
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fine("%s is not there yet", dir)
	}
	if _, err := wire.OpenStore(dir); err != nil {
		return ofError(err, "remove "+dir+": all in it can be made again")
	}
	return fine("%s can be used", dir)
}

// lookKeys compares the keys with who can call.
func lookKeys(ctx context.Context, e *examination) []finding {
	if e.Data == "" {
		return left(noData)
	}
	i, err := sqlite.Inspect(ctx, e.statePath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ofError(err, "see the check of data")
	}
	next := "inlay keys make NAME --data " + e.Data
	switch {
	case i.Keys > 0:
		return fine("%s", plural.Of(i.Keys, "good key"))
	case i.Ever:
		return bad("all keys are revoked: nobody can call", next)
	case !isLoopback(e.Addr):
		return bad("others than this computer can reach "+e.Addr+", and there is no key", next)
	}
	return fine("none, and none is needed: only this computer reaches %s", e.Addr)
}

// lookClock compares the clock with what was kept, and with the past.
func lookClock(ctx context.Context, e *examination) []finding {
	now := time.Now()
	if now.Year() < 2026 {
		return bad("it is "+now.UTC().Format(time.RFC3339)+" by this computer's clock", "set the clock: certificates and records depend on it")
	}
	if e.Data != "" {
		i, err := sqlite.Inspect(ctx, e.statePath())
		if err == nil && i.Newest.After(now.Add(time.Minute)) {
			return []finding{{
				Verdict: worry, Found: "the newest record is from " + i.Newest.Format(time.RFC3339) + ", which is yet to come: the clock was set back",
				Next: "set the clock; the order of lists does not depend on it",
			}}
		}
	}
	return fine("%s", strings.TrimSuffix(now.UTC().Format(time.RFC3339), "Z")+" UTC")
}
