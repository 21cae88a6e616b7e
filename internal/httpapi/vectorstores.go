package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"inlay/fault"
	"inlay/internal/oneline"
	"inlay/internal/service"
	"inlay/internal/state"
	"inlay/internal/stores"
	"inlay/library"
	"inlay/llm/responses"
)

// storeRequest is the body that makes a vector store.
type storeRequest struct {
	Name        string            `json:"name,omitempty"`
	Description string            `json:"description,omitempty"`
	FileIDs     []string          `json:"file_ids,omitempty" doc:"of uploads"`
	Expires     *storeExpiry      `json:"expires_after,omitempty"`
	Chunking    *chunkingStrategy `json:"chunking_strategy,omitempty" doc:"of these files; without it as the server is configured"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

// storeChange is the body that changes a vector store. What it leaves out stays.
type storeChange struct {
	Name     *string           `json:"name,omitempty"`
	Expires  json.RawMessage   `json:"expires_after,omitempty" doc:"anchor and days; null: it does not expire"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

// storeExpiry says when a vector store expires.
type storeExpiry struct {
	Anchor string `json:"anchor" enum:"last_active_at"`
	Days   int    `json:"days" minimum:"1" maximum:"365"`
}

// check refuses what no expiry can be.
func (e *storeExpiry) check() error {
	if e == nil {
		return nil
	}
	if e.Anchor != "last_active_at" {
		return fault.Invalid("expires_after.anchor", "last_active_at")
	}
	if e.Days < 1 || e.Days > 365 {
		return fault.Invalid("expires_after.days", "a number from 1 to 365")
	}
	return nil
}

// chunkingStrategy is how files are cut into passages.
type chunkingStrategy struct {
	Type   string           `json:"type" enum:"auto,static"`
	Static *stores.Chunking `json:"static,omitempty"`
}

// chunking is nil for what the server is configured for.
func (s *chunkingStrategy) chunking(field string) (*stores.Chunking, error) {
	switch {
	case s == nil || s.Type == "auto" && s.Static == nil:
		return nil, nil //nolint:nilnil // as the server is configured
	case s.Type != "static" || s.Static == nil:
		return nil, fault.Invalid(field, "type auto, or type static with static")
	case s.Static.Size < 100 || s.Static.Size > 4096:
		return nil, fault.Invalid(field+".static.max_chunk_size_tokens", "a number from 100 to 4096")
	case s.Static.Overlap < 0 || s.Static.Overlap > s.Static.Size/2:
		return nil, fault.Invalid(field+".static.chunk_overlap_tokens", "a number from 0 to half of max_chunk_size_tokens")
	}
	return s.Static, nil
}

// storeObject is a vector store in the OpenAI API's form.
type storeObject struct {
	ID          string            `json:"id"`
	Object      string            `json:"object"`
	CreatedAt   int64             `json:"created_at"`
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	UsageBytes  int64             `json:"usage_bytes" doc:"of the text of its files"`
	FileCounts  fileCounts        `json:"file_counts"`
	Status      string            `json:"status" enum:"expired,in_progress,completed"`
	Expires     *storeExpiry      `json:"expires_after,omitempty"`
	ExpiresAt   *int64            `json:"expires_at"`
	ActiveAt    int64             `json:"last_active_at"`
	Metadata    map[string]string `json:"metadata"`
}

type fileCounts struct {
	InProgress int `json:"in_progress"`
	Completed  int `json:"completed"`
	Failed     int `json:"failed"`
	Canceled   int `json:"cancelled"`
	Total      int `json:"total"`
}

func countsOf(c state.StoreCounts) fileCounts {
	n := fileCounts{c.States[state.StoreWaiting], c.States[state.StoreDone], c.States[state.StoreFailed], c.States[state.StoreCanceled], 0}
	n.Total = n.InProgress + n.Completed + n.Failed + n.Canceled
	return n
}

type storeList struct {
	Object  string        `json:"object"`
	Data    []storeObject `json:"data"`
	FirstID *string       `json:"first_id"`
	LastID  *string       `json:"last_id"`
	HasMore bool          `json:"has_more"`
}

// describeStore is a store with the counts of its files.
func (c *call) describeStore(all *stores.Stores, v state.VectorStore) (storeObject, error) {
	counts, err := all.Counts(c.ctx(), c.owner, v.ID, "")
	o := storeObject{
		ID: v.ID, Object: "vector_store", CreatedAt: v.Created.Unix(), Name: v.Name, Description: v.Description, UsageBytes: counts.Bytes,
		FileCounts: countsOf(counts), Status: "completed", ActiveAt: v.Active.Unix(), Metadata: v.Metadata,
	}
	if o.Metadata == nil {
		o.Metadata = map[string]string{}
	}
	if v.Days > 0 {
		at := v.Expires().Unix()
		o.Expires, o.ExpiresAt = &storeExpiry{"last_active_at", v.Days}, &at
	}
	switch {
	case v.Expired:
		o.Status = "expired"
	case o.FileCounts.InProgress > 0:
		o.Status = "in_progress"
	}
	return o, err
}

func (c *call) store(all *stores.Stores, v state.VectorStore) error {
	o, err := c.describeStore(all, v)
	if err != nil {
		return err
	}
	return c.json(o)
}

// checkMetadata refuses what no metadata can be in the OpenAI API.
func checkMetadata(m map[string]string) error {
	if len(m) > 16 {
		return fault.Invalid("metadata", "at most 16 entries")
	}
	for k, v := range m {
		if utf8.RuneCountInString(k) > 64 || utf8.RuneCountInString(v) > 512 {
			return fault.Invalid("metadata", "keys of at most 64 and values of at most 512 characters")
		}
	}
	return nil
}

// checkName bounds the name of a store.
func checkName(name string) error {
	if err := checkTitle("name", name, maxStoreName); err != nil {
		return err
	}
	return oneline.Check("name", name)
}

// checkTitle bounds a name or a description.
func checkTitle(field, text string, most int) error {
	if utf8.RuneCountInString(text) > most {
		return fault.Invalid(field, fmt.Sprintf("a text of at most %d characters", most))
	}
	return nil
}

const (
	maxStoreName        = 256
	maxStoreDescription = 512
	maxStoreFiles       = 500 // of the request that makes a store
)

// ofStores is a handler of a route of vector stores.
func (a *API) ofStores(handle func(*call, *stores.Stores) error) func(*call) error {
	return func(c *call) error {
		all, err := a.service.VectorStores()
		if err != nil {
			return err
		}
		return handle(c, all)
	}
}

func (a *API) newStore(c *call, all *stores.Stores) error {
	var r storeRequest
	if err := c.decode(&r); err != nil {
		return err
	}
	if len(r.FileIDs) > maxStoreFiles {
		return fault.Invalid("file_ids", fmt.Sprintf("at most %d files; add more as batches", maxStoreFiles))
	}
	for _, check := range []error{
		checkName(r.Name), checkTitle("description", r.Description, maxStoreDescription), checkMetadata(r.Metadata), r.Expires.check(),
	} {
		if check != nil {
			return check
		}
	}
	list, err := additions(r.FileIDs, nil, r.Chunking)
	if err != nil {
		return err
	}
	for _, id := range r.FileIDs {
		if _, err := a.service.File(c.ctx(), c.owner, id); err != nil {
			return err
		}
	}
	v := state.VectorStore{Name: r.Name, Description: r.Description, Metadata: r.Metadata}
	if r.Expires != nil {
		v.Days = r.Expires.Days
	}
	if v, err = all.Create(c.ctx(), c.owner, v); err != nil {
		return err
	}
	if len(list) > 0 {
		if _, err := all.Add(c.ctx(), c.owner, v.ID, "", list); err != nil {
			return err
		}
	}
	return c.store(all, v)
}

// additions are uploads that are alike.
func additions(ids []string, attributes library.Attributes, how *chunkingStrategy) ([]stores.Addition, error) {
	chunking, err := how.chunking("chunking_strategy")
	if err == nil {
		err = attributes.Check("attributes")
	}
	if err != nil {
		return nil, err
	}
	var list []stores.Addition
	for _, id := range ids {
		list = append(list, stores.Addition{File: id, Attributes: attributes, Chunking: chunking})
	}
	return list, nil
}

// storePage is a page of at most 100, of 20 where the client does not say.
func (c *call) storePage() (state.Page, error) {
	p, err := c.page(100)
	if c.URL.Query().Get("limit") == "" {
		p.Limit = 20
	}
	p.Before = c.URL.Query().Get("before")
	return p, err
}

func listStores(c *call, all *stores.Stores) error {
	p, err := c.storePage()
	if err != nil {
		return err
	}
	list, more, err := all.Stores(c.ctx(), c.owner, p)
	if err != nil {
		return err
	}
	if err := known(list, p, func(id string) error { _, err := all.Store(c.ctx(), c.owner, id); return err }); err != nil {
		return err
	}
	out := storeList{Object: "list", Data: []storeObject{}, HasMore: more}
	for _, v := range list {
		o, err := c.describeStore(all, v)
		if err != nil {
			return err
		}
		out.Data = append(out.Data, o)
	}
	if n := len(out.Data); n > 0 {
		out.FirstID, out.LastID = &out.Data[0].ID, &out.Data[n-1].ID
	}
	return c.json(out)
}

func getStore(c *call, all *stores.Stores) error {
	v, err := all.Store(c.ctx(), c.owner, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.store(all, v)
}

func changeStore(c *call, all *stores.Stores) error {
	var r storeChange
	if err := c.decode(&r); err != nil {
		return err
	}
	var expires *storeExpiry
	if given := bytes.TrimSpace(r.Expires); len(given) > 0 {
		if err := decodeField("expires_after", given, &expires); err != nil {
			return err
		}
	}
	if err := expires.check(); err != nil {
		return err
	}
	if err := checkMetadata(r.Metadata); err != nil {
		return err
	}
	if r.Name != nil {
		if err := checkName(*r.Name); err != nil {
			return err
		}
	}
	v, err := all.Modify(c.ctx(), c.owner, c.PathValue("id"), func(v *state.VectorStore) {
		if r.Name != nil {
			v.Name = *r.Name
		}
		if r.Metadata != nil {
			v.Metadata = r.Metadata
		}
		if len(r.Expires) > 0 {
			v.Days = 0
		}
		if expires != nil {
			v.Days = expires.Days
		}
	})
	if err != nil {
		return err
	}
	return c.store(all, v)
}

func deleteStore(c *call, all *stores.Stores) error {
	id := c.PathValue("id")
	if err := all.Remove(c.ctx(), c.owner, id); err != nil {
		return err
	}
	return c.json(deleted{ID: id, Object: "vector_store.deleted", Deleted: true})
}

// storeSearch is the body of a search.
type storeSearch struct {
	Query   json.RawMessage    `json:"query" doc:"a text, or a list of at most 16 texts"`
	Most    *int               `json:"max_num_results,omitempty" minimum:"1" maximum:"50" doc:"10"`
	Filters json.RawMessage    `json:"filters,omitempty" doc:"type eq, ne, gt, gte, lt, lte, in or nin with key and value; or type and, or with filters"`
	Ranking *responses.Ranking `json:"ranking_options,omitempty" doc:"score_threshold: affinity that a passage must exceed; 0"`
	Rewrite bool               `json:"rewrite_query,omitempty" doc:"not supported: queries are searched for as they are"`
}

// searchPage is what a search found.
type searchPage struct {
	Object   string        `json:"object"`
	Query    []string      `json:"search_query"`
	Data     []searchFound `json:"data"`
	HasMore  bool          `json:"has_more"`
	NextPage *string       `json:"next_page"`
}

type searchFound struct {
	FileID     string             `json:"file_id"`
	Filename   string             `json:"filename"`
	Score      float64            `json:"score"`
	Attributes library.Attributes `json:"attributes"`
	Content    []textContent      `json:"content"`
	Inlay      any                `json:"inlay" doc:"the passage as a citation: page, lines, offsets"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// maxQueries is how many texts one search can be for.
const maxQueries = 16

func searchStore(c *call, all *stores.Stores) error {
	var r storeSearch
	if err := c.decode(&r); err != nil {
		return err
	}
	q, err := r.query()
	if err != nil {
		return err
	}
	hits, err := all.Search(c.ctx(), c.owner, c.PathValue("id"), q)
	if err != nil {
		return err
	}
	page := searchPage{Object: "vector_store.search_results.page", Query: q.Texts, Data: []searchFound{}}
	for _, h := range hits {
		attributes := h.Attributes
		if attributes == nil {
			attributes = library.Attributes{}
		}
		page.Data = append(page.Data, searchFound{h.File, h.Citation.File, h.Affinity, attributes, []textContent{{"text", h.Text}}, h.Citation})
	}
	return c.json(page)
}

func (r storeSearch) query() (q stores.Query, err error) {
	var one string
	if json.Unmarshal(r.Query, &one) == nil {
		q.Texts = []string{one}
	} else if json.Unmarshal(r.Query, &q.Texts) != nil {
		return q, fault.Invalid("query", "a text or a list of texts")
	}
	if len(q.Texts) == 0 || len(q.Texts) > maxQueries {
		return q, fault.Invalid("query", fmt.Sprintf("1 to %d texts", maxQueries))
	}
	if slices.Contains(q.Texts, "") {
		return q, fault.Invalid("query", "texts that are not empty")
	}
	if q.Limit = 10; r.Most != nil {
		q.Limit = *r.Most
	}
	if q.Limit < 1 || q.Limit > responses.MaxResults {
		return q, fault.Invalid("max_num_results", "a number from 1 to 50")
	}
	if r.Rewrite {
		return q, &fault.Error{Code: fault.Usage, Subject: "rewrite_query", Reason: "is not supported by this server", Next: "leave it out"}
	}
	if r.Ranking != nil {
		if err := r.Ranking.Check("ranking_options"); err != nil {
			return q, err
		}
		if r.Ranking.Threshold != nil {
			q.Threshold = *r.Ranking.Threshold
		}
	}
	q.Where, err = service.ParseCondition(r.Filters, "filters")
	return q, err
}
