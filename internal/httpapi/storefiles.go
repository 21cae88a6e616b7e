package httpapi

import (
	"fmt"
	"slices"

	"inlay/fault"
	"inlay/internal/state"
	"inlay/internal/stores"
	"inlay/library"
)

// storeFileRequest is the body that puts an upload into a vector store.
type storeFileRequest struct {
	FileID     string             `json:"file_id"`
	Attributes library.Attributes `json:"attributes,omitempty" doc:"at most 16 texts, numbers and booleans, to filter by"`
	Chunking   *chunkingStrategy  `json:"chunking_strategy,omitempty"`
}

// storeBatchRequest is the body that puts several uploads into a vector store.
type storeBatchRequest struct {
	FileIDs    []string           `json:"file_ids,omitempty" doc:"of uploads that are alike; either this or files"`
	Files      []storeFileRequest `json:"files,omitempty" doc:"each with its own attributes and chunking_strategy"`
	Attributes library.Attributes `json:"attributes,omitempty" doc:"of all of file_ids"`
	Chunking   *chunkingStrategy  `json:"chunking_strategy,omitempty" doc:"of all of file_ids"`
}

// storeFileObject is a file of a vector store in the OpenAI API's form.
type storeFileObject struct {
	ID         string             `json:"id" doc:"of the upload"`
	Object     string             `json:"object"`
	CreatedAt  int64              `json:"created_at"`
	Store      string             `json:"vector_store_id"`
	UsageBytes int64              `json:"usage_bytes" doc:"of its text"`
	Status     string             `json:"status" enum:"in_progress,completed,cancelled,failed"`
	LastError  any                `json:"last_error" doc:"code (server_error, unsupported_file, invalid_file) and message; null: none"`
	Attributes library.Attributes `json:"attributes"`
	Chunking   chunkingStrategy   `json:"chunking_strategy"`
}

type storeFileError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type storeFileList struct {
	Object  string            `json:"object"`
	Data    []storeFileObject `json:"data"`
	FirstID *string           `json:"first_id"`
	LastID  *string           `json:"last_id"`
	HasMore bool              `json:"has_more"`
}

// storeBatchObject is a batch of files in the OpenAI API's form.
type storeBatchObject struct {
	ID         string     `json:"id"`
	Object     string     `json:"object"`
	CreatedAt  int64      `json:"created_at"`
	Store      string     `json:"vector_store_id"`
	Status     string     `json:"status" enum:"in_progress,completed,cancelled"`
	FileCounts fileCounts `json:"file_counts"`
}

// contentPage is the text of a file.
type contentPage struct {
	Object   string        `json:"object"`
	Data     []textContent `json:"data"`
	HasMore  bool          `json:"has_more"`
	NextPage *string       `json:"next_page"`
}

func describeStoreFile(all *stores.Stores, f state.StoreFile) (storeFileObject, error) {
	o := storeFileObject{
		ID: f.File, Object: "vector_store.file", CreatedAt: f.Created.Unix(), Store: f.Store, UsageBytes: f.Bytes, Status: f.State,
		Chunking: chunkingStrategy{Type: "static"},
	}
	var err error
	if o.Attributes, err = stores.AttributesOf(f); err != nil {
		return o, fmt.Errorf("read the attributes of %s: %w", f.File, err)
	}
	if o.Attributes == nil {
		o.Attributes = library.Attributes{}
	}
	if o.Chunking.Static, err = stores.ChunkingOf(f); err != nil {
		return o, fmt.Errorf("read the chunking of %s: %w", f.File, err)
	}
	if o.Chunking.Static == nil {
		usual := all.Chunking()
		o.Chunking.Static = &usual
	}
	failure, err := stores.FailureOf(f)
	if err != nil {
		return o, fmt.Errorf("read the failure of %s: %w", f.File, err)
	}
	if failure != nil {
		o.LastError = storeFileError{storeErrorCode(failure.Code), (&fault.Error{Reason: failure.Reason, Next: failure.Next}).Error()}
	}
	return o, nil
}

// storeErrorCode is a code of ours as the OpenAI API says it.
func storeErrorCode(code fault.Code) string {
	switch code {
	case fault.UnsupportedFormat:
		return "unsupported_file"
	case fault.Corrupt, fault.PasswordRequired, fault.NoTextLayer, fault.UnmappedFont, fault.FileUnreadable, fault.FileNotFound, fault.FileTooLarge,
		fault.LimitExceeded:
		return "invalid_file"
	default:
		return "server_error"
	}
}

func (c *call) storeFile(all *stores.Stores, f state.StoreFile) error {
	o, err := describeStoreFile(all, f)
	if err != nil {
		return err
	}
	return c.json(o)
}

func addStoreFile(c *call, all *stores.Stores) error {
	var r storeFileRequest
	if err := c.decode(&r); err != nil {
		return err
	}
	list, err := additions([]string{r.FileID}, r.Attributes, r.Chunking)
	if err != nil {
		return err
	}
	made, err := all.Add(c.ctx(), c.owner, c.PathValue("id"), "", list)
	if err != nil {
		return err
	}
	return c.storeFile(all, made[0])
}

// listStoreFiles is a page of the files of a store, or of one of its batches.
func listStoreFiles(c *call, all *stores.Stores) error {
	p, err := c.storePage()
	if err != nil {
		return err
	}
	in := c.URL.Query().Get("filter")
	if !slices.Contains([]string{"", state.StoreWaiting, state.StoreDone, state.StoreFailed, state.StoreCanceled}, in) {
		return fault.Invalid("filter", "in_progress, completed, failed or cancelled")
	}
	list, more, err := all.StoreFiles(c.ctx(), c.owner, c.PathValue("id"), c.PathValue("batch"), in, p)
	if err != nil {
		return err
	}
	find := func(id string) error {
		_, err := all.StoreFile(c.ctx(), c.owner, c.PathValue("id"), id)
		return err
	}
	if err := known(list, p, find); err != nil {
		return err
	}
	out := storeFileList{Object: "list", Data: []storeFileObject{}, HasMore: more}
	for _, f := range list {
		o, err := describeStoreFile(all, f)
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

func getStoreFile(c *call, all *stores.Stores) error {
	f, err := all.StoreFile(c.ctx(), c.owner, c.PathValue("id"), c.PathValue("file"))
	if err != nil {
		return err
	}
	return c.storeFile(all, f)
}

// storeFileChange is the body that changes a file of a vector store.
type storeFileChange struct {
	Attributes library.Attributes `json:"attributes" doc:"in the place of those before; null: none"`
}

func changeStoreFile(c *call, all *stores.Stores) error {
	var r storeFileChange
	if err := c.decode(&r); err != nil {
		return err
	}
	if err := r.Attributes.Check("attributes"); err != nil {
		return err
	}
	f, err := all.Describe(c.ctx(), c.owner, c.PathValue("id"), c.PathValue("file"), r.Attributes)
	if err != nil {
		return err
	}
	return c.storeFile(all, f)
}

func deleteStoreFile(c *call, all *stores.Stores) error {
	file := c.PathValue("file")
	if err := all.Take(c.ctx(), c.owner, c.PathValue("id"), file); err != nil {
		return err
	}
	return c.json(deleted{ID: file, Object: "vector_store.file.deleted", Deleted: true})
}

func storeFileContent(c *call, all *stores.Stores) error {
	d, err := all.Content(c.ctx(), c.owner, c.PathValue("id"), c.PathValue("file"))
	if err != nil {
		return err
	}
	return c.json(contentPage{Object: "vector_store.file_content.page", Data: []textContent{{"text", d.Text}}})
}

func (c *call) storeBatch(all *stores.Stores, b state.StoreBatch) error {
	counts, err := all.Counts(c.ctx(), c.owner, b.Store, b.ID)
	if err != nil {
		return err
	}
	o := storeBatchObject{
		ID: b.ID, Object: "vector_store.files_batch", CreatedAt: b.Created.Unix(), Store: b.Store, Status: state.StoreDone, FileCounts: countsOf(counts),
	}
	switch {
	case b.Canceled:
		o.Status = state.StoreCanceled
	case o.FileCounts.InProgress > 0:
		o.Status = state.StoreWaiting
	}
	return c.json(o)
}

// additions are the files of a batch.
func (r storeBatchRequest) additions() ([]stores.Addition, error) {
	if (len(r.FileIDs) == 0) == (len(r.Files) == 0) {
		return nil, fault.Invalid("file_ids", "either file_ids or files")
	}
	if len(r.FileIDs) > 0 {
		return additions(r.FileIDs, r.Attributes, r.Chunking)
	}
	if r.Attributes != nil || r.Chunking != nil {
		return nil, fault.Invalid("files", "attributes and chunking_strategy on each file alone")
	}
	var list []stores.Addition
	for i, f := range r.Files {
		chunking, err := f.Chunking.chunking(fmt.Sprintf("files[%d].chunking_strategy", i))
		if err == nil {
			err = f.Attributes.Check(fmt.Sprintf("files[%d].attributes", i))
		}
		if err != nil {
			return nil, err
		}
		list = append(list, stores.Addition{File: f.FileID, Attributes: f.Attributes, Chunking: chunking})
	}
	return list, nil
}

func newStoreBatch(c *call, all *stores.Stores) error {
	var r storeBatchRequest
	if err := c.decode(&r); err != nil {
		return err
	}
	list, err := r.additions()
	if err != nil {
		return err
	}
	b, err := all.AddBatch(c.ctx(), c.owner, c.PathValue("id"), list)
	if err != nil {
		return err
	}
	return c.storeBatch(all, b)
}

func getStoreBatch(c *call, all *stores.Stores) error {
	b, err := all.Batch(c.ctx(), c.owner, c.PathValue("id"), c.PathValue("batch"))
	if err != nil {
		return err
	}
	return c.storeBatch(all, b)
}

func cancelStoreBatch(c *call, all *stores.Stores) error {
	b, err := all.CancelBatch(c.ctx(), c.owner, c.PathValue("id"), c.PathValue("batch"))
	if err != nil {
		return err
	}
	return c.storeBatch(all, b)
}
