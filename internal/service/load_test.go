package service

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/injection"
	"inlay/internal/state"
	"inlay/turn"
)

func about(sizes ...int64) (r injection.Request) {
	for _, n := range sizes {
		r.Files = append(r.Files, injection.File{Size: n})
	}
	return r
}

// TestAttachedSize: conditions of strategies see how large an upload is, too.
func TestAttachedSize(t *testing.T) {
	list := turn.Attachments([]injection.File{{ID: "a", Size: 7}, {ID: "b", Data: []byte("abc")}}, nil)
	require.EqualValues(t, 7, list[0].Size)
	require.EqualValues(t, 3, list[1].Size)
}

// TestLoad: small questions never wait, large ones do when together they are
// too much; a key takes no more than half; what is larger than all goes alone.
func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const mib = 1 << 20
		l := newLoad(8*mib, 0)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		var under []func()
		enter := func(owner string, r injection.Request) (entered func() bool) {
			done := false
			go func() {
				if end, err := l.begin(ctx, owner, r); err == nil {
					under, done = append(under, end), true
				}
			}()
			return func() bool { synctest.Wait(); return done }
		}
		require.True(t, enter("a", about(3*mib))())
		second := enter("a", about(3*mib))
		require.False(t, second(), "more than the half of one key")
		require.True(t, enter("b", about(2*mib, 2*mib))(), "another key is not held up")
		require.True(t, enter("a", about(lightest))())
		dry := about(8 * mib)
		dry.Options.DryRun = true
		require.True(t, enter("c", dry)(), "a dry run weighs an eighth")
		huge := enter("d", about(100*mib))
		require.False(t, huge(), "it waits until the others are done")
		under[0]()
		require.False(t, second(), "nobody overtakes it")
		for _, end := range under[1:] {
			end()
		}
		require.True(t, huge())
		require.False(t, second())
		leave()
		require.False(t, second(), "who leaves waits no more")
		under[len(under)-1]()
		end, err := l.begin(Alone(t.Context()), state.Local, about(8*mib))
		require.NoError(t, err, "all the room is there again")
		end()
	})
}

// TestQuestionsAtOnce: beyond the most, a question is refused with when to come
// again; an owner leaves room for others; small ones are always let in.
func TestQuestionsAtOnce(t *testing.T) {
	l := newLoad(1<<30, 3)
	big := about(1 << 20)
	first, err := l.begin(t.Context(), "ann", big)
	require.NoError(t, err)
	_, err = l.begin(t.Context(), "ann", big)
	require.NoError(t, err)
	_, err = l.begin(t.Context(), "ann", big)
	require.True(t, fault.Is(err, fault.RateLimited), "two thirds are one owner's")
	_, err = l.begin(t.Context(), "ann", about(1))
	require.NoError(t, err)
	_, err = l.begin(t.Context(), "bob", big)
	require.NoError(t, err)
	_, err = l.begin(t.Context(), "eve", big)
	f := &fault.Error{}
	require.ErrorAs(t, err, &f)
	require.Positive(t, f.RetryAfter)
	first()
	_, err = l.begin(t.Context(), "eve", big)
	require.NoError(t, err)
}
