package builtin

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"inlay/internal/lazy"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
	"inlay/internal/plural"
	"inlay/parse"
	"inlay/processor"
)

// Arguments puts values in the place of {name}. A name without a value stays
// as it is written: braces are common in code.
type Arguments struct {
	Values map[string]string `json:"values"` // of every turn; the turn's own come first
}

var placeholder = lazy.Regexp(`\{[A-Za-z_][A-Za-z0-9_.-]*\}`)

// Modify implements the processor.
func (p Arguments) Modify(_ context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	out, err := expand(v, func(part processor.Part) ([]processor.Part, error) {
		var made []processor.Part
		from := 0
		for _, m := range placeholder().FindAllStringIndex(part.Text, -1) {
			name := part.Text[m[0]+1 : m[1]-1]
			value, ok := t.Arguments[name]
			if !ok {
				if value, ok = p.Values[name]; !ok {
					continue
				}
			}
			made = append(made, literal(part, part.Text[from:m[0]])...)
			made = append(made, processor.Part{Text: value, Origin: processor.FromArgument, Name: name})
			from = m[1]
		}
		return append(made, literal(part, part.Text[from:])...), nil
	})
	return out, processor.Continue(), err
}

// MemoryImport puts notes in the place of @memory:name. A note is a Markdown
// or text file of a folder of the workspace.
type MemoryImport struct {
	Workspace *Workspace `json:"-"`
	Folder    string     `json:"folder"`     // default .inlay/memory
	MaxTokens int        `json:"max_tokens"` // of one note; a longer one is an error; default 2000
}

const memoryPrefix = "memory:"

// Modify implements the processor.
func (p MemoryImport) Modify(_ context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	out, err := expand(v, func(part processor.Part) ([]processor.Part, error) {
		var made []processor.Part
		from := 0
		for _, r := range references(part.Text) {
			name, ok := strings.CutPrefix(r.name, memoryPrefix)
			if !ok {
				continue
			}
			note, err := p.note(t, name)
			if fault.Is(err, fault.FileNotFound) {
				t.Note("memory_not_found", fmt.Sprintf("There is no note %q; the reference stays as it is written.", name))
				continue
			}
			if err != nil {
				return nil, err
			}
			made = append(append(made, literal(part, part.Text[from:r.start])...), note)
			from = r.end
		}
		return append(made, literal(part, part.Text[from:])...), nil
	})
	return out, processor.Continue(), err
}

func (p MemoryImport) note(t *processor.Turn, name string) (processor.Part, error) {
	subject := "@" + memoryPrefix + name
	if p.Workspace == nil {
		return processor.Part{}, &fault.Error{Code: fault.FileNotFound, Subject: subject, Reason: "there is no workspace to read notes from"}
	}
	if !fs.ValidPath(name) || strings.ContainsAny(name, `\:`) {
		return processor.Part{}, outside(subject)
	}
	folder := cmp.Or(p.Folder, ".inlay/memory")
	data, err := []byte(nil), error(nil)
	for _, ending := range []string{"", ".md", ".txt"} {
		if data, err = p.Workspace.Read(path.Join(folder, name)+ending, 1<<20); err == nil || !fault.Is(err, fault.FileNotFound) {
			break
		}
	}
	if err != nil {
		return processor.Part{}, err
	}
	if n, most := t.Count(string(data)), cmp.Or(p.MaxTokens, 2000); n > most {
		return processor.Part{}, &fault.Error{Code: fault.DoesNotFit, Subject: subject, Reason: fmt.Sprintf("it has %d tokens, more than %d", n, most), Next: "shorten the note, or raise max_tokens"}
	}
	return processor.Part{Text: string(data), Origin: processor.FromMemory, Name: name, Block: true}, nil
}

// AtFile reads what @file and @dir/ name, and lays it into the user's message
// as any attached file: parsed, and whole or in passages as the window allows.
type AtFile struct {
	Workspace *Workspace          `json:"-"`
	Injector  *injection.Injector `json:"-"`
	Injection injection.Options   `json:"-"`
	MaxFiles  int                 `json:"max_files"` // of one folder; more are an error; default 50
}

// maxFile bounds one file; parsers have tighter limits of their own.
const maxFile = 256 << 20

// Modify implements the processor.
func (p AtFile) Modify(ctx context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, processor.Verdict, error) {
	i := processor.LastUser(v)
	if p.Workspace == nil || p.Injector == nil || i < 0 {
		return v, processor.Continue(), nil
	}
	files, images, names, err := p.named(ctx, t, v)
	if err != nil || len(files)+len(images) == 0 {
		return v, processor.Continue(), err
	}
	out := slices.Clone(v)
	out[i] = v[i].Clone()
	out[i].Attachments = append(out[i].Attachments, images...)
	if len(files) == 0 {
		return out, processor.Continue(), nil
	}
	if t.Model == nil {
		return v, processor.Continue(), &fault.Error{Code: fault.WindowUnknown, Subject: "@" + files[0].Name, Reason: "there is no model whose window could hold it"}
	}
	options := p.Injection
	text, asked := v[i].Text(), question(t, v[i], names)
	options.ReserveOutput = max(options.ReserveOutput, t.Reserve) + max(0, t.Count(text)-t.Count(asked))
	history, err := recent(ctx, t, slices.Concat(v[:i], v[i+1:]))
	if err != nil {
		return v, processor.Continue(), err
	}
	res, err := p.Injector.Inject(ctx, injection.Request{Messages: processor.Chats(history), Text: asked, Files: files, Model: t.Model, Options: options})
	if err != nil {
		return v, processor.Continue(), err
	}
	for _, f := range res.Failures {
		t.Note(string(f.Code), f.File+": "+f.Reason)
	}
	for _, w := range res.Warnings {
		t.Note(w.Code, w.Message)
	}
	t.Note(string(res.ReasonCode), res.Reason)
	out[i] = laid(out[i], asked, res)
	if out[i].Injected != nil {
		out[i].Injected.Query = text
	}
	return out, processor.Continue(), nil
}

// recent is the conversation as files are budgeted beside it: the earliest turns
// are left out as far as it takes more than half of the room. Window,
// compression and compactor, which come later, make that room.
func recent(ctx context.Context, t *processor.Turn, v []processor.Message) ([]processor.Message, error) {
	room, ok, err := t.Room(ctx)
	if err != nil || !ok {
		return v, err
	}
	v, _ = dropTurns(t, v, t.Size(v...), room/2)
	return v, nil
}

// question is what a message asks, as files are searched for it: without the
// references that were followed, since a file's name is not a word of it, and with
// the turn's values in the place of their names, which are put into the message
// itself later.
func question(t *processor.Turn, m processor.Message, names []string) string {
	m = m.Clone()
	for i, part := range m.Parts {
		if !part.Origin.Expandable() {
			continue
		}
		var b strings.Builder
		from := 0
		for _, r := range references(part.Text) {
			if slices.Contains(names, r.name) {
				b.WriteString(part.Text[from:r.start])
				from = r.end
			}
		}
		m.Parts[i].Text = placeholder().ReplaceAllStringFunc(b.String()+part.Text[from:], func(s string) string {
			return cmp.Or(t.Arguments[s[1:len(s)-1]], s)
		})
	}
	if asked := strings.TrimSpace(m.Text()); asked != "" {
		return asked
	}
	return "What do these files say?"
}

// laid puts the prompt that was built around the message's own parts.
func laid(m processor.Message, text string, res injection.Result) processor.Message {
	data := processor.Part{Origin: processor.FromFile, Name: "@files"}
	before, after := res.Prompt, ""
	if i := strings.LastIndex(res.Prompt, text); i >= 0 {
		before, after = res.Prompt[:i], res.Prompt[i+len(text):]
	}
	m.Parts = slices.Concat(literal(data, before), m.Parts, literal(data, after))
	m.Attachments = append(m.Attachments, res.Message.Attachments...)
	m.Injected = res.Message.Injected
	return m
}

// named are the files that the expandable text names, each once, and the
// references that name them.
func (p AtFile) named(ctx context.Context, t *processor.Turn, v []processor.Message) (files []injection.File, images []chat.Attachment, names []string, err error) {
	var all []string
	for _, r := range written(v) {
		paths, err := p.paths(t, r.name)
		if err != nil {
			return nil, nil, nil, err
		}
		if len(paths) > 0 {
			names = append(names, r.name)
		}
		for _, rel := range paths {
			if !slices.Contains(all, rel) {
				all = append(all, rel)
			}
		}
	}
	for _, rel := range all {
		if ctx.Err() != nil {
			return nil, nil, nil, ctx.Err()
		}
		if files, images, err = p.add(files, images, rel); err != nil {
			return nil, nil, nil, err
		}
	}
	return files, images, names, nil
}

// written are the references of everything that may be expanded.
func written(v []processor.Message) []reference {
	var out []reference
	for _, m := range v {
		for _, part := range m.Parts {
			if part.Origin.Expandable() {
				out = append(out, references(part.Text)...)
			}
		}
	}
	return out
}

func (p AtFile) add(files []injection.File, images []chat.Attachment, rel string) ([]injection.File, []chat.Attachment, error) {
	data, err := p.Workspace.Read(rel, maxFile)
	if err != nil {
		return nil, nil, err
	}
	full := filepath.Join(p.Workspace.Dir(), filepath.FromSlash(rel))
	if kind := injection.Picture(p.Injector.Reader, data); kind != "" {
		return files, append(images, chat.Attachment{FileID: parse.FileID(data), Name: rel, MediaType: kind, Path: full}), nil
	}
	return append(files, injection.File{Name: rel, Path: full, Data: data}), images, nil
}

// paths are the files that one reference names: none where nothing of that
// name is there, since an @ begins many a word. A path that leads out of the
// workspace, or is kept out, is an error.
func (p AtFile) paths(t *processor.Turn, name string) ([]string, error) {
	if strings.HasPrefix(name, memoryPrefix) {
		return nil, nil
	}
	rel, info, err := p.Workspace.Resolve(name)
	if fault.Is(err, fault.FileNotFound) {
		t.Note("file_not_found", fmt.Sprintf("There is no file %q in the workspace; the reference stays as it is written.", "@"+name))
		return nil, nil
	}
	if err != nil || !info.IsDir() {
		return []string{rel}, err
	}
	var out []string
	most := cmp.Or(p.MaxFiles, 50)
	err = p.Workspace.Walk(rel, 0, func(name string, d fs.DirEntry) bool {
		if !d.IsDir() {
			out = append(out, name)
		}
		return len(out) <= most
	})
	if err == nil && len(out) > most {
		err = &fault.Error{Code: fault.LimitExceeded, Subject: "@" + name, Reason: "the folder holds more than " + plural.Of(most, "file"), Next: "name a smaller folder, or raise max_files"}
	}
	return out, err
}
