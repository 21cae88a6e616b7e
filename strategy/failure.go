package strategy

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"inlay/fault"
	"inlay/strategy/source"
)

// exception gives the error of a preprocessor one of STR-12's codes. The error
// stays reachable by errors.As and errors.Is. Only errors of inlay's own form
// are quoted: what else an error's text holds is unknown.
func exception(id string, err error) error {
	code := fault.CodeOf(err)
	out := &fault.Error{Code: fault.PreprocessorException, Subject: "preprocessor " + id, Err: err}
	switch {
	case code == fault.PreprocessorContextMissing, code == fault.PreprocessorPermissionUnavailable, code == fault.PreprocessorInvalidResult:
		return err
	case errors.Is(err, fs.ErrPermission):
		out.Code, out.Next = fault.PreprocessorPermissionUnavailable, "allow it to be read, or leave it out"
	case code == fault.WindowUnknown:
		out.Code = fault.PreprocessorContextMissing
	}
	own, ok := errors.AsType[*fault.Error](err)
	path, isPath := errors.AsType[*fs.PathError](err)
	switch {
	case ok:
		out.Reason = (&fault.Error{Code: own.Code, Subject: own.Subject, Reason: own.Reason, Err: own.Err}).Error()
		if own.Next != "" {
			out.Next = own.Next
		}
	case isPath && out.Code == fault.PreprocessorPermissionUnavailable:
		out.Reason = filepath.Base(path.Path) + " may not be read"
	default:
		out.Reason = fmt.Sprintf("it failed with a %T", err)
	}
	return out
}

// failure is the diagnostic of a failed execution or step.
func failure(err error) Diagnostic {
	d := Diagnostic{Code: string(fault.CodeOf(err)), Severity: source.Error, Message: err.Error()}
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Code != fault.PreprocessorTimeout {
		if cause := fault.CodeOf(e.Err); cause != fault.Internal && cause != e.Code {
			d.Cause = string(cause)
		}
	}
	return d
}
