package injection_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/injection"
)

// TestWhatIsInTheWindow is read from the history as it was sent: a document is
// there by its text, whatever the history says of it.
func TestWhatIsInTheWindow(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	small, m := file("small.txt", "small facts about boats and the tides of the north"), model{length: 1000}
	first, err := in.Inject(t.Context(), injection.Request{Text: "facts", Files: []injection.File{small}, Model: m})
	require.NoError(t, err)
	require.Len(t, first.Message.Injected.Whole, 1)
	place := first.Message.Injected.Whole[0]
	require.Equal(t, string(small.Data), first.Message.Text[place.Start:place.End])

	trimmed, unsaid, raw := first.Message, first.Message, first.Message
	trimmed.Text = strings.Replace(trimmed.Text, "tides", "...", 1)
	unsaid.Injected = nil
	raw.Text, raw.Injected = "facts", nil
	for name, tt := range map[string]struct {
		past chat.Message
		code injection.ReasonCode
	}{
		"as it was sent":               {first.Message, injection.AlreadyInContext},
		"its text was cut since":       {trimmed, injection.Fits},
		"nothing says so, it is there": {unsaid, injection.AlreadyInContext},
		"the user's words alone":       {raw, injection.Fits},
	} {
		past := []chat.Message{tt.past, {Role: chat.Assistant, Text: "ok"}}
		res, err := in.Inject(t.Context(), injection.Request{Text: "and now?", Messages: past, Earlier: []injection.File{withID(small)}, Model: m})
		require.NoError(t, err)
		require.Equal(t, tt.code, res.ReasonCode, name)
		if tt.code == injection.Fits {
			require.Contains(t, res.Prompt, string(small.Data), name)
			require.Contains(t, res.Reason, "files of earlier turns", name)
		}
	}
	other := small
	other.ID = "upload-2"
	res, err := in.Inject(t.Context(), injection.Request{Text: "again", Messages: []chat.Message{first.Message}, Files: []injection.File{other}, Model: m})
	require.NoError(t, err)
	require.Equal(t, injection.AlreadyInContext, res.ReasonCode, "the same bytes under another id")
}

// TestModesOfEqualFiles: of two files with the same bytes the mode that was set
// holds, whichever has it.
func TestModesOfEqualFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b injection.Mode
		want injection.Strategy
	}{
		"none, then full":      {injection.ModeNone, injection.ModeFull, injection.InjectFull},
		"auto, then retrieval": {injection.Auto, injection.ModeRetrieval, injection.Retrieval},
		"full, then auto":      {injection.ModeFull, injection.Auto, injection.InjectFull},
		"full, then retrieval": {injection.ModeFull, injection.ModeRetrieval, injection.InjectFull},
	} {
		a, b := file("a", "same facts"), file("b", "same facts")
		a.Mode, b.Mode = tt.a, tt.b
		res := inject(t, injection.Request{Text: "facts", Files: []injection.File{a, b}, Model: model{length: 1000}})
		require.Equal(t, tt.want, res.Decision.Strategy, name)
	}
}
