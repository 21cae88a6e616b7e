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
	best, most, known := guessed, -1.0, false
	for _, a := range alphabets() {
		for _, name := range a.encodings {
			share := a.share(sample, name)
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

// share is how many of the letters beyond ASCII belong to the alphabet when the
// sample is read in an encoding. A capital after a small letter belongs to none.
func (a alphabet) share(sample []byte, name string) float64 {
	letters, own := 0, 0
	small := false
	for _, r := range decodeAs(sample, name).Text {
		lower := unicode.ToLower(r)
		switch {
		case r < 0x80:
		case strings.ContainsRune("\u00A0«»“”„‘’‚–—…·°§©®№•¿¡€£¥“'´؟،؛", r):
		case small && r != lower, !strings.ContainsRune(a.letters, lower):
			letters++
		default:
			letters++
			own++
		}
		small = unicode.IsLower(r)
	}
	if letters == 0 {
		return 0
	}
	return float64(own) / float64(letters)
}
