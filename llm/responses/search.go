package responses

import (
	"slices"
	"strings"
)

// MaxResults is the most passages that a search in files can ask for.
const MaxResults = 50

// check holds a search in files to what this server has.
func (f FileSearch) check(at string) error {
	if len(f.Stores) == 0 {
		return invalid(at+".vector_store_ids", "a list of ids of vector stores")
	}
	if f.Most != nil && (*f.Most < 1 || *f.Most > MaxResults) {
		return invalid(at+".max_num_results", "a number from 1 to 50")
	}
	if f.Ranking == nil {
		return nil
	}
	return f.Ranking.Check(at + ".ranking_options")
}

// Check refuses, as fault.Usage with a subject below field, what this server does not have.
func (r Ranking) Check(field string) error {
	if r.Ranker != "" && r.Ranker != "auto" && r.Ranker != "none" && !strings.HasPrefix(r.Ranker, "default") {
		return unsupported(field+".ranker", "leave it out: there is one ranker")
	}
	if t := r.Threshold; t != nil && (*t < 0 || *t > 1) {
		return invalid(field+".score_threshold", "a number from 0 to 1")
	}
	if !isNull(r.Hybrid) {
		return unsupported(field+".hybrid_search", "leave it out: words and meaning are weighted by the server")
	}
	return nil
}

// Search is the request's search in files; nil: it has none.
func (r *Request) Search() *FileSearch {
	i := slices.IndexFunc(r.Tools, func(t Tool) bool { return t.Type == fileSearch })
	if i < 0 {
		return nil
	}
	return &r.Tools[i].FileSearch
}

// fileSearch is the type of the tool.
const fileSearch = "file_search"

// includeResults asks for what a search in files found.
const includeResults = "file_search_call.results"

// Searched puts what was searched for, and what was found, before everything
// that the model says. Without Request.Results the answer does not repeat what
// was found.
func (a *Answer) Searched(queries []string, found []Found) {
	at := len(a.Response.Output)
	item := Item{ID: itemID(FileSearchCall, a.Response.ID, "o", at), Type: FileSearchCall, Status: Completed, Queries: queries}
	if a.Request.Results {
		item.Results = slices.Concat([]Found{}, found)
	}
	a.Response.Output = append(a.Response.Output, item)
}

// searched are the events of searches that were made before the model was asked.
func (a *Answer) searched() (out []Event) {
	for at, item := range a.Response.Output {
		begun := item
		begun.Status, begun.Results = InProgress, nil
		out = append(out, a.event(Event{Type: EventItemAdded, Output: &at, Item: &begun}))
		for _, kind := range []string{EventSearchInProgress, EventSearching, EventSearched} {
			out = append(out, a.event(Event{Type: kind, ItemID: item.ID, Output: &at}))
		}
		out = append(out, a.event(Event{Type: EventItemDone, Output: &at, Item: &item}))
	}
	return out
}
