package pdf

import (
	"cmp"
	"math"
	"slices"
)

// Tolerances of rules that are meant to touch or to lie in one line, in points.
const (
	ruleTouch = 3
	ruleJoin  = 2
	minCell   = 4 // least width and height of a cell
)

// span is a straight line along one axis: where it lies across it, and from
// where to where it runs.
type span struct{ at, from, to float64 }

// grid is a table's rules: rows from top to bottom, columns from left to right.
type grid struct {
	xs, ys     []float64 // edges, xs ascending, ys descending
	down, over []span    // the vertical and the horizontal rules
}

// directed is a direction of writing: places are turned so that it runs to the
// right.
type directed struct{ ux, uy float64 }

func (d directed) along(p point) float64  { return p.x*d.ux + p.y*d.uy }
func (d directed) across(p point) float64 { return p.y*d.ux - p.x*d.uy }

// split turns rules into horizontal and vertical spans, those that continue
// each other as one.
func (d directed) split(rules []rule) (over, down []span) {
	for _, r := range rules {
		a, b := point{d.along(r.a), d.across(r.a)}, point{d.along(r.b), d.across(r.b)}
		if math.Abs(a.y-b.y) <= math.Abs(a.x-b.x) {
			over = append(over, span{(a.y + b.y) / 2, min(a.x, b.x), max(a.x, b.x)})
		} else {
			down = append(down, span{(a.x + b.x) / 2, min(a.y, b.y), max(a.y, b.y)})
		}
	}
	return joined(over), joined(down)
}

// joined makes one span of those that lie in one line and touch, and drops what
// is too short for a cell's edge.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from)) })
	var out []span
	for start := 0; start < len(spans); {
		end := start + 1
		for end < len(spans) && spans[end].at-spans[start].at <= ruleJoin {
			end++
		}
		row := spans[start:end]
		slices.SortFunc(row, func(a, b span) int { return cmp.Compare(a.from, b.from) })
		out = append(out, row[0])
		for _, s := range row[1:] {
			if last := &out[len(out)-1]; s.from <= last.to+ruleTouch {
				last.to = max(last.to, s.to)
			} else {
				out = append(out, s)
			}
		}
		start = end
	}
	return slices.DeleteFunc(out, func(s span) bool { return s.to-s.from < minCell })
}

// meets reports whether a horizontal and a vertical span touch.
func meets(over, down span) bool {
	return down.at >= over.from-ruleTouch && down.at <= over.to+ruleTouch &&
		over.at >= down.from-ruleTouch && over.at <= down.to+ruleTouch
}

// maxMeetings bounds the comparisons of horizontal with vertical spans.
const maxMeetings = 1 << 20

// grids finds the spans that hang together, each group as a grid of at least
// two cells.
func grids(over, down []span) []grid {
	if len(over)*len(down) > maxMeetings {
		return nil
	}
	groups := newGroups(len(over) + len(down))
	for i, h := range over {
		for j, v := range down {
			if meets(h, v) {
				groups.join(i, len(over)+j)
			}
		}
	}
	byRoot := map[int]*grid{}
	var order []*grid
	at := func(i int) *grid {
		root := groups.root(i)
		if byRoot[root] == nil {
			byRoot[root] = &grid{}
			order = append(order, byRoot[root])
		}
		return byRoot[root]
	}
	for i, h := range over {
		g := at(i)
		g.over = append(g.over, h)
	}
	for j, v := range down {
		g := at(len(over) + j)
		g.down = append(g.down, v)
	}
	var out []grid
	for _, g := range order {
		if g.measure(); len(g.xs) > 1 && len(g.ys) > 1 && len(g.xs)+len(g.ys) > 4 {
			out = append(out, *g)
		}
	}
	return out
}

// measure finds the edges of rows and columns. A table without rules at its
// sides ends where the rules across it end.
func (g *grid) measure() {
	if len(g.over) == 0 || len(g.down) == 0 {
		return
	}
	var xs, ys []float64
	for _, v := range g.down {
		xs, ys = append(xs, v.at), append(ys, v.from, v.to)
	}
	g.xs = edges(xs)
	ys = []float64{slices.Min(ys), slices.Max(ys)}
	for _, h := range g.over {
		ys = append(ys, h.at)
		g.xs = outer(g.xs, h.from, h.to)
	}
	g.ys = edges(ys)
	slices.Reverse(g.ys)
}

// outer adds the ends of a rule that goes beyond all edges.
func outer(xs []float64, from, to float64) []float64 {
	if from < xs[0]-minCell*2 {
		xs = append([]float64{from}, xs...)
	}
	if to > xs[len(xs)-1]+minCell*2 {
		xs = append(xs, to)
	}
	return xs
}

// edges sorts places and takes those closer than a cell as one.
func edges(all []float64) []float64 {
	slices.Sort(all)
	out := all[:1]
	for _, x := range all[1:] {
		if x-out[len(out)-1] >= minCell {
			out = append(out, x)
		}
	}
	return slices.Clone(out)
}

// cell returns the row and column that a place lies in.
func (g *grid) cell(x, y float64) (row, column int, inside bool) {
	column, _ = slices.BinarySearch(g.xs, x)
	row, _ = slices.BinarySearchFunc(g.ys, y, func(edge, y float64) int { return cmp.Compare(y, edge) })
	return row - 1, column - 1, row > 0 && row < len(g.ys) && column > 0 && column < len(g.xs)
}

// wall reports whether a rule runs along the right edge of a cell.
func (g *grid) wall(row, column int) bool {
	return covers(g.down, g.xs[column+1], (g.ys[row]+g.ys[row+1])/2)
}

// floor reports whether a rule runs along the lower edge of a cell.
func (g *grid) floor(row, column int) bool {
	return covers(g.over, g.ys[row+1], (g.xs[column]+g.xs[column+1])/2)
}

// covers reports whether a span near at reaches over the place along it.
func covers(spans []span, at, place float64) bool {
	return slices.ContainsFunc(spans, func(s span) bool {
		return math.Abs(s.at-at) < minCell && s.from <= place && place <= s.to
	})
}

// groups is a union of sets of small numbers.
type groups struct{ parent []int }

func newGroups(n int) *groups { return &groups{upTo(n)} }

func (g *groups) root(i int) int {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

func (g *groups) join(a, b int) { g.parent[g.root(a)] = g.root(b) }
