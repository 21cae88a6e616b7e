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
	last  time.Time
	drawn bool
	said  bool
}

func newShelfView(w io.Writer, quiet bool) *shelfView {
	f, ok := w.(*os.File)
	return &shelfView{w: w, quiet: quiet, live: ok && term.IsTerminal(int(f.Fd()))}
}

// plainEvery is how often a line is written where nothing can be written over.
const plainEvery = 5 * time.Second

// show takes how far reading has come.
func (v *shelfView) show(p library.Progress) {
	every := plainEvery
	if v.live {
		every = 100 * time.Millisecond
	}
	if v.quiet || p.Looking && !v.live || time.Since(v.last) < every && (p.Files < p.Total || p.Total == 0) || p.Total == 0 && !v.live {
		return
	}
	if v.last.IsZero() && !v.live && p.Files < p.Total {
		v.last = time.Now() // what is done at once needs no line
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
