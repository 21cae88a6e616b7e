package intent

import (
	"strings"
	"unicode/utf8"

	"inlay/internal/lazy"
)

var (
	logStart = lazy.Regexp(`^(?:` +
		`[\[(]?\d{4}[-/.]\d\d[-/.]\d\d[T ,]+\d\d:\d\d|` + // 2024-11-21 10:00
		`[\[(]?\d{1,2}[-/.](?:\d{1,2}|[A-Z][a-z]{2})[-/.]\d{2,4}[ :T,]+\d\d:\d\d|` + // 21/Nov/2024:10:00
		`(?:<\d+>)?(?:\w{3} )?[A-Z][a-z]{2} {1,2}\d{1,2} (?:\d{4} )?\d\d:\d\d:\d\d|` + // syslog
		`[IWEFD]\d{4} \d\d:\d\d:\d\d|` + // klog
		`\[?\s*(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|SEVERE|PANIC)\]?[\s:|\]]|` +
		`\d{1,3}(?:\.\d{1,3}){3} .*\[|` + // access log
		`\[\s*\d+\.\d{3,6}\]|` + // dmesg
		`[\[(]?\d\d:\d\d:\d\d(?:[.,]\d+)?[\])]? |` +
		`\d{10}(?:\.\d+)?\s|` +
		`(?:\w+=(?:"[^"]*"|\S+)\s+){3,}|` + // logfmt
		`[a-z][\w.-]*\s+\|\s|` + // compose
		`(?:=== RUN|--- (?:PASS|FAIL|SKIP):|ok  \t|FAIL\b|PASS$)|npm (?:ERR!|WARN|error|warn)|` +
		`Traceback \(most|\s*File "[^"]+", line \d+|\s+at [\w$.<>/]+ ?\(|goroutine \d+ \[|panic: |Caused by: |\s+\.\.\. \d+ more|thread '.*' panicked|` +
		`(?:[a-z]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning)\b[:\s]|(?:[A-Za-z_]\w*\.)+[A-Z]\w*: |` +
		`[\w./\\-]+\.\w{1,5}[:(]\d+(?:[:,]\d+)?\)?: |` + // compilers
		`##\[|\$ |\+ \w+ -)`)
	logGoes = lazy.Regexp(`^(?:\s{2,}\S|\t|\^+$|\S*[\w.]+\.\w+\(0x|\s*\^)`)
)

// logLines is a log, a trace or what a program printed: lines that begin with
// times, levels and the like, and those between them.
func logLines(p *page, i int) (span, bool) {
	if !logged(p.lines[i].text) {
		return span{}, false
	}
	starts := 0
	to, _ := p.run(i, 3, func(l line) bool {
		yes := logged(l.text)
		if yes {
			starts++
		}
		return yes || logGoes().MatchString(l.text)
	})
	if starts < 3 {
		return span{}, false
	}
	return p.whole(Log, i, to)
}

var (
	tableRule = lazy.Regexp(`^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)+\|?\s*$`)
	boxRule   = lazy.Regexp(`^\s*[+|├┌└│╔╠╚║┏┃]`)
	columns   = lazy.Regexp(`\S(?: {2,}|\t+)`)
)

// table is rows of as many fields each: Markdown, boxes, CSV, columns.
func table(p *page, i int) (span, bool) {
	t := p.lines[i].trim
	if i+1 < len(p.lines) && strings.Contains(t, "|") && tableRule().MatchString(p.lines[i+1].text) {
		to, count := p.run(i, 0, func(l line) bool { return strings.Contains(l.text, "|") })
		if count >= 3 {
			return p.whole(Table, i, to)
		}
	}
	if starts(t, "+|\xe2") && boxRule().MatchString(t) {
		if to, count := p.run(i, 0, func(l line) bool { return boxRule().MatchString(l.text) }); count >= 3 {
			return p.whole(Table, i, to)
		}
	}
	for _, sep := range []string{"\t", ";", "|", ","} {
		if to := p.separated(i, sep); to > i {
			return p.whole(Table, i, to)
		}
	}
	return p.aligned(i)
}

// separated is the line after the rows that have as many fields as line i, or i
// where these are no table: under four rows, or rows that read like sentences.
func (p *page) separated(i int, sep string) int {
	if strings.IndexByte(p.lines[i].text, sep[0]) < 0 {
		return i
	}
	want := fields(p.lines[i].text, sep)
	if want < 2 || sep == "," && want < 3 {
		return i
	}
	to, rows, prose, size := i, 0, 0, 0
	for j := i; j < len(p.lines) && p.look(j); j++ {
		text, next := p.record(j)
		if n := fields(text, sep); n != want && (n < 2 || n < want-1 || n > want+1 || sep == ",") {
			break
		}
		if sep == "," && strings.HasSuffix(text, ".") || sentence(text) && strings.Contains(text, sep+" ") {
			prose++
		}
		rows, size, to, j = rows+1, size+len(text), next, next-1
	}
	if rows < 4 && (rows < 3 || sep == ",") || prose*3 > rows || size > rows*want*200 {
		return i
	}
	return to
}

// record is the line j with those that its quoted fields go on over.
func (p *page) record(j int) (text string, next int) {
	text, next = p.lines[j].text, j+1
	for strings.Count(text, `"`)%2 == 1 && next < len(p.lines) && next < j+8 {
		text, next = text+"\n"+p.lines[next].text, next+1
	}
	if strings.Count(text, `"`)%2 == 1 {
		return p.lines[j].text, j + 1
	}
	return text, next
}

// fields counts the fields of a row; separators within quotes do not part.
func fields(row, sep string) int {
	n, quote := 1, false
	for i := range len(row) {
		switch {
		case row[i] == '"':
			quote = !quote
		case row[i] == sep[0] && !quote:
			n++
		}
	}
	return n
}

// aligned is rows whose columns are kept apart by white space.
func (p *page) aligned(i int) (span, bool) {
	want := gaps(p.lines[i].trim)
	if want < 2 {
		return span{}, false
	}
	to, count := p.run(i, 0, func(l line) bool {
		n := gaps(l.trim)
		return n >= max(want-2, 1) && n <= want+2 && !sentence(l.text)
	})
	if count < 4 {
		return span{}, false
	}
	return p.whole(Table, i, to)
}

var (
	hexLine  = lazy.Regexp(`^(?:0x)?[0-9a-fA-F]{4,8}[: ]\s?(?:[0-9a-fA-F]{2,8} ?){4,}`)
	blobLine = lazy.Regexp(`^[A-Za-z0-9+/=_-]{40,}$`)
)

// hexLines is a dump in hexadecimal.
func hexLines(p *page, i int) (span, bool) {
	to, count := p.run(i, 0, func(l line) bool { return hexed(l.trim) || l.trim == "*" })
	if count < 3 {
		return span{}, false
	}
	return p.whole(Blob, i, to)
}

// blob is encoded data: long lines without a space, or one very long word. An
// address stays, unless it carries pasted content.
func blob(p *page, i int) (span, bool) {
	to, count := p.run(i, 0, func(l line) bool {
		return len(l.trim) >= 40 && !strings.Contains(l.trim, " ") && blobLine().MatchString(l.trim)
	})
	if count >= 3 {
		if to < len(p.lines) && !p.blank(to) && !strings.Contains(p.lines[to].trim, " ") {
			to++ // the shorter last line
		}
		return p.whole(Blob, i, to)
	}
	l := p.lines[i]
	if start, end := longWord(l.text); end > start {
		word := l.text[start:end]
		if utf8.RuneCountInString(word) < len(word)*9/10 || address().MatchString(word) && len(word) < longest {
			return span{}, false
		}
		return span{Blob, i, i + 1, l.start + start, l.start + end}, true
	}
	return span{}, false
}

// leastBlob is the bytes of the shortest word that is data.
const leastBlob = 400

// longWord is where the first word of 400 bytes or more is in a line.
func longWord(text string) (start, end int) {
	for i := 0; i <= len(text) && len(text) >= leastBlob; i++ {
		if i < len(text) && strings.IndexByte(" \t\"'<>", text[i]) < 0 {
			continue
		}
		if i-start >= leastBlob {
			return start, i
		}
		start = i + 1
	}
	return 0, 0
}

var setting = lazy.Regexp(`^\s*(?:- )?["']?[\w./@-]+["']?\s?(?:[:=]\s|=\S|:$)|^\s*- \S|^\s*\[{1,2}[\w.:" -]+\]{1,2}$|^\s*[#;]|^---$`)

// field is how people write a fact: a word in capitals, a colon, words.
var field = lazy.Regexp(`^\p{Lu}[\p{L} ]*: `)

// settings is YAML, TOML, INI and the like.
func settings(p *page, i int) (span, bool) {
	prose, keys := 0, 0
	to, count := p.run(i, 1, func(l line) bool {
		if !set(l) && (keys < 3 || !strings.HasPrefix(l.text, "      ")) {
			return false
		}
		if sentence(l.text) || field().MatchString(l.text) {
			prose++
		}
		if !strings.HasPrefix(l.trim, "- ") && !strings.HasPrefix(l.trim, "#") {
			keys++
		}
		return true
	})
	if count < 5 || prose*3 > count || keys*3 < count {
		return span{}, false
	}
	return p.whole(Settings, i, to)
}

var bullet = lazy.Regexp(`^\s*(?:[-*•+·–‣◦]|\d{1,4}[.)]|[a-zA-Z][.)]|\(\d+\)|\[[ xX]\]|#\d+)\s+\S`)

// leastItems is the items of the shortest list that is data rather than part
// of the request.
const leastItems = 9

// list is a long list: of marked items, or of short lines.
func list(p *page, i int) (span, bool) {
	if bulleted(p.lines[i]) {
		to, count := p.run(i, 1, func(l line) bool {
			return bulleted(l) || l.trim != "" && strings.HasPrefix(l.text, "  ")
		})
		if count >= leastItems && !p.instructs(i, to) && !p.worded(i, to) {
			return p.whole(List, i, to)
		}
		return span{}, false
	}
	to, count := p.run(i, 0, func(l line) bool {
		return l.trim != "" && len(l.trim) <= 90 && !strings.ContainsRune(".?!:。？！：", lastRune(l.trim)) && !sentence(l.text) && !bulleted(l)
	})
	if count < leastItems || asks(p.lines[i].trim) || p.instructs(i, to) {
		return span{}, false
	}
	return p.whole(List, i, to)
}

// worded reports whether most items are sentences rather than data: then it
// depends on the request what they are.
func (p *page) worded(from, to int) bool {
	items, sentences := 0, 0
	for i := from; i < min(to, from+manyLines); i++ {
		if t := unmarked(p.lines[i].trim); t != "" {
			items++
			if sentence(t) {
				sentences++
			}
		}
	}
	return sentences*3 >= items*2
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
