package asks

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"inlay/internal/lazy"
)

// expression is any of the phrases of a list. It is compiled phrase by phrase, as
// texts come that may have one.
type expression struct {
	phrases []phrase
	any     func() *regexp.Regexp // of all phrases; nil without any
}

// phrase is one entry of a list.
type phrase struct {
	needs []string // every text that matches has one of these; nil: not known
	ends  []string // the same of the end of the text
	match func() *regexp.Regexp
}

// newExpression is any of the phrases, of words that have ends or not.
func newExpression(entries []string, expand *strings.Replacer, ends bool) expression {
	var e expression
	parts := make([]string, len(entries))
	for i, p := range entries {
		parts[i] = pattern(p, expand, ends)
		e.phrases = append(e.phrases, newPhrase(parts[i]))
	}
	if len(parts) > 0 {
		e.any = lazy.Regexp(strings.Join(parts, "|"))
	}
	return e
}

// pattern is the regular expression of an entry.
func pattern(entry string, expand *strings.Replacer, ends bool) string {
	start, end := "", ""
	if ends {
		start, end = "(?:^| )", "(?:$| )"
	}
	if rest, ok := strings.CutPrefix(entry, "^"); ok {
		entry, start = rest, "^ ?"
	}
	if strings.HasSuffix(entry, "$") || strings.HasSuffix(entry, " ") {
		end = ""
	}
	return start + "(?:" + expand.Replace(expand.Replace(entry)) + ")" + end
}

// matches reports whether the text has a phrase.
func (e expression) matches(text string) bool {
	return slices.ContainsFunc(e.phrases, func(p phrase) bool { return p.may(text) && p.match().MatchString(text) })
}

// find returns where the text has a phrase, nil if it has none.
func (e expression) find(text string) []int {
	if !e.may(text) {
		return nil
	}
	return e.any().FindStringIndex(text)
}

// without is the text without the phrases.
func (e expression) without(text string) string {
	if !e.matches(text) {
		return text
	}
	return e.any().ReplaceAllString(text, "")
}

func (e expression) may(text string) bool {
	return slices.ContainsFunc(e.phrases, func(p phrase) bool { return p.may(text) })
}

func (p phrase) may(text string) bool {
	if p.ends != nil {
		return slices.ContainsFunc(p.ends, func(literal string) bool { return strings.HasSuffix(text, literal) })
	}
	return p.needs == nil || slices.ContainsFunc(p.needs, func(literal string) bool { return strings.Contains(text, literal) })
}

func newPhrase(pattern string) phrase {
	p := phrase{match: lazy.Regexp(pattern)}
	if re, err := syntax.Parse(pattern, syntax.Perl); err == nil { // else compiling it says so
		p.needs = literals(re)
		p.ends = ended(re)
	}
	return p
}

// ended are literals of which one ends every text that an expression matches,
// nil where that is not known.
func ended(re *syntax.Regexp) []string {
	switch re.Op { //nolint:exhaustive // the others may match before the end
	case syntax.OpCapture:
		return ended(re.Sub[0])
	case syntax.OpAlternate:
		return ofAll(re.Sub, ended)
	case syntax.OpConcat:
		last := len(re.Sub) - 1
		if re.Sub[last].Op == syntax.OpEndText && last > 0 {
			return endings(re.Sub[last-1])
		}
		return ended(re.Sub[last])
	}
	return nil
}

// endings are literals of which one ends every match of an expression.
func endings(re *syntax.Regexp) []string {
	switch re.Op { //nolint:exhaustive // the others may end in anything
	case syntax.OpLiteral:
		return literals(re)
	case syntax.OpCapture, syntax.OpPlus:
		return endings(re.Sub[0])
	case syntax.OpAlternate:
		return ofAll(re.Sub, endings)
	case syntax.OpConcat:
		return endings(re.Sub[len(re.Sub)-1])
	}
	return nil
}

// ofAll are the literals of all expressions, nil where one has none.
func ofAll(list []*syntax.Regexp, of func(*syntax.Regexp) []string) []string {
	var all []string
	for _, re := range list {
		found := of(re)
		if found == nil {
			return nil
		}
		all = append(all, found...)
	}
	return all
}

// literals are those of which every text that an expression matches has one, nil
// where that is not known.

func literals(re *syntax.Regexp) []string {
	switch re.Op { //nolint:exhaustive // the others may match without a literal
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literals(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literals(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if found := literals(sub); shortestOf(found) > shortestOf(best) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		return ofAll(re.Sub, literals)
	}
	return nil
}

// shortestOf is the length of the shortest of literals, 0 for none.
func shortestOf(literals []string) int {
	if literals == nil {
		return 0
	}
	return len(slices.MinFunc(literals, func(a, b string) int { return len(a) - len(b) }))
}
