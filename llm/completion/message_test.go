package completion

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
)

func parseOne(t *testing.T, message string) Message {
	t.Helper()
	list, err := ParseMessages(json.RawMessage("[" + message + "]"))
	require.NoError(t, err)
	require.Len(t, list, 1)
	return list[0]
}

func encoded(t *testing.T, m Message) string {
	t.Helper()
	data, err := m.MarshalJSON()
	require.NoError(t, err)
	return string(data)
}

func TestUnchangedMessagesAreWrittenByteForByte(t *testing.T) {
	for _, m := range []string{
		`{"role":"user","content":"5 < 6 & \u00e9"}`,
		"{ \"content\" : [ {\"type\":\"text\",\"text\":\"a\"} ,\n{\"type\":\"x\",\"y\":1.0e3}], \"role\":\"user\", \"name\":\"Ada\" }",
		`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"custom","custom":{"name":"sql","input":"select 1"}}],"refusal":null}`,
		`{"role":"tool","tool_call_id":"1","content":"42"}`,
	} {
		one := parseOne(t, m)
		require.Equal(t, m, encoded(t, one))
		require.Equal(t, m, encoded(t, one.Clone()))
		list, err := MarshalMessages([]Message{one, one})
		require.NoError(t, err)
		require.Equal(t, "["+m+","+m+"]", string(list))
	}
}

func TestMessagesAreReadAsTheyAreMeant(t *testing.T) {
	for name, c := range map[string]struct {
		message string
		want    chat.Message
		files   []File
	}{
		"text":      {`{"role":"user","content":"hi \"you\" \\"}`, chat.Message{Role: chat.User, Text: `hi "you" \`}, nil},
		"developer": {`{"role":"developer","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, chat.Message{Role: chat.System, Text: "a\nb"}, nil},
		"calls": {
			`{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}},{"id":"2","type":"custom","custom":{"name":"sql","input":"x"}},7]}`,
			chat.Message{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}, {ID: "2", Name: "sql", Arguments: "x"}, {}}},
			nil,
		},
		"result":   {`{"role":"tool","tool_call_id":"1","content":"42"}`, chat.Message{Role: chat.Tool, Text: "42", ToolCallID: "1"}, nil},
		"function": {`{"role":"function","name":"f","content":"42"}`, chat.Message{Role: chat.Tool, Text: "42"}, nil},
		"files": {
			`{"role":"user","content":[{"type":"file","file":{"file_id":"f1"}},{"type":"file","file":{"file_data":"aGk=","filename":"a.txt"}},{"type":"file","file":{"file_data":"data:application/pdf;base64,aGk="}},{"type":"text","text":"?"}]}`,
			chat.Message{Role: chat.User, Text: "?"},
			[]File{{ID: "f1"}, {Name: "a.txt", Data: []byte("hi")}, {Name: "file.pdf", Data: []byte("hi")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := parseOne(t, c.message)
			require.Equal(t, c.want, m.Chat())
			require.Equal(t, c.files, m.Files())
			require.Equal(t, c.files != nil, m.HasFiles())
		})
	}
}

func TestWrongMessagesAreNamedByTheirPlace(t *testing.T) {
	for body, field := range map[string]string{
		`7`: "messages", `null`: "messages", `[]`: "messages", ``: "messages", `[{"role":"user"`: "messages", `{"role":"user"}`: "messages",
		`[7]`:                                    "messages[0].role",
		`[{"role":"user"},{"role":"root"}]`:      "messages[1].role",
		`[{"role":"user","content":7}]`:          "messages[0].content",
		`[{"role":"user","content":["SECRET"]}]`: "messages[0].content[0]",
		`[{"role":"user","content":[{"type":"text","text":"a"},{"text":"SECRET"}]}]`:                  "messages[0].content[1]",
		`[{"role":"user","content":[{"type":"text","text":["SECRET"]}]}]`:                             "messages[0].content[0].text",
		`[{"role":"user","content":[{"type":"file"}]}]`:                                               "messages[0].content[0].file",
		`[{"role":"user","content":[{"type":"file","file":{"file_id":"a","file_data":"SECRET"}}]}]`:   "messages[0].content[0].file",
		`[{"role":"user","content":[{"type":"file","file":{"file_data":"SECRET!"}}]}]`:                "messages[0].content[0].file.file_data",
		`[{"role":"user","content":[{"type":"file","file":{"file_data":"data:text/plain,SECRET"}}]}]`: "messages[0].content[0].file.file_data",
	} {
		_, err := ParseMessages(json.RawMessage(body))
		require.Equal(t, fault.Usage, fault.CodeOf(err), body)
		require.True(t, strings.HasPrefix(err.Error(), field+": "), "%s: %v", body, err)
		require.NotContains(t, err.Error(), "SECRET")
	}
}

func TestRewriteChangesTheTextAlone(t *testing.T) {
	image := Image("image/png", []byte{1}, "")
	written := `{"type":"image_url","image_url":{"url":"data:image/png;base64,AQ=="}}`
	for name, c := range map[string]struct {
		message, want string
		images        []Part
	}{
		"a text":         {`{"content":"a","name":"Ada","role":"user"}`, `{"content":"<new>","name":"Ada","role":"user"}`, nil},
		"with an image":  {`{"role":"user","content":"a"}`, `{"role":"user","content":[{"type":"text","text":"<new>"},` + written + `]}`, []Part{image}},
		"among parts":    {`{"role":"user","content":[{"type":"x", "y":1},{"type":"text","text":"a"},{"type":"file","file":{"file_id":"f"}},{"type":"text","text":"b"}]}`, `{"role":"user","content":[{"type":"x", "y":1},{"type":"text","text":"<new>"}]}`, nil},
		"files alone":    {`{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}`, `{"role":"user","content":"<new>"}`, nil},
		"no content":     {`{"role":"user"}`, `{"role":"user","content":"<new>"}`, nil},
		"written double": {`{"role":"user","content":"b","content":"a"}`, `{"role":"user","content":"<new>"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := parseOne(t, c.message)
			before := m.Clone()
			m.Rewrite("<new>", c.images...)
			require.Equal(t, c.want, encoded(t, m))
			require.Equal(t, "<new>", m.Text())
			require.False(t, m.HasFiles())
			require.NotEqual(t, encoded(t, before), encoded(t, m), "a clone does not change")
			again := parseOne(t, c.want)
			require.Equal(t, m.Chat(), again.Chat())
		})
	}
}

func TestAFieldWrittenTwiceGoesOutOnce(t *testing.T) {
	m := parseOne(t, `{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}],"content":"a"}`)
	inOrder(t, `{"role":"user","content":"a"}`, encoded(t, m))
}

func TestCallsAreReplaced(t *testing.T) {
	m := parseOne(t, `{"role":"assistant","content":"so","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}],"x":1}`)
	m.SetCalls([]chat.ToolCall{{ID: "2", Name: "g", Arguments: `{"a":"<"}`}}, "")
	inOrder(t, `{"role":"assistant","content":"so","tool_calls":[{"id":"2","type":"function","function":{"name":"g","arguments":"{\"a\":\"<\"}"}}],"x":1}`, encoded(t, m))
	m.SetCalls(nil, "")
	inOrder(t, `{"role":"assistant","content":"so","x":1}`, encoded(t, m))
}

func TestChatMessagesComeBack(t *testing.T) {
	for _, is := range []chat.Message{
		{Role: chat.System, Text: "s"},
		{Role: chat.Assistant, ToolCalls: []chat.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}}},
		{Role: chat.Tool, Text: "<r>", ToolCallID: "1"},
	} {
		m := FromChat(is)
		again := parseOne(t, encoded(t, m))
		require.Equal(t, is, again.Chat())
		require.Equal(t, m.Chain(nil), again.Chain(nil))
		made := Message{Role: m.Role, Parts: []Part{{Kind: "text", Text: is.Text}}, Calls: is.ToolCalls, CallID: is.ToolCallID}
		require.JSONEq(t, encoded(t, m), encoded(t, made), "a message made of its fields")
	}
}

func TestTheChainKnowsWhatIsSaidNotHowItIsWritten(t *testing.T) {
	a := parseOne(t, `{"role":"user","content":[{"type":"x","y":1}, {"type":"text","text":"\u00e9"}]}`)
	b := parseOne(t, `{"content":[{"type":"x", "y":1},{"text":"é","type":"text"}],"role":"user"}`)
	c := parseOne(t, `{"content":[{"type":"x", "y":2},{"text":"é","type":"text"}],"role":"user"}`)
	require.Equal(t, a.Chain([]byte("x")), b.Chain([]byte("x")))
	require.NotEqual(t, a.Chain([]byte("x")), a.Chain([]byte("y")))
	require.NotEqual(t, a.Chain(nil), c.Chain(nil))
}

func TestToolsAreHandedOn(t *testing.T) {
	const data = `[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object"}}}, {"type":"web_search","web_search":{}}]`
	tools, err := ParseTools(json.RawMessage(data))
	require.NoError(t, err)
	require.Equal(t, []string{"f", ""}, []string{tools[0].Name, tools[1].Name})
	require.JSONEq(t, `{"type":"object"}`, string(tools[0].Parameters))
	same, err := MarshalTools(tools)
	require.NoError(t, err)
	inOrder(t, strings.Replace(data, "}, {", "},{", 1), string(same))
	tools[0].Description, tools[0].Parameters = "Does it.", nil
	changed, err := MarshalTools(append(tools[:1], Tool{Name: "g", Parameters: []byte(`{"type":"object"}`)}))
	require.NoError(t, err)
	inOrder(t, `[{"type":"function","function":{"name":"f","strict":true,"description":"Does it."}},`+
		`{"type":"function","function":{"name":"g","parameters":{"type":"object"}}}]`, string(changed))
}

func TestWrongToolsAreNamed(t *testing.T) {
	for body, field := range map[string]string{`7`: "tools: ", `[{},7]`: "tools[1]: ", `[`: "tools: "} {
		_, err := ParseTools(json.RawMessage(body))
		require.Equal(t, fault.Usage, fault.CodeOf(err), body)
		require.ErrorContains(t, err, field)
	}
	for _, none := range []string{"", "null", " [] "} {
		tools, err := ParseTools(json.RawMessage(none))
		require.NoError(t, err)
		require.Empty(t, tools)
	}
	_, err := MarshalTools([]Tool{{Name: "f", Parameters: []byte("{")}})
	require.Equal(t, fault.Usage, fault.CodeOf(err))
}
