package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"inlay/library"
)

// shelfView shows the progress of reading a library on stderr: one line that is
// written over on a terminal, a line from time to time elsewhere.
type shelfView struct {
	w     io.Writer
	quiet bool
	live  bool
	every time.Duration // between lines elsewhere than on a terminal
	last  time.Time
	drawn bool
}

func newShelfView(w io.Writer, quiet bool) *shelfView {
	f, ok := w.(*os.File)
	return &shelfView{w: w, quiet: quiet, every: plainEvery, live: ok && term.IsTerminal(int(f.Fd()))}
}

// How often a line is written: where nothing can be written over, and on a terminal.
const (
	plainEvery = 5 * time.Second
	liveEvery  = 100 * time.Millisecond
)

// show takes how far reading has come.
func (v *shelfView) show(p library.Progress) {
	if v.quiet || !v.due(p) {
		return
	}
	v.last = time.Now()
	line := shelfLine(p)
	if v.live {
		line = "\r\x1b[K" + line
	} else {
		line += "\n"
	}
	v.drawn = true
	_, _ = io.WriteString(v.w, line)
}

// due reports whether it is time for a line. Elsewhere than on a terminal, what is
// done at once needs none, and neither does the end, which the summary reports.
func (v *shelfView) due(p library.Progress) bool {
	if v.live {
		return time.Since(v.last) >= liveEvery || p.Total > 0 && p.Files == p.Total
	}
	if v.last.IsZero() {
		v.last = time.Now()
	}
	return p.Total > 0 && p.Files < p.Total && time.Since(v.last) >= v.every
}

func shelfLine(p library.Progress) string {
	if p.Looking {
		return "looking at the folders ..."
	}
	line := fmt.Sprintf("%d of %d files, %s of %s, %s/s", p.Files, p.Total, megabytes(p.Bytes), megabytes(p.TotalBytes), megabytes(int64(p.Rate())))
	if left := p.Left(); left > 0 && p.Files < p.Total {
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return line + fmt.Sprintf("; %d kept", p.Kept)
}

// close ends the line.
func (v *shelfView) close() {
	if v.live && v.drawn {
		_, _ = io.WriteString(v.w, "\r\x1b[K")
	}
}
