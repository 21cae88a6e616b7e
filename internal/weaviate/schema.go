package weaviate

import (
	"context"
	"net/http"
	"net/url"
)

// Replicas is on how many nodes each object is.
const Replicas = 3

// Properties of objects.
const (
	library = "library" // number of the library
	doc     = "doc"     // number of the document
	terms   = "terms"   // of a passage, separated by spaces: to be ranked and counted
	holding = "holding" // the distinct terms of a document, separated by spaces: to be counted
)

// MakeClass makes the class of objects, unless it is there. Its objects are of one
// tenant each. Those that have vectors are compared by cosine.
func (c *Client) MakeClass(ctx context.Context, class string) error {
	path := "/v1/schema/" + url.PathEscape(class)
	err := c.do(ctx, call{method: http.MethodGet, path: path, says: true}, nil)
	if !missing(err) {
		return err
	}
	number := func(name string) map[string]any {
		return map[string]any{"name": name, "dataType": []string{"int"}, "indexFilterable": true}
	}
	words := func(name string, searchable bool) map[string]any {
		return map[string]any{"name": name, "dataType": []string{"text"}, "tokenization": "whitespace", "indexFilterable": true, "indexSearchable": searchable}
	}
	index := map[string]any{"distance": "cosine", "efConstruction": 128, "maxConnections": 32, "ef": 512, "rq": map[string]any{"enabled": false}}
	err = c.do(ctx, call{method: http.MethodPost, path: "/v1/schema", write: true, says: true, body: map[string]any{
		"class": class, "description": "passages of inlay's libraries",
		"vectorizer": "none", "vectorIndexType": "hnsw", "vectorIndexConfig": index,
		"multiTenancyConfig":  map[string]any{"enabled": true},
		"replicationConfig":   map[string]any{"factor": Replicas, "asyncEnabled": true, "deletionStrategy": "DeleteOnConflict"},
		"invertedIndexConfig": map[string]any{"bm25": map[string]any{"k1": 1.2, "b": .75}, "stopwords": map[string]any{"preset": "none"}},
		"properties":          []any{number(library), number(doc), words(terms, true), words(holding, false)},
	}}, nil)
	if err == nil {
		return nil
	}
	if again := c.do(ctx, call{method: http.MethodGet, path: path, says: true}, nil); again == nil {
		return nil // another server made it meanwhile
	}
	return err
}

// MakeTenant makes a tenant of a class, unless it is there.
func (c *Client) MakeTenant(ctx context.Context, class, tenant string) error {
	path := "/v1/schema/" + url.PathEscape(class) + "/tenants"
	err := c.do(ctx, call{method: http.MethodPost, path: path, write: true, says: true, body: []any{map[string]any{"name": tenant}}}, nil)
	if missing(err) { // it may be that it is there
		if there := c.do(ctx, call{method: http.MethodGet, path: path + "/" + url.PathEscape(tenant), says: true}, nil); there == nil {
			return nil
		}
	}
	return err
}

// DropTenant removes a tenant with all of its objects.
func (c *Client) DropTenant(ctx context.Context, class, tenant string) error {
	err := c.do(ctx, call{method: http.MethodDelete, path: "/v1/schema/" + url.PathEscape(class) + "/tenants", write: true, says: true, body: []string{tenant}}, nil)
	if missing(err) {
		return nil
	}
	return err
}
