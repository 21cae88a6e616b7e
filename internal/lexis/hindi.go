package lexis

import (
	"strings"
	"unicode/utf8"
)

// hindi takes the longest ending off a Hindi word that leaves two letters: the
// endings are those of Ramanathan and Rao, A Lightweight Stemmer for Hindi (2003).
func hindi(w string) string {
	for _, endings := range []string{
		"ाएंगी ाएंगे ाऊंगी ाऊंगा ाइयाँ ाइयों ाइयां",
		"ाएगी ाएगा ाओगी ाओगे एंगी ेंगी एंगे ेंगे ूंगी ूंगा ातीं नाओं नाएं ताओं ताएं ियाँ ियों ियां",
		"ाकर ाइए ाईं ाया ेगी ेगा ोगी ोगे ाने ाना ाते ाती ाता तीं ाओं ाएं ुओं ुएं ुआं",
		"कर ाओ िए ाई ाए ने नी ना ते ीं ती ता ाँ ां ों ें",
		"ो े ू ु ी ि ा",
	} {
		for ending := range strings.FieldsSeq(endings) {
			if stem, ok := strings.CutSuffix(w, ending); ok && utf8.RuneCountInString(stem) >= 2 {
				return stem
			}
		}
	}
	return w
}
