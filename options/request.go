package options

import (
	"encoding/json"
	"reflect"
	"strings"

	"inlay/fault"
)

// RequestFields are the options of a request, as fields of its JSON object:
// those of the table that have the door Request. Embed it; what a request
// leaves out, or has null for, is as the server is configured.
type RequestFields struct {
	Mode                       json.RawMessage `json:"mode,omitempty"`
	Policy                     json.RawMessage `json:"policy,omitempty"`
	Coverage                   json.RawMessage `json:"coverage,omitempty"`
	RetrievalLimit             json.RawMessage `json:"retrieval_limit,omitempty"`
	RetrievalAffinityThreshold json.RawMessage `json:"retrieval_affinity_threshold,omitempty"`
	CitationShare              json.RawMessage `json:"citation_share,omitempty"`
	TargetContextUse           json.RawMessage `json:"target_context_use,omitempty"`
	ReserveOutputTokens        json.RawMessage `json:"reserve_output_tokens,omitempty"`
	PromptSet                  json.RawMessage `json:"prompt_set,omitempty"`
	OnOverflow                 json.RawMessage `json:"on_overflow,omitempty"`
	OnFailure                  json.RawMessage `json:"on_failure,omitempty"`
	Strict                     json.RawMessage `json:"strict,omitempty"`
	ExpandQuery                json.RawMessage `json:"expand_query,omitempty"`
	Rerank                     json.RawMessage `json:"rerank,omitempty"`
	Chunk                      json.RawMessage `json:"chunk,omitempty"`
	Embedder                   json.RawMessage `json:"embedder,omitempty"`
	Intent                     json.RawMessage `json:"intent,omitempty"`
	ContextLength              json.RawMessage `json:"context_length,omitempty"`
	Library                    json.RawMessage `json:"library,omitempty"`
	LibraryPath                json.RawMessage `json:"library_path,omitempty"`
	LibraryType                json.RawMessage `json:"library_type,omitempty"`
	LibraryTag                 json.RawMessage `json:"library_tag,omitempty"`
	LibraryTitle               json.RawMessage `json:"library_title,omitempty"`
	LibraryAfter               json.RawMessage `json:"library_after,omitempty"`
	LibraryUntil               json.RawMessage `json:"library_until,omitempty"`
}

// Values decodes the fields. The subject of an error is prefix and the field.
func (r RequestFields) Values(prefix string) (Values, error) {
	given := map[string]any{}
	fields := reflect.ValueOf(r)
	for i := range fields.NumField() {
		raw := fields.Field(i).Bytes()
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, &fault.Error{Code: fault.Usage, Subject: prefix + name, Reason: "is not valid JSON", Err: err}
		}
		given[name] = value
	}
	return Request.Decode(prefix, given)
}
