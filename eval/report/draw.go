package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"strings"

	"inlay/internal/lazy"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"inlay/eval"
)

// The size of a chart in points; the page scales it to its width.
const (
	chartWidth  = 640
	chartHeight = 330
)

// ink names a colour of the page's style sheet, which knows light and dark.
// While a chart is drawn it is a red of that value, which is replaced by the
// style sheet's variable in the end.
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

func (i ink) color() color.Color { return color.NRGBA{R: uint8(i), G: 0xfe, B: 0x01, A: 0xff} }

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

func (d dash) lengths() []vg.Length {
	switch d {
	case dashed:
		return []vg.Length{7, 3}
	case dotted:
		return []vg.Length{3, 2}
	case mixed:
		return []vg.Length{8, 3, 2, 3}
	default:
		return nil
	}
}

func dashes() []dash { return []dash{solid, dashed, dotted, mixed} }

// newPlot is an empty chart of shares over 0..most.
func newPlot(x, y string, most float64) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, most, 0, 1
	p.X.Tick.Marker, p.Y.Tick.Marker = steps{}, percents{}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.Color, a.Tick.Color = grid.color(), grid.color()
		a.Label.TextStyle.Color, a.Tick.Label.Color = text.color(), text.color()
		a.Label.TextStyle.Font.Variant, a.Tick.Label.Font.Variant = "Sans", "Sans"
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = 15, 14
		a.Label.Padding = 4
	}
	lines := plotter.NewGrid()
	lines.Vertical.Color = nil
	lines.Horizontal.Color, lines.Horizontal.Width = grid.color(), .6
	p.Add(lines)
	return p
}

// lines draws every series of the legend.
func (c *chart) lines(p *plot.Plot) error {
	for _, s := range c.Legend {
		at := s.at
		if s.ends > 0 {
			at = at[:s.ends]
		}
		l, err := plotter.NewLine(at)
		if err != nil {
			return err
		}
		l.Color, l.Width, l.Dashes = s.ink.color(), 2, s.dash.lengths()
		p.Add(l)
	}
	var err error
	c.SVG, err = c.draw(p)
	return err
}

// markRange shades the range that the recommended threshold may lie in.
func markRange(p *plot.Plot, r eval.Recommendation, bottom, top float64) {
	if lo, hi := r.ThresholdRange[0], r.ThresholdRange[1]; hi > lo {
		area(p, band, lo, bottom, hi, top)
	}
}

// markThreshold draws a line at the recommended threshold.
func markThreshold(p *plot.Plot, r eval.Recommendation, bottom, top float64) {
	line := &plotter.Line{XYs: plotter.XYs{{X: r.Threshold, Y: bottom}, {X: r.Threshold, Y: top}}}
	line.Color, line.Width = accent.color(), 1.5
	p.Add(line)
}

// area fills a rectangle.
func area(p *plot.Plot, i ink, left, bottom, right, top float64) {
	ring := plotter.XYs{{X: left, Y: bottom}, {X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}}
	p.Add(&plotter.Polygon{XYs: []plotter.XYs{ring}, Color: i.color()})
}

// bar draws one of the histogram's bars.
func bar(p *plot.Plot, i int, height float64, in ink) {
	if height != 0 {
		area(p, in, (float64(i)+.06)/bars, 0, (float64(i)+.94)/bars, height)
	}
}

// spot marks one point.
func spot(p *plot.Plot, x, y float64) {
	p.Add(&plotter.Scatter{
		XYs:        plotter.XYs{{X: x, Y: y}},
		GlyphStyle: draw.GlyphStyle{Color: accent.color(), Radius: 5, Shape: draw.CircleGlyph{}},
	})
}

// percents are ticks at every fifth of a scale of shares.
type percents struct{}

// Ticks implements [plot.Ticker].
func (percents) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for v := low; v <= high+1e-9; v += .2 {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.0f %%", 100*v)})
	}
	return ticks
}

// bothWays are ticks of shares above and below zero, without a sign.
type bothWays struct{}

// Ticks implements [plot.Ticker].
func (bothWays) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	step := roundStep(high - low)
	for v := math.Ceil(low/step) * step; v <= high; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.3g %%", math.Abs(math.Round(1000*v)/10))})
	}
	return ticks
}

// steps are five or so round numbers.
type steps struct{}

// Ticks implements [plot.Ticker].
func (steps) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	step := roundStep(high - low)
	for i := 0; low+float64(i)*step <= high+1e-9; i++ {
		v := low + float64(i)*step
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.6g", v)})
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

var (
	inkColor = lazy.Regexp(`#([0-9A-F]{2})FE01`)
	fontRule = lazy.Regexp(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:[^;"]*;font-style:[^;"]*;`)
)

// draw renders a plot as SVG whose colours and font are the page's.
func (c *chart) draw(p *plot.Plot) (template.HTML, error) {
	canvas := vgsvg.New(chartWidth, chartHeight)
	p.Draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return "", err
	}
	svg := out.String()
	start := strings.Index(svg, "<g")
	if start < 0 {
		return "", fmt.Errorf("the SVG of %s has no content", c.ID)
	}
	svg = fontRule().ReplaceAllString(svg[start:], "")
	svg = inkColor().ReplaceAllStringFunc(svg, func(s string) string {
		var n ink
		fmt.Sscanf(s[1:3], "%X", (*uint8)(&n)) //nolint:errcheck // the expression matched two hexadecimal digits
		return "var(--" + n.String() + ")"
	})
	head := fmt.Sprintf(`<svg viewBox="0 0 %d %d" role="img" aria-labelledby="%s-title %s-text">`, chartWidth, chartHeight, c.ID, c.ID)
	return template.HTML(head + svg), nil //nolint:gosec // drawn here from numbers and our own words
}
