// Package legacy reads the binary formats that Office wrote until 2003, and Excel's
// binary workbooks since: Word 6 to 2003, Excel 5 to 2003, PowerPoint 97 to 2003 and
// .xlsb. They are read for their text: paragraphs, headings, tables, sheets and
// slides. Every offset in them is checked before it is followed.
package legacy

import (
	"inlay/fault"
	"inlay/internal/olefile"
	"inlay/parse"
)

// All returns every parser of this package.
func All(limits parse.Limits) []parse.Parser {
	return []parse.Parser{Word(limits), PowerPoint(limits)}
}

const library = "inlay/legacy"

// open opens the OLE container of a file.
func open(f parse.File, limits parse.Limits) (*olefile.File, error) {
	if err := parse.CheckSize(f, limits.File); err != nil {
		return nil, err
	}
	return olefile.Open(f.Data)
}

// corrupt is the error of a file whose structure cannot be followed.
func corrupt(reason string) error {
	return &fault.Error{Code: fault.Corrupt, Reason: reason, Next: "open and save it again in the program that made it"}
}

// locked is the error of an encrypted file.
func locked() error {
	return &fault.Error{Code: fault.PasswordRequired, Reason: "it is locked by a password", Next: "remove the password in the program that made it and attach it again"}
}

// damaged is the warning of a file of which only a part was read.
func damaged(what string) parse.Warning {
	return parse.Warning{Code: parse.WarnDamaged, Message: what}
}

// cut returns data[from:from+n] as far as it exists.
func cut(data []byte, from, n int) []byte {
	if from < 0 || n <= 0 || from >= len(data) {
		return nil
	}
	return data[from:min(len(data), from+n)]
}
