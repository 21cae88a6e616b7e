package office

import (
	"context"
	"strconv"
	"strings"

	"inlay/internal/xmlscan"
	"inlay/parse"
	"inlay/parse/zipfile"
)

// readCharts reads the charts that a part's relations lead to, by relation id.
func readCharts(ctx context.Context, a *zipfile.Archive, links []relation, limit int) (map[string]*chartScan, error) {
	found := map[string]*chartScan{}
	for _, r := range links {
		if r.kind != "chart" || r.external {
			continue
		}
		data, err := optional(a, r.target)
		if err != nil {
			return nil, err
		}
		c := &chartScan{limit: limit}
		if err := xmlscan.Walk(ctx, data, c); err != nil && ctx.Err() != nil {
			return nil, err
		}
		found[r.id] = c
	}
	return found, nil
}

// emit adds the chart's titles, its kind and its numbers as a table.
func (c *chartScan) emit(b *parse.Builder) {
	rows := c.rows()
	if len(rows) == 0 && len(c.titles) == 0 {
		return
	}
	b.Block(parse.Paragraph, "chart", strings.Join(c.titles, "\n"))
	if c.kind != "" {
		b.Block(parse.Paragraph, "chart", strings.ToUpper(c.kind[:1])+c.kind[1:]+" chart")
	}
	b.Table("chart", rows)
}

// chartScan reads a chart's title and the cached values of its series.
type chartScan struct {
	limit  int    // most values
	kind   string // "bar", "line", "pie"
	titles []string
	series []series

	where  string // the innermost of tx, cat, val, xVal, yVal in a series
	inSer  bool
	index  int
	text   []byte
	inText bool
}

// series is one row of numbers with its name.
type series struct {
	name       string
	categories map[int]string
	values     map[int]string
	last       int // highest index
}

// Start implements [xmlscan.Handler].
func (c *chartScan) Start(e element) {
	if kind, ok := strings.CutSuffix(e.Name.Local, "Chart"); ok && c.kind == "" {
		c.kind = strings.TrimSuffix(kind, "3D")
	}
	switch e.Name.Local {
	case "ser":
		c.inSer = true
		c.series = append(c.series, series{categories: map[int]string{}, values: map[int]string{}, last: -1})
	case "tx", "cat", "val", "xVal", "yVal":
		c.where = e.Name.Local
	case "pt":
		c.index, _ = strconv.Atoi(xmlscan.Attr(e, "idx"))
	case "t", "v":
		c.inText, c.text = true, nil
	}
}

// End implements [xmlscan.Handler].
func (c *chartScan) End(name string) {
	switch name {
	case "ser":
		c.inSer = false
	case "t":
		c.inText = false
		if text := strings.TrimSpace(string(c.text)); text != "" {
			c.titles = append(c.titles, text)
		}
	case "v":
		c.inText = false
		c.value(strings.TrimSpace(string(c.text)))
	}
}

// Text implements [xmlscan.Handler].
func (c *chartScan) Text(data []byte) {
	if c.inText {
		c.text = append(c.text, data...)
	}
}

// value files a cached value of the current series.
func (c *chartScan) value(text string) {
	if !c.inSer || text == "" || c.limit <= 0 || c.index < 0 || c.index > 100_000 {
		return
	}
	c.limit--
	s := &c.series[len(c.series)-1]
	switch c.where {
	case "tx":
		s.name = strings.TrimSpace(s.name + " " + text)
		return
	case "cat", "xVal":
		s.categories[c.index] = text
	case "val", "yVal":
		s.values[c.index] = shown(text)
	}
	s.last = max(s.last, c.index)
}

// shown is a number with the 15 digits that Office shows of it.
func shown(text string) string {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) < 16 {
		return text
	}
	return strconv.FormatFloat(n, 'g', 15, 64)
}

// rows lays the series out as columns beside their categories.
func (c *chartScan) rows() [][]string {
	if len(c.series) == 0 {
		return nil
	}
	head, last := []string{""}, -1
	for _, s := range c.series {
		head = append(head, s.name)
		last = max(last, s.last)
	}
	rows := [][]string{head}
	for i := range last + 1 {
		row := []string{""}
		for _, s := range c.series {
			if row[0] == "" {
				row[0] = s.categories[i]
			}
			row = append(row, s.values[i])
		}
		rows = append(rows, row)
	}
	return rows
}
