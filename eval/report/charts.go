package report

import (
	"fmt"
	"html/template"
	"slices"

	"inlay/eval"
)

// chart is one figure of the page.
type chart struct {
	ID, Title, Text string // Text says what to see, for those who do not see it too
	SVG             template.HTML
	Legend          []series
	Spot            bool       // the recommended point is a spot, not a threshold
	Head            []string   // of the table of numbers
	Table           [][]string // the numbers drawn
}

// series is one line or kind of bar.
type series struct {
	Name string
	ink  ink
	dash dash
	at   []point
	ends int // points that are drawn; 0 means all
}

// Class is the series' style in the page's legend.
func (s series) Class() string { return fmt.Sprintf("ink-%s dash-%s", s.ink, s.dash) }

// Filled reports whether the series is drawn as bars.
func (s series) Filled() bool { return s.dash == filled }

// charts are all figures of a report. A report without points has none.
func charts(rep *eval.Report) ([]chart, error) {
	if len(rep.Points) == 0 {
		return nil, nil
	}
	var all []chart
	for _, next := range []func(*eval.Report) (chart, error){quality, errorRates, affinities, spending} {
		c, err := next(rep)
		if err != nil {
			return nil, fmt.Errorf("draw the chart of %s: %w", c.ID, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// row returns the points of the recommended setting with the given limit, by threshold.
func row(rep *eval.Report, limit int) []eval.Point {
	var points []eval.Point
	for _, p := range rep.Points {
		if p.Setting == rep.Recommended.Setting && p.Limit == limit {
			points = append(points, p)
		}
	}
	return points
}

// overThreshold is a series of what the recommended setting and limit give by threshold.
func overThreshold(points []eval.Point, name string, i ink, d dash, value func(eval.Scores) float64) series {
	s := series{Name: name, ink: i, dash: d}
	for _, p := range points {
		s.at = append(s.at, point{X: p.Threshold, Y: value(p.Scores)})
	}
	return s
}

func quality(rep *eval.Report) (chart, error) {
	r := rep.Recommended
	points := row(rep, r.Limit)
	c := chart{
		ID: "quality", Title: "What is cited, by threshold",
		Text: fmt.Sprintf("At the recommended threshold %.2f the precision is %s, the recall %s and F1 %s.",
			r.Threshold, share(r.Precision), share(r.Recall), share(r.F1)),
		Legend: []series{
			overThreshold(points, "precision", first, solid, func(s eval.Scores) float64 { return s.Precision }),
			overThreshold(points, "recall", second, dashed, func(s eval.Scores) float64 { return s.Recall }),
			overThreshold(points, "F1", third, dotted, func(s eval.Scores) float64 { return s.F1 }),
		},
	}
	c.tabulate(rep, points)
	c.Legend[0].ends = cited(points)
	p := newPlot("threshold", "share", 1)
	markRange(p, r, 0, 1)
	markThreshold(p, r, 0, 1)
	return c, c.lines(p)
}

// cited counts the points up to the threshold from which nothing is cited:
// there is no precision of nothing.
func cited(points []eval.Point) int {
	n := len(points)
	for n > 0 && points[n-1].Passages == 0 {
		n--
	}
	return n
}

func errorRates(rep *eval.Report) (chart, error) {
	r := rep.Recommended
	points := row(rep, r.Limit)
	c := chart{
		ID: "errors", Title: "The two errors, by threshold",
		Text: fmt.Sprintf("At the recommended threshold %.2f, %s of the answerable questions get nothing and %s of the unanswerable ones get something.",
			r.Threshold, share(r.Silent), share(r.False)),
		Legend: []series{
			overThreshold(points, "answerable, but nothing cited", second, solid, func(s eval.Scores) float64 { return s.Silent }),
		},
	}
	if rep.Set.Unanswerable > 0 {
		c.Legend = append(c.Legend, overThreshold(points, "unanswerable, but something cited", fourth, dashed, func(s eval.Scores) float64 { return s.False }))
	} else {
		c.Text = fmt.Sprintf("At the recommended threshold %.2f, %s of the questions get nothing. The set has no unanswerable questions, so nothing is known of false citations.",
			r.Threshold, share(r.Silent))
	}
	c.tabulate(rep, points)
	p := newPlot("threshold", "share of these questions", 1)
	markRange(p, r, 0, 1)
	markThreshold(p, r, 0, 1)
	return c, c.lines(p)
}

// tabulate fills in the numbers by threshold: every twentieth of the scale and
// the recommended threshold.
func (c *chart) tabulate(rep *eval.Report, points []eval.Point) {
	c.Head = []string{"threshold"}
	for _, s := range c.Legend {
		c.Head = append(c.Head, s.Name)
	}
	step := max(1, len(points)/20)
	for i, p := range points {
		if i%step != 0 && p.Threshold != rep.Recommended.Threshold {
			continue
		}
		cells := []string{fmt.Sprintf("%.2f", p.Threshold)}
		for _, s := range c.Legend {
			if s.ends > 0 && i >= s.ends {
				cells = append(cells, "–")
				continue
			}
			cells = append(cells, share(s.at[i].Y))
		}
		c.Table = append(c.Table, cells)
	}
}

// spending is recall against the tokens it costs, a line for each limit.
func spending(rep *eval.Report) (chart, error) {
	r := rep.Recommended
	c := chart{
		ID: "tokens", Spot: true, Title: "What recall costs: tokens injected for a question",
		Text: fmt.Sprintf("Each line is a limit, each point on it a threshold. The recommended point injects %.0f tokens for a question, on average, and has a recall of %s.",
			r.Tokens, share(r.Recall)),
		Head: []string{"limit", "threshold", "tokens", "recall"},
	}
	most := 1.0
	for i, limit := range limits(rep) {
		s := series{Name: fmt.Sprintf("limit %d", limit), ink: inks()[i%len(inks())], dash: dashes()[i%len(dashes())]}
		points := row(rep, limit)
		for k, p := range points {
			s.at = append(s.at, point{X: p.Tokens, Y: p.Recall})
			most = max(most, p.Tokens)
			if k%max(1, len(points)/10) == 0 {
				c.Table = append(c.Table, []string{fmt.Sprint(limit), fmt.Sprintf("%.2f", p.Threshold), fmt.Sprintf("%.0f", p.Tokens), share(p.Recall)})
			}
		}
		c.Legend = append(c.Legend, s)
	}
	p := newPlot("tokens for a question, on average", "recall", most)
	spot(p, r.Tokens, r.Recall)
	return c, c.lines(p)
}

// limits are those of the sweep, ascending.
func limits(rep *eval.Report) []int {
	var all []int
	for _, p := range rep.Points {
		if !slices.Contains(all, p.Limit) {
			all = append(all, p.Limit)
		}
	}
	slices.Sort(all)
	return all
}

// bars is how many an affinity histogram is drawn with.
const bars = 25

// affinities is the histogram of the best affinity of each question: answerable
// ones upwards, unanswerable ones downwards.
func affinities(rep *eval.Report) (chart, error) {
	h := rep.Settings[rep.Recommended.Setting].Affinities
	up, upOf := merge(h.Answerable)
	down, downOf := merge(h.Unanswerable)
	c := chart{
		ID: "affinities", Title: "Best affinity of each question",
		Text: fmt.Sprintf("Answerable questions (%d) upwards, unanswerable ones (%d) downwards, each as a share of its kind. What lies right of the threshold is cited.", upOf, downOf),
		Legend: []series{
			{Name: "answerable", ink: first, dash: filled},
			{Name: "unanswerable", ink: fourth, dash: filled},
		},
		Head: []string{"affinity", "answerable", "unanswerable"},
	}
	for i := range up {
		c.Table = append(c.Table, []string{
			fmt.Sprintf("%.2f–%.2f", float64(i)/bars, float64(i+1)/bars), share(up[i]), share(down[i]),
		})
	}
	p := newPlot("best affinity", "share of questions", 1)
	top := slices.Max(append(slices.Clone(up), .01))
	bottom := slices.Max(append(slices.Clone(down), .01))
	p.Y.Min, p.Y.Max = -1.05*bottom, 1.05*top
	p.Y.Ticks = bothWays
	markRange(p, rep.Recommended, p.Y.Min, p.Y.Max)
	for i := range up {
		bar(p, i, up[i], first)
		bar(p, i, -down[i], fourth)
	}
	markThreshold(p, rep.Recommended, p.Y.Min, p.Y.Max)
	c.SVG = c.draw(p)
	return c, nil
}

// merge joins bins to the number of bars drawn, as shares of all questions,
// and returns these too.
func merge(bins []int) (shares []float64, all int) {
	shares = make([]float64, bars)
	for _, n := range bins {
		all += n
	}
	for i, n := range bins {
		shares[i*bars/len(bins)] += float64(n) / float64(max(all, 1))
	}
	return shares, all
}
