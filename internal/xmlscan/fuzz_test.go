package xmlscan_test

import (
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/xmlscan"
)

// depth checks that elements nest: no end without its start.
type depth struct {
	t    *testing.T
	open int
}

func (d *depth) Start(xml.StartElement) { d.open++; require.LessOrEqual(d.t, d.open, xmlscan.MaxDepth) }
func (d *depth) End(string)             { d.open--; require.GreaterOrEqual(d.t, d.open, 0) }
func (d *depth) Text([]byte)            {}

// FuzzWalk walks any bytes as XML.
func FuzzWalk(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0" encoding="iso-8859-1"?><a b="c">x<d/>&amp;&nbsp;</a>`))
	f.Add([]byte(`<a><b></a>`))
	f.Add([]byte("<!DOCTYPE a [<!ENTITY x \"&x;&x;\">]><a>&x;</a>"))
	f.Add([]byte("\xff\xfe<\x00a\x00/\x00>\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = xmlscan.Walk(t.Context(), data, &depth{t: t})
	})
}
