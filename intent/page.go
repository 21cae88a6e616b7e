package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// page is a message by lines. Offsets are bytes of the message.
type page struct {
	raw    string
	lines  []line
	budget int // bytes that may still be looked at
}

type line struct {
	start, end int    // without its end of line
	text       string // raw[start:end]
	trim       string // text without white space around it
	scored     bool   // score is known
	score      int    // how much it looks like a program
}

func newPage(raw string) *page {
	p := &page{raw: raw, budget: 1<<20 + 48*len(raw)}
	for at := 0; at < len(raw); {
		end, next := len(raw), len(raw)
		if i := strings.IndexByte(raw[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		text := strings.TrimSuffix(raw[at:end], "\r")
		p.lines = append(p.lines, line{start: at, end: at + len(text), text: text, trim: strings.TrimSpace(text)})
		at = next
	}
	return p
}

func (p *page) blank(i int) bool { return p.lines[i].trim == "" }

// span is a piece of bulk: lines [from, to), or less where it begins or ends
// within a line.
type span struct {
	kind       Kind
	from, to   int // lines
	start, end int // bytes
}

// whole is the span of whole lines without the blank ones at its end; false if
// there are none.
func (p *page) whole(kind Kind, from, to int) (span, bool) {
	for to > from && p.blank(to-1) {
		to--
	}
	if to == from {
		return span{}, false
	}
	return span{kind, from, to, p.lines[from].start, p.lines[to-1].end}, true
}

// run extends from line i as long as lines belong, over at most gap lines in
// between that do not; it returns the line after the last that does, and how
// many do. Where line i does not belong, they are i and 0.
func (p *page) run(i, gap int, belongs func(line) bool) (to, count int) {
	to = i
	for j := i; j < len(p.lines) && j-to <= gap && p.look(j); j++ {
		switch {
		case belongs(p.lines[j]):
			to, count = j+1, count+1
		case j == i:
			return i, 0
		}
	}
	return to, count
}

// look spends a line of the page's budget; false when it is spent. No message
// that people write comes near it: it keeps one that is built of openings
// without ends from taking quadratic time. What is not found then stays where
// it is.
func (p *page) look(j int) bool {
	p.budget -= len(p.lines[j].text) + 1
	return p.budget > 0
}

// paragraph returns the lines around line i up to the blank lines.
func (p *page) paragraph(i int) (from, to int) {
	from, to = i, i
	for from > 0 && !p.blank(from-1) {
		from--
	}
	for to < len(p.lines) && !p.blank(to) {
		to++
	}
	return from, to
}

// next is the first line from i that is not blank, or the number of lines.
func (p *page) next(i int) int {
	for i < len(p.lines) && p.blank(i) {
		i++
	}
	return i
}

// Words with which people turn to an assistant, in the languages that we look
// after; asks are told by them and by question marks.
var (
	verbs = phrasesOf(`(?i)^(?:(?:hi|hello|hey|hallo|bonjour|hola|ciao)\b[ ,!]*)?(?:and |so |then |now |also |und |et |y |e )?(?:` +
		`you are|du bist|tu es|eres|você é|jij bent|jesteś|ты |plan|create|generate|design|suggest|propose|act as|imagine|implement|refactor|debug|group|sort|rank|calculate|compute|solve|prove|evaluate|estimate|recommend|outline|transpose|format|rephrase|simplify|transcribe|do you|did|should|is this|are these|any idea|please|pls|kindly|can you|could you|would you|will you|i need|i want|i'd like|i would like|help|tell|explain|summari[sz]e|sum up|translate|rewrite|review|find|fix|list|write|draft|analy[sz]e|compare|convert|extract|check|show|give|answer|reply|make|identify|describe|classify|turn|put|shorten|proofread|correct|count|` +
		`erstelle?|mache?|plane|gib|liste|sortiere?|berechne|ordne|schlage?|entwirf|formuliere?|hilf|sage?|zähle?|bewerte|beantworte|ergänze|verbessere|kürze?|überarbeite|korrigiere?|bitte|kannst du|können sie|könntest|ich brauche|ich möchte|fasse|fass|erkläre|erklär|übersetze|schreibe?|prüfe|finde|vergleiche|zeige|nenne|antworte|` +
		`fais|faites|donne[zr]?|propose[zr]?|crée[zr]?|calcule[zr]?|classe[zr]?|dis-moi|aide[zr]?|répond[sez]*|vérifie[zr]?|indique[zr]?|reformule[zr]?|est-ce|peux-tu|pouvez-vous|pourriez|merci de|s'il te pla[iî]t|s'il vous pla[iî]t|je voudrais|j'ai besoin|résume[zr]?|explique[zr]?|tradui[st]|traduisez|corrige[zr]?|rédige[zr]?|compare[zr]?|trouve[zr]?|` +
		`haz|hazme|dame|dime|calcula|ordena|propón|crea|ayúdame|responde|clasifica|revisa|comprueba|por favor|puedes|podrías|necesito|quiero|resume|resumir|explica|traduce|corrige|escribe|encuentra|compara|` +
		`fammi|dammi|dimmi|calcola|ordina|proponi|crea|aiutami|rispondi|controlla|elenca|per favore|puoi|potresti|riassumi|spiega|traduci|correggi|scrivi|trova|confronta|` +
		`faça|faz|diga|calcule|ordene|proponha|crie|ajude|responda|verifique|liste|você pode|pode|poderia|preciso|resuma|explique|traduza|corrija|escreva|encontre|` +
		`maak|geef|noem|plan|bereken|sorteer|help|zet|stel|controleer|antwoord|alsjeblieft|graag|kun je|kunt u|vat|leg uit|vertaal|schrijf|vind|vergelijk|` +
		`zrób|podaj|oblicz|uporządkuj|zaproponuj|stwórz|pomóż|odpowiedz|sprawdź|wypisz|napisz|streść|proszę|czy|możesz|podsumuj|wyjaśnij|przetłumacz|napraw|znajdź|porównaj|` +
		`сделай|дай|скажи|посчитай|предложи|создай|ответь|проверь|перечисли|составь|пожалуйста|помоги|можешь|можете|объясни|переведи|найди|сравни|напиши|кратко|исправь` +
		`)(?:[^\p{L}:]|$)`)
	questions = phrasesOf(`(?i)^(?:(?:hi|hello|hey|hallo|bonjour|hola|ciao)\b[ ,!]*)?(?:and |so |then |now |also |but |und |et |y |e )?(?:` +
		`what|why|how|which|who|when|where|is there|are there|does|do these|` +
		`was|warum|wie|welche|wer|wann|wo|gibt es|stimmt|` +
		`quel|quelle|quels|quelles|pourquoi|comment|qui|où|` +
		`qué|por qué|cómo|cuál|cuáles|quién|dónde|` +
		`cosa|perché|come|quale|quali|chi|dove|` +
		`o que|por que|como|qual|quais|quem|onde|` +
		`wat|waarom|hoe|welke|wie|waar|` +
		`co|dlaczego|jak|który|które|kto|gdzie|` +
		`что|почему|как|какие|какой|кто|где` +
		`)(?:\P{L}|$)`)
	eastern = phrasesOf(`(?:してください|ください|ますか|でしょうか|教えて|要約|翻訳|请|請|帮我|总结|翻译|解释|吗|什么|怎么|为什么|哪些|주세요|해줘|요약|번역|설명|나요|까요)`)
	polite  = phrasesOf(`(?i)(?:^|\P{L})(?:please|pls|plz|bitte|s'il (?:te|vous) pla[iî]t|stp|svp|por favor|per favore|alsjeblieft|graag|proszę|пожалуйста)(?:\P{L}|$)`)
	// timely is a word of time, with which people point at a day rather than a text.
	timely = phrasesOf(`(?i)(?:^|\P{L})(?:this|these|diese[rsnm]?|cet|cette|ce|ces|este|esta|estos|estas|questo|questa|deze|dit|esse|essa) (?:week|month|year|spring|summer|autumn|fall|winter|morning|afternoon|evening|weekend|time|way|kind|sort|term|season|Woche|Monat|Jahr|Frühling|Frühjahr|Sommer|Herbst|Winter|Morgen|Abend|Wochenende|Mal|semaine|mois|année|printemps|été|automne|hiver|matin|soir|week-end|fois|semana|mes|año|primavera|verano|otoño|invierno|mañana|tarde|noche|vez|settimana|mese|anno|estate|autunno|inverno|mattina|sera|volta|maand|jaar|voorjaar|zomer|najaar|ochtend|avond|keer|mês|ano|verão)(?:\P{L}|$)|(?:^|\P{L})(?:like|help (?:me |us )?with) this(?:\P{L}|$)`)
	// pointing is a word that points at something beside the request.
	pointing = phrasesOf(`(?i)(?:^|\P{L})(?:this|these|those|any of that|following|follows|below|above|attached|pasted|here is|here are|here's|` +
		`daraus|hieraus|hiervon|diese[rsnm]?|folgende[rnsm]?|unten|oben|hier ist|hier sind|hier|` + `ce|cet|cette|ces|suivante?s?|ci-dessous|ci-dessus|ci-joint|voici|` +
		`este|esta|esto|estos|estas|siguientes?|abajo|arriba|aquí|` + `questo|questa|questi|queste|seguenti?|segue|sotto|sopra|ecco|` + `esses?|essas?|seguintes?|abaixo|acima|aqui|` +
		`deze|dit|volgende|hieronder|hierboven|` + `tę|tego|tych|następując\p{L}+|poniżs\p{L}+|powyżs\p{L}+|oto|` +
		`эт[оиуа]\p{L}*|следующ\p{L}+|ниже|выше|вот)(?:\P{L}|$)|以下|次の|この|上記|下記|这|以上|下面|다음|아래|위의|이 `)
)

// asks reports whether a paragraph turns to the assistant.
func asks(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") {
		return true
	}
	first := text[:min(len(text), 80)]
	text = text[:min(len(text), 2000)]
	return len(text) < 300 && polite().MatchString(text) || verbs().MatchString(first) || questions().MatchString(first) && questioned(text) || eastern().MatchString(text) ||
		strings.Contains(text, "? ") && !strings.Contains(text, "\n")
}

// questioned reports whether a text that begins like a question is one: people
// leave the mark out, but then they set no full stop either.
func questioned(text string) bool {
	return strings.Contains(text, "?") || len(text) <= 150 && !strings.ContainsAny(text, "\n") && !strings.ContainsRune(".,;:{", lastRune(text))
}

// points reports whether a text points at something beside the request.
func points(text string) bool {
	return pointing().MatchString(text) && (!timely().MatchString(text) || pointing().MatchString(timely().expr().ReplaceAllString(text, " ")))
}

// leads reports whether a paragraph announces what follows it.
func leads(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") || asks(text) && points(text)
}

// words counts the runs of letters of a text, and how much of it is neither
// letters, digits nor space.
func words(s string) (n int, symbols float64) {
	in, marks, all := false, 0, 0
	for _, r := range s {
		letter := unicode.IsLetter(r) || r == '\'' || r == '’'
		if letter && !in {
			n++
		}
		in = letter
		if r != ' ' && r != '\t' {
			all++
			if !letter && !unicode.IsDigit(r) && r < utf8.RuneSelf && r != '.' && r != ',' {
				marks++
			}
		}
	}
	return n, float64(marks) / float64(max(all, 1))
}

// sentence reports whether a line reads like running text.
func sentence(s string) bool {
	if len(s) > judged {
		s = s[:judged]
	}
	n, symbols := words(s)
	return n >= 7 && gaps(s) < 2 && symbols < .06 && !strings.HasSuffix(s, "{") && !strings.HasSuffix(s, ";") && !strings.HasSuffix(s, ",;")
}
