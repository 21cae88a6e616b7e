package charset

import (
	"strings"
	"unicode"
)

// alphabet is the letters beyond ASCII that a language is written with, and the
// encodings its texts come in.
type alphabet struct {
	letters   string // lower-case
	encodings []string
}

// alphabets are languages whose encodings letter statistics mix up. Among equals
// the earlier one is meant.
func alphabets() []alphabet {
	western, central, baltic := []string{"windows-1252"}, []string{"windows-1250", "iso-8859-2"}, []string{"windows-1257"}
	return []alphabet{
		{"äöüßé", western},
		{"àâæçéèêëîïôœùûüÿ", western},
		{"áéíñóúüçàèïòªº", western},
		{"ãõáâàçéêíóôúüªº", western},
		{"àèéìíîòóùú", western},
		{"åäöæøéüèà", western},
		{"áðéíóúýþæö", western},
		{"ąćęłńóśźż", central},
		{"áčďéěíňóřšťúůýžäĺľôŕöü", central},
		{"áéíóöőúüű", central},
		{"ăâîşţ", central},
		{"čćđšž", central},
		{"çğıi̇öşüâîû", []string{"windows-1254"}},
		{"ąčęėįšųūž", baltic},
		{"āčēģīķļņšūžōŗ", baltic},
		{"äõöüšž", baltic},
		{"àáâãăèéêìíòóôõơùúưýđấầẩẫậắằẳẵặếềểễệốồổỗộớờởỡợứừửữựỉịọỏụủũĩạảẹẻẽỳỵỷỹ", []string{"windows-1258"}},
		{"абвгдежзийклмнопрстуфхцчшщъыьэюяё", []string{"windows-1251", "koi8-r", "ibm866", "iso-8859-5"}},
		{"абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", []string{"windows-1251", "koi8-u", "iso-8859-5"}},
		{"абвгдђежзијклљмнњопрстћуфхцчџш", []string{"windows-1251", "iso-8859-5"}},
		{"αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ", []string{"windows-1253", "iso-8859-7"}},
		{"ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگـًٌٍَُِّْ", []string{"windows-1256", "iso-8859-6"}},
	}
}

// byAlphabet corrects a guess among encodings of one byte a letter: another one
// is taken if the text's letters are those of a language in it, clearly more
// than in the guessed one.
func byAlphabet(sample []byte, guessed string) string {
	read := map[string]usage{}
	best, most, known := guessed, -1.0, false
	for _, a := range alphabets() {
		for _, name := range a.encodings {
			if _, ok := read[name]; !ok {
				read[name] = usageOf(decodeAs(sample, name).Text)
			}
			share := a.share(read[name])
			if name == guessed {
				known = true
				share += .02 // what statistics say decides between equals
			}
			if share > most {
				best, most = name, share
			}
		}
	}
	if !known || most < .9 {
		return guessed
	}
	return best
}

// usage is how often a text has each letter beyond ASCII.
type usage struct {
	total   int
	letters map[rune]int // by lower-case letter; a capital after a small letter is in total alone
}

func usageOf(text string) usage {
	u := usage{letters: map[rune]int{}}
	small := false
	for _, r := range text {
		lower := unicode.ToLower(r)
		if r >= 0x80 && !strings.ContainsRune("\u00A0«»“”„‘’‚–—…·°§©®№•¿¡€£¥“'´؟،؛", r) {
			u.total++
			if !small || r == lower {
				u.letters[lower]++
			}
		}
		small = unicode.IsLower(r)
	}
	return u
}

// share is how much of what was used belongs to the alphabet.
func (a alphabet) share(u usage) float64 {
	own := 0
	for r, n := range u.letters {
		if strings.ContainsRune(a.letters, r) {
			own += n
		}
	}
	return float64(own) / float64(max(u.total, 1))
}
