package ollama

import (
	"hash/maphash"
	"sync"

	"github.com/ollama/ollama/tokenizer"
)

const (
	// longStretch is the length in bytes from which a stretch ends at the next
	// place where it may.
	longStretch = 4 << 10
	// cutBits thins out the places where text is cut: one of 2^cutBits that may be.
	cutBits = 4
	// remembered is how many stretches are remembered at least, of some hundred
	// bytes each.
	remembered = 1 << 15
)

// stretches counts a text by stretches and remembers what each has, because
// most of a prompt stood in an earlier one. Where a text is cut depends on the
// few bytes around the place alone, so that what follows a changed passage falls
// into the same stretches as before. It is safe for concurrent use.
type stretches struct {
	encoder encoder
	cuts    bool // no token holds a letter and then white space, so text may be cut there
	seeds   [2]maphash.Seed

	mu             sync.Mutex
	recent, before map[stretch]int // tokens; before is forgotten when recent is full
}

// stretch stands for a text: two hashes of it with seeds that nobody knows.
type stretch [2]uint64

func newStretches(e encoder, cuts bool) *stretches {
	return &stretches{encoder: e, cuts: cuts, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, recent: map[stretch]int{}}
}

// count is how many tokens text has, without the vocabulary's first and last.
func (s *stretches) count(text string) (int, error) {
	n := 0
	for text != "" {
		head := s.head(text)
		one, err := s.one(head)
		if err != nil {
			return 0, err
		}
		n += one
		text = text[len(head):]
	}
	return n, nil
}

// head is the first stretch of text.
func (s *stretches) head(text string) string {
	if !s.cuts {
		return text
	}
	for i := 4; i < len(text); i++ {
		white := text[i] == ' ' || text[i] == '\n'
		if white && isASCIILetter(rune(text[i-1])) && (i >= longStretch || chosen(text[i-4:i])) {
			return text[:i]
		}
	}
	return text
}

// chosen picks one of 2^cutBits by the four bytes before a cut.
func chosen(before string) bool {
	x := uint32(before[0]) | uint32(before[1])<<8 | uint32(before[2])<<16 | uint32(before[3])<<24
	return x*2654435761>>(32-cutBits) == 0
}

// one counts one stretch.
func (s *stretches) one(text string) (int, error) {
	key := stretch{maphash.String(s.seeds[0], text), maphash.String(s.seeds[1], text)}
	if n, ok := s.known(key); ok {
		return n, nil
	}
	ids, err := s.encoder.Encode(text, false)
	if err != nil {
		return 0, err
	}
	s.remember(key, len(ids))
	return len(ids), nil
}

func (s *stretches) known(key stretch) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.recent[key]
	if ok {
		return n, true
	}
	if n, ok = s.before[key]; ok {
		s.add(key, n)
	}
	return n, ok
}

func (s *stretches) remember(key stretch, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(key, n)
}

// add needs mu.
func (s *stretches) add(key stretch, n int) {
	if len(s.recent) >= remembered {
		s.recent, s.before = map[stretch]int{}, s.recent
	}
	s.recent[key] = n
}

// cuttable reports whether no token holds a letter and then white space. Of
// prompts that goes for special tokens as well, which are spelled out in them;
// in plain text of bytes no merge makes one.
func cuttable(values []string, types []int32, byteLevel, special bool) bool {
	for k, value := range values {
		raw := types[k] == tokenizer.TOKEN_TYPE_CONTROL || types[k] == tokenizer.TOKEN_TYPE_USER_DEFINED
		if types[k] == tokenizer.TOKEN_TYPE_BYTE || raw && byteLevel && !special {
			continue
		}
		letter := false
		for _, r := range value {
			if letter && (isWhite(r, byteLevel) || raw && isWhite(r, false)) {
				return false
			}
			letter = isASCIILetter(r)
		}
	}
	return true
}

// isWhite reports whether a character of a token stands for white space.
func isWhite(r rune, byteLevel bool) bool {
	if byteLevel {
		return r == 'Ġ' || r == 'Ċ' || r == 'č' || r == 'ĉ'
	}
	return r == ' ' || r == '▁' || r == '\n' || r == '\r' || r == '\t'
}
