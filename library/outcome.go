package library

// change is what a group came to, and what to say of it.
func (r *run) change(group []*job) (c Change, said []PathChange) {
	sources := map[string]string{} // content that moved, to its former path
	for _, e := range r.gone {
		c.Delete = append(c.Delete, e.Path)
		if e.FileID != "" {
			sources[e.key()] = e.Path
		}
	}
	moved := map[string]bool{}
	for _, j := range group {
		switch {
		case j.failure != nil:
			c.Failed = append(c.Failed, *j.failure)
			said = append(said, PathChange{Kind: "failed", Path: j.path})
		case j.entry.FileID == "": // not read any more
		default:
			c.Set = append(c.Set, j.entry)
			change := r.say(j, sources, moved)
			change.Warnings = j.said
			said = append(said, change)
		}
	}
	for _, e := range r.gone {
		if !moved[e.Path] && e.FileID != "" {
			said = append(said, PathChange{Kind: "removed", Path: e.Path})
		}
	}
	return c, said
}

// say is what became of a file that was read.
func (r *run) say(j *job, sources map[string]string, moved map[string]bool) PathChange {
	from := sources[j.entry.key()]
	switch {
	case j.known != nil && j.known.FileID == j.entry.FileID:
		return PathChange{Kind: "unchanged", Path: j.path}
	case j.known != nil:
		return PathChange{Kind: "changed", Path: j.path}
	case from != "" && !moved[from]:
		moved[from] = true
		return PathChange{Kind: "moved", Path: j.path, From: from}
	}
	return PathChange{Kind: "added", Path: j.path}
}

// keep notes what was committed.
func (r *run) keep(c Change, said []PathChange) {
	for _, p := range c.Delete {
		r.forget(p)
	}
	for _, e := range c.Set {
		r.forget(e.Path)
		r.contents[e.key()]++
		r.entries[e.Path] = e
	}
	r.out.Failed = append(r.out.Failed, c.Failed...)
	for _, s := range said {
		switch s.Kind {
		case "added":
			r.out.Added++
		case "changed":
			r.out.Changed++
		case "moved":
			r.out.Moved++
		case "removed":
			r.out.Removed++
		case "unchanged":
			r.out.Unchanged++
			continue
		}
		r.out.Changes = append(r.out.Changes, s)
	}
	r.gone = nil
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out.Bytes = r.done.Bytes
	r.done.Kept += len(c.Set)
	r.report()
}

// forget counts the content of a path no more.
func (r *run) forget(p string) {
	if e, ok := r.entries[p]; ok {
		r.contents[e.key()]--
		delete(r.entries, p)
	}
}
