package pdf_test

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"fmt"
	"strings"
)

// file writes small PDF files, object by object, with a correct table.
type file struct {
	objects []string
	trailer string // further entries of the trailer
}

// add appends an object and returns its reference.
func (f *file) add(body string) string {
	f.objects = append(f.objects, body)
	return fmt.Sprintf("%d 0 R", len(f.objects))
}

// stream renders a stream object; entries are further entries of its dictionary.
func stream(entries, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(data), data)
}

// bytes renders the file. The catalog is object 1.
func (f *file) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(f.objects))
	for i, o := range f.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(f.objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(f.objects)+1, f.trailer, at)
	return b.Bytes()
}

// sheet is one page of a test file.
type sheet struct {
	content   string
	resources string // beside the font F1, Helvetica
	entries   string // further entries of the page
}

// document builds a file of pages on top of objects that are at 4 and after:
// 1 is the catalog, 2 the page tree, 3 the font.
func document(objects []string, sheets ...sheet) *file {
	f := &file{}
	f.add("<</Type/Catalog/Pages 2 0 R>>")
	f.add("")
	f.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	for _, o := range objects {
		f.add(o)
	}
	var kids []string
	for _, s := range sheets {
		content := f.add(stream("", s.content))
		fonts := "/Font<</F1 3 0 R>>"
		if strings.Contains(s.resources, "/Font") {
			fonts = ""
		}
		kids = append(kids, f.add(fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %s/Resources<<%s%s>>%s>>", content, fonts, s.resources, s.entries)))
	}
	f.objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 612 792]>>", len(kids), strings.Join(kids, " "))
	return f
}

// texts builds a file with one page for each content stream.
func texts(contents ...string) []byte {
	var sheets []sheet
	for _, c := range contents {
		sheets = append(sheets, sheet{content: c})
	}
	return document(nil, sheets...).bytes()
}

// at shows a string at a place in 12 point Helvetica.
func at(x, y int, s string) string {
	return fmt.Sprintf("BT /F1 12 Tf %d %d Td (%s) Tj ET\n", x, y, s)
}

// pad is the padding of passwords (PDF 32000-1, 7.6.3.3).
const pad = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// encrypted builds a one-page file in 128-bit RC4 (revision 3) for the given
// user password, after PDF 32000-1, 7.6.3.
func encrypted(password, content string) []byte {
	owner := strings.Repeat("o", 32)
	id := "0123456789abcdef"
	padded := (password + pad)[:32]
	key := digest(padded + owner + "\xfc\xff\xff\xff" + id)
	for range 50 {
		key = digest(key)
	}
	user := crypt(key, digest(pad+id))
	for i := range 19 {
		other := []byte(key)
		for j := range other {
			other[j] ^= byte(i + 1)
		}
		user = crypt(string(other), user)
	}
	f := &file{}
	f.add("<</Type/Catalog/Pages 2 0 R>>")
	f.add("<</Type/Pages/Count 1/Kids[5 0 R]/MediaBox[0 0 612 792]>>")
	f.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	f.add(stream("", crypt(digest(key+"\x04\x00\x00\x00\x00"), content)))
	f.add("<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 3 0 R>>>>>>")
	f.trailer = fmt.Sprintf("/ID[<%x><%x>]/Encrypt<</Filter/Standard/V 2/Length 128/R 3/P -4/O<%x>/U<%x>>>", id, id, owner, user+strings.Repeat("\x00", 16))
	return f.bytes()
}

func digest(s string) string {
	sum := md5.Sum([]byte(s))
	return string(sum[:])
}

func crypt(key, s string) string {
	c, err := rc4.NewCipher([]byte(key))
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(s))
	c.XORKeyStream(out, []byte(s))
	return string(out)
}
