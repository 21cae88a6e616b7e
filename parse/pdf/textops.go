package pdf

// textOperator carries out the operators of text objects.
func (c *content) textOperator(op string) {
	s := &c.state
	switch op {
	case "BT":
		c.text, c.line = identity(), identity()
	case "Tf":
		c.setFont()
	case "Tc":
		s.char = c.num(0)
	case "Tw":
		s.word = c.num(0)
	case "Tz":
		s.stretch = c.num(0) / 100
	case "TL":
		s.leading = c.num(0)
	case "Ts":
		s.rise = c.num(0)
	case "Td":
		c.nextLine(c.num(1), c.num(0))
	case "TD":
		s.leading = -c.num(0)
		c.nextLine(c.num(1), c.num(0))
	case "Tm":
		c.line = c.matrix()
		c.text = c.line
	case "T*":
		c.nextLine(0, -s.leading)
	default:
		c.showOperator(op)
	}
}

// showOperator carries out the operators that show text.
func (c *content) showOperator(op string) {
	switch op {
	case "Tj":
		c.show(c.last())
	case "'":
		c.nextLine(0, -c.state.leading)
		c.show(c.last())
	case "\"":
		c.state.word, c.state.char = c.num(2), c.num(1)
		c.nextLine(0, -c.state.leading)
		c.show(c.last())
	case "TJ":
		for _, t := range c.operands {
			switch t.kind {
			case text:
				c.show(t.data)
			case number:
				c.move(-t.num / 1000 * c.state.size)
			default:
			}
		}
	default:
		c.pathOperator(op)
	}
}

// setFont selects a font and its size.
func (c *content) setFont() {
	c.state.size = c.num(0)
	if len(c.operands) >= 2 {
		name := c.operands[len(c.operands)-2].data
		c.state.font = c.page.doc.fontIn(c.res, string(name))
	}
}

// nextLine moves to the start of a line, offset from the start of this one.
func (c *content) nextLine(x, y float64) {
	c.line = c.line.shifted(x, y)
	c.text = c.line
}

// move advances along the direction of writing, in unscaled text space.
func (c *content) move(by float64) {
	if f := c.state.font; f != nil && f.vertical() {
		c.text = c.text.shifted(0, by)
		return
	}
	c.text = c.text.shifted(by*c.state.stretch, 0)
}

// show shows a string.
func (c *content) show(s []byte) {
	f := c.state.font
	if f == nil || len(s) == 0 {
		return
	}
	p := c.page
	p.doc.charge(len(s) / 8)
	st := &c.state
	scale := matrix{st.size * st.stretch, 0, 0, st.size, 0, st.rise}
	for len(s) > 0 {
		g, size, blank := f.next(s)
		s = s[size:]
		p.showGlyph(g, scale.times(c.text).times(st.ctm), f)
		advance := g.width*st.size + st.char
		if blank {
			advance += st.word
		}
		if f.vertical() {
			advance = -st.size
		}
		c.move(advance)
	}
}

// showGlyph puts one glyph into the page's flow. m maps the glyph's own square
// onto the page.
func (p *page) showGlyph(g glyph, m matrix, f *font) {
	if p.actual.hidden > 0 {
		return
	}
	p.shown++
	replaced, done := p.actual.glyph()
	if done {
		g.text = replaced
	} else if g.text == "" {
		p.unmapped++
	}
	middle := m.shifted(g.width/2, 0)
	if !p.box.holds(middle[4], middle[5]) {
		return
	}
	p.flow.add(g.text, m, g.width, f)
	if p.flow.size > p.doc.limits.Text {
		panic(tooMuchText(p.doc.limits.Text))
	}
}
