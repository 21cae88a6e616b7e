package picture_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"inlay/fault"
	"inlay/parse"
	"inlay/parse/pdf"
	"inlay/parse/picture"
)

// words draws a line of text as a picture.
func words(t *testing.T, text string) []byte {
	t.Helper()
	f, err := opentype.Parse(goregular.TTF)
	require.NoError(t, err)
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 40, DPI: 72})
	require.NoError(t, err)
	img := image.NewNRGBA(image.Rect(0, 0, 1200, 200)) // transparent
	d := font.Drawer{Dst: img, Src: image.NewUniform(color.Black), Face: face, Dot: fixed.P(40, 110)}
	d.DrawString(text)
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	return b.Bytes()
}

func TestPicture(t *testing.T) {
	if _, err := exec.LookPath("tesseract"); err != nil {
		t.Skip("tesseract is not installed: scripts/install-tesseract")
	}
	r, err := parse.NewRegistry(picture.New(parse.Limits{}, pdf.Tesseract{}, pdf.OCRLibrary))
	require.NoError(t, err)
	d, err := r.Parse(t.Context(), parse.File{Name: "a.png", Data: words(t, "Minutes of the harbour board")}, nil)
	require.NoError(t, err)
	require.Equal(t, "Minutes of the harbour board", d.Text)
	require.Equal(t, "image/png", d.MediaType)
	_, err = r.Parse(t.Context(), parse.File{Name: "a.png", Data: words(t, "")}, nil)
	require.True(t, fault.Is(err, fault.NoTextLayer), "%v", err)
}

// unread fails if it is asked.
type unread struct{ t *testing.T }

func (u unread) Recognize(context.Context, *image.Gray, int) (string, error) {
	u.t.Error("a picture that cannot be read was handed on")
	return "", nil
}

func TestPictureBounds(t *testing.T) {
	r, err := parse.NewRegistry(picture.New(parse.Limits{}, unread{t}, "none"))
	require.NoError(t, err)
	data := words(t, "x")
	_, err = r.Parse(t.Context(), parse.File{Name: "a.png", Data: data[:len(data)/2]}, nil)
	require.True(t, fault.Is(err, fault.Corrupt), "%v", err)
	huge := append([]byte(nil), data...)
	copy(huge[16:], "\x00\x01\x00\x00\x00\x01\x00\x00") // 65,536 by 65,536; the check sum of the header is not looked at first
	_, err = r.Parse(t.Context(), parse.File{Name: "a.png", Data: huge}, nil)
	require.Error(t, err)
}
