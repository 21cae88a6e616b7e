package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"inlay/eval"
)

// evalView shows how far an evaluation is, on stderr: one line drawn again and
// again on a terminal, elsewhere a line for each stage and one now and then.
type evalView struct {
	w     io.Writer
	quiet bool
	live  bool
	width func() int
	last  time.Time
	stage string
	drawn bool
}

// sayEvery is how often progress is said where it is not redrawn.
const sayEvery = 10 * time.Second

func newEvalView(w io.Writer, quiet bool) *evalView {
	v := &evalView{w: w, quiet: quiet, width: func() int { return 80 }}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		v.live = true
		v.width = func() int {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 10 {
				return width
			}
			return 80
		}
	}
	return v
}

// note prints a line of its own.
func (v *evalView) note(line string) {
	if !v.quiet {
		_, _ = fmt.Fprintln(v.w, oneLine(line))
	}
}

// show takes one progress report.
func (v *evalView) show(p eval.Progress) {
	if v.quiet {
		return
	}
	now, stage := time.Now(), string(p.Stage)+p.Setting
	every := sayEvery
	if v.live {
		every = redrawEvery
	}
	if stage == v.stage && now.Sub(v.last) < every {
		return
	}
	v.last, v.stage = now, stage
	line := oneLine(progressLine(p))
	if !v.live {
		_, _ = fmt.Fprintln(v.w, line)
		return
	}
	v.drawn = true
	_, _ = fmt.Fprint(v.w, "\r\x1b[K"+clip(line, v.width()-1))
}

// close clears the line.
func (v *evalView) close() {
	if v.drawn {
		_, _ = fmt.Fprint(v.w, "\r\x1b[K")
	}
}

// progressLine says what is being done, how much of it, and how long it takes yet.
func progressLine(p eval.Progress) string {
	line := string(p.Stage)
	unit := "documents"
	if p.Stage == eval.Searching {
		unit = "questions"
	}
	if p.Setting != "" {
		line += " with " + p.Setting
	}
	line += fmt.Sprintf(": %d of %d %s", p.Done, p.Total, unit)
	if p.Left > 0 {
		line += fmt.Sprintf("; %.0f %% of all, about %s left", 100*p.Share, roughly(p.Left))
	}
	return line
}

// roughly is a duration to the precision of an estimate.
func roughly(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%d s", max(1, int(d.Seconds()+.5)))
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()+.5))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
