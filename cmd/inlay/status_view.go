package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
	"golang.org/x/text/width"

	"inlay/injection"
)

// statusView shows the status tree on stderr: redrawn in place on a terminal,
// as plain lines elsewhere.
type statusView struct {
	mu     sync.Mutex
	w      io.Writer
	quiet  bool
	live   bool
	size   func() (width, height int)
	nodes  map[int]injection.Status
	order  []int
	drawn  int // lines on the screen
	last   time.Time
	said   map[int]string // plain: the last line of each status
	broken error          // stderr is gone: say no more
}

// redrawEvery bounds how often the live tree is drawn.
const redrawEvery = 50 * time.Millisecond

func newStatusView(w io.Writer, quiet bool) *statusView {
	v := &statusView{w: w, quiet: quiet, nodes: map[int]injection.Status{}, said: map[int]string{}}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		v.live = true
		v.size = func() (int, int) {
			if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 10 && height > 2 {
				return width, height
			}
			return 80, 24
		}
	}
	return v
}

// show takes one status of the tree.
func (v *statusView) show(s injection.Status) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.quiet || v.broken != nil {
		return
	}
	s.Text = strings.ReplaceAll(printable(s.Text), "\n", " ")
	if _, known := v.nodes[s.ID]; !known {
		v.order = append(v.order, s.ID)
	}
	v.nodes[s.ID] = s
	if !v.live {
		v.line(s)
		return
	}
	if now := time.Now(); now.Sub(v.last) >= redrawEvery {
		v.last = now
		v.draw()
	}
}

// close draws the tree a last time.
func (v *statusView) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.live && !v.quiet {
		v.draw()
	}
}

// line prints a status that says something new: progress alone does not.
func (v *statusView) line(s injection.Status) {
	if s.State == injection.Waiting {
		return
	}
	text := mark(s.State) + " " + s.Text
	stem, _, _ := strings.Cut(text, " (")
	if v.said[s.ID] == stem {
		return
	}
	v.said[s.ID] = stem
	v.write(strings.Repeat("  ", v.depth(s)) + text + "\n")
}

// draw writes the tree, as much of its end as the screen has room for, over the
// one that is there.
func (v *statusView) draw() {
	columns, height := v.size()
	var lines []string
	v.walk(0, 0, func(s injection.Status, depth int) {
		lines = append(lines, clip(strings.Repeat("  ", depth)+mark(s.State)+" "+s.Text, columns-1))
	})
	lines = lines[max(len(lines)-height+1, 0):] // the cursor cannot climb out of the screen
	var b strings.Builder
	if v.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", v.drawn)
	}
	for _, line := range lines {
		b.WriteString("\r\x1b[K" + line + "\n")
	}
	v.drawn = len(lines)
	v.write(b.String())
}

// walk visits the tree below parent in the order of creation.
func (v *statusView) walk(parent, depth int, visit func(injection.Status, int)) {
	for _, id := range v.order {
		if s := v.nodes[id]; s.Parent == parent {
			visit(s, depth)
			v.walk(id, depth+1, visit)
		}
	}
}

func (v *statusView) depth(s injection.Status) int {
	n := 0
	for s.Parent != 0 {
		s = v.nodes[s.Parent]
		n++
	}
	return n
}

func (v *statusView) write(text string) {
	if _, err := io.WriteString(v.w, text); err != nil {
		v.broken = err
	}
}

func mark(s injection.State) string {
	switch s {
	case injection.Done:
		return "✓"
	case injection.Errored:
		return "✗"
	case injection.Canceled:
		return "–"
	case injection.Waiting:
		return "·"
	default:
		return "…"
	}
}

// clip cuts a line of the screen to so many columns; the result is for the eye
// alone.
func clip(s string, columns int) string {
	at, cut := 0, 0 // columns so far; where a line with an ellipsis ends
	for i, r := range s {
		w := runeColumns(r)
		if at+w > columns {
			return s[:cut] + "…"
		}
		if at += w; at <= columns-1 {
			cut = i + utf8.RuneLen(r)
		}
	}
	return s
}

// runeColumns is how many columns of a terminal a character takes.
func runeColumns(r rune) int {
	if r >= 0x1F300 && r < 0x1FAFF {
		return 2 // emoji
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	return 1
}
