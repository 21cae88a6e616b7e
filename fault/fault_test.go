package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"inlay/fault"
)

func TestCodeOf(t *testing.T) {
	coded := &fault.Error{Code: fault.NoTextLayer, Subject: "a.pdf", Reason: "has no text", Next: "run OCR", Err: fs.ErrNotExist}
	for want, err := range map[fault.Code]error{
		"":                   nil,
		fault.NoTextLayer:    fmt.Errorf("parse: %w", coded),
		fault.Canceled:       fmt.Errorf("x: %w", context.Canceled),
		fault.Timeout:        context.DeadlineExceeded,
		fault.FileNotFound:   &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist},
		fault.FileUnreadable: fs.ErrPermission,
		fault.Internal:       errors.New("odd"),
	} {
		require.Equal(t, want, fault.CodeOf(err))
		require.Equal(t, err != nil, fault.Is(err, want))
	}
	require.ErrorIs(t, coded, fs.ErrNotExist)
}

func TestErrorText(t *testing.T) {
	for want, e := range map[string]*fault.Error{
		"a.pdf: has no text (run OCR)": {Code: fault.NoTextLayer, Subject: "a.pdf", Reason: "has no text", Next: "run OCR"},
		"has no text":                  {Code: fault.NoTextLayer, Reason: "has no text"},
		"a.pdf: file does not exist":   {Code: fault.FileNotFound, Subject: "a.pdf", Err: fs.ErrNotExist},
		"timeout":                      {Code: fault.Timeout},
	} {
		require.EqualError(t, e, want)
	}
}
