package weaviate

import (
	"encoding/json"
	"strings"
)

// Where chooses objects of a library.
type Where struct {
	Library int64
	Docs    []int64  // one of which it must be of; nil: any
	Terms   []string // one of which the passage must have; nil: any
	Holding []string // one of which the document must have; nil: any
}

// clause is a condition as REST and GraphQL write it.
type clause struct {
	Operator string   `json:"operator"`
	Operands []clause `json:"operands,omitempty"`
	Path     []string `json:"path,omitempty"`
	Int      *int64   `json:"valueInt,omitempty"`
	Ints     []int64  `json:"valueIntArray,omitempty"`
	Texts    []string `json:"valueTextArray,omitempty"`
}

func (w Where) clause() clause {
	all := []clause{{Operator: "Equal", Path: []string{library}, Int: &w.Library}}
	if w.Docs != nil {
		all = append(all, clause{Operator: "ContainsAny", Path: []string{doc}, Ints: w.Docs})
	}
	if w.Terms != nil {
		all = append(all, clause{Operator: "ContainsAny", Path: []string{terms}, Texts: w.Terms})
	}
	if w.Holding != nil {
		all = append(all, clause{Operator: "ContainsAny", Path: []string{holding}, Texts: w.Holding})
	}
	if len(all) == 1 {
		return all[0]
	}
	return clause{Operator: "And", Operands: all}
}

// graphQL writes a condition as an argument.
func (c clause) graphQL(b *strings.Builder) {
	b.WriteString("{operator:" + c.Operator)
	if c.Path != nil {
		b.WriteString(",path:" + literal(c.Path))
	}
	switch {
	case c.Int != nil:
		b.WriteString(",valueInt:" + literal(*c.Int))
	case c.Ints != nil:
		b.WriteString(",valueInt:" + literal(c.Ints))
	case c.Texts != nil:
		b.WriteString(",valueText:" + literal(c.Texts))
	}
	if c.Operands != nil {
		b.WriteString(",operands:[")
		for i, o := range c.Operands {
			if i > 0 {
				b.WriteString(",")
			}
			o.graphQL(b)
		}
		b.WriteString("]")
	}
	b.WriteString("}")
}

// literal writes numbers, texts and lists of them: JSON and GraphQL agree on these.
func literal(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null" // what is written here can always be
	}
	return strings.TrimSpace(b.String())
}
