package completion

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSplit compares what objects and arrays are split into with what
// encoding/json makes of them.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":[{"c":"]"}],"d":"x\\"}`, `[1,"a\"]",{},[[]],null,-1.5e3]`, ` { "a" : { } , "a" : "\u0041\\\\" } `, `{"\u0061":"\ud800"}`, `[]`, `"a"`, `7`,
		`{"":"\\\""}`, "[\"\xff\"]", `{"a":{"a":[{"b":"}"}]},"c":true}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		var want map[string]json.RawMessage
		o, _, isObject := parseObject(data)
		if wants := json.Unmarshal(data, &want) == nil && want != nil; wants {
			require.True(t, isObject)
			got := map[string]json.RawMessage{}
			for _, m := range o {
				got[m.name] = m.value
				checkText(t, m.value)
			}
			require.Equal(t, want, got)
			var again map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(o.encode(), &again))
			require.Equal(t, want, again)
		}
		var list, values []json.RawMessage
		isArray := split(data, '[', func(_, v []byte) { values = append(values, v) })
		if json.Unmarshal(data, &list) == nil && list != nil {
			require.True(t, isArray)
			require.Len(t, values, len(list))
			for i := range list {
				require.Equal(t, string(list[i]), string(values[i]))
				checkText(t, values[i])
			}
		}
	})
}

func checkText(t *testing.T, raw []byte) {
	t.Helper()
	var want string
	got, ok := text(raw)
	require.Equal(t, json.Unmarshal(raw, &want) == nil, ok)
	require.Equal(t, want, got)
}

// FuzzCompletion decodes anything: what is decoded is written as it came, and a
// message that was changed can be decoded again.
func FuzzCompletion(f *testing.F) {
	for _, s := range []string{
		relayedChunk, wholeAnswer, `[{"role":"user","content":"a"}]`, `[{"role":"user","content":[{"type":"file","file":{"file_data":"aGk="}},{"type":"x"}],"content":null}]`,
		`[{"type":"function","function":{"name":"f"}}]`, `[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f"}}]}]`, `{"choices":[{"delta":null,"message":{"annotations":7}}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := Decode(data); err == nil {
			require.Equal(t, string(data), bytesOf(t, c))
			for i := range c.Choices {
				c.Annotate(i, []any{i})
			}
			c.Set("inlay", 1)
			require.True(t, json.Valid([]byte(bytesOf(t, c))))
			var a Answers
			require.NoError(t, a.Add(c))
			for _, one := range a.Rebuild(true, a.All()) {
				decode(t, bytesOf(t, one))
			}
		}
		if tools, err := ParseTools(data); err == nil {
			for i := range tools {
				tools[i].Description += "x"
			}
			_, err = MarshalTools(tools)
			require.NoError(t, err)
		}
		list, err := ParseMessages(data)
		if err != nil {
			return
		}
		for _, m := range list {
			m.Rewrite("new")
			m.SetCalls(m.Calls, "id")
			again, err := ParseMessages(json.RawMessage("[" + encoded(t, m) + "]"))
			require.NoError(t, err)
			require.Equal(t, m.Chat(), again[0].Chat())
			require.False(t, again[0].HasFiles())
		}
	})
}
