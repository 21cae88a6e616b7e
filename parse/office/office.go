// Package office reads documents, slides and sheets: Word, PowerPoint and Excel
// since 2007, OpenDocument and RTF. Text comes out as Markdown with its
// headings, lists and tables; slides and sheets are numbered sections.
package office

import (
	"context"
	"errors"
	"path"
	"strings"

	"inlay/fault"
	"inlay/internal/xmlscan"
	"inlay/parse"
	"inlay/parse/zipfile"
)

// All returns every parser of this package.
func All(limits parse.Limits) []parse.Parser {
	return []parse.Parser{DOCX(limits), PPTX(limits), XLSX(limits), ODF(limits), RTF(limits), XLS(limits), XLSB(limits)}
}

// container opens the zip of an Office file.
func container(f parse.File, limits parse.Limits) (*zipfile.Archive, error) {
	if err := parse.CheckSize(f, limits.File); err != nil {
		return nil, err
	}
	return zipfile.Open(f.Data, limits.Zip())
}

// required reads an entry that the format cannot do without.
func required(a *zipfile.Archive, name string) ([]byte, error) {
	data, err := a.Read(name)
	if _, known := errors.AsType[*fault.Error](err); err != nil && !known {
		return nil, &fault.Error{Code: fault.Corrupt, Reason: "its main part is missing", Next: "open and save it again in the program that made it", Err: err}
	}
	return data, err
}

// optional reads an entry that may be missing: that or damage costs only its
// own text. Limits still hold.
func optional(a *zipfile.Archive, name string) ([]byte, error) {
	data, err := a.Read(name)
	if fault.Is(err, fault.LimitExceeded) || fault.Is(err, fault.PasswordRequired) {
		return nil, err
	}
	return data, nil
}

// relation is a link from one part of an Office file to another or outside.
type relation struct {
	id, kind, target string
	external         bool
}

// relations reads the links of a part, in file order, with targets resolved to
// entry names.
func relations(ctx context.Context, a *zipfile.Archive, part string) ([]relation, error) {
	dir, base := path.Split(part)
	data, err := optional(a, dir+"_rels/"+base+".rels")
	if err != nil {
		return nil, err
	}
	var list relationList
	list.dir = dir
	if err := xmlscan.Walk(ctx, data, &list); err != nil && ctx.Err() != nil {
		return nil, err
	}
	return list.found, nil
}

// mainPart finds the entry that a file's own relations call its document, usual
// where they call none, and that entry's relations.
func mainPart(ctx context.Context, a *zipfile.Archive, usual string) (name string, links []relation, err error) {
	root, err := relations(ctx, a, "")
	if err != nil {
		return "", nil, err
	}
	name = usual
	for _, r := range root {
		if r.kind == "officeDocument" && a.Has(r.target) {
			name = r.target
		}
	}
	links, err = relations(ctx, a, name)
	return name, links, err
}

// byID maps relation ids to relations.
func byID(list []relation) map[string]relation {
	m := make(map[string]relation, len(list))
	for _, r := range list {
		m[r.id] = r
	}
	return m
}

// relationList gathers Relationship elements.
type relationList struct {
	ignoreText
	dir   string
	found []relation
}

// Start implements [xmlscan.Handler].
func (l *relationList) Start(e element) {
	if e.Name.Local != "Relationship" {
		return
	}
	r := relation{id: xmlscan.Attr(e, "Id"), target: xmlscan.Attr(e, "Target"), external: xmlscan.Attr(e, "TargetMode") == "External"}
	r.kind = path.Base(xmlscan.Attr(e, "Type"))
	if !r.external {
		if !strings.HasPrefix(r.target, "/") {
			r.target = path.Join(l.dir, r.target)
		}
		r.target = strings.TrimPrefix(r.target, "/")
	}
	l.found = append(l.found, r)
}
