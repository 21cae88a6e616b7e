package strategy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultTimeout is a preprocessor's when neither it nor its strategy names one.
const DefaultTimeout = 30 * time.Second

// Registry holds the preprocessors a host offers; a strategy only names them
// (STR-3). The zero value is empty and ready. It is safe for concurrent use.
type Registry struct {
	mu   sync.RWMutex
	byID map[string]Preprocessor
}

var errNilPreprocessor = errors.New("register preprocessor: it is nil")

// NewRegistry holds the given preprocessors. It fails as Register does.
func NewRegistry(preprocessors ...Preprocessor) (*Registry, error) {
	r := &Registry{}
	for _, p := range preprocessors {
		if err := r.Register(p); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Register adds a preprocessor. Its id must be lower-case words joined by
// hyphens or dots, unused so far; its display name, description and permission
// text must be there, and its timeout must not be negative.
func (r *Registry) Register(p Preprocessor) error {
	if p == nil {
		return errNilPreprocessor
	}
	info := p.Info()
	if err := info.Validate(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.byID[info.ID]; taken {
		return fmt.Errorf("register preprocessor %s: the id is taken", info.ID)
	}
	if r.byID == nil {
		r.byID = map[string]Preprocessor{}
	}
	r.byID[info.ID] = p
	return nil
}

// Remove takes a preprocessor out; an execution that names it fails from now on.
func (r *Registry) Remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, id)
}

// Lookup finds a preprocessor by id. A nil registry has none.
func (r *Registry) Lookup(id string) (Preprocessor, bool) {
	if r == nil {
		return nil, false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, ok := r.byID[id]
	return p, ok
}

// All describes every preprocessor, ordered by id. Timeout is the one that
// applies, never 0.
func (r *Registry) All() []Info {
	if r == nil {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	infos := make([]Info, 0, len(r.byID))
	for _, p := range r.byID {
		info := p.Info()
		info.Timeout = info.Limit()
		infos = append(infos, info)
	}
	slices.SortFunc(infos, func(a, b Info) int { return compare(a.ID, b.ID) })
	return infos
}

// Validate reports what a registry would refuse.
func (i Info) Validate() error {
	switch {
	case !segments(i.ID, "-.", ""):
		return fmt.Errorf("register preprocessor %q: an id is lower-case words joined by hyphens or dots", i.ID)
	case i.DisplayName == "", i.Description == "", i.Permission == "":
		return fmt.Errorf("register preprocessor %s: it needs a display name, a description and a permission text", i.ID)
	case i.Timeout < 0:
		return fmt.Errorf("register preprocessor %s: its timeout is negative", i.ID)
	}
	for _, name := range i.ContainInput {
		if !validKey(name) {
			return fmt.Errorf("register preprocessor %s: %q is not a variable it may write", i.ID, name)
		}
	}
	return nil
}

// segments reports whether s is words of lower-case letters, digits and the
// characters of also, none of them empty, joined by the characters of joints.
func segments(s, joints, also string) bool {
	empty := true
	for _, r := range s {
		switch {
		case strings.ContainsRune(joints, r):
			if empty {
				return false
			}
			empty = true
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', strings.ContainsRune(also, r):
			empty = false
		default:
			return false
		}
	}
	return !empty
}
