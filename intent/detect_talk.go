package intent

import (
	"strings"

	"inlay/internal/lazy"
)

var (
	mailHeader = lazy.Regexp(`(?i)^[>\s*]*\**(?:from|von|de|da|van|od|от|sent|date|datum|data|дата|gesendet|envoyé|enviado|enviada|inviato|verzonden|wysłano|to|an|à|para|per|aan|do|кому|cc|bcc|kopie|subject|betreff|objet|asunto|assunto|oggetto|onderwerp|temat|тема|message-id|mime-version|received|reply-to|return-path|content-type|差出人|宛先|件名|日時|发件人|收件人|主题|日期)\**\s?[:：]\**\s*\S`)
	mailRule   = lazy.Regexp(`(?i)^[-_=*]{2,}\s*(?:original message|forwarded message|begin forwarded|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|message transféré|mensaje original|mensagem original|messaggio originale|messaggio inoltrato|oorspronkelijk bericht|исходное сообщение)\s*[-_=*]*$|^begin forwarded message:$`)
	mailWrote  = lazy.Regexp(`(?i)^(?:on|am|le|el|il|op|em|w dniu|\d{1,2}[./])\b.{6,120}(?:wrote|schrieb.{0,60}|a écrit|escribió|escreveu|ha scritto|schreef.{0,60}|napisał\S*|пишет)\s*:$`)
	signature  = lazy.Regexp(`(?i)^(?:best|kind|warm)?\s*(?:regards|wishes)|^(?:thanks|cheers|sincerely|yours|best)\b.{0,20}$|^(?:mit freundlichen|viele|beste|liebe|freundliche) gr[uü](?:ß|ss)|^(?:cordialement|bien à vous|salutations)|^(?:saludos|un saludo|atentamente)|^(?:cordiali|distinti) saluti|^(?:atenciosamente|abraços)|^(?:met vriendelijke )?groet|^pozdrawiam|^с уважением|^-- ?$`)
)

// mail is a mail with its headers, or a quoted one below the line that says who
// wrote it. It goes on to the request that follows it, else to the end.
func mail(p *page, i int) (span, bool) {
	t := p.lines[i].trim
	switch {
	case starts(t, "-_=*bB") && mailRule().MatchString(t), strings.HasSuffix(t, ":") && mailWrote().MatchString(t):
	case strings.ContainsAny(t, ":：") && mailHeader().MatchString(t):
		headers := 0
		for j := i; j < len(p.lines) && j < i+8 && !p.blank(j); j++ {
			if mailHeader().MatchString(p.lines[j].trim) {
				headers++
			}
		}
		if headers < 3 {
			return span{}, false
		}
	default:
		return span{}, false
	}
	to := p.closingAsk(i + 1)
	if mailWrote().MatchString(t) && p.next(i+1) < to && strings.HasPrefix(p.lines[p.next(i+1)].trim, ">") {
		to, _ = p.run(p.next(i+1), 1, func(l line) bool { return strings.HasPrefix(l.trim, ">") })
	}
	return p.whole(Mail, i, to)
}

// closingAsk is the line with which the request that ends the message begins,
// if there is one after line i; else the number of lines.
func (p *page) closingAsk(i int) int {
	end := len(p.lines)
	for end > i && p.blank(end-1) {
		end--
	}
	from, seen := end, false
	for tries := 0; from > i && tries < 3; tries++ {
		last := from
		for last > i && p.blank(last-1) {
			last--
		}
		if last <= i {
			break
		}
		first, to := p.paragraph(last - 1)
		first = max(first, i)
		text := p.raw[p.lines[first].start:p.lines[to-1].end]
		if len(text) > 700 || strings.HasPrefix(text, ">") || signature().MatchString(text) || first == i {
			break
		}
		if asks(text) {
			from, seen = first, true
			continue
		}
		break
	}
	if !seen {
		return len(p.lines)
	}
	return from
}

// quoted is lines that begin with >.
func quoted(p *page, i int) (span, bool) {
	if !strings.HasPrefix(p.lines[i].trim, ">") {
		return span{}, false
	}
	to, count := p.run(i, 1, func(l line) bool { return strings.HasPrefix(l.trim, ">") })
	if count < 3 {
		return span{}, false
	}
	return p.whole(Mail, i, to)
}

var (
	cue  = lazy.Regexp(`^\d{1,2}:\d\d(?::\d\d)?[.,]\d{3} --> `)
	turn = lazy.Regexp(`^(?:[\[(]?(?:\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,4})?\.?,? ?)?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?[\])]?\s*[-–—]?\s*)?(?:\*\*|<)?(\p{Lu}[\p{L}\d.'’_-]*(?: [\p{L}\d.'’()_-]+){0,3}|[\p{Han}\p{Katakana}\p{Hiragana}\p{Hangul}]{1,8})(?:\*\*|>)?(?: ?[\[(]\d{1,2}:\d\d(?::\d\d)?[\])])?(?:\*\*)?\s?[:：>](?:\*\*)?\s+\S|^(\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,2})\s{1,3}\[?\d{1,2}:\d\d(?: ?[AP]M)?\]?$`)
)

// subtitles are SRT or WebVTT.
func subtitles(p *page, i int) (span, bool) {
	if !strings.HasPrefix(p.lines[i].trim, "WEBVTT") && !cued(p.lines[i]) && (i+1 >= len(p.lines) || !cued(p.lines[i+1])) {
		return span{}, false
	}
	to, count := p.run(i, 6, func(l line) bool { return cued(l) })
	if count < 3 {
		return span{}, false
	}
	_, to = p.paragraph(to - 1)
	return p.whole(Transcript, i, to)
}

// cued reports whether a line is the times of a subtitle.
func cued(l line) bool { return starts(l.trim, "0123456789") && cue().MatchString(l.trim) }

// turnsGap is how many lines a speaker's turn may go on for.
const turnsGap = 5

// transcript is a talk of speakers who come again.
func transcript(p *page, i int) (span, bool) {
	if speaks(p.lines[i].trim) == nil {
		return span{}, false
	}
	speakers, turns := map[string]int{}, 0
	to, count := p.run(i, turnsGap, func(l line) bool {
		m := speaks(l.trim)
		if m == nil {
			return false
		}
		speakers[m[1]+m[2]]++
		turns++
		return true
	})
	if turns < 4 || len(speakers) < 2 || len(speakers)*2 > turns+1 {
		return span{}, false
	}
	if count < to-i { // turns go on over lines, and so may the last
		_, to = p.paragraph(to - 1)
	}
	return p.whole(Transcript, i, to)
}
