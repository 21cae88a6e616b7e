package secrets

import (
	"encoding/base64"
	"strings"
	"sync"
	"unicode"

	"inlay/internal/lazy"
)

// rules are all rules. Keys that an issuer marks come before those that are
// known by the name they are under.
//
//nolint:gochecknoglobals // made once, not changed after
var rules = sync.OnceValue(func() []rule {
	all := append(issued(), wrapped()...)
	all = append(all,
		rule{kind: "key", hints: hintsOfNames(), pattern: namedPattern, find: named},
		rule{kind: "key", hints: []string{"--", "-u "}, pattern: flagPattern, find: flagged},
		rule{kind: "iban", maybe: ibanLike, pattern: ibanPattern, find: iban},
		rule{kind: "card", maybe: manyDigits, pattern: cardPattern, find: card},
		rule{kind: "mail", maybe: func(text string) bool { return strings.Contains(text, "@") }, pattern: mailPattern, find: mail})
	return all
})

// issued are the keys that can be told by themselves: the issuer's prefix, or a
// form that nothing else has. The prefixes are those of the issuers' own
// documentation of secret scanning.
func issued() []rule {
	key := func(expr string, hints ...string) rule {
		return rule{kind: "key", hints: hints, pattern: lazy.Regexp(expr)}
	}
	return []rule{
		{kind: "key", hints: []string{"private key"}, whole: true, pattern: lazy.Regexp(
			`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,.()\\-]*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----` +
				`|-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[rn])+[A-Za-z0-9+/=]{16,})+`)},
		{kind: "key", hints: []string{"sk-", "sk_", "pk_", "pk-", "rk_", "rk-"}, pattern: lazy.Regexp(`\b[spr]k[-_][A-Za-z0-9_-]{16,}`), find: random(0)},
		key(`\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_[A-Za-z0-9_]{30,}\b`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
		key(`\bgl(?:pat|dt|rt|rtr|ptt|cbt|soat|oas|ft|imt|agent|ffct)-[A-Za-z0-9_.-]{19,}[A-Za-z0-9_]`, "glpat-", "gldt-", "glrt-", "glrtr-",
			"glptt-", "glcbt-", "glsoat-", "gloas-", "glft-", "glimt-", "glagent-", "glffct-"),
		key(`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`, "akia", "asia", "abia", "acca"),
		key(`\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}`, "aiza", "ya29.", "gocspx-"),
		key(`\bxox[a-z](?:-[A-Za-z0-9]{2,})*-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{20,}|\bhooks\.slack\.com/services/([A-Za-z0-9/]{20,})`, "xox", "xapp-", "hooks.slack"),
		key(`\bwhsec_[A-Za-z0-9+/=]{20,}`, "whsec_"),
		key(`\bnpm_[A-Za-z0-9]{36,}\b|\bpypi-[A-Za-z0-9_-]{40,}|\brubygems_[a-f0-9]{40,}\b|\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}`, "npm_", "pypi-", "rubygems_", "dckr_"),
		key(`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}`, "sg."),
		key(`\bxkeysib-[a-f0-9]{40,}(?:-[A-Za-z0-9]+)?|\bkey-[a-f0-9]{32}\b|\b[a-f0-9]{32}-us[0-9]{1,2}\b`, "xkeysib-", "key-", "-us"),
		key(`\bSK[0-9a-f]{32}\b`, "sk"),
		key(`\bhf_[A-Za-z0-9]{30,}\b|\bgsk_[A-Za-z0-9]{40,}\b|\bxai-[A-Za-z0-9]{40,}\b|\bpplx-[A-Za-z0-9]{40,}\b|\br8_[A-Za-z0-9]{30,}\b`, "hf_", "gsk_", "xai-", "pplx-", "r8_"),
		key(`\bdo[opr]_v1_[a-f0-9]{40,}\b|\bdapi[a-f0-9]{32}\b|\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}\b|\bsbp_[a-f0-9]{40}\b`, "_v1_", "dapi", "shpat_", "shpca_", "shppa_", "shpss_", "sbp_"),
		key(`\bhv[sbr]\.[A-Za-z0-9_-]{24,}|\bglsa_[A-Za-z0-9_]{30,}|\btskey-[a-z]+-[A-Za-z0-9-]{16,}|\blin_api_[A-Za-z0-9]{30,}|\bntn_[A-Za-z0-9]{40,}|\bPMAK-[A-Za-z0-9-]{40,}|\bNRAK-[A-Z0-9]{20,}|\bATATT3[A-Za-z0-9_=-]{40,}|\bsntry[su]_[A-Za-z0-9_+/=-]{40,}`,
			"hvs.", "hvb.", "hvr.", "glsa_", "tskey-", "lin_api_", "ntn_", "pmak-", "nrak-", "atatt3", "sntry"),
		key(`\bAGE-SECRET-KEY-1[A-Z0-9]{50,}`, "age-secret-key"),
		key(`\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b`, ":aa"),
		key(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`, "eyj"),
	}
}

// wrapped are secrets that the text around them marks: the password of an
// address, a signature in its query, the value of a header.
func wrapped() []rule {
	return []rule{
		{kind: "key", hints: []string{"://"}, pattern: lazy.Regexp(`\b([A-Za-z][A-Za-z0-9+.-]*://[^\s:/@"'<>\x60]*:)([^\s/"'<>\x60]+)@`), find: address},
		{kind: "key", hints: []string{"sig="}, pattern: lazy.Regexp(`([?&;]sig=)([A-Za-z0-9%+/=_-]{24,})`)},
		{kind: "key", hints: []string{"signature=", "security-token="}, pattern: lazy.Regexp(`(?i)([?&]x-(?:amz|goog)-(?:signature|security-token)=)([A-Za-z0-9%+/=_-]{24,})`)},
		{kind: "key", hints: []string{"bearer "}, pattern: lazy.Regexp(`(?i)\b(bearer[ \t]+)([A-Za-z0-9._~+/=-]{16,})`), find: random(2)},
		{kind: "key", hints: []string{"basic "}, pattern: lazy.Regexp(`(?i)\b(basic[ \t]+)([A-Za-z0-9+/]{8,}={0,2})`), find: basic},
	}
}

// random accepts a group that nobody would write by hand: digits among letters,
// or capitals among small ones.
func random(group int) func(text string, m []int) (start, end int) {
	return func(text string, m []int) (start, end int) {
		start, end = m[2*group], m[2*group+1]
		for end > start && strings.IndexByte("-_.", text[end-1]) >= 0 {
			end--
		}
		if !mixed(text[start:end]) {
			return -1, 0
		}
		return start, end
	}
}

// mixed reports whether letters and digits, or capitals and small letters, take
// turns in s more often than in names that people make up.
func mixed(s string) bool {
	n := turns(s)
	return n >= 4 || n >= 1 && strings.ContainsAny(s, "0123456789") && longest(s) >= 16
}

// turns is how often digits, capitals and small letters take turns in s.
func turns(s string) int {
	n, before := 0, rune(0)
	for _, r := range s {
		class := rune('a')
		switch {
		case unicode.IsDigit(r):
			class = '0'
		case unicode.IsUpper(r):
			class = 'A'
		case !unicode.IsLetter(r):
			continue
		}
		if before != 0 && class != before {
			n++
		}
		before = class
	}
	return n
}

// longest is the length of the longest run of letters and digits.
func longest(s string) int {
	most := 0
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		most = max(most, len(f))
	}
	return most
}

// address is the password of user:password@host, where it is one.
func address(text string, m []int) (start, end int) {
	if value := text[m[4]:m[5]]; placeholder(value) {
		return -1, 0
	}
	return m[4], m[5]
}

// basic is a header's user:password in base64.
func basic(text string, m []int) (start, end int) {
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text[m[4]:m[5]], "="))
	if err != nil || !printable().Match(data) {
		return -1, 0
	}
	return m[4], m[5]
}

var printable = lazy.Regexp(`^[^:\x00-\x1f]*:[^\x00-\x1f]+$`)
