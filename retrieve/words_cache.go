package retrieve

import (
	"container/list"
	"crypto/sha256"
	"sync"

	"inlay/cache"
)

// wordsLimit bounds the terms, over all files, that a [Retriever] remembers of
// one question for the next: four bytes each.
const wordsLimit = 16 << 20

// wordsCache remembers files analysed for lexical search, the last used
// longest, so that a second question analyses only itself. Its zero value is
// ready; it is safe for concurrent use.
type wordsCache struct {
	mu    sync.Mutex
	files map[[sha256.Size]byte]*list.Element // of wordsEntry, by the key's hash
	used  list.List                           // last used first
	terms int
}

type wordsEntry struct {
	key  [sha256.Size]byte
	file *lexicalFile
}

// get returns a file, nil if it is not remembered.
func (w *wordsCache) get(key cache.Key) *lexicalFile {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.files[key.Hash()]
	if e == nil {
		return nil
	}
	w.used.MoveToFront(e)
	return e.Value.(wordsEntry).file
}

// put remembers a file and forgets those not used for longest.
func (w *wordsCache) put(key cache.Key, f *lexicalFile) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := key.Hash()
	if w.files[name] != nil || f.words > wordsLimit {
		return
	}
	if w.files == nil {
		w.files = map[[sha256.Size]byte]*list.Element{}
	}
	w.files[name] = w.used.PushFront(wordsEntry{name, f})
	for w.terms += f.words; w.terms > wordsLimit; {
		last := w.used.Remove(w.used.Back()).(wordsEntry)
		delete(w.files, last.key)
		w.terms -= last.file.words
	}
}
