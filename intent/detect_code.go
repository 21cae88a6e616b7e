package intent

import (
	"regexp"
	"strings"

	"inlay/internal/lazy"
)

var (
	keyword = lazy.Regexp(`^\s*(?:(?:export |public |private |protected |internal |static |async |pub |abstract |final |override )*(?:func|def|class|fn|impl|interface|struct|enum|function|trait|module|namespace|const|let|var|val|package|import|void|int|string|bool|float|double|char|auto|unsigned|type)\b|` +
		`#include\b|#define\b|#if|#endif|using \w|from [\w.]+ import|return\b|if\s*\(|if .*(?:[:{]|; then)$|else\b.{0,3}$|elif |elsif |for\s*\(|for .*(?:[:{]|; do)$|while\b.*(?:[:{)]|; do)$|try\s*[:{]|except\b|catch\b|finally\b|switch\b|case .*:|break;?$|continue;?$|end;?$|do$|then$|fi$|done$|esac$|begin$|` +
		`(?i:select|insert into|update|delete from|create|alter|drop|with) .*|(?i:from|where|(?:inner |left |right |outer |cross )*join|group by|order by|having|limit|values|set|on|and|union|returning) .*|` +
		`echo |export |sudo |cd |set -|RUN |COPY |FROM |CMD |ENV |WORKDIR |@\w+|use \w+(?:::|\\)|require|local |print|printf|#!/)`)
	closing  = lazy.Regexp(`^\s*[})\]]+[;,)]*$|^\s*[({\[]+$|^\s*</?\w[^>]*>$`)
	operator = lazy.Regexp(`(?::=|==|!=|=>|->|<-|\+=|-=|&&|\|\||::|<<|>>|\+\+|--|\w\s*=\s*[\w"'\[{(&*-]|\w\[\w|\s--?[a-z][\w-]*|\s[|>]\s|\$\w|\$\{|%\w\b|\)\.|\w\(\))`)
	call     = lazy.Regexp(`[\w\])]\([^)]*\)?`)
	imports  = lazy.Regexp(`^(?:import [\w.*{}, ]+|from [\w.]+ import .+|#include [<"].*|using [\w.]+;|package [\w.]+;?|use [\w:\\]+;?)(?: from .*)?;?$`)
	comment  = lazy.Regexp(`^\s*(?://|#|/\*|\*/|\* |--|<!--|"""|'''|;;|%)`)
)

// judged is how many bytes of a line are looked at to tell what it is.
const judged = 400

// codeScore says how much a line looks like a line of a program: 2 is code, 1 may
// be, 0 and less is not.
func codeScore(l line) int {
	t := l.trim
	if len(t) > judged { // its end counts too
		t = t[:judged/2] + t[len(t)-judged/2:]
		l.text = t
	}
	if strings.Count(t, " ") > 2 && !strings.ContainsAny(t, "(){}[];=<>:#/\\\"$|&@*_") && (strings.HasSuffix(t, ".") || !strings.ContainsAny(t, ",-")) {
		return 0
	}
	if t == "" || bulleted(l) && !strings.HasSuffix(t, ";") && !strings.HasSuffix(t, "{") {
		return 0
	}
	score := 0
	switch {
	case closing().MatchString(t), imports().MatchString(t):
		return 2
	case strings.HasSuffix(t, ";") || strings.HasSuffix(t, "{") || strings.HasSuffix(t, "};") || strings.HasSuffix(t, "\\"):
		score += 2
	case strings.HasSuffix(t, ",") || strings.HasSuffix(t, "(") || strings.HasSuffix(t, ")") || strings.HasSuffix(t, "):"):
		score++
	}
	for _, sign := range []*regexp.Regexp{keyword(), operator(), call()} {
		if sign.MatchString(l.text) {
			score++
		}
	}
	if commented(l.text) {
		score++
	}
	n, symbols := words(t)
	if symbols > .12 {
		score++
	}
	if strings.HasPrefix(l.text, "  ") || strings.HasPrefix(l.text, "\t") {
		score++
	}
	if n >= 6 && symbols < .05 && !commented(l.text) {
		score -= 2
	}
	return score
}

// codeScore is the score of line i, told once: runs look at a line many times.
func (p *page) codeScore(i int) int {
	if !p.lines[i].scored {
		p.lines[i].scored, p.lines[i].score = true, codeScore(p.lines[i])
	}
	return p.lines[i].score
}

// code is indented or bare lines of a program.
func code(p *page, i int) (span, bool) {
	if p.codeScore(i) < 2 && !commented(p.lines[i].text) {
		return span{}, false
	}
	r := codeRun{to: i}
	for j := i; j < len(p.lines) && r.miss < 3 && p.look(j); j++ {
		if p.blank(j) {
			if j-r.to > 1 {
				break
			}
			continue
		}
		r.take(p, i, j)
	}
	if r.sure < 3 || r.sure*2 < r.all {
		return span{}, false
	}
	return p.whole(Code, i, r.to)
}

// codeRun is lines of a program so far.
type codeRun struct {
	to   int // the line after the last that is code
	sure int // lines that are code
	all  int // lines in all, but for blank ones
	miss int // lines in a row that may not be code
}

func (r *codeRun) take(p *page, first, j int) {
	newParagraph := j > first && p.blank(j-1)
	switch score := p.codeScore(j); {
	case score >= 2:
		r.sure, r.all, r.to, r.miss = r.sure+1, r.all+1, j+1, 0
	case announces(p.lines[j].trim):
		r.miss = 3
	case score == 1 && !sentence(p.lines[j].trim):
		r.all, r.miss = r.all+1, r.miss+1
		if j > first && !newParagraph {
			r.to = j + 1
		}
	case commented(p.lines[j].text) && score >= 0:
		r.all++
	case newParagraph: // that is not code
		r.miss = 3
	default:
		r.all, r.miss = r.all+1, r.miss+1
	}
}

// announces reports whether a line is words that end in a colon.
func announces(s string) bool {
	lead, found := strings.CutSuffix(s, ":")
	n, symbols := words(lead)
	return found && n >= 4 && symbols == 0
}
