package secrets

import (
	"slices"
	"strings"
	"unicode"

	"inlay/internal/lazy"
)

// namedPattern finds name = value, "name": "value", name => value, name is
// value, all on one line; up to two words may be before the name: "API key".
var namedPattern = lazy.Regexp(`((?:[A-Za-z][A-Za-z0-9_]*[ ]){0,2}[A-Za-z][A-Za-z0-9_.-]*["'\]\x60]*(?:[ \t]*(?:=>|:=|==?|:)[ \t]*|[ \t]is[ \t]+:?[ \t]*)(?:(?i:bearer|basic|token)[ \t]+)?)` + value)

// value is a quoted text without spaces, or the rest of a word.
const value = "(?:\"([^\"\\s]{6,})\"|'([^'\\s]{6,})'|`([^`\\s]{6,})`|([^\\s\"'`,;(){}\\[\\]<>|]{8,}))"

// flagPattern finds --name value and curl's -u user:password.
var flagPattern = lazy.Regexp(`(--[A-Za-z][A-Za-z-]*[ \t]+|-u[ \t]+[^\s:"'-][^\s:"']*:)` + value)

func hintsOfNames() []string {
	return []string{"pass", "pwd", "secret", "token", "key", "cred", "authorization"}
}

// What names consist of, each word between spaces.
const (
	// secretWords name a secret by themselves, or as the end of a longer word.
	secretWords = "password passwd passphrase pwd secret token apikey authkey accesskey secretkey privatekey accountkey authtoken accesstoken credential credentials authorization"
	// keyOf are words that do so before "key".
	keyOf = " api access private account secret encryption signing auth storage session subscription master shared license webhook function admin deploy "
	// notSecret are words that make a name one of something about a secret.
	notSecret = " count counts max min limit limits length len size number num type types url uri endpoint path file dir ttl expiry expires expiration " +
		"policy field label hint prompt usage budget name algorithm alg header ring per total index position version public pattern regex id class format kind hash "
)

func among(words, word string) bool { return strings.Contains(words, " "+word+" ") }

// names reports whether what is under a name is a secret: DB_PASSWORD,
// apiKey, "client secret", but not max_tokens or password_file. Of several
// words with spaces between them the last decides.
func names(name string) bool {
	cut := strings.LastIndexByte(strings.TrimSpace(name), ' ') + 1
	words := split(name[cut:])
	if before := split(name[:cut]); len(before) > 0 {
		words = slices.Insert(words, 0, before[len(before)-1])
	} else {
		words = slices.Insert(words, 0, "")
	}
	found := false
	for i, w := range words[1:] {
		switch {
		case among(notSecret, w):
			return false
		case w == "pass" && i > 0, w == "key" && among(keyOf, words[i]):
			found = true
		case slices.ContainsFunc(strings.Fields(secretWords), func(s string) bool { return strings.HasSuffix(w, s) }):
			found = true
		}
	}
	return found
}

// split cuts a name into its words in lower case: camelCase, snake_case, kebab-case.
func split(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if unicode.IsUpper(r) && small {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// named is the value of a name that names a secret, if it looks like one.
func named(text string, m []int) (start, end int) {
	name, after := text[m[2]:m[3]], ""
	if i := strings.IndexAny(name, ":="); i >= 0 {
		name, after = name[:i], name[i:]
	} else {
		name = strings.TrimSuffix(strings.TrimSpace(name), " is")
	}
	if !names(name) {
		return -1, 0
	}
	header := strings.HasSuffix(strings.ToLower(strings.TrimSpace(name)), "authorization") || strings.ContainsAny(after, "bB") // a word such as Bearer is before it
	return picked(text, m, name, header || literal(name, after, text[m[3]:]))
}

// literal reports whether a value is not code: an environment variable's, or that
// of a line of YAML, with a digit in it.
func literal(name, after, rest string) bool {
	rest, _, _ = strings.Cut(rest, "\n")
	upper := after == "=" && strings.ToUpper(name) == name
	yaml := strings.TrimSpace(after) == ":" && after != ":" && !strings.ContainsAny(strings.TrimRight(rest, " \t\r"), " \t,;()[]")
	return (upper || yaml) && strings.ContainsAny(rest, "0123456789") && !numeral().MatchString(rest)
}

var numeral = lazy.Regexp(`^["']?(?:0x)?[0-9.,]+`)

func flagged(text string, m []int) (start, end int) {
	name := text[m[2]:m[3]]
	if strings.HasPrefix(name, "--") && !names(name) {
		return -1, 0
	}
	return picked(text, m, name, false)
}

// picked is the value group that took part, where its text may be a secret.
func picked(text string, m []int, name string, header bool) (start, end int) {
	group, quoted := 0, true
	for g := 2; g <= 5; g++ {
		if m[2*g] >= 0 {
			group, quoted = g, g < 5
		}
	}
	start, end = m[2*group], m[2*group+1]
	if !quoted {
		end = start + len(strings.TrimRight(text[start:end], ".:!?"))
		if end < len(text) && text[end] == '(' {
			return -1, 0 // a call
		}
	}
	v := text[start:end]
	if placeholder(v) || location(v) || !header && !plausible(text[m[2*group]:m[2*group+1]], quoted, numeric(name)) {
		return -1, 0
	}
	return start, end
}

// numeric reports whether digits alone are a secret under this name.
func numeric(name string) bool {
	return !slices.ContainsFunc(split(name), func(w string) bool { return strings.HasSuffix(w, "token") || w == "key" })
}

// plausible tells a secret from a word of a sentence and from code: it has a
// digit or a special character, or capitals where no name has them.
func plausible(v string, quoted, digitsDo bool) bool {
	digits := strings.ContainsAny(v, "0123456789")
	switch {
	case strings.Trim(v, "0123456789.,") == "":
		return digitsDo && strings.Trim(v, "0123456789") == ""
	case number().MatchString(v):
		return false
	case hexadecimal().MatchString(v):
		return digits
	case identifier().MatchString(v) && !quoted:
		return turns(v)*100 >= 38*len(v) && !dotted().MatchString(v)
	case digits:
		return true
	case strings.ContainsAny(v, "!@#$%^&*+=?~"):
		return quoted || !strings.ContainsAny(v, "=&*")
	}
	return mixed(v)
}

var (
	identifier  = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$`)
	number      = lazy.Regexp(`^(?i:0x[0-9a-f]{1,16}|[0-9]+(?:ms|s|m|h|d|kb|mb|gb|px|%)?)$`)
	hexadecimal = lazy.Regexp(`^(?:[0-9a-f]{16,}|[0-9A-F]{16,})$`)
	dotted      = lazy.Regexp(`^[a-z_]\w{0,24}(?:\.[A-Za-z_]\w{0,30})+$`)
	stand       = lazy.Regexp(`(?i)^(?:x{4,}|\*{3,}|\.{3,}|-{4,}|your|my-|example|change-?me|placeholder|redacted|null|none|true|false|undefined|env[.:(]|process\.env|os\.|secrets\.|vars?\.|github\.)`)
)

// placeholder reports whether a value stands for one that is filled in elsewhere.
func placeholder(v string) bool {
	return strings.HasPrefix(v, "[redacted") || strings.HasPrefix(v, "$") || strings.HasPrefix(v, "%") || strings.ContainsAny(v, "{}<>") ||
		strings.Contains(v, "...") || stand().MatchString(v)
}

// location reports whether a value is an address or a path.
func location(v string) bool {
	return strings.Contains(v, "://") || path().MatchString(v)
}

var path = lazy.Regexp(`^(?:\.{0,2}|~)/(?:[a-z0-9._-]{1,20}/?)+$`)
