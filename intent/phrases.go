package intent

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"inlay/internal/lazy"
)

// phrases is an expression of words and phrases. Most texts have none of the
// words that begin one, which a walk over the words tells many times faster than
// the expression; it is asked only where they do not decide. The words are read
// off the expression.
type phrases struct {
	expr     func() *regexp.Regexp
	anchored bool // only the first word of a text counts
	any      bool // the words say nothing
	words    map[string]end
	free     map[rune]bool // begin what may be within a word
	lengths  [256]uint64   // of the words, by their first byte; bit 63: or more
	prefixes [256]uint64   // of those that may go on

	letters, others []rune // ranges of characters
}

// end is what may follow the letters that begin a phrase.
type end uint8

const (
	goesOn end = 1 << iota // more letters
	closed                 // no letter, but more of the phrase
	sure                   // nothing: the word is the phrase
	pair                   // a space and another word, which is known with it
)

// longestWord is the bytes of a word that are looked at.
const longestWord = 62

// border reports whether an expression is the start or the end of a word: the
// text's, or what is not a letter.
func (p *phrases) border(re *syntax.Regexp, class, text int, op syntax.Op) bool {
	return re.Op == syntax.OpAlternate && len(re.Sub) == 2 && re.Sub[text].Op == op && re.Sub[class].Op == syntax.OpCharClass && slices.Equal(re.Sub[class].Rune, p.others)
}

func parsed(expr string) *syntax.Regexp {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	return re
}

// phrasesOf returns what reads expr when it is first called.
func phrasesOf(expr string) func() *phrases {
	return sync.OnceValue(func() *phrases {
		p := &phrases{expr: lazy.Regexp(expr), words: map[string]end{}, free: map[rune]bool{}, letters: parsed(`(?i)\p{L}`).Rune, others: parsed(`(?i)\P{L}`).Rune}
		p.read(parsed(expr))
		return p
	})
}

// read takes the words off an expression.
func (p *phrases) read(re *syntax.Regexp) {
	switch {
	case re.Op == syntax.OpAlternate:
		for _, sub := range re.Sub {
			p.read(sub)
		}
	case re.Op == syntax.OpConcat && re.Sub[0].Op == syntax.OpBeginText:
		p.anchored = true
		p.spell(nil, re.Sub[1:])
	case re.Op == syntax.OpConcat && p.border(re.Sub[0], 1, 0, syntax.OpBeginText):
		p.spell(nil, re.Sub[1:])
	case re.Op == syntax.OpConcat:
		p.read(re.Sub[0])
	case re.Op == syntax.OpLiteral:
		p.free[fold(re.Rune[0])] = true
	case re.Op == syntax.OpCharClass:
		for _, r := range members(re) {
			p.free[fold(r)] = true
		}
		p.any = p.any || len(members(re)) == 0
	default:
		p.any = true
	}
}

// spell adds the words that begin with prefix and go on with rest.
func (p *phrases) spell(prefix []rune, rest []*syntax.Regexp) {
	if len(rest) == 0 {
		p.add(prefix, goesOn)
		return
	}
	head, tail := rest[0], rest[1:]
	switch head.Op {
	case syntax.OpConcat, syntax.OpCapture:
		p.spell(prefix, slices.Concat(head.Sub, tail))
	case syntax.OpEmptyMatch:
		p.spell(prefix, tail)
	case syntax.OpQuest:
		p.spell(prefix, tail)
		p.spell(prefix, slices.Concat(head.Sub, tail))
	case syntax.OpAlternate:
		if len(tail) == 0 && p.border(head, 0, 1, syntax.OpEndText) {
			p.add(prefix, sure)
			return
		}
		for _, sub := range head.Sub {
			p.spell(prefix, slices.Concat([]*syntax.Regexp{sub}, tail))
		}
	case syntax.OpLiteral:
		for _, r := range head.Rune {
			switch {
			case letter(r):
			case r == ' ' && len(prefix) > 0 && !slices.Contains(prefix, ' '):
				p.add(prefix, pair)
			default:
				p.add(prefix, closed)
				return
			}
			prefix = append(slices.Clone(prefix), fold(r))
		}
		p.spell(prefix, tail)
	case syntax.OpCharClass:
		p.class(prefix, head, tail)
	case syntax.OpEndText:
		p.add(prefix, closed)
	default:
		p.add(prefix, goesOn)
	}
}

// class goes on with each letter of a small class.
func (p *phrases) class(prefix []rune, head *syntax.Regexp, tail []*syntax.Regexp) {
	all := members(head)
	if apart(head.Rune, p.letters) {
		p.add(prefix, closed)
		return
	}
	if len(all) == 0 || slices.ContainsFunc(all, func(r rune) bool { return !letter(r) }) {
		p.add(prefix, goesOn)
		return
	}
	for _, r := range all {
		p.spell(append(slices.Clone(prefix), fold(r)), tail)
	}
}

// apart reports whether two classes share no character.
func apart(a, b []rune) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i+1] < b[j]:
			i += 2
		case b[j+1] < a[i]:
			j += 2
		default:
			return false
		}
	}
	return true
}

// members are the characters of a class of up to 64, else none.
func members(class *syntax.Regexp) (all []rune) {
	for i := 0; i < len(class.Rune); i += 2 {
		for r := class.Rune[i]; r <= class.Rune[i+1]; r++ {
			if all = append(all, r); len(all) > 64 {
				return nil
			}
		}
	}
	return all
}

func (p *phrases) add(prefix []rune, e end) {
	word := string(prefix)
	if one, cut := strings.CutSuffix(word, " "); cut {
		word, e = one, closed
	}
	if word == "" || len(word) > longestWord {
		p.any = true
		return
	}
	p.words[word] |= e
	p.lengths[word[0]] |= 1 << len(word)
	if e == goesOn {
		p.prefixes[word[0]] |= 1 << len(word)
	}
}

// MatchString reports whether a text holds one of the phrases.
func (p *phrases) MatchString(text string) bool {
	if p.any {
		return p.expr().MatchString(text)
	}
	n, found := p.begin(text, true)
	return found || n > 0 && p.expr().MatchString(text)
}

// outnumber reports whether times as many phrases as a text has are more than its words.
func (p *phrases) outnumber(text string, times int) bool {
	words := wordCount(text)
	if n, _ := p.begin(text, false); !p.any && n*times <= words {
		return false
	}
	return len(p.expr().FindAllStringIndex(text, -1))*times > words
}

// begin counts the words of a text that may begin a phrase; with first, it ends
// at one, found if that is the whole phrase.
func (p *phrases) begin(text string, first bool) (n int, found bool) {
	var buf [2*longestWord + 2*utf8.UTFMax]byte
	for i := 0; i < len(text) && (i == 0 || !p.anchored); {
		word, at, free := p.word(buf[:0], text, i)
		e := p.look(word)
		if e == pair && at < len(text) && text[at] == ' ' {
			both, _, _ := p.word(append(word, ' '), text, at+1)
			e = p.look(both)
		}
		if e &^= pair; e != 0 || free {
			n++
			if first && e&sure != 0 {
				return n, true
			}
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		i = at + size
	}
	return n, false
}

// word appends the word at text[i:], folded, up to some length; at is what
// follows it, and free whether it or that begins what may be within a word.
func (p *phrases) word(buf []byte, text string, i int) (word []byte, at int, free bool) {
	least := len(buf)
	for ; i < len(text); i++ {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			free = free || p.free[fold(r)]
		}
		if !letter(r) {
			break
		}
		if len(buf) < least+longestWord {
			buf = utf8.AppendRune(buf, fold(r))
		}
		i += size - 1
	}
	return buf, i, free
}

// look is how a word begins a phrase, if it does.
func (p *phrases) look(word []byte) (e end) {
	if len(word) == 0 {
		return 0
	}
	if p.lengths[word[0]]&(1<<len(word)) != 0 {
		e = p.words[string(word)]
	}
	for k, left := 1, p.prefixes[word[0]]>>1; left != 0 && k < len(word); k, left = k+1, left>>1 {
		if left&1 != 0 {
			e |= p.words[string(word[:k])] & goesOn
		}
	}
	return e
}

// letter is what \p{L} takes for one where case is folded.
func letter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || r == '\u0345'
}

// fold is the same for all cases of a character.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
