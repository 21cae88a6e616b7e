package weaviate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"inlay/embed"
	"inlay/fault"
)

// Object is a passage, or, without Terms, what is counted of a document.
type Object struct {
	Library, Doc int64
	Chunk        int // of the document; -1: the document
	Terms        []string
	Holding      []string
	Vector       embed.Vector
}

// id names an object: by its document, and by tenant, library, document and passage.
func (o Object) id(tenant string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d\x00%d", tenant, o.Library, o.Doc, o.Chunk))
	h := hex.EncodeToString(append(binary.BigEndian.AppendUint64(nil, uint64(o.Doc)), sum[:8]...))
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// docOf is the document of an object, by its id; 0 for what is not an id of ours.
func docOf(id string) int64 {
	raw, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	if err != nil || len(raw) != 16 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(raw))
}

// NewNumber is a number for a library or a document that no other one has: one of
// 2^52, so that the index keeps it exactly.
func NewNumber() int64 { return 1 + rand.Int64N(1<<52-1) }

// stored is an object as REST has it.
type stored struct {
	Class      string         `json:"class"`
	ID         string         `json:"id"`
	Tenant     string         `json:"tenant"`
	Properties map[string]any `json:"properties"`
	Vector     embed.Vector   `json:"vector,omitempty"`
}

func (o Object) stored(class, tenant string) stored {
	s := stored{Class: class, ID: o.id(tenant), Tenant: tenant, Vector: o.Vector, Properties: map[string]any{library: o.Library, doc: o.Doc}}
	if o.Chunk >= 0 {
		s.Properties[terms] = strings.Join(o.Terms, " ")
	} else {
		s.Properties[holding] = strings.Join(o.Holding, " ")
	}
	return s
}

// BatchSize is how many objects are sent in one request.
const BatchSize = 100

// objectTries is how often an object is sent that a node reports as not kept.
const objectTries = 5

// Put keeps objects, in the place of those of the same document and passage. When
// it returns nil, two of three replicas have each of them, all three if they are there.
func (c *Client) Put(ctx context.Context, class, tenant string, objects []Object) error {
	for len(objects) > 0 {
		n := min(BatchSize, len(objects))
		batch := make([]stored, n)
		for i, o := range objects[:n] {
			batch[i] = o.stored(class, tenant)
		}
		if err := c.putBatch(ctx, batch); err != nil {
			return err
		}
		objects = objects[n:]
	}
	return nil
}

// putBatch sends objects, and those again that were not kept.
func (c *Client) putBatch(ctx context.Context, batch []stored) error {
	var failure error
	for try, pause := 0, firstPause; try < objectTries; try, pause = try+1, 2*pause {
		left, err := c.send(ctx, batch)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			return nil
		}
		failure = fmt.Errorf("%d of %d objects were not kept", len(left), len(batch))
		batch = left
		c.degraded.Store(time.Now().Add(degradedFor).UnixNano())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return away(failure)
}

// degradedFor is how long writes wait for two of three replicas alone, once one
// that waited for all three failed: a node is away.
const degradedFor = 10 * time.Second

// consistency is how many replicas a write waits for.
func (c *Client) consistency() string {
	if time.Now().UnixNano() < c.degraded.Load() {
		return "QUORUM"
	}
	return "ALL"
}

// writing makes a request with the consistency of the moment, and, if not all
// replicas can be written, one that two of them are enough for.
func (c *Client) writing(ctx context.Context, r call, out any) error {
	path := r.path
	for {
		level := c.consistency()
		r.path = path + "consistency_level=" + level
		r.write = true
		if level == "QUORUM" {
			return c.do(ctx, r, out)
		}
		err := c.once(ctx, r, out)
		said, ok := errors.AsType[*statusError](err)
		if err == nil || ok && !said.passing() || ctx.Err() != nil {
			return explain(ctx, r, err)
		}
		c.degraded.Store(time.Now().Add(degradedFor).UnixNano())
	}
}

// send makes one request and returns what was not kept.
func (c *Client) send(ctx context.Context, batch []stored) (left []stored, err error) {
	var out []struct {
		ID     string
		Result struct {
			Errors *struct{ Error []struct{ Message string } }
		}
	}
	r := call{method: http.MethodPost, path: "/v1/batch/objects?", body: map[string]any{"objects": batch}}
	if err := c.writing(ctx, r, &out); err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for _, o := range out {
		kept[o.ID] = o.Result.Errors == nil
	}
	for _, o := range batch {
		if !kept[o.ID] {
			left = append(left, o)
		}
	}
	return left, nil
}

// Delete deletes objects and returns how many there were. When it returns nil,
// none is found any more.
func (c *Client) Delete(ctx context.Context, class, tenant string, w Where) (deleted int, err error) {
	path := "/v1/batch/objects?tenant=" + url.QueryEscape(tenant) + "&"
	for range 1000 {
		var out struct {
			Results struct{ Matches, Successful, Failed int }
		}
		r := call{method: http.MethodDelete, path: path, body: map[string]any{"match": map[string]any{"class": class, "where": w.clause()}, "output": "minimal"}}
		if err := c.writing(ctx, r, &out); err != nil {
			return deleted, err
		}
		deleted += out.Results.Successful
		if out.Results.Failed > 0 {
			c.degraded.Store(time.Now().Add(degradedFor).UnixNano())
		}
		if out.Results.Matches == 0 {
			break
		}
	}
	left, err := c.Count(ctx, class, tenant, []Where{w})
	if err == nil && left[0] > 0 {
		err = &fault.Error{Code: fault.StoreUnreachable, Subject: "--index", Reason: fmt.Sprintf("has %d of the deleted passages still", left[0]), Next: "try again"}
	}
	return deleted, err
}
