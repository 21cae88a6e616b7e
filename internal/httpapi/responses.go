package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"inlay/chat"
	"inlay/fault"
	"inlay/internal/service"
	"inlay/llm/responses"
)

// responseRequest describes a request of the OpenAI API's responses.
type responseRequest struct {
	_            struct{}          `additionalProperties:"true"`
	Model        string            `json:"model"`
	Input        any               `json:"input" doc:"a text, or a list of items; parts of type input_file, by file_id or file_data, are injected into the prompt"`
	Instructions *string           `json:"instructions,omitempty" doc:"a system message of this response alone"`
	Previous     *string           `json:"previous_response_id,omitempty" doc:"of a stored response that this one continues"`
	Store        *bool             `json:"store,omitempty" doc:"keep the response, so that it can be continued; true"`
	Stream       *bool             `json:"stream,omitempty"`
	Truncation   *string           `json:"truncation,omitempty" enum:"auto,disabled" doc:"auto leaves out the oldest messages where the window is too small"`
	Tools        []responses.Tool  `json:"tools,omitempty" doc:"function, custom or namespace, which the client runs; file_search, which searches vector stores before the model answers"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Inlay        *service.Wants    `json:"inlay,omitempty"`
}

// responseAnswer describes a response.
type responseAnswer struct {
	_         struct{}       `additionalProperties:"true"`
	ID        string         `json:"id"`
	Object    string         `json:"object"`
	CreatedAt int64          `json:"created_at"`
	Status    string         `json:"status" enum:"completed,incomplete,failed,in_progress,queued,cancelled"`
	Model     string         `json:"model"`
	Output    []responseItem `json:"output"`
	Usage     any            `json:"usage" doc:"input_tokens, output_tokens, total_tokens; null where the server of models reports none"`
	Inlay     *decided       `json:"inlay,omitempty"`
}

// responseItem describes an item.
type responseItem struct {
	_       struct{}       `additionalProperties:"true"`
	ID      string         `json:"id"`
	Type    string         `json:"type" enum:"message,file_search_call,function_call,function_call_output,custom_tool_call,custom_tool_call_output,reasoning"`
	Content []responsePart `json:"content,omitempty"`
}

// responsePart describes a part of a message.
type responsePart struct {
	_           struct{}             `additionalProperties:"true"`
	Type        string               `json:"type"`
	Text        string               `json:"text,omitempty"`
	Annotations []responseAnnotation `json:"annotations,omitempty"`
}

// responseAnnotation is a mark of the answer and the passage that it refers to.
type responseAnnotation struct {
	Type     string `json:"type"`
	Index    int    `json:"index" doc:"of the mark in the text, in characters"`
	Filename string `json:"filename"`
	chat.Citation
}

// TransformSchema implements [huma.SchemaTransformer]: of a [wholeFile] there is no
// more than this.
func (responseAnnotation) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Required = []string{"type", "index", "number", "file", "file_id", "filename"}
	return s
}

// itemList is a page of the items of a request.
type itemList struct {
	Object  string           `json:"object"`
	Data    []responses.Item `json:"data"`
	FirstID string           `json:"first_id,omitempty"`
	LastID  string           `json:"last_id,omitempty"`
	HasMore bool             `json:"has_more"`
}

func (a *API) respond(c *call) (err error) {
	body, wants, err := c.wantsBody()
	if err != nil {
		return err
	}
	if err := c.mayStore(body["store"]); err != nil {
		return err
	}
	reply, err := a.service.Respond(c.ctx(), c.owner, body, wants)
	if err != nil {
		return withSteps(err, reply.Turn)
	}
	defer func() {
		if e := reply.Close(c.ctx()); e != nil {
			err = errors.Join(err, e)
		}
	}()
	answer := reply.Begin(c.ctx(), func(text string) []any { return marksOf(c.ctx(), reply, text) })
	answer.Response.Inlay = decisionOf(reply.Completion)
	if reply.Request.Stream {
		return a.streamResponse(c, reply, answer)
	}
	for chunk, err := range reply.Answer(c.ctx()) {
		if err != nil {
			return err
		}
		answer.Add(chunk)
	}
	answer.Finish()
	answer.Response.Inlay = decisionOf(reply.Completion) // with what processors did to the answer
	if err := reply.KeepReply(c.ctx(), answer); err != nil {
		return err
	}
	return c.json(answer.Response)
}

// streamResponse hands on events as they come. A failure before the first is an
// error like any other; after it, an event with the error, and the response as
// a failed one.
func (a *API) streamResponse(c *call, reply *service.Reply, answer *responses.Answer) error {
	e := &events{c: c}
	defer e.close()
	send := func(list ...responses.Event) error {
		for _, one := range list {
			if err := e.json(one.Type, one); err != nil {
				return err
			}
		}
		return nil
	}
	fail := func(err error) error {
		if !e.open {
			return err
		}
		f := failureOf(ended(c.ctx(), err)).openai().Error
		_ = send(answer.Fail(f.Code, f.Message)...)
		return err
	}
	for chunk, err := range reply.Answer(c.ctx()) {
		if err != nil {
			return fail(err)
		}
		if !e.open {
			err = send(answer.Begin()...)
		}
		if err == nil {
			err = send(answer.Add(chunk)...)
		}
		if err != nil {
			return err
		}
	}
	if !e.open {
		return errNoAnswer()
	}
	if err := send(answer.Finish()...); err != nil {
		return err
	}
	answer.Response.Inlay = decisionOf(reply.Completion)
	if err := reply.KeepReply(c.ctx(), answer); err != nil {
		return fail(err)
	}
	return send(answer.End())
}

func errNoAnswer() error {
	return &fault.Error{Code: fault.BackendUnreachable, Subject: "model", Reason: "the server gave no answer", Next: "ask again"}
}

// marksOf are the annotations of a text: one for each mark.
func marksOf(ctx context.Context, reply *service.Reply, text string) []any {
	var out []any
	for _, r := range reply.Referred(ctx, text) {
		at := utf8.RuneCountInString(text[:r.Mark.Start])
		if r.Citation.Text == "" {
			out = append(out, struct {
				Type  string `json:"type"`
				Index int    `json:"index"`
				wholeFile
			}{"file_citation", at, wholeOf(r.Citation)})
			continue
		}
		out = append(out, responseAnnotation{"file_citation", at, r.Citation.File, r.Citation})
	}
	return out
}

func (a *API) getResponse(c *call) error {
	if q := c.URL.Query().Get("stream"); q != "" && q != "false" {
		return &fault.Error{Code: fault.Usage, Subject: "stream", Reason: "is not supported for a response that is over", Next: "leave it out"}
	}
	kept, err := a.service.Response(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.json(kept.Body)
}

func (a *API) deleteResponse(c *call) error {
	id := c.PathValue("id")
	if err := a.service.DeleteResponse(c.ctx(), c.owner, id); err != nil {
		return err
	}
	return c.json(deleted{ID: id, Object: "response", Deleted: true})
}

// cancelResponse: what is kept is over.
func (a *API) cancelResponse(c *call) error {
	kept, err := a.service.Response(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	return &fault.Error{Code: fault.Conflict, Subject: "response " + kept.ID, Reason: "is over", Next: "see its output; a stream is canceled by closing its connection"}
}

func (a *API) inputItems(c *call) error {
	p, err := c.page(100)
	if err != nil {
		return err
	}
	kept, err := a.service.Response(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	var items []responses.Item
	if err := json.Unmarshal(kept.Input, &items); err != nil {
		return err
	}
	if p.Desc {
		slices.Reverse(items)
	}
	if p.After != "" {
		i := slices.IndexFunc(items, func(one responses.Item) bool { return one.ID == p.After })
		if i < 0 {
			return &fault.Error{Code: fault.Usage, Subject: "after", Reason: "names nothing in this list", Next: "leave it out to begin again"}
		}
		items = items[i+1:]
	}
	list := itemList{Object: "list", Data: items[:min(len(items), p.Limit)], HasMore: len(items) > p.Limit}
	if n := len(list.Data); n > 0 {
		list.FirstID, list.LastID = list.Data[0].ID, list.Data[n-1].ID
	}
	return c.json(list)
}
