package library

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"inlay/fault"
	"inlay/internal/oneline"
)

// Attributes are what a client says of a file, to filter by: texts, numbers
// (float64) and booleans.
type Attributes map[string]any

// Bounds of attributes, as in the OpenAI API.
const (
	MaxAttributes     = 16
	MaxAttributeKey   = 64  // characters
	MaxAttributeValue = 512 // characters of a text
)

// Check refuses, as fault.Usage with the subject field, what no attributes can be.
func (a Attributes) Check(field string) error {
	if len(a) > MaxAttributes {
		return fault.Invalid(field, fmt.Sprintf("at most %d attributes", MaxAttributes))
	}
	for key, value := range a {
		if key == "" || utf8.RuneCountInString(key) > MaxAttributeKey {
			return fault.Invalid(field, fmt.Sprintf("keys of 1 to %d characters", MaxAttributeKey))
		}
		if oneline.Check(field, key) != nil {
			return fault.Invalid(field, "keys without control characters")
		}
		if text, ok := value.(string); ok && oneline.Check(field, text) != nil {
			return fault.Invalid(field, "values without control characters")
		}
		if !plainValue(value) {
			return fault.Invalid(field, fmt.Sprintf("values that are texts of at most %d characters, numbers or booleans", MaxAttributeValue))
		}
	}
	return nil
}

func plainValue(value any) bool {
	switch v := value.(type) {
	case string:
		return utf8.RuneCountInString(v) <= MaxAttributeValue
	case float64, bool:
		return true
	}
	return false
}

// Condition compares attributes of files. Of type and, or it joins Filters; of
// any other type it compares the attribute Key with Value. Its JSON is the filter
// of the OpenAI API.
type Condition struct {
	Type    string      `json:"type"`              // eq, ne, gt, gte, lt, lte, in, nin; and, or
	Key     string      `json:"key,omitempty"`     // of the attribute
	Value   any         `json:"value,omitempty"`   // text, float64 or bool; a list of texts or numbers for in and nin
	Filters []Condition `json:"filters,omitempty"` // what and, or join
}

// Bounds of conditions.
const (
	maxConditions     = 256
	maxConditionDepth = 8
)

// Check refuses, as fault.Usage with a subject below field, an invalid condition.
func (c Condition) Check(field string) error {
	left := maxConditions
	return c.check(field, maxConditionDepth, &left)
}

func (c Condition) check(field string, depth int, left *int) error {
	if *left--; *left < 0 || depth == 0 {
		return fault.Invalid(field, fmt.Sprintf("at most %d comparisons, joined at most %d deep", maxConditions, maxConditionDepth))
	}
	switch c.Type {
	case "and", "or":
		if len(c.Filters) == 0 || c.Key != "" || c.Value != nil {
			return fault.Invalid(field, "a list of filters, and neither key nor value, beside the type "+c.Type)
		}
		for i, f := range c.Filters {
			if err := f.check(fmt.Sprintf("%s.filters[%d]", field, i), depth-1, left); err != nil {
				return err
			}
		}
		return nil
	case "eq", "ne", "gt", "gte", "lt", "lte", "in", "nin":
		return c.checkComparison(field)
	}
	return fault.Invalid(field+".type", "eq, ne, gt, gte, lt, lte, in, nin, and, or")
}

func (c Condition) checkComparison(field string) error {
	if c.Key == "" || len(c.Filters) > 0 {
		return fault.Invalid(field+".key", "the name of an attribute")
	}
	list, isList := c.Value.([]any)
	switch c.Type {
	case "in", "nin":
		if !isList || !allPlain(list) {
			return fault.Invalid(field+".value", "a list of texts or numbers")
		}
	case "gt", "gte", "lt", "lte":
		if _, isBool := c.Value.(bool); isBool || !plainValue(c.Value) {
			return fault.Invalid(field+".value", "a number, or a text to be compared letter by letter")
		}
	default:
		if !plainValue(c.Value) {
			return fault.Invalid(field+".value", "a text, a number or a boolean")
		}
	}
	return nil
}

func allPlain(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { return !plainValue(v) })
}

// Holds reports whether the condition is true of attributes. An attribute that is
// absent, or of another type, equals nothing and is in no list; no order
// comparison is true of it.
func (c Condition) Holds(a Attributes) bool {
	holds := func(f Condition) bool { return f.Holds(a) }
	value, present := a[c.Key]
	switch c.Type {
	case "and":
		return !slices.ContainsFunc(c.Filters, func(f Condition) bool { return !holds(f) })
	case "or":
		return slices.ContainsFunc(c.Filters, holds)
	case "eq":
		return present && value == c.Value
	case "ne":
		return !present || value != c.Value
	case "in", "nin":
		list, _ := c.Value.([]any)
		return (present && slices.Contains(list, value)) == (c.Type == "in")
	}
	order, ok := compareValues(value, c.Value)
	switch c.Type {
	case "gt":
		return ok && order > 0
	case "gte":
		return ok && order >= 0
	case "lt":
		return ok && order < 0
	case "lte":
		return ok && order <= 0
	}
	return false
}

// compareValues compares two numbers or two texts.
func compareValues(a, b any) (order int, ok bool) {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return cmp.Compare(x, y), ok
	case string:
		y, ok := b.(string)
		return cmp.Compare(x, y), ok
	}
	return 0, false
}
