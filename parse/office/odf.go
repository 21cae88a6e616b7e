package office

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"inlay/fault"
	"inlay/internal/mediatype"
	"inlay/internal/xmlscan"
	"inlay/parse"
	"inlay/parse/zipfile"
)

// ODF reads OpenDocument texts, sheets and presentations. Sheets and slides are
// numbered sections; foot- and endnotes are after the paragraph they belong
// to; deleted text of tracked changes is left out.
func ODF(limits parse.Limits) parse.Parser { return odfParser{limits.WithDefaults()} }

type odfParser struct{ limits parse.Limits }

// Info implements [parse.Parser].
func (p odfParser) Info() parse.Info {
	return parse.Info{
		Name: "odf", Version: "3", Library: "inlay/office",
		MediaTypes: []string{mediatype.ODT, mediatype.ODS, mediatype.ODP},
		Extensions: []string{".odt", ".ods", ".odp", ".ott", ".ots", ".otp"},
	}
}

// Parse implements [parse.Parser].
func (p odfParser) Parse(ctx context.Context, f parse.File, report parse.Progress) (parse.Document, error) {
	a, err := container(f, p.limits)
	if err != nil {
		return parse.Document{}, err
	}
	if err := odfLocked(a); err != nil {
		return parse.Document{}, err
	}
	data, err := required(a, "content.xml")
	if err != nil {
		return parse.Document{}, err
	}
	report.Tell(.2)
	styles, err := readODFStyles(ctx, a)
	if err != nil {
		return parse.Document{}, err
	}
	o := newODF(p.limits)
	o.counts = styles.lists
	if o.objects, err = odfObjects(ctx, a, p.limits); err != nil {
		return parse.Document{}, err
	}
	err = errors.Join(xmlscan.Walk(ctx, data, o), o.b.Err(), o.err)
	var warnings []parse.Warning
	if fault.Is(err, fault.Corrupt) && o.b.Len() > 0 {
		warnings = []parse.Warning{{Code: parse.WarnDamaged, Message: "the file is damaged: only the part before the damage was read"}}
		err = nil
	}
	if err != nil {
		return parse.Document{}, err
	}
	o.flushList()
	o.asides(styles.margins)
	d, err := o.b.Document()
	d.Warnings = warnings
	return d, err
}

// odfObjects reads the charts and formulas that a file embeds, by name.
func odfObjects(ctx context.Context, a *zipfile.Archive, limits parse.Limits) (map[string]parse.Document, error) {
	found := map[string]parse.Document{}
	for _, entry := range a.Names() {
		name, isObject := strings.CutSuffix(entry, "/content.xml")
		if !isObject {
			continue
		}
		data, err := optional(a, entry)
		if err != nil {
			return nil, err
		}
		o := newODF(limits)
		if err := errors.Join(xmlscan.Walk(ctx, data, o), o.b.Err(), o.err); err != nil && !fault.Is(err, fault.Corrupt) {
			return nil, err
		}
		d, err := o.b.Document()
		if err != nil {
			return nil, err
		}
		found[name] = d
	}
	return found, nil
}

// odfLocked refuses files whose manifest says that their parts are encrypted.
func odfLocked(a *zipfile.Archive) error {
	data, err := optional(a, "META-INF/manifest.xml")
	if err != nil {
		return err
	}
	if bytes.Contains(data, []byte("encryption-data")) {
		return &fault.Error{Code: fault.PasswordRequired, Reason: "it is locked by a password", Next: "remove the password in the program that made it and attach it again"}
	}
	return nil
}
