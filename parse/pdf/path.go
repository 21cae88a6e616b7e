package pdf

import "math"

// point is a place on the page.
type point struct{ x, y float64 }

// rule is a straight line drawn on the page, from one end to the other.
type rule struct{ a, b point }

// path is the path under construction: its subpaths, straight parts only.
type path struct {
	parts  [][]point
	points int
}

const (
	maxPathPoints = 1 << 12 // of one path; longer ones are drawings
	maxRules      = 1 << 12 // of one page; more are drawings
	maxRuleWidth  = 3       // points: a filled rectangle this narrow is a rule
	minRule       = 4       // points: what is shorter is no rule
)

// pathOperator carries out the operators that build and paint paths, as far as
// they may draw the rules of a table.
func (c *content) pathOperator(op string) {
	switch op {
	case "m":
		c.path.begin(c.at(c.num(1), c.num(0)))
	case "l", "c", "v", "y":
		c.path.add(c.at(c.num(1), c.num(0)), op == "l")
	case "h":
		c.path.close()
	case "re":
		c.rectangle(c.num(3), c.num(2), c.num(1), c.num(0))
	case "S":
		c.paint(true, false)
	case "s", "b", "b*":
		c.path.close()
		c.paint(true, op != "s")
	case "f", "F", "f*":
		c.paint(false, true)
	case "B", "B*":
		c.paint(true, true)
	case "n":
		c.path = path{}
	}
}

// at returns a point of the current space as one of the page.
func (c *content) at(x, y float64) point {
	m := c.state.ctm.shifted(x, y)
	return point{m[4], m[5]}
}

func (c *content) rectangle(x, y, w, h float64) {
	c.path.begin(c.at(x, y))
	c.path.add(c.at(x+w, y), true)
	c.path.add(c.at(x+w, y+h), true)
	c.path.add(c.at(x, y+h), true)
	c.path.close()
}

// begin starts a subpath.
func (p *path) begin(at point) {
	if p.points++; p.points <= maxPathPoints {
		p.parts = append(p.parts, []point{at})
	}
}

// add goes on to a point; a curve begins a new subpath there.
func (p *path) add(to point, straight bool) {
	n := len(p.parts)
	if !straight || n == 0 {
		p.begin(to)
		return
	}
	if p.points++; p.points <= maxPathPoints {
		p.parts[n-1] = append(p.parts[n-1], to)
	}
}

// close goes back to where the subpath began.
func (p *path) close() {
	if n := len(p.parts); n > 0 {
		p.add(p.parts[n-1][0], true)
	}
}

// paint notes the rules that the path draws and begins a new path.
func (c *content) paint(stroke, fill bool) {
	parts := c.path.parts
	if c.path.points > maxPathPoints {
		parts = nil
	}
	c.path = path{}
	c.page.doc.charge(len(parts))
	for _, part := range parts {
		if r, thin := thinBox(part); fill && thin {
			c.page.rule(r)
			continue
		}
		for i := 1; stroke && i < len(part); i++ {
			c.page.rule(rule{part[i-1], part[i]})
		}
	}
}

// thinBox returns the middle line of a subpath that is a narrow upright
// rectangle.
func thinBox(part []point) (rule, bool) {
	if len(part) < 4 || len(part) > 5 {
		return rule{}, false
	}
	b := box{part[0].x, part[0].y, part[0].x, part[0].y}
	for _, p := range part[1:] {
		b = box{min(b.x0, p.x), min(b.y0, p.y), max(b.x1, p.x), max(b.y1, p.y)}
	}
	x, y := (b.x0+b.x1)/2, (b.y0+b.y1)/2
	switch {
	case b.y1-b.y0 <= maxRuleWidth && b.x1-b.x0 > b.y1-b.y0:
		return rule{point{b.x0, y}, point{b.x1, y}}, true
	case b.x1-b.x0 <= maxRuleWidth:
		return rule{point{x, b.y0}, point{x, b.y1}}, true
	}
	return rule{}, false
}

// rule keeps a rule that lies along one of the page's edges.
func (p *page) rule(r rule) {
	dx, dy := math.Abs(r.a.x-r.b.x), math.Abs(r.a.y-r.b.y)
	if min(dx, dy) > 1 || math.IsNaN(dx+dy) || math.IsInf(dx+dy, 0) {
		return
	}
	if p.drawn++; p.drawn <= maxRules {
		p.rules = append(p.rules, r)
	}
}
