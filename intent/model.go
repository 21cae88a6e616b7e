package intent

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/internal/schema"
	"inlay/llm"
	"inlay/tokens"
)

//go:embed analyzer.txt
var analyzerPrompt string

// Model asks a model to split the message, with the seed's prompt and an
// answer held to a JSON schema. An invalid answer is asked for once more; the
// error of the second is returned.
type Model struct {
	Generator   llm.Generator
	Temperature *float64 // nil: 0
}

var _ Analyzer = Model{}

// answerSchema is what an answer must be.
const answerSchema = `{"type":"object","additionalProperties":false,"required":["detectedLanguage","intent","contextItems"],"properties":{` +
	`"detectedLanguage":{"type":"string"},"intent":{"type":"string"},"contextItems":{"type":"array","items":{"type":"object",` +
	`"additionalProperties":false,"required":["title","mimeType","content"],"properties":{"title":{"type":"string"},"mimeType":{"type":"string"},"content":{"type":"string"}}}}}}`

// Why a model's answer is of no use, beside what [Check] finds.
var (
	errAnswer = errors.New("the model's answer is not the JSON that was asked for")
	errCut    = errors.New("the model's answer breaks off before its end")
)

// Name implements [Analyzer].
func (m Model) Name() string { return m.Generator.Name() }

// Analyze implements [Analyzer]. Errors of the model are those of its backend,
// each tried twice; cancellation is not tried again.
func (m Model) Analyze(ctx context.Context, msg Message) (Analysis, error) {
	check, err := schema.Compile([]byte(answerSchema))
	if err != nil {
		return Analysis{}, fmt.Errorf("analyze message: %w", err)
	}
	request := llm.Request{
		Messages: Prompt(msg), Temperature: cmp.Or(m.Temperature, new(float64)), Schema: json.RawMessage(answerSchema),
		MaxTokens: answerTokens(msg),
	}
	var a Analysis
	var spent Usage
	for range 2 {
		a, err = m.ask(ctx, msg, request, check)
		spent.In, spent.Out = spent.In+a.Usage.In, spent.Out+a.Usage.Out
		if err == nil || ctx.Err() != nil {
			break
		}
		again := "Your last answer was not used: " + publicReason(err) + ". Answer again. Copy content exactly, and output JSON only."
		request.Messages = append(Prompt(msg), chat.Message{Role: chat.User, Text: again})
	}
	if err != nil {
		return Analysis{Usage: spent}, fmt.Errorf("analyze message: %w", err)
	}
	a.Usage = spent
	return a, nil
}

// answerTokens bounds an answer. One for a small message holds an intent alone;
// else it holds the message once, as JSON, of no more tokens than bytes.
func answerTokens(m Message) int {
	const frame = 256
	if !m.Large {
		return frame + 2*m.Tokens.N
	}
	text, err := json.Marshal(m.Text)
	if err != nil { // no string fails
		return frame + len(m.Text)
	}
	return frame + len(text)
}

// Prompt is what the model is asked: the seed's prompt, then the message with
// the numbers that its first rule needs.
func Prompt(m Message) []chat.Message {
	size := fmt.Sprintf("%d", m.Tokens.N)
	if m.Tokens.Method == tokens.AtLeast {
		size = "at least " + size
	}
	rule := "less than 10% of the model's max tokens: return an empty contextItems"
	if m.Large {
		rule = "10% of the model's max tokens or more"
	}
	return []chat.Message{
		{Role: chat.System, Text: strings.TrimSuffix(analyzerPrompt, "\n")},
		{Role: chat.User, Text: fmt.Sprintf("Model max tokens: %d\nTotal content length: %s tokens, %s\n\nMessage:\n%s", m.Window, size, rule, m.Text)},
	}
}

func (m Model) ask(ctx context.Context, msg Message, request llm.Request, check *schema.Schema) (Analysis, error) {
	answer, err := llm.Collect(ctx, m.Generator, request)
	spent := Usage{In: answer.Usage.Prompt, Out: answer.Usage.Completion}
	if err == nil && answer.Done == "length" {
		err = errCut
	}
	var a Analysis
	if err == nil {
		a, err = parseAnswer(msg, answer.Text, check)
	}
	a.Usage = spent
	return a, err
}

// parseAnswer reads an answer and places its items in the message.
func parseAnswer(msg Message, text string, check *schema.Schema) (Analysis, error) {
	text = bare(text)
	if err := check.Check([]byte(text)); err != nil {
		return Analysis{}, fmt.Errorf("%w: %w", errAnswer, err)
	}
	var a Analysis
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return Analysis{}, fmt.Errorf("%w: %w", errAnswer, err)
	}
	if !place(msg.Text, a.ContextItems) {
		return Analysis{}, errSlice
	}
	a.DetectedLanguage = languageCode(a.DetectedLanguage)
	a.Intent = strings.TrimSpace(a.Intent)
	return Complete(msg, a)
}

// bare is an answer without the Markdown fence that some models lay around it.
func bare(text string) string {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```json"); ok {
		text = inner
	} else if inner, ok := strings.CutPrefix(text, "```"); ok {
		text = inner
	}
	return strings.TrimSpace(strings.TrimSuffix(text, "```"))
}

// place finds each item's content in the message, after the item before it or
// else anywhere, and orders the items. It reports whether all were found.
func place(raw string, items []Item) bool {
	end := 0
	for i := range items {
		content := items[i].Content
		at := strings.Index(raw[end:], content)
		if at >= 0 {
			at += end
		} else if at = strings.Index(raw, content); at < 0 {
			return false
		}
		items[i].Start, items[i].End = at, at+len(content)
		if items[i].MimeType == "" {
			items[i].MimeType = "text/plain"
		}
		end = items[i].End
	}
	slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(a.Start, b.Start) })
	return true
}

// languageCode is a model's language where it has the form of an ISO 639-1 code,
// region and case aside.
func languageCode(s string) string {
	s, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(s)), "-")
	if len(s) != 2 || s[0] < 'a' || s[0] > 'z' || s[1] < 'a' || s[1] > 'z' {
		return ""
	}
	return s
}
