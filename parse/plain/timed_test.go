package plain_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/parse"
	"inlay/parse/parsetest"
	"inlay/parse/plain"
)

const sampleICS = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Team\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=Europe/Berlin:20240105T090000\r\nDTEND:20240105T100000Z\r\n" +
	"SUMMARY:Planning\\, spring\r\nLOCATION:Room 4\r\nORGANIZER;CN=\"Müller: Jane\":mailto:jane@x.y\r\nDESCRIPTION:First lines go\r\n  on here.\\n\\nSecond part.\r\n" +
	"BEGIN:VALARM\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nSUMMARY:Call back\r\nDUE;VALUE=DATE:20240110\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"

func TestCalendar(t *testing.T) {
	parsetest.Run(t, plain.Calendar(parse.Limits{}), parsetest.Sample{
		Name: "a.ics", Data: []byte(sampleICS), Sections: []parse.Kind{parse.Heading, parse.Paragraph},
		Contains: []string{
			"# Team", "## Planning, spring", "Start: 2024-01-05 09:00 Europe/Berlin", "End: 2024-01-05 10:00 UTC",
			"Location: Room 4", "Organizer: Müller: Jane <jane@x.y>", "First lines go on here.", "Second part.", "## Call back", "Due: 2024-01-10",
		},
	})
	r, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	d, err := r.Parse(t.Context(), parse.File{Name: "invite", Data: []byte(sampleICS)}, nil)
	require.NoError(t, err)
	require.Equal(t, "text/calendar", d.MediaType)
	require.NotContains(t, d.Text, "Reminder")
	d, err = r.Parse(t.Context(), parse.File{Name: "a.ics", Data: []byte(sampleICS[:strings.Index(sampleICS, "END:VTODO")])}, nil)
	require.NoError(t, err)
	require.Equal(t, parse.WarnDamaged, d.Warnings[0].Code)
}

func TestSubtitles(t *testing.T) {
	srt := "1\r\n00:00:01,000 --> 00:00:03,500\r\n<i>Good morning,</i>\r\neverybody.\r\n\r\n2\r\n00:00:03,600 --> 00:00:05,000\r\n{\\an8}We begin.\r\n\r\n3\r\n01:02:10,000 --> 01:02:12,000\r\nThe end.\r\n"
	vtt := "WEBVTT - talk\n\nNOTE a remark\nof two lines\n\nSTYLE\n::cue { color: red }\n\nintro\n00:01.000 --> 00:03.500 align:start\nGood morning,\neverybody.\n\n00:03.600 --> 00:05.000\n<c.blue>We</c> begin.\n\n1:02:10.000 --> 1:02:12.000\nThe end.\n"
	want := "Good morning,\neverybody.\nWe begin.\n\nThe end."
	for name, data := range map[string]string{"a.srt": srt, "a.vtt": vtt} {
		parsetest.Run(t, plain.Subtitles(parse.Limits{}), parsetest.Sample{
			Name: name, Data: []byte(data), Contains: []string{want}, Sections: []parse.Kind{parse.Paragraph, parse.Cue}, Others: []parse.Parser{plain.Text(parse.Limits{})},
		})
		r, err := parse.NewRegistry(plain.All(parse.Limits{})...)
		require.NoError(t, err)
		d, err := r.Parse(t.Context(), parse.File{Name: strings.TrimPrefix(name, "a."), Data: []byte(data)}, nil)
		require.NoError(t, err)
		require.Equal(t, want, d.Text)
		m := parse.NewMap(d)
		place := m.At(strings.Index(d.Text, "begin"), len(d.Text))
		require.Equal(t, []string{"0:00:03", "1:02:12"}, []string{place.TimeStart, place.TimeEnd})
	}
}

func TestSubtitlesOfVoicesAndRollingLines(t *testing.T) {
	r, err := parse.NewRegistry(plain.All(parse.Limits{})...)
	require.NoError(t, err)
	text := "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Jane>Hello &amp; welcome\n\n00:02.000 --> 00:03.000\n<v Jane>Hello &amp; welcome\nto this\n"
	d, err := r.Parse(t.Context(), parse.File{Name: "a.vtt", Data: []byte(text)}, nil)
	require.NoError(t, err)
	require.Equal(t, "Jane: Hello & welcome\nto this", d.Text)
}

// FuzzTimed reads any text as a calendar and as subtitles.
func FuzzTimed(f *testing.F) {
	f.Add([]byte(sampleICS))
	f.Add([]byte("1\n00:00:01,000 --> 00:00:03,500\nx\n"))
	parsers := []parse.Parser{plain.Calendar(parse.Limits{}), plain.Subtitles(parse.Limits{})}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range parsers {
			d, err := p.Parse(t.Context(), parse.File{Name: "a", Data: data}, nil)
			if err != nil {
				continue
			}
			for _, s := range d.Sections {
				require.True(t, s.Start >= 0 && s.Start <= s.End && s.End <= len(d.Text))
			}
		}
	})
}
