package charset_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"inlay/internal/charset"
)

const (
	russian  = "Настоящий договор вступает в силу с момента его подписания обеими сторонами и действует до полного исполнения обязательств."
	japanese = "この契約は、両当事者が署名した日から効力を生じ、すべての義務が履行されるまで有効とする。"
	chinese  = "本合同自双方签字之日起生效，至双方全部义务履行完毕之日止。任何一方不得擅自变更或者解除。"
	korean   = "이 계약은 양 당사자가 서명한 날부터 효력이 발생하며 모든 의무가 이행될 때까지 유효하다."
	german   = "Für die Prüfung größerer Beträge ist die Geschäftsführung zuständig; über Änderungen wird unverzüglich berichtet."
)

func TestDecode(t *testing.T) {
	tests := []struct{ name, text, declared, want string }{
		{"utf-8", german, "", "utf-8"},
		{"utf-8", german, "windows-1252", "utf-8"},
		{"utf-16le", german, "", "utf-16le"},
		{"utf-16be", russian + "\n", "", "utf-16be"},
		{"utf-16le", "plain ASCII text", "", "utf-16le"},
		{"windows-1251", russian, "", "windows-1251"},
		{"koi8-r", russian, "", "koi8-r"},
		{"windows-1252", german, "", "windows-1252"},
		{"shift_jis", japanese, "", "shift_jis"},
		{"euc-jp", japanese, "", "euc-jp"},
		{"iso-2022-jp", japanese, "", "iso-2022-jp"},
		{"gb18030", chinese, "", "gb18030"},
		{"big5", "本合約自雙方簽字之日起生效，至雙方全部義務履行完畢之日止。任何一方不得擅自變更或者解除。", "", "big5"},
		{"euc-kr", korean, "", "euc-kr"},
		{"windows-1257", "Ši sutartis įsigalioja nuo jos pasirašymo dienos.", "windows-1257", "windows-1257"},
		{"iso-8859-15", "Das kostet 5 €.", "iso-8859-15", "iso-8859-15"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" "+tt.want, func(t *testing.T) {
			enc, _ := charset.Lookup(tt.name)
			data, err := enc.NewEncoder().Bytes([]byte(tt.text))
			require.NoError(t, err)
			got := charset.Decode(data, tt.declared)
			require.Equal(t, charset.Text{Text: tt.text, Charset: tt.want}, got)
			for range 20 {
				require.Equal(t, got, charset.Decode(data, tt.declared))
			}
		})
	}
}

func TestDecodeOddities(t *testing.T) {
	require.Equal(t, charset.Text{Text: "x", Charset: "utf-16be"}, charset.Decode([]byte("\xFE\xFF\x00x"), ""))
	require.Equal(t, charset.Text{Text: "x", Charset: "utf-32le"}, charset.Decode([]byte("\xFF\xFE\x00\x00x\x00\x00\x00"), ""))
	require.Equal(t, charset.Text{Charset: "utf-8"}, charset.Decode(nil, ""))
	damaged := charset.Decode([]byte(strings.Repeat(russian, 2)+"\xff"), "")
	require.Equal(t, "utf-8", damaged.Charset)
	require.True(t, damaged.Replaced)
	require.Equal(t, russian, charset.Decode([]byte(russian), "no-such-charset").Text)
}

func TestIsText(t *testing.T) {
	for _, text := range []string{"", "words\n", russian, "\xFF\xFEx\x00", "caf\xe9", "a\x1b[31mred\x1b[0m", strings.Repeat("text ", 100) + "\x00"} {
		require.True(t, charset.IsText([]byte(text)), "%q", text)
	}
	for _, junk := range []string{"\x00\x01\x02\x03", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", strings.Repeat("\x00", 100)} {
		require.False(t, charset.IsText([]byte(junk)), "%q", junk)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(german), "latin1")
	f.Add([]byte("\x1b$B$3\x1b(B"), "")
	f.Add([]byte("\xFF\xFE\x00\xd8"), "utf-7")
	f.Fuzz(func(t *testing.T, data []byte, declared string) {
		charset.IsText(data)
		if got := charset.Decode(data, declared); !utf8.ValidString(got.Text) || got.Charset == "" {
			t.Fatalf("%q: %+v", data, got)
		}
	})
}

// A table of names is too short for statistics.
func TestShortShiftJIS(t *testing.T) {
	want := "名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,5,大阪\n"
	enc, _ := charset.Lookup("shift_jis")
	data, err := enc.NewEncoder().Bytes([]byte(want))
	require.NoError(t, err)
	require.Equal(t, charset.Text{Text: want, Charset: "shift_jis"}, charset.Decode(data, ""))
	quoted := "\x93Wo warst du?\x94 \x96 \x84Hier\x93, \x91sagte\x92 er.\x85 F\xfcr \x93\xc4rger\x94 war \x93\xdcbermut\x94 n\xf6tig.\n"
	require.Equal(t, "windows-1252", charset.Decode([]byte(quoted), "").Charset)
}

// Short texts say little: the likely encoding is preferred to the exotic one.
func TestShort(t *testing.T) {
	for name, texts := range map[string][]string{
		"windows-1252": {"naïve café", "Größe", "Größe: 12", "Señor Nuñez", "¿Qué?", "São Paulo", "Ærøskøbing", "it’s", "£5 – “good”"},
		"windows-1250": {"Příliš žluťoučký kůň", "Łódź", "Žluťoučký"},
		"windows-1251": {"Привет", "Договор", "Счёт №17"},
		"windows-1253": {"Καλημέρα"},
		"windows-1254": {"İstanbul ığşç"},
		"windows-1255": {"שלום לכולם, מה שלומכם היום"},
		"windows-1256": {"السلام عليكم"},
		"windows-874":  {"สวัสดีครับ", "ภาษาไทย"},
		"koi8-r":       {"Привет мир"},
		"euc-kr":       {"안녕하세요", "한국어 문서", "서울특별시", "회의록"},
		"gb18030":      {"你好", "合同", "姓名,年龄"},
		"big5":         {"你好嗎"},
		"shift_jis":    {"こんにちは", "テスト"},
		"euc-jp":       {"こんにちは"},
	} {
		enc, _ := charset.Lookup(name)
		for _, text := range texts {
			data, err := enc.NewEncoder().Bytes([]byte(text))
			require.NoError(t, err)
			require.Equal(t, charset.Text{Text: text, Charset: name}, charset.Decode(data, ""))
			require.Equal(t, "id = 17\n"+text, charset.Decode(append([]byte("id = 17\n"), data...), "").Text)
		}
	}
}
