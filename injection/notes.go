package injection

import (
	"context"
	"slices"

	"inlay/internal/asks"
	"inlay/internal/notes"
	"inlay/prompts"
)

// Note is what was made of a complete file for the model, because no passage
// says it.
type Note struct {
	FileID string `json:"file_id"`
	File   string `json:"file"`
	Kind   string `json:"kind"` // "outline" or "count"
	Text   string `json:"text"`
}

// The kinds of note.
const (
	outlineNote = "outline"
	countNote   = "count"
)

// about says in a prompt what a note is.
func (n Note) about() string {
	if n.Kind == outlineNote {
		return "its outline, from the headings that were recognised"
	}
	return "rows counted in all of its tables; nothing else of the query was taken into account"
}

// note makes the notes that a request asks for: outlines of the files that are
// searched, counts of rows of all.
func (t *turn) note(ctx context.Context, p *plan, b *built, kind asks.Kind) error {
	if kind != asks.Structure && kind != asks.Count || !t.prompts.ShowsNotes() {
		return nil
	}
	files := p.whole
	if p.decision.Strategy != InjectFull {
		searched, err := t.searchable(ctx, p, t.root)
		if err != nil {
			return err
		}
		files = searched
		if kind == asks.Count {
			files = append(append([]*attached{}, p.whole...), searched...)
		}
	}
	names := t.shownNames()
	stored, err := t.notable(ctx, p, kind)
	if err != nil {
		return err
	}
	files = slices.Concat(files, stored)
	for _, a := range stored {
		names[a.id()] = a.Name
	}
	if kind == asks.Count {
		return t.noteCounts(ctx, b, files, names)
	}
	room := max(p.decision.Available-p.decision.Prompt.Budgeted(), 0) * outlineBytes / max(len(files), 1)
	for _, a := range files {
		if text := notes.Outline(a.doc, room); text != "" {
			b.notes = append(b.notes, Note{a.id(), names[a.id()], outlineNote, text})
		}
	}
	return nil
}

// outlineBytes is how many bytes of outline each available token is worth: about
// half of them are used at most.
const outlineBytes = 2

func (t *turn) noteCounts(ctx context.Context, b *built, files []*attached, names map[string]string) error {
	docs := make([]notes.Named, len(files))
	for i, a := range files {
		docs[i] = notes.Named{Name: a.Name, Document: a.doc}
	}
	texts, err := notes.Counts(ctx, docs, t.req.Text)
	if err != nil {
		return canceled(err)
	}
	for i, text := range texts {
		if text != "" {
			b.notes = append(b.notes, Note{files[i].id(), names[files[i].id()], countNote, text})
		}
	}
	return nil
}

// shownNotes are the notes as templates have them.
func (b built) shownNotes() []prompts.Note {
	out := make([]prompts.Note, len(b.notes))
	for i, n := range b.notes {
		out[i] = prompts.Note{File: n.File, About: n.about(), Text: n.Text}
	}
	return out
}
