package builtin

import (
	"crypto/sha256"
	"strings"
	"sync"
	"unicode"

	"inlay/internal/lazy"
)

// A summary keeps two things: what was said to be kept in mind, from the whole
// conversation, and a line for each of the newest turns that it stands for.

// fact is a sentence that a later turn may need, with its weight.
type fact struct {
	text   string
	weight int
}

// leastWeight is what a sentence must have to be kept as a fact.
const leastWeight = 3

// What makes a sentence one to keep: that it is said to hold from now on, or
// that it is about the user's own things.
var (
	standing = lazy.Regexp(`(?i)\b(?:remember|always|never|must|from now on|prefer|please do not|please don't|note that|important|decided|agreed|deadline|called|named|instead of|only use|keep in mind|` +
		`merke?|immer|niemals?|muss|müssen|ab jetzt|ab sofort|wichtig|bevorzuge|heißt|heiße|entschieden|nicht vergessen|frist)\b`)
	ownThing = lazy.Regexp(`(?i)\b(?:my|our|i am|i'm|we are|we're|i use|we use|i work|we run|is|are|was|mein\w*|unser\w*|ich bin|wir sind|ist|sind|war)\b`)
	someCode = lazy.Regexp("[A-Za-z0-9_-]+[/_.:@-][A-Za-z0-9_/.:@-]*[A-Za-z0-9]|[A-Za-z]+[0-9]|`[^`]+`|\"[^\"]+\"")
)

// weigh says how much a sentence holds that cannot be guessed: names, numbers,
// identifiers, rules. A question holds nothing.
func weigh(sentence string, user bool) int {
	words := strings.Fields(sentence)
	if len(words) < 3 || strings.HasSuffix(sentence, "?") {
		return 0
	}
	n := 0
	for _, holds := range []bool{
		user, standing().MatchString(sentence), ownThing().MatchString(sentence), someCode().MatchString(sentence),
		strings.ContainsAny(sentence, "0123456789"), named(words[1:]),
	} {
		if holds {
			n++
		}
	}
	if standing().MatchString(sentence) {
		n++
	}
	return n
}

// named reports whether one of the words is a name: it begins with a capital,
// inside of a sentence.
func named(words []string) bool {
	for _, w := range words {
		r := []rune(strings.TrimLeft(w, `"'(`))
		if len(r) > 1 && unicode.IsUpper(r[0]) {
			return true
		}
	}
	return false
}

// factsOf are the sentences of a text that are worth keeping; who is before
// each, and is empty for the user.
func factsOf(text, who string) (out []fact) {
	for s := range sentences(text) {
		if w := weigh(s, who == ""); w >= leastWeight {
			out = append(out, fact{who + firstWords(s, 200), w})
		}
	}
	return out
}

// Recall remembers what is worth keeping of texts, so that a chat whose older
// turns are summarised again on each request costs no more than a look for each of
// them. The zero value is ready; it is safe for concurrent use, and nil remembers
// nothing.
type Recall struct {
	mu    sync.Mutex
	facts map[[sha256.Size]byte][]fact
}

// mostRecalled is how many texts are remembered before all are forgotten.
const mostRecalled = 8192

// of is factsOf. Its result is not to be changed.
func (r *Recall) of(text, who string) []fact {
	if r == nil {
		return factsOf(text, who)
	}
	key := sha256.Sum256([]byte(who + "\x00" + text))
	r.mu.Lock()
	found, ok := r.facts[key]
	r.mu.Unlock()
	if ok {
		return found
	}
	found = factsOf(text, who)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.facts == nil || len(r.facts) >= mostRecalled {
		r.facts = map[[sha256.Size]byte][]fact{}
	}
	r.facts[key] = found
	return found
}

// sentences cuts a text at line breaks and behind ., ! and ? that a space follows.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			from := 0
			for i, c := range line {
				ends := strings.ContainsRune(".!?", c) && (i+1 == len(line) || strings.ContainsRune(" \n\r\t", rune(line[i+1])))
				if !ends && i+1 < len(line) {
					continue
				}
				if s := strings.TrimSpace(line[from:min(len(line), i+1)]); s != "" && !yield(s) {
					return
				}
				from = i + 1
			}
		}
	}
}
