package session

import "inlay/fault"

// wrong names a field and what it may be, never what it was.
func wrong(field, want string) error {
	return &fault.Error{Code: fault.Usage, Subject: field, Reason: "is invalid", Next: "want " + want}
}
