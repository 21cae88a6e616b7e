package route

import (
	"strings"

	"inlay/internal/lazy"
)

// Command lines, as they are typed or are in a sentence. A command is
// proposed whole or not at all: one that is cut does something else.

// maxCommand is the longest command in bytes that is read out of an ask.
const maxCommand = 1000

// maxWords is the most words that it has.
const maxWords = 80

var (
	// leads before a command line: courtesies, a prompt's sign, a verb.
	lineLead = pattern(`(?i)^[$>%]\s+|^(?:<courtesies>)*(?:(?:<line verbs>)\s+(?:mal |bitte |ein(?:en?)? |une? |a )*)?`)
	toRun    = pattern(`(?i)(?:^|\PL)(?:<run words>)\s+(?:a |the |bitte |mal )?`)
	// closing ends a command in a sentence.
	closing = pattern(`(?i)^(?:<command ends>)(?:[\s,.;:?!)]|$)`)
	// wholly is all that may be after a command for it to be the whole ask.
	wholly = pattern(`(?i)^(?:[\s,.!)]*(?:<farewells>))*[\s,.!)]*$`)
	// said are words that sentences have and commands do not.
	said    = pattern(`(?i)^(?:<sentence words>)$`)
	outputs = lazy.Regexp(`^(?:-o|--?out(?:put)?)$`)
)

// typedLine is the command line that a whole text is; empty if it is none.
func typedLine(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "`") || strings.ContainsRune(text, '\n') {
		return ""
	}
	lead := lineLead().FindString(text)
	command, rest := commandAt(text[len(lead):])
	asked := strings.HasSuffix(rest, "?")
	if asked && !request().MatchString(strings.ToLower(lead)) || !wholly().MatchString(strings.TrimSuffix(rest, "?")) {
		return ""
	}
	if program, what, one := strings.Cut(command, " "); one && isSeeker(program) && !strings.Contains(what, " ") {
		return "" // what is looked for, not how
	}
	return command
}

func isSeeker(program string) bool { return program == "grep" || program == "rg" || program == "ag" }

// commands are the stretches of a text that are command lines, in order.
func commands(text string) (out [][2]int) {
	if line := typedLine(text); line != "" {
		at := strings.Index(text, line)
		return [][2]int{{at, at + len(line)}}
	}
	for from := 0; ; {
		m := toRun().FindStringIndex(text[from:])
		if m == nil {
			return out
		}
		at := from + m[1]
		end, ok := commandEnd(text[at:])
		from = at + end
		if ok {
			out = append(out, [2]int{at, from})
		}
	}
}

// commandAt is the command that a text begins with, and what follows it. It is
// empty if the text begins with none, or does not show where it ends.
func commandAt(text string) (command, rest string) {
	if end, ok := commandEnd(text); ok {
		return text[:end], text[end:]
	}
	return "", text
}

// commandEnd is where the command that a text begins with ends, and whether it
// is one; if it is none, how far that took to tell.
func commandEnd(text string) (end int, ok bool) {
	line, _, _ := strings.Cut(text[:min(len(text), maxCommand)], "\n")
	if !program().MatchString(line) && !flagged().MatchString(line) && !scripted().MatchString(line) {
		return 0, false
	}
	last := ""
	for words := 0; end < len(line); words++ {
		at := len(line) - len(strings.TrimLeft(line[end:], " \t"))
		if at == len(line) || end > 0 && closing().MatchString(line[at:]) {
			break
		}
		size := wordLen(line[at:])
		word := line[at : at+size]
		if end > 0 && strings.Trim(word, "?!") == "" { // "git stash ?"
			break
		}
		if size == 0 || words == maxWords || said().MatchString(strings.TrimRight(word, ",.;:?!")) && !outputs().MatchString(last) || strings.HasPrefix(word, "<<") {
			return end, false
		}
		last = unpointed(word)
		end = at + len(last)
		if strings.HasPrefix(line[end:], ";") && program().MatchString(strings.TrimLeft(line[end+1:], " ")) {
			end++
		} else if last != word {
			break
		}
	}
	return end, end < maxCommand && !unclear(line[:end], line[end:]) && looksTyped(line[:end])
}

// unclear reports whether it cannot be told that a command ends where it seems to.
func unclear(command, rest string) bool {
	on := strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ";")
	next := strings.TrimLeft(rest, ",;.?!) ")
	word, _, _ := strings.Cut(next, " ")
	return strings.HasSuffix(command, `\`) || trailing().MatchString(command) || strings.HasPrefix(command, "echo ") && next != "" ||
		on && next != "" && !closing().MatchString(next) && !said().MatchString(word)
}

// wordLen is the length of a shell word at the start of a line, quotes
// included; 0 if a quote is not closed.
func wordLen(line string) int {
	open := byte(0)
	for i := range len(line) {
		switch c := line[i]; {
		case open != 0:
			if c == open && (i == 0 || line[i-1] != '\\' || open == '\'') {
				open = 0
			}
		case c == ' ' || c == '\t':
			if i == 0 || line[i-1] != '\\' {
				return i
			}
		case c == '"' || c == '`' || c == '\'' && (i == 0 || !letter(line[i-1])):
			open = c
		}
	}
	if open != 0 {
		return 0
	}
	return len(line)
}

var (
	// pointed is a word after which a dot ends a sentence.
	pointed = lazy.Regexp("[\\w\"'`)\\]}*]$")
	// trailing is an ellipsis of a sentence, or of a pattern of packages; or an operator that lacks its right side.
	trailing = lazy.Regexp(`\w\.{3,}$|(?:^|\s)(?:[|&]{1,2}|[<>]{1,2})$`)
)

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// unpointed is a word without the punctuation of the sentence that it ends.
// Dots that are a folder, or all below one, are none.
func unpointed(word string) string {
	out := strings.TrimRight(word, ",;?!")
	if out == "" || strings.HasSuffix(out, `\`) {
		return word
	}
	if strings.HasSuffix(out, ")") && !strings.Contains(out, "(") {
		out = strings.TrimRight(out, ")")
	}
	body := strings.TrimRight(out, ".")
	switch dots := len(out) - len(body); {
	case strings.HasSuffix(body, "/"):
		out = body + strings.Repeat(".", min(dots, 3))
	case dots == 1 && pointed().MatchString(body):
		out = body
	}
	return out
}

// Programs whose names begin sentences are typed with what no sentence has, and
// so are those that no list knows.
var (
	wordy    = pattern(`^(?:<programs that are words>)\b`)
	typed    = lazy.Regexp(`^\S+(?: (?:\S*[./=$*"':-]\S*)(?: .*)?)?$`)
	subs     = pattern(`^\S+ (?:<sub commands>)(?: [\w:@./=-]+)*$`)
	seeks    = lazy.Regexp(`^find (?:[./~$*-].*|\w[\w/]* -.*)$`)
	goes     = lazy.Regexp(`^go(?: (?:build|test|run|mod|vet|fmt|get|install|generate|env|work|tool|version|list|clean|doc|fix)\b.*)?$`)
	makes    = lazy.Regexp(`^make(?: (?:\S+|\S*[-=.]\S*|-.*|\S+ \S+|\S+ .*\S=\S.*))?$`)
	flagged  = lazy.Regexp(`^(?:[A-Z_]+=\S+ )*(?:[a-z][\w.+-]*|[\w.-]+(?:/[\w.-]+)+)(?: [\w:./@=-]+){0,3}? -{1,2}[A-Za-z][\w-]*(?:[= .,;?!]|$)`)
	scripted = lazy.Regexp(`^(?:(?:\.{1,2}|~)/\S+|bin/[\w-]+(?: [\w:.@/=-]+){1,5}$|(?:[\w.-]+/)+[\w-]+(?:\.(?:sh|bash|py|js|rb|pl|ps1|bat|ts))?(?: \S+)* -{1,2}[A-Za-z])`)
	wishful  = lazy.Regexp(`^make \S+ \S*(?:er|able|ive|ful|less|ly|ed|work|pass|green|public|private|optional|async|static|const)$`)
	// plainWords are three words or more that any sentence may have; known has one of them that programs take.
	plainWords = lazy.Regexp(`^\w+(?: [\w.:]*\w){2,}$`)
	known      = pattern(`^(?:<programs with arguments>) |^\w+ (?:<sub commands>)\b`)
	// judged are words of remarks about programs, which no program takes.
	judged  = lazy.Regexp(`\s(?:vs\.?|versus|too|only|takes?|took|rejected|refused|denied|mismatch\w*|flicker\w*|longer|faster|slower|lately|large|huge|conflicts?|anymore|pictures)(?:\s|$)`)
	timed   = lazy.Regexp(`^(?:time|sudo|env|nohup|[A-Z_]+=\S+) `)
	ordered = pattern(`(?i)^(?:<first words>|<change verbs>|<remark starts>)\b`)
)

// joined are the signs of the shell between two commands.
var joined = lazy.Regexp(`\s*(?:&&|\|\||;)\s+`)

// builtIn is a command of the shell's own.
var builtIn = lazy.Regexp(`^(?:true|false|exit|sleep|source|export|set)(?:\s|$)`)

// looksTyped tells commands from sentences that begin with a program's name. Of
// several commands, each begins with a program.
func looksTyped(s string) bool {
	masked := quotes().ReplaceAllStringFunc(s, func(q string) string { return strings.Repeat("_", len(q)) })
	if at := joined().FindStringIndex(masked); at != nil {
		return looksTyped(s[:at[0]]) && (builtIn().MatchString(s[at[1]:]) || (program().MatchString(s[at[1]:]) || scripted().MatchString(s[at[1]:])) && looksTyped(s[at[1]:]))
	}
	low := strings.ToLower(s)
	if lead := timed().FindString(s); lead != "" && program().MatchString(s[len(lead):]) {
		return looksTyped(s[len(lead):])
	}
	switch {
	case s == "" || judged().MatchString(quotes().ReplaceAllString(low, "_")):
		return false
	case !program().MatchString(s):
		return !ordered().MatchString(s) && !broken.in(anyLanguage).MatchString(low) && (flagged().MatchString(s) || scripted().MatchString(s))
	case strings.HasPrefix(s, "./"):
		return !broken.in(anyLanguage).MatchString(low)
	case wordy().MatchString(s):
		return typed().MatchString(s) || subs().MatchString(s)
	case strings.HasPrefix(s, "find"):
		return seeks().MatchString(s)
	case strings.HasPrefix(s, "go "):
		return goes().MatchString(s)
	case strings.HasPrefix(s, "make "):
		return makes().MatchString(s) && !wishful().MatchString(s)
	}
	return !plainWords().MatchString(s) || known().MatchString(s) && !broken.in(anyLanguage).MatchString(low)
}
