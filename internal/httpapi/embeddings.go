package httpapi

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"

	"inlay/embed"
	"inlay/fault"
)

// embeddingRequest is the body of POST /v1/embeddings.
type embeddingRequest struct {
	Model      string          `json:"model" doc:"builtin, or the embedder that the server was started with"`
	Input      json.RawMessage `json:"input" doc:"a text, or a list of at most 2048 texts"`
	Dimensions int             `json:"dimensions,omitempty" doc:"those of the embedder: vectors are never shortened"`
	Format     string          `json:"encoding_format,omitempty" enum:"float,base64" doc:"float; base64 is of float32 values, the lowest byte first"`
	User       string          `json:"user,omitempty" doc:"not looked at"`
	Inlay      embeddingWants  `json:"inlay,omitzero"`
}

// embeddingWants is the field inlay of a request for embeddings.
type embeddingWants struct {
	Task string `json:"task,omitempty" enum:"document,query" doc:"what the texts are embedded for; document"`
}

// embeddingList is the answer of POST /v1/embeddings.
type embeddingList struct {
	Object string            `json:"object"`
	Data   []embeddingObject `json:"data"`
	Model  string            `json:"model"`
	Usage  embeddingUsage    `json:"usage"`
}

type embeddingObject struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding" doc:"a list of numbers, or base64"`
}

type embeddingUsage struct {
	Prompt int `json:"prompt_tokens" doc:"counted as o200k_base does, whatever the embedder"`
	Total  int `json:"total_tokens"`
}

func (a *API) embed(c *call) error {
	var r embeddingRequest
	if err := c.decode(&r); err != nil {
		return err
	}
	if r.Format != "" && r.Format != "float" && r.Format != "base64" {
		return fault.Invalid("encoding_format", "float or base64")
	}
	task := embed.Document
	switch r.Inlay.Task {
	case "", "document":
	case "query":
		task = embed.Query
	default:
		return fault.Invalid("inlay.task", "document or query")
	}
	texts, err := embeddingInput(r.Input)
	if err != nil {
		return err
	}
	made, err := a.service.Embed(c.ctx(), r.Model, texts, task, r.Dimensions)
	if err != nil {
		return err
	}
	list := embeddingList{Object: "list", Model: made.Model, Usage: embeddingUsage{made.Tokens, made.Tokens}, Data: make([]embeddingObject, len(made.Vectors))}
	for i, v := range made.Vectors {
		list.Data[i] = embeddingObject{"embedding", i, v}
		if r.Format == "base64" {
			list.Data[i].Embedding = packed(v)
		}
	}
	return c.json(list)
}

// embeddingInput reads a text or a list of texts.
func embeddingInput(raw json.RawMessage) ([]string, error) {
	var one string
	var list []string
	var ids []any
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, fault.Invalid("input", "a text or a list of texts")
	case json.Unmarshal(raw, &one) == nil:
		return []string{one}, nil
	case json.Unmarshal(raw, &list) == nil:
		return list, nil
	case json.Unmarshal(raw, &ids) == nil && len(ids) > 0 && !isText(ids[0]):
		return nil, &fault.Error{Code: fault.Usage, Subject: "input", Reason: "has ids of tokens, which mean nothing to another embedder", Next: "send texts"}
	}
	return nil, fault.Invalid("input", "a text or a list of texts")
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

// packed is a vector as base64 of its float32 values.
func packed(v embed.Vector) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}
