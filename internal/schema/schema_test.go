package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/internal/schema"
)

const person = `{"type":"object","required":["name"],"additionalProperties":false,
  "properties":{"name":{"type":"string","minLength":1},"age":{"type":"integer","minimum":0},"to":{"enum":["sea","land"]}}}`

func TestCheck(t *testing.T) {
	s, err := schema.Compile([]byte(person))
	require.NoError(t, err)
	for value, want := range map[string]string{
		`{"name":"Ada","age":36}`:        "",
		`{}`:                             "it lacks name",
		`{"name":7}`:                     "name is of the wrong type",
		`{"name":"x","to":"hush"}`:       "to breaks the rule enum",
		`{"name":"x","hush":1}`:          "it has properties that are not known",
		`{"name":"x","age":-1}`:          "age breaks the rule minimum",
		`[]`:                             "it is of the wrong type",
		`{"name":`:                       "it is not valid JSON",
		`{"name":"","age":1.5}`:          "age is of the wrong type; name breaks the rule minLength",
		`{"name":"x"} {"name":"second"}`: "it is not valid JSON",
	} {
		err := s.Check([]byte(value))
		if want == "" {
			require.NoError(t, err, value)
			continue
		}
		require.EqualError(t, err, want, value)
		require.NotContains(t, err.Error(), "hush")
	}
	require.Error(t, s.CheckValue(make(chan int)))
	require.NoError(t, s.CheckValue(map[string]any{"name": "Ada"}))
}

func TestCompile(t *testing.T) {
	for _, text := range []string{"", "{", `{"type":"nothing"}`, `{"$ref":"https://example.org/x.json"}`, `{"$ref":"file:///etc/passwd"}`} {
		_, err := schema.Compile([]byte(text))
		require.Error(t, err, text)
	}
}
