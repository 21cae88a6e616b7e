// Package processortest is the suite that every processor passes.
//
//	func TestConformance(t *testing.T) {
//		processortest.Messages(t, mine.Modifier(), processor.Say(chat.User, processor.FromUser, "hi"))
//	}
package processortest

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/processor"
)

// kind is what the suite has to know of a family.
type kind[T any] struct {
	chain func(...processor.Processor[T]) (processor.Chain[T], error)
	clone func(T) T
}

// Messages checks a message modifier on messages that it lets pass.
func Messages(t *testing.T, p processor.MessageModifier, v ...processor.Message) {
	t.Helper()
	Run(t, p, v, processor.MessageChain, processor.CloneMessages)
}

// Call checks a parameter modifier on a call that it lets pass.
func Call(t *testing.T, p processor.ToolParameter, v processor.Call) {
	t.Helper()
	Run(t, p, v, processor.ParameterChain, func(c processor.Call) processor.Call { return c })
}

// Candidate checks a validator on a call that it lets pass.
func Candidate(t *testing.T, p processor.ToolValidation, v processor.Candidate) {
	t.Helper()
	Run(t, p, v, processor.ValidationChain, func(c processor.Candidate) processor.Candidate { return c })
}

// Response checks a response modifier on an answer that it lets pass.
func Response(t *testing.T, p processor.ResponseModifier, v processor.Response) {
	t.Helper()
	Run(t, p, v, processor.ResponseChain, func(r processor.Response) processor.Response {
		r.ToolCalls = append(r.ToolCalls[:0:0], r.ToolCalls...)
		return r
	})
}

// Run checks a processor of any family: it leaves what it is given alone, gives
// the same twice and from many goroutines, stops when canceled, keeps its place
// in a chain, and a chain with it fails closed. v is a value that it lets pass;
// clone copies it with all that can be written.
func Run[T any](t *testing.T, p processor.Processor[T], v T, chain func(...processor.Processor[T]) (processor.Chain[T], error), clone func(T) T) {
	t.Helper()
	k := kind[T]{chain: chain, clone: clone}
	t.Run("name", func(t *testing.T) {
		require.Regexp(t, `^[A-Z][A-Za-z0-9]+$`, p.Name, "a name as those of the built-ins")
	})
	t.Run("purity", func(t *testing.T) { k.pure(t, p, v) })
	t.Run("the same from many goroutines", func(t *testing.T) { k.together(t, p, v) })
	t.Run("canceled", func(t *testing.T) { k.canceled(t, p, v) })
	t.Run("order", func(t *testing.T) { k.order(t, p, v) })
	t.Run("fail closed", func(t *testing.T) { k.failClosed(t, p, v) })
}

func (k kind[T]) pure(t *testing.T, p processor.Processor[T], v T) {
	t.Helper()
	given := k.clone(v)
	first, verdict, err := p.Run(t.Context(), &processor.Turn{}, given)
	require.NoError(t, err)
	require.Equal(t, processor.Continues, verdict.Kind, "give the suite a value that the processor lets pass: %s", verdict.Reason)
	require.True(t, reflect.DeepEqual(v, given), "it changes the value it is given; change a copy")
	second, _, err := p.Run(t.Context(), &processor.Turn{}, k.clone(v))
	require.NoError(t, err)
	require.Equal(t, first, second, "the same value gives the same result")
}

func (k kind[T]) together(t *testing.T, p processor.Processor[T], v T) {
	t.Helper()
	want, _, err := p.Run(t.Context(), &processor.Turn{}, k.clone(v))
	require.NoError(t, err)
	results, errs := make([]T, 8), make([]error, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i], _, errs[i] = p.Run(t.Context(), &processor.Turn{}, v) })
	}
	wg.Wait()
	for i := range results {
		require.NoError(t, errs[i])
		require.Equal(t, want, results[i])
	}
}

// patience is how long a processor may take to notice that it is canceled.
const patience = 10 * time.Second

func (k kind[T]) canceled(t *testing.T, p processor.Processor[T], v T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := make(chan error, 1)
	go func() {
		c, err := k.chain(p)
		if err == nil {
			_, _, err = c.Run(ctx, &processor.Turn{}, v)
		}
		_, _, _ = p.Run(ctx, &processor.Turn{}, v) // by itself it must end, too
		ended <- err
	}()
	select {
	case err := <-ended:
		require.True(t, fault.Is(err, fault.Canceled), "canceled is said to be canceled: %v", err)
	case <-time.After(patience):
		t.Fatal("it goes on after it was canceled")
	}
}

// probe is a neighbour in a chain.
func probe[T any](name string, run func() error) processor.Processor[T] {
	return processor.Processor[T]{Name: name, Run: func(_ context.Context, _ *processor.Turn, v T) (T, processor.Verdict, error) {
		return v, processor.Continue(), run()
	}}
}

func (k kind[T]) order(t *testing.T, p processor.Processor[T], v T) {
	t.Helper()
	pass := func() error { return nil }
	c, err := k.chain(probe[T]("before", pass), p, probe[T]("after", pass))
	require.NoError(t, err)
	turn := &processor.Turn{}
	_, _, err = c.Run(t.Context(), turn, v)
	require.NoError(t, err)
	var ran []string
	for _, r := range turn.Trace() {
		ran = append(ran, r.Name)
		require.Equal(t, processor.Continues, r.Verdict)
	}
	require.Equal(t, []string{"before", p.Name, "after"}, ran)
	_, err = k.chain(p, p)
	require.True(t, fault.Is(err, fault.Usage), "two of one name are refused")
}

func (k kind[T]) failClosed(t *testing.T, p processor.Processor[T], v T) {
	t.Helper()
	reached := false
	last := probe[T]("last", func() error { reached = true; return nil })
	for _, broken := range []func() error{func() error { return errors.New("broken") }, func() error { panic("broken") }} {
		c, err := k.chain(probe[T]("broken", broken), p, last)
		require.NoError(t, err)
		_, _, err = c.Run(t.Context(), &processor.Turn{}, v)
		require.True(t, fault.Is(err, fault.ProcessorFailed), "%v", err)
		require.False(t, reached)
	}
	require.NotPanics(t, func() {
		var zero T
		_, _, _ = p.Run(t.Context(), &processor.Turn{}, zero)
	}, "a value with nothing in it is not a reason to panic")
}
