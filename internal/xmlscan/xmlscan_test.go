package xmlscan_test

import (
	"context"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/xmlscan"
)

// recorder writes down what it sees.
type recorder struct{ strings.Builder }

func (r *recorder) Start(e xml.StartElement) {
	r.WriteString("<" + e.Name.Local + xmlscan.Attr(e, "a") + xmlscan.AttrNS(e, "p", "b") + ">")
}
func (r *recorder) End(name string)  { r.WriteString("</" + name + ">") }
func (r *recorder) Text(data []byte) { r.Write(data) }

func TestWalk(t *testing.T) {
	tests := map[string]struct {
		data, want string
		code       fault.Code
	}{
		"plain":     {`<x:r a="1" p:b="2" b="3">t&amp;<y/></x:r>`, "<r12>t&<y></y></r>", ""},
		"unknown":   {`<r>&nope;x</r>`, "<r>&nope;x</r>", ""},
		"latin":     {"<?xml version='1.0' encoding='iso-8859-1'?><r>\xe9</r>", "<r>é</r>", ""},
		"utf-16":    {"\xff\xfe<\x00r\x00>\x00x\x00<\x00/\x00r\x00>\x00", "<r>x</r>", ""},
		"damaged":   {`<r>a<<b`, "<r>a", fault.Corrupt},
		"too deep":  {strings.Repeat("<d>", xmlscan.MaxDepth+1), strings.Repeat("<d>", xmlscan.MaxDepth), fault.LimitExceeded},
		"no data":   {"", "", ""},
		"entities ": {`<!DOCTYPE r [<!ENTITY a "aaaa">]><r>&a;</r>`, "<r>&a;</r>", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var r recorder
			err := xmlscan.Walk(t.Context(), []byte(tt.data), &r)
			require.Equal(t, tt.code, fault.CodeOf(err), "%v", err)
			require.Equal(t, tt.want, r.String())
		})
	}
}

func TestWalkStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, xmlscan.Walk(ctx, []byte("<r/>"), &recorder{}), context.Canceled)
}
