package markup_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"inlay/parse"
	"inlay/parse/markup"
	"inlay/parse/parsetest"
	"inlay/parse/plain"
)

const envelope = "From j@x.y Mon Jan  1 10:00:00 2024\n"

const boxSample = envelope + "From: j@x.y\nSubject: First\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\nHello.\n\n>From here on all is quoted.\n\nFrom the shop we buy bread.\n\n" +
	envelope + "From: k@x.y\nSubject: Second\nDate: Tue, 2 Jan 2024 10:00:00 +0000\n\nBye.\n"

func TestMailbox(t *testing.T) {
	parsetest.Run(t, markup.Mail(parse.Limits{}), parsetest.Sample{
		Name: "a.mbox", Data: []byte(boxSample), Others: plain.All(parse.Limits{}),
		Contains: []string{"# First", "Hello.", "From here on", "From the shop", "# Second", "Bye."},
		Sections: []parse.Kind{parse.Part, parse.Heading, parse.Paragraph},
	})
	d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.mbox", Data: []byte(boxSample)}, nil)
	require.NoError(t, err)
	require.Equal(t, "application/mbox", d.MediaType)
	at := strings.Index(d.Text, "Bye")
	place := parse.NewMap(d).At(at, at+1)
	require.Equal(t, "mail 2", place.Part)
	require.Equal(t, "Second", place.Heading)
}

func TestSingleMailWithEnvelope(t *testing.T) {
	one := boxSample[:strings.LastIndex(boxSample, envelope)]
	d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.eml", Data: []byte(one)}, nil)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(d.Text, "# First\n"), d.Text)
	require.Equal(t, "message/rfc822", d.MediaType)
	require.Empty(t, parse.NewMap(d).At(0, 1).Part)
}

func TestMailInUTF16(t *testing.T) {
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			data, err := unicode.UTF16(order, mark).NewEncoder().Bytes([]byte("From: j@x.y\nTo: k@x.y\nSubject: Größe\nContent-Type: text/plain; charset=utf-16\n\nGrüße.\n"))
			require.NoError(t, err)
			d, err := mailRegistry(t, parse.Limits{}).Parse(t.Context(), parse.File{Name: "a.eml", Data: data}, nil)
			require.NoError(t, err)
			require.Equal(t, "# Größe\n\nFrom: j@x.y\nTo: k@x.y\n\nGrüße.", d.Text)
		}
	}
}
