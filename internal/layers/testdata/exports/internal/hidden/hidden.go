// Package hidden has types that only this module can name.
package hidden

type (
	Type     struct{}
	Embedded struct{}
	Face     interface{ Hide() }
	Number   interface{ ~int | ~float64 }
)
