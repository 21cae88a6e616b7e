package tokens

import "sync"

// Library builds each encoding and estimator once, when first asked for, and
// then hands out the same. The zero value is ready; it is safe for concurrent
// use and must not be copied.
type Library struct {
	mu         sync.Mutex
	encodings  map[string]*Encoding
	estimators map[Family]*Estimator
}

// Encoding is [NewEncoding].
func (l *Library) Encoding(name string) (*Encoding, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.encoding(name)
}

func (l *Library) encoding(name string) (*Encoding, error) {
	if e := l.encodings[name]; e != nil {
		return e, nil
	}
	e, err := NewEncoding(name)
	if err != nil {
		return nil, err
	}
	if l.encodings == nil {
		l.encodings = map[string]*Encoding{}
	}
	l.encodings[name] = e
	return e, nil
}

// Estimator is [NewEstimator] on the library's cl100k_base.
func (l *Library) Estimator(f Family) (*Estimator, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.estimators[f]; s != nil {
		return s, nil
	}
	base, err := l.encoding(estimateBase)
	if err != nil {
		return nil, err
	}
	s, err := NewEstimator(base, f)
	if err != nil {
		return nil, err
	}
	if l.estimators == nil {
		l.estimators = map[Family]*Estimator{}
	}
	l.estimators[f] = s
	return s, nil
}
