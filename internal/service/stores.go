package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/state"
	"inlay/internal/stores"
	"inlay/library"
	"inlay/llm/responses"
)

// openStores makes the vector stores, where there are libraries to keep them in.
func (s *Service) openStores() {
	c := s.config.Libraries
	if c.Index == nil {
		return
	}
	c.State, c.Quota, c.Logger = s.config.State, s.config.Quota, s.log
	c.Parser = func(owner string) library.Parser { return s.config.Injector(owner).Reader }
	s.stores = stores.New(c)
}

// deleting takes an upload that is being deleted out of the vector stores.
func (s *Service) deleting(ctx context.Context, owner, id string) error {
	if s.stores == nil {
		return nil
	}
	return s.stores.Forget(ctx, owner, id)
}

// arrived has the vector stores of an upload that was read go on with it.
func (s *Service) arrived(ctx context.Context, f state.File) {
	if s.stores != nil {
		s.stores.Arrived(ctx, f)
	}
}

func (s *Service) stopFiles() {
	if s.stores != nil {
		s.stores.Stop()
	}
	s.Files.Stop()
}

// VectorStores are the stores of the service; fault.Usage where it has no libraries.
func (s *Service) VectorStores() (*stores.Stores, error) {
	if s.stores == nil {
		return nil, &fault.Error{
			Code: fault.Usage, Subject: "vector stores", Reason: "are not supported by this server: servers that share a database need an index for them",
			Next: "attach files to the question, or start the servers with --index",
		}
	}
	return s.stores, nil
}

// Search is a search in vector stores as one turn makes it: they are libraries of
// the turn, decided about and searched as others are.
type Search struct {
	Libraries []string // ids of stores, or names of libraries
	Limit     int      // most passages; 0: as the server is configured
	Threshold *float64 // affinity that a passage must exceed; nil: as the server is configured
	Where     *library.Condition
}

// into has a turn make the search.
func (q *Search) into(o *injection.Options) {
	if q == nil {
		return
	}
	o.Libraries = slices.Concat(o.Libraries, q.Libraries)
	o.Filter.Where = q.Where
	if q.Limit > 0 {
		o.Limit = q.Limit
	}
	if q.Threshold != nil {
		o.Threshold = q.Threshold
	}
}

// ParseCondition reads a filter of attributes in the OpenAI API's form; nil where
// there is none. Errors are fault.Usage and name field.
func ParseCondition(data json.RawMessage, field string) (*library.Condition, error) {
	if data = bytes.TrimSpace(data); len(data) == 0 || string(data) == "null" {
		return nil, nil //nolint:nilnil // there is none
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var c library.Condition
	if d.Decode(&c) != nil {
		return nil, fault.Invalid(field, "an object with type, key and value, or with type and filters")
	}
	return &c, c.Check(field)
}

// search is what the request's tool file_search asks for; nil: it has none.
func (r *Reply) search(ctx context.Context) (*Search, error) {
	tool := r.Request.Search()
	if tool == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	all, err := r.service.VectorStores()
	if err != nil {
		return nil, err
	}
	q := &Search{Libraries: tool.Stores}
	if tool.Most != nil {
		q.Limit = *tool.Most
	}
	if tool.Ranking != nil {
		q.Threshold = tool.Ranking.Threshold
	}
	at := fmt.Sprintf("tools[%d]", slices.IndexFunc(r.Request.Tools, func(t responses.Tool) bool { return t.Type == "file_search" }))
	if q.Where, err = ParseCondition(tool.Filters, at+".filters"); err != nil {
		return nil, err
	}
	for _, id := range tool.Stores {
		if err := all.Use(ctx, r.owner, id); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// searched adds to the answer what a search in files was for and what it found.
func (r *Reply) searched(ctx context.Context, a *responses.Answer) {
	if r.Request.Search() == nil || r.Result == nil || len(r.Result.Libraries) == 0 {
		return
	}
	message := r.Message()
	var query string
	var found []responses.Found
	if in := message.Injected; in != nil {
		query = in.Query
		for _, w := range in.Whole {
			if w.Library != "" && w.End <= len(message.Text) {
				found = append(found, r.found(ctx, chat.Citation{FileID: w.FileID, File: w.File, Library: w.Library, Text: message.Text[w.Start:w.End], Affinity: 1}))
			}
		}
	}
	for _, c := range r.Citations() {
		if c.Library != "" {
			found = append(found, r.found(ctx, c))
		}
	}
	a.Searched([]string{query}, found)
}

func (r *Reply) found(ctx context.Context, c chat.Citation) responses.Found {
	h := r.service.origin(ctx, r.owner, c)
	return responses.Found{FileID: h.File, Filename: c.File, Score: c.Affinity, Text: c.Text, Attributes: orNone(h.Attributes)}
}

func orNone(a library.Attributes) library.Attributes {
	if a == nil {
		return library.Attributes{}
	}
	return a
}

// origin is a passage with the upload that it is of. Where that is not known, it
// goes by its content.
func (s *Service) origin(ctx context.Context, owner string, c chat.Citation) stores.Hit {
	if s.stores != nil && c.Library != "" {
		if h, err := s.stores.Origin(ctx, owner, c); err == nil {
			return h
		}
	}
	return stores.Hit{Citation: c, File: c.FileID}
}
