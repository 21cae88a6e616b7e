package office

import (
	"context"
	"sync"

	"inlay/fault"
	"inlay/internal/charset"
	"inlay/internal/olefile"
	"inlay/parse"
	"inlay/parse/internal/littleendian"
)

// XLS reads Excel workbooks of 1995 to 2003 (BIFF5 and BIFF8), one section a sheet.
func XLS(limits parse.Limits) parse.Parser {
	return xlsParser{limits.WithDefaults(), &sync.Pool{}}
}

type xlsParser struct {
	limits  parse.Limits
	scratch *sync.Pool // of *numberFormats
}

// Info implements [parse.Parser].
func (p xlsParser) Info() parse.Info {
	return parse.Info{
		Name: "xls", Version: "1", Library: "inlay/office",
		MediaTypes: []string{"application/vnd.ms-excel"}, Extensions: []string{".xls", ".xlt", ".xla"},
	}
}

// Parse implements [parse.Parser].
func (p xlsParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	if err := parse.CheckSize(f, p.limits.File); err != nil {
		return parse.Document{}, err
	}
	ole, err := olefile.Open(f.Data)
	if err != nil {
		return parse.Document{}, err
	}
	data, whole := ole.Read("Workbook")
	if data == nil {
		data, whole = ole.Read("Book")
	}
	x := &xls{data: data, k: newBinaryBook(p.limits, p.scratch), codepage: "windows-1252"}
	defer x.k.close()
	if err := x.globals(ctx); err != nil {
		return parse.Document{}, err
	}
	for i, s := range x.sheets {
		if err := x.sheet(ctx, i+1, s); err != nil {
			return parse.Document{}, err
		}
		report.Tell(float64(i+1) / float64(len(x.sheets)))
	}
	if !whole {
		x.k.warnings = append(x.k.warnings, parse.Warning{Code: parse.WarnDamaged, Message: "the file is damaged or cut short: only a part of it was read"})
	}
	return x.k.document(ctx)
}

// Records of a workbook that matter for its text.
const (
	recFormula    = 0x0006
	recEOF        = 0x000A
	recHeader     = 0x0014
	recFooter     = 0x0015
	recNote       = 0x001C
	recDates      = 0x0022
	recPassword   = 0x002F
	recContinue   = 0x003C
	recCodepage   = 0x0042
	recSheet      = 0x0085
	recMulRK      = 0x00BD
	recRichString = 0x00D6
	recStyle      = 0x00E0
	recMerged     = 0x00E5
	recStrings    = 0x00FC
	recShared     = 0x00FD
	recTextBox    = 0x01B6
	recNumber     = 0x0203
	recLabel      = 0x0204
	recBoolError  = 0x0205
	recString     = 0x0207
	recRK         = 0x027E
	recFormat     = 0x041E
	recBegin      = 0x0809
	firstUnicode  = 0x0600 // the version that writes UTF-16
)

// xls is a workbook being read.
type xls struct {
	data     []byte
	k        *binaryBook
	unicode  bool
	codepage string
	sheets   []xlsSheet
}

// xlsSheet is where a sheet begins.
type xlsSheet struct {
	name string
	at   int
}

// record is one record with its continuations apart.
type record struct {
	kind  int
	data  []byte
	parts [][]byte // of continued records: data first
}

// records calls f with each record from an offset on, up to the end of the stream
// that begins there; f sees only those that are in no stream within it.
func (x *xls) records(ctx context.Context, at int, f func(r record) error) error {
	depth := 0
	for n := 0; at+4 <= len(x.data); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r, next := x.next(at)
		at = next
		switch {
		case r.kind == recBegin:
			depth++
		case r.kind == recEOF:
			if depth--; depth <= 0 {
				return nil
			}
		case depth == 1 || r.kind == recTextBox:
			if err := f(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// next reads the record at an offset and those that continue it.
func (x *xls) next(at int) (r record, next int) {
	body := func(at int) []byte {
		from := min(at+4, len(x.data))
		return x.data[from:min(len(x.data), from+littleendian.Uint16(x.data, at+2))]
	}
	r.kind, r.data = littleendian.Uint16(x.data, at), body(at)
	r.parts = [][]byte{r.data}
	at += 4 + len(r.data)
	for at+4 <= len(x.data) && littleendian.Uint16(x.data, at) == recContinue {
		more := body(at)
		r.parts = append(r.parts, more)
		at += 4 + len(more)
	}
	return r, at
}

// globals reads what holds for all sheets, and where they are.
func (x *xls) globals(ctx context.Context) error {
	if littleendian.Uint16(x.data, 0) != recBegin {
		return &fault.Error{Code: fault.Corrupt, Reason: "its workbook is missing or damaged, or of a version before Excel 5", Next: "open and save it again in Excel"}
	}
	x.unicode = littleendian.Uint16(x.data, 4) >= firstUnicode
	return x.records(ctx, 0, func(r record) error {
		switch r.kind {
		case recPassword:
			return &fault.Error{Code: fault.PasswordRequired, Reason: "it is locked by a password", Next: "remove the password in the program that made it and attach it again"}
		case recCodepage:
			x.codepage = codepageName(littleendian.Uint16(r.data, 0))
		case recDates:
			x.k.is1904 = littleendian.Uint16(r.data, 0) == 1
		case recFormat:
			x.k.formats[littleendian.Uint16(r.data, 0)] = x.text(r.data, 2, x.lengthSize())
		case recStyle:
			x.k.styles = append(x.k.styles, littleendian.Uint16(r.data, 2))
		case recSheet:
			if len(x.sheets) == maxSheets {
				return tooManySheets()
			}
			x.sheets = append(x.sheets, xlsSheet{name: x.text(r.data, 6, 1), at: int(littleendian.Uint32(r.data, 0))})
		case recStrings:
			return x.sharedStrings(ctx, r)
		}
		return nil
	})
}

// lengthSize is the bytes of the length before a format's text.
func (x *xls) lengthSize() int {
	if x.unicode {
		return 2
	}
	return 1
}

// codepageName is the encoding that a number of Windows means.
func codepageName(n int) string {
	switch n {
	case 932:
		return "shift_jis"
	case 936:
		return "gb18030"
	case 949:
		return "euc-kr"
	case 950:
		return "big5"
	case 866:
		return "ibm866"
	case 874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258:
		return "windows-" + itoa(n)
	}
	return "windows-1252"
}

// text reads a string with its length before it, in 1 or 2 bytes.
func (x *xls) text(data []byte, at, lengthSize int) string {
	if at+lengthSize > len(data) {
		return ""
	}
	n := int(data[at])
	if lengthSize == 2 {
		n = littleendian.Uint16(data, at)
	}
	at += lengthSize
	if !x.unicode {
		return charset.Decode(data[at:min(len(data), at+n)], x.codepage).Text
	}
	s := segments{parts: [][]byte{data[min(at, len(data)):]}}
	return s.text(n)
}
