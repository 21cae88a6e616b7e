package pdf_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/parse/pdf"
)

// TestRightToLeft reads files that LibreOffice made of HTML with dir="rtl":
// words are in reading order, Latin words and numbers in their place among
// them. The expected text is what went into LibreOffice, with the letters of the
// ligature of lam and alef in their order, which PDFium and poppler reverse.
func TestRightToLeft(t *testing.T) {
	p := pdf.Parser{Second: engine(t)}
	for name, want := range map[string]string{
		"rtl-he.pdf": `המנורה של המגדלור הצפוני הודלקה בשעה חמש וחצי. שני שומרים עמדו על המשמר עד שהערפל התפזר בבוקר.
שלוש סירות מפרש עברו את הנמל לפני הצהריים, ואוניית האספקה Aurora הביאה 250 חביות שמן, לחם ומכתבים.`,
		"rtl-ar.pdf": `أضيء مصباح المنارة الشمالية في الساعة الخامسة والنصف. وقف حارسان حتى انقشع الضباب في الصباح.
عبرت ثلاثة قوارب شراعية جدار الميناء قبل الظهر، وجلبت سفينة الإمداد Aurora عدد 250 برميلا من الزيت والخبز والرسائل.`,
		"rtl-fa.pdf": `چراغ فانوس دریایی شمالی در ساعت پنج و نیم روشن شد. دو نگهبان تا برطرف شدن مه در صبح بیدار ماندند.`,
	} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		d, err := p.Parse(t.Context(), parse.File{Name: name, Data: data}, nil)
		require.NoError(t, err)
		require.Equal(t, strings.Fields(want), strings.Fields(d.Text), name)
		require.Equal(t, pdf.SecondLibrary, d.Library)
	}
}
