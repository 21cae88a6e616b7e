// Package public mentions internal types in every way there is.
package public

import "exports/internal/hidden"

type Alias = hidden.Type

type Bound interface{ hidden.Face }

type Face interface {
	Take(map[string][]*hidden.Type)
}

type Struct struct {
	Field func() <-chan hidden.Type
	hidden.Embedded
	embedded
	Nested struct{ Inner hidden.Type }
	field  hidden.Type
}

type embedded struct{ Promoted hidden.Type }

func (*Struct) Method() (hidden.Type, error) { return hidden.Type{}, nil }

func (*Struct) method(hidden.Type) {}

var Var []hidden.Type

var private hidden.Type

func Func(private ...hidden.Type) {}

func Convert(f func(hidden.Type)) {}

func Limit[N hidden.Number](n N) {}

func Fine(f func(int)) { _ = private }

type Loop struct{ Next *Loop }
