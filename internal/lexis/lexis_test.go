package lexis_test

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"inlay/internal/lexis"
)

func terms(lex *lexis.Lexicon, lang lexis.Language, text string) []string {
	a := lex.Analyzer(lang)
	var out []string
	for _, id := range a.Append(nil, text) {
		out = append(out, a.Terms[id])
	}
	return out
}

func TestTerms(t *testing.T) {
	lex := lexis.New()
	for _, c := range []struct {
		lang lexis.Language
		text string
		want string
	}{
		{"en", "The running dogs' owners", "the run dog owner"},
		{"en", "DiffExecutor::run_target(x)", "diffexecutor diff executor runtarget run target x"},
		{"en", "HTTPServer IL-6 utf8", "httpserver http server il 6 utf8 utf"},
		{"en", "1,000 genomes, 3.5 % of 2020.", "1000 genom 3.5 of 2020"},
		{"en", "naïve café", "naiv cafe"},
		{"en", "soft\u00adhyphen ﬁle", "softhyphen file"},
		{"de", "Die Häuser der Mütter", "die haus der mutt"},
		{"fr", "les élections municipales", "le elect municipal"},
		{"ru", "большие дома", "больш дом"},
		{"en", "東京都 ラーメン a", "東京 京都 ラー ーメ メン a"},
		{"en", "水 ราคา", "水 ราคา"},
		{"xx", "Unknown tongue", "unknown tongue"},
	} {
		require.Equal(t, c.want, strings.Join(terms(lex, c.lang, c.text), " "), c.text)
	}
}

func TestDetect(t *testing.T) {
	lex := lexis.New()
	for text, want := range map[string]lexis.Language{
		"": "en", "Invoice 4711": "en", "func main() { fmt.Println(x) }": "en",
		"This is the report that was sent to all of the members.":       "en",
		"Der Bericht wurde an alle Mitglieder des Vereins gesendet":     "de",
		"Le rapport a été envoyé à tous les membres de la société":      "fr",
		"El informe fue enviado a todos los miembros de la empresa":     "es",
		"Отчёт был отправлен всем членам общества, и это было не всё":   "ru",
		"Rapporten skickades till alla medlemmar och det var inte allt": "sv",
		"அறிக்கை அனைத்து உறுப்பினர்களுக்கும் அனுப்பப்பட்டது":            "ta",
		strings.Repeat("4711 | Peru | USA | closed\n", 99):              "en", // one word again and again is no language
	} {
		require.Equal(t, want, lex.Detect(text), text)
	}
}

func TestCommon(t *testing.T) {
	lex := lexis.New()
	require.Greater(t, lex.Common("en", "the", 200), .99)
	require.Greater(t, lex.Common("en", "report", 200), lex.Common("en", "laptop", 200))
	require.Zero(t, lex.Common("en", "zymurgyx", 200))
	require.Positive(t, lex.Common("de", "der", 200))
}

func TestConcurrent(*testing.T) {
	lex := lexis.New()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { terms(lex, "en", strings.Repeat("many different words here ", 50)) })
	}
	wg.Wait()
}

func FuzzAppend(f *testing.F) {
	lex := lexis.New()
	for _, s := range []string{"", "a_b__c", "1,2.3,", "\xff\xfe", "日本語text", "ÅngströmFOOBar9", "\u00ad", "_", strings.Repeat("x", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, lang := range []lexis.Language{"en", "de", "tr"} {
			a := lex.Analyzer(lang)
			first := a.Append(nil, s)
			require.Equal(t, first, a.Append(nil, s))
			for _, id := range first {
				require.Less(t, int(id), len(a.Terms))
				require.True(t, !utf8.ValidString(s) || utf8.ValidString(a.Terms[id]))
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	lex := lexis.New()
	text := strings.Repeat("The committee's report on HTTPServer latency (12.5 ms in 2020) was published late. ", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		lex.Analyzer("en").Append(nil, text)
	}
}
