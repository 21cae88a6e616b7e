package pdf

import (
	"fmt"
	"strings"

	lib "github.com/ledongthuc/pdf"

	"inlay/internal/plural"
	"inlay/parse"
)

// How many files of a PDF are counted, how many of these a warning names, and
// how deep the tree of their names may be.
const (
	maxAttached   = 1000
	namedAttached = 10
	attachedDepth = 8
)

// attached lists the names of the files that a PDF carries, as a portfolio does
// all of its documents.
func (d *document) attached() (names []string) {
	_ = guard(func() error { // a damaged list costs only the warning
		names = d.attachedBelow(d.reader.Trailer().Key("Root").Key("Names").Key("EmbeddedFiles"), 0, nil)
		return nil
	})
	return names
}

// attachedBelow adds the files of a node of the tree of names (PDF 32000-1, 7.9.6).
func (d *document) attachedBelow(node lib.Value, depth int, names []string) []string {
	d.charge(1)
	entries := node.Key("Names")
	for i := 0; i+1 < entries.Len() && len(names) < maxAttached; i += 2 {
		d.charge(1)
		file := entries.Index(i + 1)
		name := file.Key("UF").Text()
		if name == "" {
			name = file.Key("F").Text()
		}
		if name == "" {
			name = entries.Index(i).Text()
		}
		names = append(names, strings.Join(strings.Fields(name), " "))
	}
	kids := node.Key("Kids")
	for i := 0; i < kids.Len() && depth < attachedDepth && len(names) < maxAttached; i++ {
		names = d.attachedBelow(kids.Index(i), depth+1, names)
	}
	return names
}

// leftInside warns of files that a PDF carries and that were not read.
func leftInside(names []string) []parse.Warning {
	n := len(names)
	if n == 0 {
		return nil
	}
	list := strings.Join(names[:min(n, namedAttached)], ", ")
	if n > namedAttached {
		list += ", ..."
	}
	return []parse.Warning{
		{Code: parse.WarnLeftOut, Message: fmt.Sprintf("it carries %s, not read here (%s): save them from a PDF viewer and attach them too",
			plural.Pick(n, "another file", fmt.Sprintf("%d other files", n)), list)},
	}
}

// dynamicForm warns of a form whose pages only Adobe's programs draw, from a
// description in XML; what is in the file in their place asks to wait.
func (d *document) dynamicForm() (out []parse.Warning) {
	_ = guard(func() error { // damaged, it is no such form
		root := d.reader.Trailer().Key("Root")
		if root.Key("NeedsRendering").Bool() && !root.Key("AcroForm").Key("XFA").IsNull() {
			out = []parse.Warning{{Code: parse.WarnLeftOut, Message: "it is a dynamic form (XFA), which is not read: open it in Adobe Reader and print it to a new PDF"}}
		}
		return nil
	})
	return out
}
