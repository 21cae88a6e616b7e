package pdf

import (
	"math"

	lib "github.com/ledongthuc/pdf"
)

// matrix is a transformation [a b c d e f] as PDF writes it.
type matrix [6]float64

// identity is the matrix that changes nothing.
func identity() matrix { return matrix{1, 0, 0, 1, 0, 0} }

// times returns the transformation that applies m first, then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// shifted returns m with (x, y) of its own space as origin.
func (m matrix) shifted(x, y float64) matrix {
	m[4] += x*m[0] + y*m[2]
	m[5] += x*m[1] + y*m[3]
	return m
}

// area returns the area that the unit square covers.
func (m matrix) area() float64 { return math.Abs(m[0]*m[3] - m[1]*m[2]) }

// readMatrix reads an array of six numbers.
func readMatrix(v lib.Value) matrix {
	if v.Len() != 6 {
		return identity()
	}
	var m matrix
	for i := range m {
		m[i] = v.Index(i).Float64()
	}
	return m
}

// box is a rectangle; the zero box is unknown.
type box struct{ x0, y0, x1, y1 float64 }

func readBox(v lib.Value) box {
	if v.Len() != 4 {
		return box{}
	}
	x0, y0, x1, y1 := v.Index(0).Float64(), v.Index(1).Float64(), v.Index(2).Float64(), v.Index(3).Float64()
	return box{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
}

// area returns the area of the box, 0 if it is unknown.
func (b box) area() float64 { return (b.x1 - b.x0) * (b.y1 - b.y0) }

// within returns the part of the box that lies in another one; all of it if that is
// unknown.
func (b box) within(other box) box {
	if other.area() <= 0 {
		return b
	}
	return box{max(b.x0, other.x0), max(b.y0, other.y0), max(min(b.x1, other.x1), other.x0), max(min(b.y1, other.y1), other.y0)}
}

// holds reports whether a point lies in the box or the box is unknown.
func (b box) holds(x, y float64) bool {
	return b.area() <= 0 || x >= b.x0 && x <= b.x1 && y >= b.y0 && y <= b.y1
}

// bounds returns the smallest upright box around what b becomes under m.
func (m matrix) bounds(b box) box {
	var out box
	for i, corner := range [][2]float64{{b.x0, b.y0}, {b.x0, b.y1}, {b.x1, b.y0}, {b.x1, b.y1}} {
		p := m.shifted(corner[0], corner[1])
		if i == 0 {
			out = box{p[4], p[5], p[4], p[5]}
			continue
		}
		out = box{min(out.x0, p[4]), min(out.y0, p[5]), max(out.x1, p[4]), max(out.y1, p[5])}
	}
	return out
}
