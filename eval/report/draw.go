package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"

	"inlay/eval"
)

// The size of a chart in units of its SVG, which the page scales to its width, and
// the frame of what is drawn in it.
const (
	chartWidth  = 640
	chartHeight = 330

	frameLeft   = 68
	frameRight  = 630
	frameTop    = 12
	frameBottom = 276
)

// ink names a colour of the page's style sheet, which knows light and dark.
type ink uint8

const (
	first ink = iota + 1
	second
	third
	fourth
	fifth
	sixth
	text
	grid
	band
	accent
)

func (i ink) String() string {
	return [...]string{"", "first", "second", "third", "fourth", "fifth", "sixth", "text", "grid", "band", "accent"}[i]
}

// css is the variable of the style sheet.
func (i ink) css() string { return "var(--" + i.String() + ")" }

func inks() []ink { return []ink{first, second, third, fourth, fifth, sixth} }

// dash is the form of a line, so that colour is never all that tells lines apart.
type dash uint8

const (
	solid dash = iota
	dashed
	dotted
	mixed
	filled
)

func (d dash) String() string { return [...]string{"solid", "dashed", "dotted", "mixed", "filled"}[d] }

// lengths are those of strokes and gaps, as SVG has them.
func (d dash) lengths() string {
	switch d {
	case dashed:
		return "7 3"
	case dotted:
		return "3 2"
	case mixed:
		return "8 3 2 3"
	default:
		return "none"
	}
}

func dashes() []dash { return []dash{solid, dashed, dotted, mixed} }

// point is a place on a chart, in the units of its axes.
type point struct{ X, Y float64 }

// tick is a mark at an axis.
type tick struct {
	Value float64
	Label string
}

// axis is one of the two of a chart.
type axis struct {
	Label    string
	Min, Max float64
	Ticks    func(low, high float64) []tick
}

// plot is a chart being drawn: SVG in the frame of two axes.
type plot struct {
	X, Y axis
	out  strings.Builder
}

// newPlot is an empty chart of shares over 0..most.
func newPlot(x, y string, most float64) *plot {
	return &plot{X: axis{x, 0, most, steps}, Y: axis{y, 0, 1, percents}}
}

// at is where a point lies in the SVG.
func (p *plot) at(at point) (x, y float64) {
	share := func(v float64, a axis) float64 { return (v - a.Min) / (a.Max - a.Min) }
	return frameLeft + share(at.X, p.X)*(frameRight-frameLeft), frameBottom - share(at.Y, p.Y)*(frameBottom-frameTop)
}

// add appends an element.
func (p *plot) add(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

// line draws a line through points.
func (p *plot) line(points []point, i ink, width float64, d dash) error {
	var at strings.Builder
	for _, one := range points {
		x, y := p.at(one)
		if math.IsNaN(x+y) || math.IsInf(x+y, 0) {
			return fmt.Errorf("a point is not a number: %v", one)
		}
		fmt.Fprintf(&at, "%.1f,%.1f ", x, y)
	}
	p.add(`<polyline fill="none" stroke="%s" stroke-width="%g" stroke-dasharray="%s" points="%s"/>`, i.css(), width, d.lengths(), strings.TrimSpace(at.String()))
	return nil
}

// lines draws every series of the legend.
func (c *chart) lines(p *plot) error {
	for _, s := range c.Legend {
		at := s.at
		if s.ends > 0 {
			at = at[:s.ends]
		}
		if err := p.line(at, s.ink, 2, s.dash); err != nil {
			return err
		}
	}
	c.SVG = c.draw(p)
	return nil
}

// markRange shades the range that the recommended threshold may lie in.
func markRange(p *plot, r eval.Recommendation, bottom, top float64) {
	if lo, hi := r.ThresholdRange[0], r.ThresholdRange[1]; hi > lo {
		area(p, band, lo, bottom, hi, top)
	}
}

// markThreshold draws a line at the recommended threshold.
func markThreshold(p *plot, r eval.Recommendation, bottom, top float64) {
	_ = p.line([]point{{r.Threshold, bottom}, {r.Threshold, top}}, accent, 1.5, solid) // a threshold is a number
}

// area fills a rectangle.
func area(p *plot, i ink, left, bottom, right, top float64) {
	x1, y1 := p.at(point{left, max(bottom, top)})
	x2, y2 := p.at(point{right, min(bottom, top)})
	p.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x1, y1, x2-x1, y2-y1, i.css())
}

// bar draws one of the histogram's bars.
func bar(p *plot, i int, height float64, in ink) {
	if height != 0 {
		area(p, in, (float64(i)+.06)/bars, 0, (float64(i)+.94)/bars, height)
	}
}

// spot marks one point.
func spot(p *plot, x, y float64) {
	cx, cy := p.at(point{x, y})
	p.add(`<circle cx="%.1f" cy="%.1f" r="5" fill="none" stroke="%s" stroke-width="2"/>`, cx, cy, accent.css())
}

// percents are ticks at every fifth of a scale of shares.
func percents(low, high float64) (ticks []tick) {
	for v := low; v <= high+1e-9; v += .2 {
		ticks = append(ticks, tick{v, fmt.Sprintf("%.0f %%", 100*v)})
	}
	return ticks
}

// bothWays are ticks of shares above and below zero, without a sign.
func bothWays(low, high float64) (ticks []tick) {
	step := roundStep(high - low)
	for v := math.Ceil(low/step) * step; v <= high; v += step {
		ticks = append(ticks, tick{v, fmt.Sprintf("%.3g %%", math.Abs(math.Round(1000*v)/10))})
	}
	return ticks
}

// steps are five or so round numbers.
func steps(low, high float64) (ticks []tick) {
	step := roundStep(high - low)
	for i := 0; low+float64(i)*step <= high+1e-9; i++ {
		v := low + float64(i)*step
		ticks = append(ticks, tick{v, fmt.Sprintf("%.6g", v)})
	}
	return ticks
}

// roundStep is 1, 2 or 5 times a power of ten, so that some five fit.
func roundStep(span float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, m := range []float64{1, 2, 5} {
		if span/(m*power) <= 6.5 {
			return m * power
		}
	}
	return 10 * power
}

// axes are the horizontal lines of the grid, both axes and their labels.
func (p *plot) axes() string {
	under := &plot{X: p.X, Y: p.Y}
	for _, t := range p.Y.Ticks(p.Y.Min, p.Y.Max) {
		_, y := p.at(point{p.X.Min, t.Value})
		under.add(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="%s" stroke-width=".6"/>`, frameLeft, y, frameRight, y, grid.css())
		under.add(`<text x="%d" y="%.1f" text-anchor="end" fill="%s" font-size="14">%s</text>`, frameLeft-7, y+5, text.css(), html.EscapeString(t.Label))
	}
	for _, t := range p.X.Ticks(p.X.Min, p.X.Max) {
		x, _ := p.at(point{t.Value, p.Y.Min})
		under.add(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s"/>`, x, frameBottom, x, frameBottom+6, grid.css())
		under.add(`<text x="%.1f" y="%d" text-anchor="middle" fill="%s" font-size="14">%s</text>`, x, frameBottom+21, text.css(), html.EscapeString(t.Label))
	}
	under.add(`<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s"/>`, frameLeft, frameBottom, frameRight, frameBottom, grid.css())
	under.add(`<text x="%d" y="%d" text-anchor="middle" fill="%s" font-size="15">%s</text>`, (frameLeft+frameRight)/2, chartHeight-8, text.css(), html.EscapeString(p.X.Label))
	under.add(`<text transform="translate(16 %d) rotate(-90)" text-anchor="middle" fill="%s" font-size="15">%s</text>`, (frameTop+frameBottom)/2, text.css(), html.EscapeString(p.Y.Label))
	return under.out.String()
}

// draw is a plot as SVG whose colours and font are the page's.
func (c *chart) draw(p *plot) template.HTML {
	head := fmt.Sprintf(`<svg viewBox="0 0 %d %d" role="img" aria-labelledby="%s-title %s-text">`, chartWidth, chartHeight, c.ID, c.ID)
	return template.HTML(head + "\n" + p.axes() + p.out.String() + "</svg>") //nolint:gosec // drawn here from numbers and our own words
}
