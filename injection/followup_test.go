package injection_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/chat"
	"inlay/fault"
	"inlay/injection"
)

func missing(name string) injection.File {
	return injection.File{Name: name, Open: func(context.Context) ([]byte, error) {
		return nil, &fault.Error{Code: fault.FileNotFound, Subject: name, Reason: "there is no such file", Next: "check the path"}
	}}
}

// TestAFailedFileDoesNotBlockTheChat: a file that could not be read is not kept
// in the history, and one that can no longer be read does not stop a chat that
// holds others (INJ-22).
func TestAFailedFileDoesNotBlockTheChat(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	good := file("good.txt", "good facts")
	first, err := in.Inject(t.Context(), injection.Request{Text: "facts", Files: []injection.File{missing("gone.txt"), good, file("bad.pdf", "!corrupt")}, Model: model{length: 1000}})
	require.NoError(t, err)
	require.Len(t, first.Failures, 2)
	require.Equal(t, "gone.txt", first.Failures[0].File)
	require.Len(t, first.Message.Attachments, 1)
	require.Equal(t, "good.txt", first.Message.Attachments[0].Name)

	lost := missing("lost.txt")
	lost.ID = "file-1"
	req := injection.Request{Text: "more facts", Messages: []chat.Message{first.Message}, Earlier: []injection.File{withID(good), lost}, Model: model{length: 1000}}
	second, err := in.Inject(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, injection.AlreadyInContext, second.ReasonCode)
	require.Equal(t, "more facts", second.Prompt)
	require.Equal(t, "lost.txt", second.Failures[0].File)

	req.Messages, req.Earlier = nil, []injection.File{lost}
	_, err = in.Inject(t.Context(), req)
	require.Equal(t, fault.FileNotFound, fault.CodeOf(err))
	req.Options.Continue = true
	third, err := in.Inject(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, injection.NoFiles, third.ReasonCode)
}

// TestOpenedFilesAreKnownByTheirBytes: a file given by Open has the same id in
// the history as one given by its bytes, and an image is known as one.
func TestOpenedFilesAreKnownByTheirBytes(t *testing.T) {
	open := func(data string) func(context.Context) ([]byte, error) {
		return func(context.Context) ([]byte, error) { return []byte(data), nil }
	}
	res := inject(t, injection.Request{Text: "facts", Model: model{length: 1000}, Files: []injection.File{
		{Name: "a.txt", Open: open("facts")}, {Name: "pic", Open: open("\x89PNG\r\n\x1a\n...")},
	}})
	require.Equal(t, res.Files[0].FileID, res.Message.Attachments[0].FileID)
	require.Equal(t, []string{res.Files[0].FileID}, res.Message.Injected.FileIDs)
	require.Equal(t, "image/png", res.Message.Attachments[1].MediaType)
	require.Contains(t, warningCodes(res), "image")
}

// TestDryRunOfAnOverrideTellsWhatTheRunWould.
func TestDryRunOfAnOverrideTellsWhatTheRunWould(t *testing.T) {
	in := &injection.Injector{Reader: reader{}, Retriever: &finder{}}
	req := injection.Request{
		Text: "facts", Model: model{length: 100}, Files: []injection.File{file("big.txt", wordsOf(200, "x"))},
		Options: injection.Options{Mode: injection.ModeFull, DryRun: true},
	}
	_, err := in.Inject(t.Context(), req)
	require.Equal(t, fault.DoesNotFit, fault.CodeOf(err))
	req.Options.RetrieveOverflow = true
	res, err := in.Inject(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, injection.OverflowAfterBuilding, res.ReasonCode)
}
