package completion

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"
)

// object is a JSON object: its members in their order, each name once.
type object []member //nolint:recvcheck // literals are encoded, variables are changed

type member struct {
	name  string
	value json.RawMessage
}

// parseObject splits data, which is valid JSON, without copying it. Of members
// of one name the last counts; repeated reports that there were any.
func parseObject(data []byte) (o object, repeated, ok bool) {
	var at map[string]int // where names are; only of objects with many
	ok = split(data, '{', func(name, value []byte) {
		m := member{string(name), value}
		if len(o) == manyMembers {
			at = make(map[string]int, 2*len(o))
			for i, m := range o {
				at[m.name] = i
			}
		}
		i, known := at[m.name]
		if at == nil {
			i = o.index(m.name)
			known = i >= 0
		}
		if repeated = repeated || known; known {
			o[i] = m
			return
		}
		if at != nil {
			at[m.name] = len(o)
		}
		o = append(o, m)
	})
	return o, repeated, ok
}

// manyMembers is how many members are found by looking at each.
const manyMembers = 32

func (o object) index(name string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.name == name })
}

// get returns nil where there is no such member.
func (o object) get(name string) json.RawMessage {
	if i := o.index(name); i >= 0 {
		return o[i].value
	}
	return nil
}

// set replaces a member where it is, or adds one at the end.
func (o *object) set(name string, value json.RawMessage) {
	if i := o.index(name); i >= 0 {
		(*o)[i].value = value
		return
	}
	*o = append(*o, member{name, value})
}

func (o *object) remove(name string) {
	*o = slices.DeleteFunc(*o, func(m member) bool { return m.name == name })
}

// encode writes the object without spaces between its members.
func (o object) encode() json.RawMessage {
	size := 2
	for _, m := range o {
		size += len(m.name) + len(m.value) + 4
	}
	b := append(make([]byte, 0, size), '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, quote(m.name)...), ':'), m.value...)
	}
	return append(b, '}')
}

// array writes values as an array.
func array(values []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte("["), bytes.Join(asBytes(values), []byte(",")), []byte("]"))
}

func asBytes(values []json.RawMessage) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// split calls visit for each value directly inside data, an object if open is
// '{' and an array if it is '['. name is a member's name and good until visit
// returns; value is part of data. data must be valid JSON. ok is false where it
// begins with anything but open.
func split(data []byte, open byte, visit func(name, value []byte)) (ok bool) {
	i := skipAny(data, 0, "")
	if i == len(data) || data[i] != open {
		return false
	}
	for i++; ; {
		if i = skipAny(data, i, ","); data[i] == '}' || data[i] == ']' {
			return true
		}
		var name []byte
		if open == '{' {
			end := valueEnd(data, i)
			name = unquote(data[i:end])
			i = skipAny(data, end, ":")
		}
		end := valueEnd(data, i)
		visit(name, data[i:end:end])
		i = end
	}
}

// skipAny skips white space and the bytes of delimiters.
func skipAny(data []byte, i int, delimiters string) int {
	for i < len(data) {
		switch c := data[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case delimiters != "" && c == delimiters[0]:
		default:
			return i
		}
		i++
	}
	return i
}

// valueEnd is where the value that begins at i ends.
func valueEnd(data []byte, i int) int {
	switch data[i] {
	case '"':
		return stringEnd(data, i)
	case '{', '[':
		return nestedEnd(data, i)
	}
	for i < len(data) && bytes.IndexByte([]byte(",]} \t\r\n"), data[i]) < 0 {
		i++
	}
	return i
}

func nestedEnd(data []byte, i int) int {
	for depth := 0; ; i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

func stringEnd(data []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(data[i:], '"')
		escapes := 0
		for data[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// unquote is what a string of valid JSON says; without escapes it is part of raw.
func unquote(raw []byte) []byte {
	if inner, plain := unescaped(raw); plain {
		return inner
	}
	return []byte(unescape(raw))
}

// unescaped is what is between the quotes of a string, if that is what the
// string says.
func unescaped(raw []byte) (inner []byte, plain bool) {
	inner = raw[1 : len(raw)-1]
	return inner, bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner)
}

func unescape(raw []byte) (s string) {
	_ = json.Unmarshal(raw, &s) // it is valid
	return s
}

// text reads a string; a missing value and null are an empty one.
func text(raw []byte) (s string, ok bool) {
	if isNull(raw) {
		return "", true
	}
	if raw[0] != '"' {
		return "", false
	}
	if inner, plain := unescaped(raw); plain {
		return string(inner), true
	}
	return unescape(raw), true
}

// integer reads a whole number; a missing value and null are 0.
func integer(raw []byte) (n int, ok bool) {
	if isNull(raw) {
		return 0, true
	}
	n, err := strconv.Atoi(string(raw))
	return n, err == nil
}

func isNull(raw []byte) bool { return len(raw) == 0 || string(raw) == "null" }

// quote writes a string, with <, > and & as they are.
func quote(s string) json.RawMessage { return marshal(s) }

// marshal encodes what always can be encoded: texts, numbers, and structs and
// maps of them.
func marshal(v any) json.RawMessage {
	data, err := encode(v)
	if err != nil {
		panic(err)
	}
	return data
}

// encode is JSON with <, > and & as they are.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
