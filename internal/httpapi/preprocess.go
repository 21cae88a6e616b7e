package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"unicode/utf8"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/intent"
	"inlay/internal/files"
	"inlay/internal/service"
	"inlay/options"
	"inlay/turn"
)

// preprocessRequest is the body of POST /v1/preprocess.
type preprocessRequest struct {
	options.RequestFields
	Messages []message   `json:"messages" doc:"the conversation, as inlay.history/v1 has messages; the last one is the user's new one"`
	ChatID   string      `json:"chat_id,omitempty" doc:"a chat that the service keeps, instead of a history; messages then has the new one alone"`
	Files    []files.Ref `json:"files,omitempty" doc:"of the new message"`
	Model    string      `json:"model,omitempty" doc:"that will answer, as GET /v1/models lists it"`
	DryRun   bool        `json:"dry_run,omitempty" doc:"decide, and embed nothing"`
	Debug    bool        `json:"debug,omitempty" doc:"add times and retrieval results"`
	Content  bool        `json:"content,omitempty" doc:"with debug: add the text of the documents"`
	UTF16    bool        `json:"utf16,omitempty" doc:"add offsets in UTF-16 units to citations, as JavaScript counts"`
}

// question takes the new message off the history.
func (r preprocessRequest) question() (service.Question, error) {
	q := service.Question{ChatID: r.ChatID, Files: r.Files, Model: r.Model, DryRun: r.DryRun, Debug: r.Debug, Content: r.Content}
	var err error
	if q.Options, err = r.Values(""); err != nil {
		return q, err
	}
	messages, err := conversation(r.Messages)
	if err != nil {
		return q, err
	}
	last := len(messages) - 1
	if last < 0 || messages[last].Role != chat.User {
		return q, &fault.Error{Code: fault.Usage, Subject: "messages", Reason: "does not end with a message of the user", Next: `send at least {"role": "user", "text": "..."}`}
	}
	q.Messages, q.Text = messages[:last], messages[last].Text
	for _, a := range messages[last].Attachments {
		q.Files = append(q.Files, files.Ref{ID: a.FileID})
	}
	return q, nil
}

// preprocessAnswer is inlay.result/v1.
type preprocessAnswer struct {
	injection.Result
	Citations []citation     `json:"citations"`
	Intent    *intent.Result `json:"intent,omitempty" doc:"what was moved out of the message, where that was asked for"`
}

// citation is a passage, with its place in UTF-16 units where that was asked for.
type citation struct {
	chat.Citation
	StartUTF16 *int `json:"start_utf16,omitempty" doc:"start in UTF-16 units"`
	EndUTF16   *int `json:"end_utf16,omitempty" doc:"end in UTF-16 units"`
}

func (a *API) preprocess(c *call) error {
	r, done, err := a.preprocessBody(c)
	defer done()
	if err != nil {
		return err
	}
	q, err := r.question()
	if err == nil {
		err = c.mayKeep(r.ChatID)
	}
	if err != nil {
		return err
	}
	if err := a.fewFiles(len(q.Files)); err != nil {
		return err
	}
	return c.answerOrEvents(func(report func(injection.Status)) (any, error) {
		q := q
		q.Report = report
		t, err := a.service.Preprocess(c.ctx(), c.owner, q)
		if err != nil {
			return nil, err
		}
		out := &preprocessAnswer{Result: *t.Result, Citations: citations(t.Citations()), Intent: t.Intent}
		if r.UTF16 {
			a.addUTF16(c, t, out.Citations)
		}
		return out, nil
	})
}

func (a *API) fewFiles(n int) error {
	if most := a.config.Limits.Files; n > most {
		return &fault.Error{Code: fault.LimitExceeded, Subject: "files", Reason: fmt.Sprintf("are %d, at most %d are allowed in a request", n, most), Next: "ask in several requests"}
	}
	return nil
}

// preprocessBody reads JSON, or a form with the JSON in request and files in file.
func (a *API) preprocessBody(c *call) (r preprocessRequest, done func(), err error) {
	if !isForm(c.Request) {
		err = c.decode(&r)
		return r, func() {}, err
	}
	form, err := multipartOf(c.Request)
	if err != nil {
		return r, func() {}, err
	}
	f := &preprocessParts{api: a, c: c, request: &r}
	err = f.read(form)
	return r, f.discard, err
}

// preprocessParts is a form on its way in.
type preprocessParts struct {
	api     *API
	c       *call
	request *preprocessRequest
	files   []*files.Incoming
	seen    bool // the request was there
}

func (f *preprocessParts) discard() {
	for _, one := range f.files {
		one.Discard()
	}
}

func (f *preprocessParts) read(form *multipart.Reader) error {
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return formError(err, f.api.config.Limits.Body)
		}
		if err := f.take(part); err != nil {
			return err
		}
	}
	if !f.seen {
		return &fault.Error{Code: fault.Usage, Subject: "request", Reason: "is missing", Next: "send the JSON of the request as the field request"}
	}
	for _, one := range f.files {
		f.request.Files = append(f.request.Files, files.Ref{Received: one})
	}
	return nil
}

func (f *preprocessParts) take(part *multipart.Part) error {
	switch part.FormName() {
	case "request":
		if f.seen {
			return &fault.Error{Code: fault.Usage, Subject: "request", Reason: "is there twice", Next: "send it once"}
		}
		f.seen = true
		data, err := f.c.held(nil, part, f.api.config.Limits.Body)
		if err != nil {
			return err
		}
		return decodeJSON(data, f.request)
	case "file":
		one, err := f.api.receivePart(f.c, part.FileName(), part, len(f.files))
		if err == nil {
			f.files = append(f.files, one)
		}
		return err
	default:
		return &fault.Error{Code: fault.Usage, Subject: "form", Reason: "has " + unknownNamed(part.FormName()) + "; known are request and file", Next: "leave it out"}
	}
}

// receivePart puts one file of a form on disk.
func (a *API) receivePart(c *call, name string, body io.Reader, before int) (*files.Incoming, error) {
	if err := a.fewFiles(before + 1); err != nil {
		return nil, err
	}
	f, err := a.service.Receive(c.ctx(), name, body, a.config.Limits.File)
	return f, bodyError(err, a.config.Limits.File)
}

func citations(list []chat.Citation) []citation {
	out := make([]citation, len(list))
	for i, c := range list {
		out[i] = citation{Citation: c}
	}
	return out
}

// addUTF16 counts where citations lie in UTF-16 units of their document's text.
func (a *API) addUTF16(c *call, turn *turn.Turn, list []citation) {
	if len(list) == 0 {
		return
	}
	text := a.service.Text(c.ctx(), c.owner, turn)
	texts := map[string]string{}
	for i := range list {
		t, ok := texts[list[i].FileID]
		if !ok {
			if t, ok = text(list[i].FileID); !ok {
				continue // a file of a chat that is gone by now
			}
			texts[list[i].FileID] = t
		}
		if list[i].End > len(t) {
			continue
		}
		start := units(t[:list[i].Start])
		end := start + units(t[list[i].Start:list[i].End])
		list[i].StartUTF16, list[i].EndUTF16 = &start, &end
	}
}

// units is the length of s in UTF-16.
func units(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF && r != utf8.RuneError {
			n++
		}
	}
	return n
}
