package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lease is a PDF of two pages with a line each, the second turned.
func lease() string {
	show := func(text string) string {
		s := "BT /F 12 Tf 72 700 Td (" + text + ") Tj ET"
		return fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(s), s)
	}
	const page = "<</Type/Page/Parent 2 0 R/Contents %d 0 R/Resources<</Font<</F 7 0 R>>>>%s>>"
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	for i, object := range []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]/MediaBox[0 0 612 792]>>",
		fmt.Sprintf(page, 5, ""), fmt.Sprintf(page, 6, "/Rotate 90/CropBox[10 20 600 780]"), show("The lease ends in May."), show("The deposit is 900."),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	} {
		fmt.Fprintf(&b, "%d 0 obj%sendobj\n", i+1, object)
	}
	return b.String() + "trailer<</Root 1 0 R>>\n%%EOF\n"
}

type placed struct {
	Object     string
	Start, End int
	Pages      []struct {
		Page, Rotate, Start, End int
		X0, Y0, X1, Y1           float64
		Boxes                    []struct {
			Start, End     int
			X0, Y0, X1, Y1 float64
		}
	}
}

func TestBoxesOfFile(t *testing.T) {
	s := start(t, setup{keys: true})
	key, other := s.key("ann"), s.key("bob")
	id := s.upload(key, "lease.pdf", lease())
	text := "The lease ends in May.\n\nThe deposit is 900."
	var all placed
	s.do("GET", "/v1/files/"+id+"/boxes", key, nil).into(t, &all)
	require.Equal(t, "file.boxes", all.Object)
	require.Equal(t, len(text), all.End)
	require.Len(t, all.Pages, 2)
	require.Len(t, all.Pages[0].Boxes, 5)

	var part placed
	at := strings.Index(text, "deposit")
	s.do("GET", fmt.Sprintf("/v1/files/%s/boxes?start=%d&end=%d", id, at, at+3), key, nil).into(t, &part)
	require.Len(t, part.Pages, 1)
	p := part.Pages[0]
	require.Equal(t, []int{2, 90, 24, 43}, []int{p.Page, p.Rotate, p.Start, p.End})
	require.Equal(t, []float64{10, 20, 600, 780}, []float64{p.X0, p.Y0, p.X1, p.Y1}, "the crop box")
	require.Len(t, p.Boxes, 1)
	require.Equal(t, "deposit", text[p.Boxes[0].Start:p.Boxes[0].End])
	require.InDelta(t, 72+23, p.Boxes[0].X0, 2)
	require.InDelta(t, 700, p.Boxes[0].Y0, 3)

	plain := s.upload(key, "a.txt", "some text")
	var none placed
	s.do("GET", "/v1/files/"+plain+"/boxes", key, nil).into(t, &none)
	require.Empty(t, none.Pages)

	for path, status := range map[string]int{
		id + "/boxes?start=x": 400, id + "/boxes?start=-1": 400, id + "/boxes?start=5&end=4": 400, "file-none/boxes": 404, id + "/boxes?start=999": 200,
	} {
		require.Equal(t, status, s.do("GET", "/v1/files/"+path, key, nil).status, path)
	}
	require.Equal(t, http.StatusNotFound, s.do("GET", "/v1/files/"+id+"/boxes", other, nil).status)
	image := s.upload(key, "dot.png", "\x89PNG\r\n\x1a\n0000000000")
	require.Equal(t, http.StatusUnsupportedMediaType, s.do("GET", "/v1/files/"+image+"/boxes", key, nil).status)
}

// TestContentByRange: viewers of PDFs load the part of a file that they show.
func TestContentByRange(t *testing.T) {
	s := start(t, setup{})
	file := lease()
	id := s.upload("", "lease.pdf", file)
	whole := s.do("GET", "/v1/files/"+id+"/content", "", nil)
	require.Equal(t, file, string(whole.body))
	require.Equal(t, "application/pdf", whole.header.Get("Content-Type"))
	require.Equal(t, "bytes", whole.header.Get("Accept-Ranges"))
	require.Contains(t, whole.header.Get("Content-Disposition"), "attachment")

	part := s.do("GET", "/v1/files/"+id+"/content", "", nil, "Range", "bytes=5-8")
	require.Equal(t, http.StatusPartialContent, part.status)
	require.Equal(t, file[5:9], string(part.body))
	require.Equal(t, fmt.Sprintf("bytes 5-8/%d", len(file)), part.header.Get("Content-Range"))
	past := s.do("GET", "/v1/files/"+id+"/content", "", nil, "Range", "bytes=999999-")
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, past.status)
	same := s.do("GET", "/v1/files/"+id+"/content", "", nil, "If-None-Match", whole.header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, same.status)

	page := s.upload("", "page.html", "<script>alert(1)</script><p>text</p>")
	require.Equal(t, "application/octet-stream", s.do("GET", "/v1/files/"+page+"/content", "", nil).header.Get("Content-Type"), "what a browser would run has no type")
}
