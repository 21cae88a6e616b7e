package httpapi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"inlay/internal/lazy"
	"inlay/llm/responses"
	"inlay/options"
	"inlay/processor"
	"inlay/strategy"
	"inlay/strategy/condition"
	"inlay/tokens"
)

// operation is what the description says of a route.
type operation struct {
	tag, summary string
	query        []*huma.Param
	body         any          // an example of the JSON body's type
	form         *huma.Schema // of a multipart body
	answer       any          // an example of the JSON answer's type
	kinds        []string     // media types of an answer that is no JSON of ours
	ranges       bool         // the answer may be a part of it, or nothing where the client has it
	status       int          // of success; 200
	events       bool         // the answer may be a stream of server-sent events
}

// pathParam finds the names in a path.
var pathParam = lazy.Regexp(`\{(\w+)(?:\.\.\.)?\}`)

// describe makes openapi.json from the table of routes: the types that are
// decoded and encoded are the ones described. huma makes the schemas and
// nothing else: its handlers would echo bodies in their errors.
func (a *API) describe() ([]byte, error) {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	writtenAs(registry)
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "inlay", Version: a.config.Version,
			Description: "Lays the right part of a person's documents into a prompt. Any client of the OpenAI API gets document chat by changing its base URL to this server's /v1.",
		},
		Paths: map[string]*huma.PathItem{},
		Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{
			"bearer": {Type: "http", Scheme: "bearer"}, "key": {Type: "apiKey", In: "header", Name: "x-api-key"},
		}},
	}
	for _, r := range a.routes {
		path := strings.ReplaceAll(r.path, "...", "")
		item := doc.Paths[path]
		if item == nil {
			item = &huma.PathItem{}
			doc.Paths[path] = item
		}
		op := r.describe(registry)
		switch r.method {
		case http.MethodGet:
			item.Get = op
		case http.MethodPost:
			item.Post = op
		case http.MethodDelete:
			item.Delete = op
		}
	}
	describeOptions(registry)
	return json.MarshalIndent(doc, "", "  ")
}

// describeOptions writes the options of requests into the schemas that have
// them, as the table of options says.
func describeOptions(registry huma.Registry) {
	for name, schema := range registry.Map() {
		t := registry.TypeFromRef("#/components/schemas/" + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		if f, ok := t.FieldByName("RequestFields"); !ok || !f.Anonymous {
			continue
		}
		for _, key := range options.Request.Keys() {
			o, _ := options.Find(key)
			schema.Properties[key] = optionSchema(o)
		}
	}
}

// optionSchema is the JSON schema of an option's values.
func optionSchema(o options.Option) *huma.Schema {
	s := &huma.Schema{Description: o.Help + " Without it as the server is configured.", Type: "integer"}
	switch o.Kind {
	case options.Text, options.Duration:
		s.Type = "string"
	case options.Choice:
		s.Type = "string"
		for _, c := range o.Choices {
			s.Enum = append(s.Enum, c)
		}
	case options.Bool:
		s.Type = "boolean"
	case options.Number:
		s.Type = "number"
	case options.List:
		s.Type, s.Items = "array", &huma.Schema{Type: "string"}
	default:
	}
	if (s.Type == "integer" || s.Type == "number") && !o.Bounds.Any {
		least := o.Bounds.Min
		if s.Minimum = &least; o.Bounds.Above {
			s.Minimum, s.ExclusiveMinimum = nil, &least
		}
		if most := o.Bounds.Max; most != 0 {
			s.Maximum = &most
		}
	}
	if o.Word != "" {
		either := &huma.Schema{Description: s.Description, OneOf: []*huma.Schema{s, {Type: "string", Enum: []any{o.Word}}}}
		s.Description = ""
		return either
	}
	return s
}

// writtenAs says how types are written that write themselves.
func writtenAs(registry huma.Registry) {
	word := reflect.TypeFor[string]()
	for _, t := range []reflect.Type{reflect.TypeFor[tokens.Method](), reflect.TypeFor[processor.Kind](), reflect.TypeFor[condition.Truth]()} {
		registry.RegisterTypeAlias(t, word)
	}
	registry.RegisterTypeAlias(reflect.TypeFor[strategy.Duration](), reflect.TypeFor[float64]())
	registry.RegisterTypeAlias(reflect.TypeFor[responses.Content](), reflect.TypeFor[any]()) // a text, or a list of parts
	registry.RegisterTypeAlias(reflect.TypeFor[strategy.Text](), reflect.TypeFor[any]())     // a text, or an object with base64
}

// schemaName names a type without its package: ours are told apart by name.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := huma.DefaultSchemaNamer(t, hint)
	ours := strings.TrimSuffix(reflect.TypeFor[route]().PkgPath(), "internal/httpapi")
	if pkg := t.PkgPath(); t.Name() != "" && strings.HasPrefix(pkg, ours) && !strings.HasSuffix(pkg, "/httpapi") {
		last := pkg[strings.LastIndexByte(pkg, '/')+1:]
		return strings.ToUpper(last[:1]) + last[1:] + name
	}
	return name
}

func (r route) describe(registry huma.Registry) *huma.Operation {
	op := &huma.Operation{
		OperationID: operationID(r), Summary: r.doc.summary, Tags: []string{r.doc.tag}, Parameters: r.doc.query,
		Responses: map[string]*huma.Response{},
	}
	for _, m := range pathParam().FindAllStringSubmatch(r.path, -1) {
		op.Parameters = append(op.Parameters, &huma.Param{Name: m[1], In: "path", Required: true, Schema: &huma.Schema{Type: "string"}})
	}
	if !r.open {
		op.Security = []map[string][]string{{"bearer": {}}, {"key": {}}}
	}
	op.RequestBody = r.doc.requestBody(registry)
	op.Responses[strconv.Itoa(max(r.doc.status, http.StatusOK))] = r.doc.response(registry)
	if r.doc.ranges {
		op.Responses["206"] = r.doc.response(registry)
		op.Responses["304"] = &huma.Response{Description: "The client has it"}
		op.Responses["416"] = &huma.Response{Description: "No such range", Content: map[string]*huma.MediaType{"text/plain": {}}}
	}
	var failed any = problem{}
	kind := "application/problem+json"
	if r.openai {
		failed, kind = openaiError{}, "application/json"
	}
	op.Responses["default"] = &huma.Response{Description: "An error", Content: map[string]*huma.MediaType{kind: {Schema: schemaOf(registry, failed)}}}
	return op
}

func (o operation) requestBody(registry huma.Registry) *huma.RequestBody {
	content := map[string]*huma.MediaType{}
	if o.body != nil {
		content["application/json"] = &huma.MediaType{Schema: schemaOf(registry, o.body)}
	}
	if o.form != nil {
		content["multipart/form-data"] = &huma.MediaType{Schema: o.form}
	}
	if len(content) == 0 {
		return nil
	}
	return &huma.RequestBody{Required: true, Content: content}
}

func (o operation) response(registry huma.Registry) *huma.Response {
	content := map[string]*huma.MediaType{}
	for _, kind := range o.kinds {
		content[kind] = &huma.MediaType{}
	}
	if o.answer != nil {
		content["application/json"] = &huma.MediaType{Schema: schemaOf(registry, o.answer)}
	}
	if o.events {
		content["text/event-stream"] = &huma.MediaType{}
	}
	return &huma.Response{Description: o.summary, Content: content}
}

func schemaOf(registry huma.Registry, example any) *huma.Schema {
	return registry.Schema(reflect.TypeOf(example), true, "")
}

// operationID is "getV1FilesContent".
func operationID(r route) string {
	var id strings.Builder
	id.WriteString(strings.ToLower(r.method))
	for part := range strings.FieldsFuncSeq(r.path, func(c rune) bool { return strings.ContainsRune("/{}.", c) }) {
		id.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return id.String()
}

// pageQuery are the parameters of a list, and more.
func pageQuery(more ...string) []*huma.Param {
	params := []*huma.Param{
		{Name: "after", In: "query", Description: "id of the last one of the page before", Schema: &huma.Schema{Type: "string"}},
		{Name: "limit", In: "query", Schema: &huma.Schema{Type: "integer"}},
		{Name: "order", In: "query", Schema: &huma.Schema{Type: "string", Enum: []any{"desc", "asc"}}},
	}
	for _, name := range more {
		params = append(params, &huma.Param{Name: name, In: "query", Schema: &huma.Schema{Type: "string"}})
	}
	return params
}

// preprocessForm describes the form of POST /v1/preprocess.
func preprocessForm() *huma.Schema {
	return &huma.Schema{
		Type: "object", Required: []string{"request"}, Properties: map[string]*huma.Schema{
			"request": {Type: "string", Description: "the JSON of the request"},
			"file":    {Type: "array", Items: &huma.Schema{Type: "string", Format: "binary"}},
		},
	}
}

// uploadForm describes the form of an upload.
func uploadForm() *huma.Schema {
	return &huma.Schema{
		Type: "object", Required: []string{"file"}, Properties: map[string]*huma.Schema{
			"file": {Type: "string", Format: "binary"}, "purpose": {Type: "string", Description: "user_data"},
			"expires_after[anchor]": {Type: "string", Description: "created_at"}, "expires_after[seconds]": {Type: "integer", Description: "3600 to 2592000: when the file is deleted by itself"},
		},
	}
}
