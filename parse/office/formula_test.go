package office_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDOCXFormulas(t *testing.T) {
	run := func(s string) string { return "<m:r><m:t>" + s + "</m:t></m:r>" }
	e := func(s string) string { return "<m:e>" + s + "</m:e>" }
	for want, math := range map[string]string{
		`$A=\pi r^{2}$`:   run("A=π") + "<m:sSup>" + e(run("r")) + "<m:sup>" + run("2") + "</m:sup></m:sSup>",
		`$\frac{a+b}{2}$`: "<m:f><m:num>" + run("a+b") + "</m:num><m:den>" + run("2") + "</m:den></m:f>",
		`$\sqrt[3]{x}$`:   "<m:rad><m:deg>" + run("3") + "</m:deg>" + e(run("x")) + "</m:rad>",
		`$\sqrt{x}$`:      `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>` + e(run("x")) + "</m:rad>",
		`$\sum_{n=1}^{\infty} x_{n}$`: `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>` + run("n=1") + "</m:sub><m:sup>" + run("∞") + "</m:sup>" +
			e("<m:sSub>"+e(run("x"))+"<m:sub>"+run("n")+"</m:sub></m:sSub>") + "</m:nary>",
		`$\left[x|y\right)$`:                         `<m:d><m:dPr><m:begChr m:val="["/></m:dPr>` + e(run("x")) + e(run("y")) + "</m:d>",
		`$\cos{x}$`:                                  "<m:func><m:fName>" + run("cos") + "</m:fName>" + e(run("x")) + "</m:func>",
		`$\lim_{n\rightarrow 0}{f}$`:                 "<m:func><m:fName><m:limLow>" + e(run("lim")) + "<m:lim>" + run("n→0") + "</m:lim></m:limLow></m:fName>" + e(run("f")) + "</m:func>",
		`$\begin{matrix}a & b \\ c & d\end{matrix}$`: "<m:m><m:mr>" + e(run("a")) + e(run("b")) + "</m:mr><m:mr>" + e(run("c")) + e(run("d")) + "</m:mr></m:m>",
		`$\vec{v}$`:                                  `<m:acc><m:accPr><m:chr m:val="⃗"/></m:accPr>` + e(run("v")) + "</m:acc>",
		`$x$`:                                        run("𝑥"),
	} {
		d, err := parseDOCX(t, docx(t, "<w:p><w:r><w:t>see </w:t></w:r><m:oMath>"+math+"</m:oMath><w:r><w:t>.</w:t></w:r></w:p>"))
		require.NoError(t, err)
		require.Equal(t, "see "+want+".", d.Text)
	}
	d, err := parseDOCX(t, docx(t, "<w:p><m:oMathPara><m:oMath>"+run("a=b")+"</m:oMath><m:oMath>"+run("c=d")+"</m:oMath></m:oMathPara></w:p>"))
	require.NoError(t, err)
	require.Equal(t, "$$a=b$$\n$$c=d$$", d.Text)
}

// A formula of very many elements is its text.
func TestDOCXFormulaWithoutEnd(t *testing.T) {
	d, err := parseDOCX(t, docx(t, "<w:p><m:oMath>"+strings.Repeat("<m:r><m:t>x</m:t></m:r>", 30_000)+"</m:oMath></w:p>"))
	require.NoError(t, err)
	require.Equal(t, 30_000, strings.Count(d.Text, "x"))
}
