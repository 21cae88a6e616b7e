package injection

import (
	"context"
	"slices"
	"strings"

	"inlay/chat"
)

// What is in the window is read from the history as it was sent, never from a
// memory of ours: the text of a document is there, or it is not (TRN-2).

// held is the set of file ids and content ids whose whole text is in the
// history. A message that says where a text is must still hold it there; one of
// a prompt set that does not write texts as they are is believed.
func (t *turn) held() map[string]bool {
	ids := map[string]bool{}
	for _, m := range t.req.Messages {
		if m.Injected == nil {
			continue
		}
		located := map[string]bool{}
		for _, w := range m.Injected.Whole {
			located[w.FileID] = true
			if m.Holds(w) {
				ids[w.FileID], ids[w.Content] = true, true
			}
		}
		for _, id := range m.Injected.FileIDs {
			if !located[id] {
				ids[id] = true
			}
		}
	}
	return ids
}

// alreadyThere notes a file whose whole text is in the history. Of a new one a
// warning says so.
func (t *turn) alreadyThere(a *attached) {
	a.strategy, a.inContext = InjectFull, true
	t.inWindow = append(t.inWindow, a)
	if a.fresh {
		t.warn("already_in_context", a.Name, a.Name+" is already whole in the conversation and is not injected again.")
	}
}

// unseen leaves out the files that a message holds though it does not say so:
// its text has both the file's name and its whole text.
func (t *turn) unseen(files []*attached) []*attached {
	var out []*attached
	for _, a := range files {
		if t.shown(a) {
			t.alreadyThere(a)
			continue
		}
		out = append(out, a)
	}
	return out
}

func (t *turn) shown(a *attached) bool {
	for _, m := range t.req.Messages {
		if len(m.Text) > len(a.doc.Text) && a.doc.Text != "" && strings.Contains(m.Text, a.Name) && strings.Contains(m.Text, a.doc.Text) {
			return true
		}
	}
	return false
}

// followUp reads the files of earlier turns on a turn without new ones. Those
// that the history says were searched are searched again (INJ-5); any other is
// no longer in the window and is decided over like a new one (TRN-2).
func (t *turn) followUp(ctx context.Context) error {
	if err := t.readEarlier(ctx, t.root); err != nil {
		return err
	}
	t.earlier = t.unseen(t.earlier)
	if err := t.someEarlierReadable(); err != nil || t.req.Options.Mode != Auto {
		return err
	}
	searched := t.searchedBefore()
	var again []*attached
	for _, a := range t.earlier {
		if searched[a.id()] || searched[a.content] {
			again = append(again, a)
			continue
		}
		t.fresh = append(t.fresh, a)
	}
	t.earlier = again
	return nil
}

// searchedBefore are the ids of files that a message attached without injecting
// them whole.
func (t *turn) searchedBefore() map[string]bool {
	ids := map[string]bool{}
	for _, m := range t.req.Messages {
		if m.Injected == nil {
			continue
		}
		for _, a := range m.Attachments {
			ids[a.FileID] = true
		}
	}
	for _, m := range t.req.Messages {
		if m.Injected == nil {
			continue
		}
		for _, id := range m.Injected.FileIDs {
			delete(ids, id)
		}
	}
	return ids
}

// located says where in text the whole texts of files are, in their order. A
// file whose text the wording changed is left out.
func located(text string, files []*attached) []chat.WholeText {
	var out []chat.WholeText
	from := 0
	for _, a := range files {
		at := strings.Index(text[from:], a.doc.Text)
		if at < 0 || a.doc.Text == "" {
			continue
		}
		start := from + at
		from = start + len(a.doc.Text)
		w := chat.WholeText{FileID: a.id(), Content: a.content, Start: start, End: from, Sum: chat.Sum(a.doc.Text)}
		if a.library != "" {
			w.File, w.Library = a.Name, a.library
		}
		out = append(out, w)
	}
	return out
}

// MessageWith is the turn's message where something else wrote its text, such as
// a strategy: of what was injected it keeps what is in that text.
func (r Result) MessageWith(text string) chat.Message {
	m := r.Message
	m.Text = text
	if m.Injected == nil {
		return m
	}
	in := *m.Injected
	in.Whole, in.FileIDs, in.FileNumbers, in.Citations = nil, nil, nil, nil
	from := 0
	for _, w := range r.Message.Injected.Whole {
		whole := r.Message.Text[w.Start:w.End]
		at := strings.Index(text[from:], whole)
		if at < 0 {
			continue
		}
		w.Start = from + at
		w.End = w.Start + len(whole)
		from = w.End
		in.Whole, in.FileIDs = append(in.Whole, w), append(in.FileIDs, w.FileID)
		if i := slices.Index(r.Message.Injected.FileIDs, w.FileID); i >= 0 {
			in.FileNumbers = append(in.FileNumbers, r.Message.Injected.FileNumber(i))
		}
	}
	for _, c := range r.Message.Injected.Citations {
		if strings.Contains(text, c.Text) {
			in.Citations = append(in.Citations, c)
		}
	}
	if len(in.FileIDs)+len(in.Citations) == 0 {
		in.Strategy = string(None)
	}
	m.Injected = &in
	return m
}
