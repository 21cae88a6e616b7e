// Package llm holds what inlay asks of a model, as small interfaces that a
// backend has or has not, and the models known without a server.
package llm

import (
	"context"

	"inlay/chat"
	"inlay/tokens"
)

// Measurer is a model whose context window and prompts can be measured.
// Implementations are safe for concurrent use.
type Measurer interface {
	// Name is "provider:model", for results and errors.
	Name() string
	// Length is the context window in force, in tokens. An unknown length is
	// fault.WindowUnknown, with how to set it.
	Length(ctx context.Context) (tokens.Count, error)
	// CountMessages counts messages as the model will see them, its template
	// included. Without a template it adds a stated overhead per message and
	// the count is estimated.
	CountMessages(ctx context.Context, messages []chat.Message) (tokens.Count, error)
	// Counter counts plain text with the model's vocabulary, or estimates it.
	Counter(ctx context.Context) (tokens.Counter, error)
}

// TextMeasurer is a [Measurer] that counts messages by their texts, so that who
// knows the count of a part of one need not have it counted again.
type TextMeasurer interface {
	// CountTexts is CountMessages by c, which counts as the model's Counter does.
	CountTexts(ctx context.Context, c tokens.Counter, messages []chat.Message) (tokens.Count, error)
}

// RequestMeasurer is a model that counts a whole request as it will see it: its
// messages and the tools it offers, template included.
type RequestMeasurer interface {
	CountRequest(ctx context.Context, r Request) (tokens.Count, error)
}
