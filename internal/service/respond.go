package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"inlay/internal/chats"
	"inlay/internal/state"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/llm/completion"
	"inlay/llm/responses"
	"inlay/turn"
)

// Reply is a response of the Responses API on its way to its model: a chat
// completion in another form, over what the service keeps of earlier responses.
type Reply struct {
	*Completion
	Request *responses.Request
	ID      string

	origin responses.Origin
	kept   span // of the messages: those of the responses before
	made   time.Time

	dropped int            // how many of the oldest messages are left out
	left    []chat.Message // those of the input that are left out, for what is kept
}

// Respond makes a response ready, as [Service.Complete] does a completion.
func (s *Service) Respond(ctx context.Context, owner string, body map[string]json.RawMessage, wants Wants) (*Reply, error) {
	r := &Reply{Completion: &Completion{Turn: &turn.Turn{}, service: s, owner: owner}, ID: state.NewID("resp_"), made: state.Now()}
	err := r.begin(ctx, body, wants)
	if err != nil {
		err = errors.Join(r.renamed(r.past.Outgrown(s.failed(ctx, r.Upstream, err), "begin a new conversation, use a model with a larger window, or send \"truncation\": \"auto\"")), r.Close(ctx))
	}
	return r, err
}

func (r *Reply) begin(ctx context.Context, body map[string]json.RawMessage, wants Wants) (err error) {
	if wants.ChatID != "" {
		return &fault.Error{Code: fault.Usage, Subject: "inlay.chat_id", Reason: "belongs to chat completions", Next: "continue a response with previous_response_id"}
	}
	if r.Request, err = responses.Parse(body); err != nil {
		return err
	}
	if r.Request.Background {
		return &fault.Error{Code: fault.Usage, Subject: "background", Reason: "is not supported by this server", Next: "leave it out, and stream the response"}
	}
	if err := r.resolve(ctx); err != nil {
		return err
	}
	r.recall = r.follow
	if wants.Search, err = r.search(ctx); err != nil {
		return err
	}
	return r.fit(ctx, wants)
}

// renamed names the fields of an error as the client wrote them.
func (r *Reply) renamed(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Code == fault.Usage {
		e.Subject = r.origin.Rename(e.Subject)
	}
	return err
}

// resolve puts the items of stored responses in the place of references to them.
func (r *Reply) resolve(ctx context.Context) error {
	for i, item := range r.Request.Input {
		if item.Type != responses.ItemReference {
			continue
		}
		found, err := r.service.responseItem(ctx, r.owner, item.ID)
		if err != nil {
			return fmt.Errorf("input[%d]: %w", i, err)
		}
		r.Request.Input[i] = found
	}
	return nil
}

// responseItem is an item of a stored response, by its id.
func (s *Service) responseItem(ctx context.Context, owner, id string) (responses.Item, error) {
	missing := &fault.Error{Code: fault.NotFound, Subject: "item " + id, Reason: "there is no such item", Next: "its response was deleted, or made with \"store\": false: send the item itself"}
	kept, err := s.config.State.Response(ctx, owner, responses.Owner(id))
	if errors.Is(err, state.ErrNotFound) {
		return responses.Item{}, missing
	}
	if err != nil {
		return responses.Item{}, err
	}
	var items []responses.Item
	var body responses.Response
	if err := errors.Join(json.Unmarshal(kept.Input, &items), json.Unmarshal(kept.Body, &body)); err != nil {
		return responses.Item{}, fmt.Errorf("read response %s: %w", kept.ID, err)
	}
	items = append(items, body.Output...)
	if i := slices.IndexFunc(items, func(one responses.Item) bool { return one.ID == id }); i >= 0 {
		return items[i], nil
	}
	return responses.Item{}, missing
}

// follow puts the responses before this one between the instructions and the input.
func (r *Reply) follow(ctx context.Context, messages []completion.Message) (kept span, err error) {
	head := 0
	if len(r.origin) > 0 && r.origin[0] < 0 {
		head = 1
	}
	past := &chats.Past{}
	if r.Request.Previous != "" {
		if past, err = r.service.Follow(ctx, r.owner, r.Request.Previous); err != nil {
			return kept, err
		}
		r.past = past
	} else if r.Request.Store {
		past = chats.Fresh()
		r.past = past
	}
	short, fresh := r.shortened(past, messages[head:])
	if past = short; r.past != nil {
		r.past = short
	}
	r.messages = slices.Concat(messages[:head], past.API, fresh)
	r.kept = span{head, head + len(past.API)}
	if r.Request.Store {
		err = r.storeFiles(ctx)
	}
	return r.kept, err
}

// storeFiles makes uploads of the files in the request, and names them in its items.
func (r *Reply) storeFiles(ctx context.Context) error {
	fresh := r.messages[r.kept.end:]
	if err := r.keepFiles(ctx, fresh); err != nil {
		return err
	}
	var ids []string
	for i := range fresh {
		for _, f := range fresh[i].Files() {
			ids = append(ids, f.ID)
		}
	}
	r.Request.NameFiles(ids, func(url string) bool {
		data, ok := completion.ImageData(url)
		return ok && pictureName(data) != ""
	})
	return nil
}

// Begin is the response before the model said anything; annotate is what texts
// of the answer refer to.
func (r *Reply) Begin(ctx context.Context, annotate func(text string) []any) *responses.Answer {
	a := &responses.Answer{Response: r.Request.Begin(r.ID, r.made.Unix()), Request: r.Request, Annotate: annotate}
	r.searched(ctx, a)
	return a
}

// KeepReply keeps the response with its turn, unless the request says otherwise.
func (r *Reply) KeepReply(ctx context.Context, a *responses.Answer) error {
	if !r.Request.Store {
		return nil
	}
	r.Keep(a.Said())
	messages, err := json.Marshal(slices.Concat(r.left, r.Past(r.kept.end), r.Said()))
	if err != nil {
		return fmt.Errorf("encode the turn: %w", err)
	}
	input, err := json.Marshal(r.Request.InputItems(r.ID))
	if err != nil {
		return fmt.Errorf("encode the input: %w", err)
	}
	body, err := json.Marshal(a.Response)
	if err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	err = r.service.KeepResponse(ctx, state.Response{
		ID: r.ID, Owner: r.owner, Previous: r.Request.Previous, Created: r.made, Messages: messages, Input: input, Body: body, Files: r.uploaded,
	})
	if err != nil {
		return err
	}
	r.uploaded = nil // they are the response's now
	return r.service.sweepNow(ctx)
}

// DeleteResponse forgets a response, and the uploads that were made for it.
func (s *Service) DeleteResponse(ctx context.Context, owner, id string) error {
	files, err := s.ForgetResponse(ctx, owner, id)
	if err != nil {
		return err
	}
	return s.Drop(context.WithoutCancel(ctx), owner, files)
}

// keepResponses is how long a conversation of responses is kept after its last
// one, as OpenAI keeps them.
const keepResponses = 30 * 24 * time.Hour

// sweepEvery is how often conversations are looked through for old ones.
const sweepEvery = time.Hour

// sweepNow is sweepResponses where the last time was long ago.
func (s *Service) sweepNow(ctx context.Context) error {
	now := time.Now()
	if last := s.swept.Load(); now.Sub(time.Unix(last, 0)) < sweepEvery || !s.swept.CompareAndSwap(last, now.Unix()) {
		return nil
	}
	return s.sweepResponses(ctx, now)
}

// sweepResponses forgets conversations that were not continued for long, from
// their ends.
func (s *Service) sweepResponses(ctx context.Context, now time.Time) error {
	for {
		old, err := s.config.State.OldResponses(ctx, now.Add(-keepResponses))
		if err != nil || len(old) == 0 {
			return err
		}
		for _, r := range old {
			if err := s.DeleteResponse(ctx, r.Owner, r.ID); err != nil && !fault.Is(err, fault.NotFound) {
				return err
			}
		}
	}
}

// Referred are the marks of an answer with what they refer to. What is of a
// vector store goes by the id of its upload.
func (c *Completion) Referred(ctx context.Context, answer string) []Reference {
	var out []Reference
	for _, m := range injection.Marks(answer) {
		if to, ok := c.Marked(m.Number); ok {
			to.FileID = c.service.origin(ctx, c.owner, to).File
			out = append(out, Reference{m, to})
		}
	}
	return out
}

// Reference is a mark of an answer and the passage or file that it refers to.
type Reference struct {
	Mark     injection.Mark
	Citation chat.Citation
}
