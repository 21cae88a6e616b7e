package markup

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"inlay/fault"
	"inlay/internal/charset"
	"inlay/parse"
)

// singleBytes turns a mail saved in UTF-16 or UTF-32 into UTF-8: mail is written in
// single bytes. Any other mail stays as it is; its parts name their encodings.
func singleBytes(data []byte) []byte {
	head := data[:min(len(data), 1024)]
	if !wide(charset.Decode(head, "").Charset) {
		return data
	}
	t := charset.Decode(data, "")
	if !wide(t.Charset) {
		return data
	}
	return []byte(t.Text)
}

func wide(name string) bool {
	return strings.HasPrefix(name, "utf-16") || strings.HasPrefix(name, "utf-32")
}

// mailbox cuts a mailbox into its mails, each without the "From " line before it.
// A file without such lines is one mail. What a mail quotes begins with ">From ".
func mailbox(data []byte) [][]byte {
	if !bytes.HasPrefix(data, []byte("From ")) {
		return [][]byte{data}
	}
	field := regexp.MustCompile(`^>?[A-Za-z][A-Za-z0-9-]*:`)
	var mails [][]byte
	begin, at, blank := 0, 0, true // begin is where the open mail begins
	for at < len(data) {
		line := data[at:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		next := at + len(line)
		if blank && bytes.HasPrefix(line, []byte("From ")) && field.Match(data[next:]) {
			if at > 0 {
				mails = append(mails, data[begin:at])
			}
			begin = next
		}
		blank = len(bytes.TrimSpace(line)) == 0
		at = next
	}
	return append(mails, data[begin:])
}

// all adds the mails of a file: a single one as it is, each of several as a part.
// Of several, a damaged one costs only itself.
func (m *mail) all(ctx context.Context, mails [][]byte, report parse.Progress) error {
	if len(mails) == 1 {
		return m.read(ctx, mails[0], 0)
	}
	damaged := 0
	for i, data := range mails {
		m.parts = 0
		m.b.Open(parse.Section{Kind: parse.Part, Number: i + 1, Label: fmt.Sprintf("mail %d", i+1)})
		err := m.read(ctx, data, 0)
		m.b.Close()
		if fault.Is(err, fault.Corrupt) {
			damaged++
			err = nil
		}
		if err != nil {
			return err
		}
		report.Tell(float64(i+1) / float64(len(mails)))
	}
	if damaged > 0 {
		m.warnings = append(m.warnings, parse.Warning{Code: parse.WarnDamaged, Message: fmt.Sprintf("%d of %d mails are damaged and were left out", damaged, len(mails))})
	}
	return nil
}
