package secrets

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"inlay/internal/lazy"
)

var (
	cardPattern = lazy.Regexp(`[0-9](?:[ .\x{a0}-]?[0-9]){12,18}`)
	ibanPattern = lazy.Regexp(`\b[A-Z]{2}[0-9]{2}(?:[ \x{a0}-]?[A-Z0-9]){11,30}`)
)

// manyDigits is whether a text has as many digits as a card, with nothing but
// separators between them.
func manyDigits(text string) bool {
	n := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if n++; n >= 13 {
				return true
			}
		case c != ' ' && c != '-' && c != '.' && c < 0x80:
			n = 0
		}
	}
	return false
}

// ibanLike is whether two letters and two digits are in a row, as an IBAN
// begins.
func ibanLike(text string) bool {
	letter := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	for i := 0; i+15 <= len(text); i++ {
		if digit(text[i+3]) && digit(text[i+2]) && letter(text[i+1]) && letter(text[i]) && (i == 0 || !letter(text[i-1])) {
			return true
		}
	}
	return false
}

// card is a payment card's number: the first digits and the length of a
// network, the check digit of ISO/IEC 7812 (Luhn), and groups as cards have
// them or none.
func card(text string, m []int) (start, end int) {
	start, end = m[0], m[1]
	if beside(text, start, end) || !grouped(text[start:end]) {
		return -1, 0
	}
	digits := onlyDigits(text[start:end])
	if !network(digits) || !luhn(digits) || strings.Count(digits, digits[:1]) == len(digits) {
		return -1, 0
	}
	return start, end
}

// beside reports whether the digits are part of something longer: a word, a
// fraction, a longer group of numbers.
func beside(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, width := utf8.DecodeRuneInString(text[end:])
	word := func(r rune) bool {
		return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	digit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	switch {
	case word(before), word(after):
		return true
	case before == '.', before == '-', before == '$':
		return true // a fraction, a negative number, a part of a longer one
	case after == '.' || after == '-':
		return digit(text[end+width:])
	}
	return false
}

func grouped(s string) bool {
	groups := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	separators := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
	first, _ := utf8.DecodeRuneInString(separators)
	if strings.Trim(separators, string(first)) != "" {
		return false // of two kinds
	}
	var lengths strings.Builder
	for _, g := range groups {
		lengths.WriteString(strconv.Itoa(len(g)) + " ")
	}
	return len(groups) == 1 || slices.Contains([]string{"4 4 4 4 ", "4 6 5 ", "4 6 4 ", "4 4 4 4 1 ", "4 4 4 4 2 ", "4 4 4 4 3 ", "4 4 4 1 ", "4 4 4 2 ", "6 13 "}, lengths.String())
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// networks are the networks' first digits, from and to, and the lengths of
// their numbers (ISO/IEC 7812, as the networks publish them): Visa, Mastercard
// (2), American Express (2), Diners Club (3), Discover (2), UnionPay, JCB, Mir,
// Maestro (4), RuPay (2).
const networks = "4-4:16,19 51-55:16 2221-2720:16 34-34:15 37-37:15 300-305:14 36-36:14 38-39:14,16 6011-6011:16,19 644-659:16,19 " +
	"62-62:16,19 3528-3589:16,19 2200-2204:16,19 50-50:16,19 56-58:16,19 6304-6304:16,19 6759-6763:16,19 60-60:16 81-82:16"

// network reports whether a number begins and is as long as those of a network.
func network(digits string) bool {
	for n := range strings.FieldsSeq(networks) {
		first, lengths, _ := strings.Cut(n, ":")
		from, to, _ := strings.Cut(first, "-")
		if d := digits[:len(from)]; d >= from && d <= to && slices.Contains(strings.Split(lengths, ","), strconv.Itoa(len(digits))) {
			return true
		}
	}
	return false
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// ibanLengths are the lengths by country (SWIFT's IBAN registry).
const ibanLengths = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 " +
	"GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 " +
	"NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"

// iban is an international bank account number (ISO 13616): the country's
// length and the remainder 1 of ISO 7064 MOD 97-10.
func iban(text string, m []int) (start, end int) {
	i := strings.Index(ibanLengths, text[m[0]:m[0]+2])
	if i < 0 || i%5 != 0 {
		return -1, 0
	}
	want, err := strconv.Atoi(ibanLengths[i+2 : i+4])
	if err != nil {
		return -1, 0
	}
	var b strings.Builder
	end = m[0]
	for _, r := range text[m[0]:m[1]] {
		if b.Len() == want {
			break
		}
		end += utf8.RuneLen(r)
		if r != ' ' && r != '-' && r != 0xa0 {
			b.WriteRune(r)
		}
	}
	if b.Len() != want || beside(text, m[0], end) || mod97(b.String()[4:]+b.String()[:4]) != 1 {
		return -1, 0
	}
	return m[0], end
}

func mod97(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= 'A' {
			n = (n*100 + int(s[i]-'A') + 10) % 97
		} else {
			n = (n*10 + int(s[i]-'0')) % 97
		}
	}
	return n
}
