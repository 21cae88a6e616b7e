package parse

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"inlay/fault"
)

// LimitsFrom reads limits as people write them: "file=100MiB, pages=200,
// time=5s". Names are those of the JSON form, sizes take KiB, MiB or GiB. What
// is not named keeps its default. Anything else is fault.Usage.
func LimitsFrom(s string) (Limits, error) {
	var l Limits
	fields := reflect.ValueOf(&l).Elem()
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name, value = strings.TrimSpace(name), strings.TrimSpace(value); name == "" && value == "" {
			continue
		}
		i := slices.Index(limitNames(), name)
		if i < 0 {
			return Limits{}, badLimit(name, "is not a limit", "name one of "+strings.Join(limitNames(), ", "))
		}
		n, ok := amount(value, fields.Field(i).Type() == reflect.TypeFor[time.Duration]())
		if !ok {
			return Limits{}, badLimit(name, fmt.Sprintf("cannot be %q", value), "give a number above 0, a size such as 64MiB, or a time such as 5s")
		}
		fields.Field(i).SetInt(n)
	}
	return l, nil
}

// limitNames lists the names of all limits in the order of the fields, which begin
// with them.
func limitNames() []string {
	t := reflect.TypeFor[Limits]()
	var names []string
	for field := range t.Fields() {
		if field.Type.Kind() != reflect.Bool {
			names = append(names, field.Tag.Get("json"))
		}
	}
	return names
}

// amount reads a time, or a count or size.
func amount(s string, isTime bool) (int64, bool) {
	if isTime {
		d, err := time.ParseDuration(s)
		return int64(d), err == nil && d > 0
	}
	shift := 0
	for unit, bits := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if number, ok := strings.CutSuffix(s, unit); ok {
			s, shift = strings.TrimSpace(number), bits
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n << shift, err == nil && n > 0 && n <= math.MaxInt64>>shift
}

func badLimit(name, reason, next string) error {
	return &fault.Error{Code: fault.Usage, Subject: "limit " + name, Reason: reason, Next: next}
}
