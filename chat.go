package inlay

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm"
	"inlay/turn"
)

// Answer is what a question came to. Its Result says what was decided and why
// (Strategy, Reason, Decision), what the model was given (Prompt), and what the
// user should know (Warnings, Failures).
type Answer struct {
	injection.Result

	Text      string         // what the model said; empty where none was asked
	Finish    string         // why it stopped: "stop", or "length" where the answer is cut off
	Citations []Citation     // the passages in the prompt, by number
	Unknown   []int          // numbers that Text cites and no passage has
	Messages  []chat.Message // all that the model was asked, the earlier turns included
}

// Citation is a passage that was in the prompt, or a whole file that the answer
// refers to, which has no text and place.
type Citation struct {
	chat.Citation

	Cited bool // the answer refers to it
}

// String is the passage's number, file and place: "[1] a.pdf, page 3".
func (c Citation) String() string { return injection.Cite(c.Citation) }

// Chat is a conversation: what was said and attached on earlier turns belongs to
// the next. It keeps the bytes of its files, and belongs to one goroutine at a
// time. A turn that fails leaves it as it was.
type Chat struct {
	inlay *Inlay
	past  []turn.Said
	last  Answer
}

// Say answers the next question, as [Inlay.Ask] does the first.
func (c *Chat) Say(ctx context.Context, question string, paths ...string) (Answer, error) {
	return c.Answer(ctx, Question{Text: question, Paths: paths})
}

// Answer is [Chat.Say] for files that need not be on disk.
func (c *Chat) Answer(ctx context.Context, q Question) (Answer, error) {
	for _, err := range c.Stream(ctx, q) {
		if err != nil {
			return Answer{}, err
		}
	}
	return c.last, nil
}

// Stream answers the next question piece by piece, as the model says it; without
// a model there are no pieces. [Chat.Last] has the whole answer afterwards. An
// answer that the caller ends early, by leaving the loop or canceling ctx, is part
// of the conversation as far as it came.
func (c *Chat) Stream(ctx context.Context, q Question) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		made, files, err := c.prepare(ctx, q)
		if err != nil {
			yield("", err)
			return
		}
		var text strings.Builder
		finish := ""
		for d, err := range c.ask(ctx, made) {
			text.WriteString(d.Text)
			if err != nil {
				if text.Len() > 0 && ctx.Err() != nil {
					c.keep(made, files, text.String(), finish)
				}
				yield("", inGo(err))
				return
			}
			finish = cmp.Or(d.Done, finish)
			if d.Text != "" && !yield(d.Text, nil) {
				break
			}
		}
		c.keep(made, files, text.String(), finish)
	}
}

// Last is the answer of the newest turn.
func (c *Chat) Last() Answer { return c.last }

// Messages are the conversation so far, as a chat.History keeps it.
func (c *Chat) Messages() []chat.Message {
	out := make([]chat.Message, len(c.past))
	for i, one := range c.past {
		out[i] = one.Message
	}
	return out
}

// prepare carries a question to the point where the model is asked.
func (c *Chat) prepare(ctx context.Context, q Question) (*turn.Turn, []injection.File, error) {
	if q.Strategy == "" && strings.TrimSpace(q.Text) == "" {
		return nil, nil, &fault.Error{Code: fault.Usage, Subject: "question", Reason: "is empty", Next: "say what you want to know"}
	}
	one, err := c.inlay.strategy(q.Strategy)
	if err != nil {
		return nil, nil, err
	}
	files, notes, err := c.inlay.open(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	o := c.inlay.options
	made, err := c.inlay.engine.Prepare(ctx, turn.Request{
		Past: slices.Clone(c.past), Text: q.Text, Files: files, Model: c.inlay.measurer, Options: o.Injection, Intent: o.Intent, Strategy: one, Report: q.Report,
	})
	if err != nil {
		return nil, nil, inGo(err)
	}
	for _, note := range notes {
		if made.Result != nil { // else a strategy did not ask for files
			made.Result.Warnings = append(made.Result.Warnings, injection.Warning{Code: "left_out", Message: note})
		}
	}
	return made, files, nil
}

// ask streams the answer of the model, if there is one to be asked.
func (c *Chat) ask(ctx context.Context, made *turn.Turn) iter.Seq2[llm.Delta, error] {
	if c.inlay.generator == nil || c.inlay.options.Injection.DryRun {
		return func(func(llm.Delta, error) bool) {}
	}
	return made.Ask(ctx, c.inlay.generator, llm.Request{MaxTokens: c.inlay.options.Injection.ReserveOutput})
}

// keep makes a turn part of the conversation.
func (c *Chat) keep(made *turn.Turn, files []injection.File, text, finish string) {
	c.last = answerOf(made, text, finish)
	if c.inlay.options.Injection.DryRun {
		return
	}
	for _, m := range made.Said() {
		one := turn.Said{Message: m}
		if m.Role == chat.User {
			one.Files = documents(m, files)
		}
		c.past = append(c.past, one)
	}
}

// documents are those of a message that could be read: attached, or moved out of it.
func documents(m chat.Message, files []injection.File) (out []injection.File) {
	for _, a := range m.Attachments {
		at := slices.IndexFunc(files, func(f injection.File) bool { return f.ID == a.FileID || f.ID == "" && f.Name == a.Name })
		if data, ok := a.Cut(m.Raw); ok {
			out = append(out, injection.File{ID: a.FileID, Name: a.Name, MediaType: a.MediaType, Data: data})
		} else if at >= 0 && !a.IsImage() {
			f := files[at]
			f.ID = a.FileID
			out = append(out, f)
		}
	}
	return out
}

func answerOf(made *turn.Turn, text, finish string) Answer {
	a := Answer{Text: text, Finish: finish, Messages: made.Prompt.Chats()}
	if made.Result != nil { // else a strategy did not ask for files
		a.Result = *made.Result
	}
	if made.Execution != nil {
		a.Prompt = string(made.Execution.Prompt)
	}
	sources, unknown := made.Sources(text)
	for _, one := range sources {
		a.Citations = append(a.Citations, Citation(one))
	}
	if a.Strategy == injection.Retrieval {
		a.Unknown = unknown
	}
	return a
}
