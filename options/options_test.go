package options_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/options"
)

// TestTable: names are unique and in one form, defaults are valid, and every row
// says where it may be used.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range options.All() {
		require.Regexp(t, `^[a-z][a-z0-9]*(_[a-z0-9]+)*$`, o.Key)
		require.Equal(t, o.Doors&^(options.Files|options.Route) != 0, o.Flag != "", o.Key)
		require.Regexp(t, `^([a-z][a-z0-9]*(-[a-z0-9]+)*)?$`, o.Flag)
		for _, name := range []string{o.Key, "--" + o.Flag} {
			require.False(t, seen[name], name)
			seen[name] = true
		}
		require.NotZero(t, o.Doors, o.Key)
		require.True(t, strings.HasSuffix(o.Help, "."), o.Key)
		require.Equal(t, o.Kind == options.Choice, len(o.Choices) > 0, o.Key)
		if o.Default != "" {
			_, err := o.Parse(o.Key, o.Default)
			require.NoError(t, err, o.Key)
		}
		for command, value := range o.CommandDefault {
			_, err := o.Parse(o.Key, value)
			require.NoError(t, err, o.Key)
			require.NotEqual(t, o.Default, o.DefaultIn(command), o.Key)
		}
	}
}

// TestRequestFields: the fields of a request are the rows that requests take.
func TestRequestFields(t *testing.T) {
	var fields []string
	for f := range reflect.TypeFor[options.RequestFields]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, name)
	}
	slices.Sort(fields)
	require.Equal(t, options.Request.Keys(), fields)
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		key, text string
		want      any
		err       string
	}{
		{key: "context_length", text: "8192", want: int64(8192)},
		{key: "context_length", text: "8k", want: int64(8000)},
		{key: "context_length", text: "128K", want: int64(128_000)},
		{key: "context_length", text: "1m", want: int64(1_000_000)},
		{key: "context_length", text: "1.5k", want: int64(1500)},
		{key: "context_length", text: "1e3", want: int64(1000)},
		{key: "context_length", text: "8q", err: "must be a number of tokens, 0 or more"},
		{key: "context_length", text: "8KiB", err: "must be a number of tokens, 0 or more"},
		{key: "context_length", text: "-1", err: "must be a number of tokens, 0 or more, not -1"},
		{key: "context_length", text: "99999999999999999m", err: "must be a number of tokens, 0 or more"},
		{key: "max_file_bytes", text: "64MiB", want: int64(64 << 20)},
		{key: "max_file_bytes", text: "64 mb", want: int64(64_000_000)},
		{key: "max_file_bytes", text: "2k", want: int64(2048)},
		{key: "max_file_bytes", text: "0", err: "must be a number of bytes, 1 or more, not 0"},
		{key: "document_memory_bytes", text: "-1", want: int64(-1)},
		{key: "retrieval_limit", text: "100", want: int64(100)},
		{key: "retrieval_limit", text: "0", err: "must be a whole number from 1 to 100 or auto, not 0"},
		{key: "retrieval_limit", text: "1k", err: "must be a whole number from 1 to 100 or auto"},
		{key: "retrieval_limit", text: "1.5", err: "must be a whole number from 1 to 100 or auto, not 1.5"},
		{key: "retrieval_limit", text: "", err: "must be a whole number from 1 to 100 or auto"},
		{key: "retrieval_affinity_threshold", text: "0", want: 0.0},
		{key: "retrieval_affinity_threshold", text: "NaN", err: "must be a number from 0 to 1"},
		{key: "retrieval_limit", text: "auto", want: int64(-1)},
		{key: "retrieval_limit", text: "-1", err: "must be a whole number from 1 to 100 or auto, not -1"},
		{key: "retrieval_limit", text: "all", err: "must be a whole number from 1 to 100 or auto"},
		{key: "citation_share", text: "1.5", err: "must be a number from 0 to 1, not 1.5"},
		{key: "target_context_use", text: "0", err: "must be a number above 0 and at most 1, not 0"},
		{key: "target_context_use", text: "1", want: 1.0},
		{key: "strict", text: "Yes", want: true},
		{key: "strict", text: "maybe", err: "must be true or false"},
		{key: "mode", text: "ful", err: "must be auto, full, retrieval or none"},
		{key: "prompt_set", text: "my/templates", want: "my/templates"},
		{key: "max_time", text: "90s", want: 90 * time.Second},
		{key: "max_time", text: "0s", err: "must be a duration above 0 such as 30s or 10m, not 0s"},
		{key: "max_time", text: "soon", err: "must be a duration above 0 such as 30s or 10m"},
		{key: "cors", text: "a,b", want: []string{"a", "b"}},
	} {
		o, ok := options.Find(tt.key)
		require.True(t, ok, tt.key)
		got, err := o.Parse("--x", tt.text)
		if tt.err != "" {
			require.EqualError(t, err, "--x: "+tt.err, "%s %s", tt.key, tt.text)
			require.True(t, fault.Is(err, fault.Usage))
			continue
		}
		require.NoError(t, err, "%s %s", tt.key, tt.text)
		require.Equal(t, tt.want, got)
	}
}

func TestDecode(t *testing.T) {
	values, err := options.Files.Decode("o.", map[string]any{"retrieval_limit": int64(7), "target_context_use": 1, "strict": true, "mode": "full", "reserve_output_tokens": 64.0})
	require.NoError(t, err)
	require.Equal(t, options.Values{"retrieval_limit": int64(7), "target_context_use": 1.0, "strict": true, "mode": "full", "reserve_output_tokens": int64(64)}, values)
	require.Equal(t, 7, values.Int("retrieval_limit"))
	require.Equal(t, "full", values.Text("mode"))

	for name, tt := range map[string]struct {
		door  options.Door
		given map[string]any
		err   string
	}{
		"unknown":             {options.Files, map[string]any{"foo": 1}, "o.foo: is not an option here (known are citation_share, coverage, "},
		"of another door":     {options.Files, map[string]any{"addr": "x"}, "o.addr: is not an option here"},
		"an old name":         {options.Request, map[string]any{"limit": 1}, "o.limit: is now called retrieval_limit (rename it)"},
		"an old seed's name":  {options.Route, map[string]any{"preprocessorProvider": "x"}, "o.preprocessorProvider: is now called preprocessor_provider"},
		"the mode of routing": {options.Route, map[string]any{"mode": "ask"}, "o.mode: is now called route_as"},
		"a text for a number": {options.Files, map[string]any{"retrieval_limit": "SECRET"}, "o.retrieval_limit: must be a whole number from 1 to 100 or auto"},
		"a unit in JSON":      {options.Request, map[string]any{"context_length": "8k"}, "o.context_length: must be a number of tokens, 0 or more"},
		"half a passage":      {options.Files, map[string]any{"retrieval_limit": 1.5}, "o.retrieval_limit: must be a whole number from 1 to 100 or auto, not 1.5"},
		"a huge number":       {options.Files, map[string]any{"retrieval_limit": uint64(1 << 63)}, "o.retrieval_limit: must be a whole number from 1 to 100 or auto, not 9.223372036854776e+18"},
		"nothing":             {options.Files, map[string]any{"mode": nil}, "o.mode: must be auto, full, retrieval or none"},
		"a folder":            {options.Files, map[string]any{"prompt_set": "/etc"}, "o.prompt_set: must be classic or cited"},
		"a list":              {options.Files, map[string]any{"mode": []any{"full"}}, "o.mode: must be auto, full, retrieval or none"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tt.door.Decode("o.", tt.given)
			require.True(t, fault.Is(err, fault.Usage))
			require.ErrorContains(t, err, tt.err)
			require.NotContains(t, err.Error(), "SECRET")
		})
	}
}

func TestRequestValues(t *testing.T) {
	var r options.RequestFields
	require.NoError(t, json.Unmarshal([]byte(`{"mode": "full", "retrieval_limit": 2, "strict": null}`), &r))
	values, err := r.Values("")
	require.NoError(t, err)
	require.Equal(t, options.Values{"mode": "full", "retrieval_limit": int64(2)}, values, "null is as if it were left out")
	require.NoError(t, json.Unmarshal([]byte(`{"retrieval_limit": {"a": 1}}`), &r))
	_, err = r.Values("inlay.")
	require.EqualError(t, err, "inlay.retrieval_limit: must be a whole number from 1 to 100 or auto")
}

func TestCheck(t *testing.T) {
	require.NoError(t, options.Check("retrieval_limit", 3))
	require.EqualError(t, options.Check("retrieval_limit", 101), "retrieval_limit: must be a whole number from 1 to 100 or auto, not 101")
	require.True(t, fault.Is(options.Check("nothing", 1), fault.Internal))
}

// FuzzParse: any text is a valid value or fault.Usage that does not repeat it.
func FuzzParse(f *testing.F) {
	for _, o := range options.All() {
		f.Add(o.Key, o.Default)
	}
	f.Add("context_length", "12345678901234567890k")
	f.Fuzz(func(t *testing.T, key, text string) {
		o, ok := options.Find(key)
		if !ok {
			return
		}
		value, err := o.Parse("--x", text)
		if err != nil {
			require.True(t, fault.Is(err, fault.Usage))
			return
		}
		if o.Also == "" {
			_, err = o.Decode("x", value)
			require.NoError(t, err, "what text gives is valid as a value")
		}
	})
}
