package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// hostile is the script command that writes a file that no honest program would.
func hostile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hostile slow.pdf|bomb.docx|bomb.xlsx|deep.odt|cut.pptx")
	}
	data, ok := hostileFile(args[0])
	if !ok {
		ts.Fatalf("hostile: no such file")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

func hostileFile(name string) ([]byte, bool) {
	const zeros = 66 << 20
	switch name {
	case "slow.pdf":
		return slowPDF(), true
	case "bomb.docx":
		return zipped("word/document.xml", io.LimitReader(repeated(" "), zeros)), true
	case "bomb.xlsx":
		return zipped("xl/workbook.xml", io.LimitReader(repeated(" "), zeros)), true
	case "deep.odt":
		return zipped("content.xml", strings.NewReader(strings.Repeat("<text:p>", 100_000))), true
	case "cut.pptx":
		whole := zipped("ppt/presentation.xml", strings.NewReader("<p/>"))
		return whole[:len(whole)/2], true
	}
	return nil, false
}

// repeated is a reader that never ends.
type repeated string

// Read implements io.Reader.
func (r repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r[0]
	}
	return len(p), nil
}

// zipped is a container that holds one part.
func zipped(name string, content io.Reader) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range []struct {
		name    string
		content io.Reader
	}{{"[Content_Types].xml", strings.NewReader("<Types/>")}, {name, content}} {
		f, err := w.Create(part.name)
		if err == nil {
			_, err = io.Copy(f, part.content)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// slowPDF has three pages. The second draws one form for minutes.
func slowPDF() []byte {
	form := strings.Repeat("q Q ", 1<<16)
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Count 3/Kids[4 0 R 5 0 R 6 0 R]>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
		"", "", "",
		fmt.Sprintf("<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length %d>>stream\n%s\nendstream", len(form), form),
	}
	for i, show := range []string{"BT /F1 12 Tf 72 700 Td (Boats leave with the ebb tide.) Tj ET", strings.Repeat("/X Do ", 10_000), ""} {
		objects[3+i] = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>/XObject<</X 7 0 R>>>>" +
			fmt.Sprintf("/Contents %d 0 R>>", len(objects)+1)
		objects = append(objects, fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(show), show))
	}
	return pdfOf(objects)
}

// pdfOf lays objects into a file.
func pdfOf(objects []string) []byte {
	var b, table bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	fmt.Fprintf(&table, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, o := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	fmt.Fprintf(&b, "%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table.String(), len(objects)+1, b.Len())
	return b.Bytes()
}
