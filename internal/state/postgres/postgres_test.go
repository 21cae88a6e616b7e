package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"inlay/fault"
	"inlay/internal/state"
	"inlay/internal/state/postgres"
	"inlay/internal/state/statetest"
)

// database is the address of an empty database on the server of scripts/postgres.
func database(t *testing.T) string {
	t.Helper()
	server := os.Getenv("INLAY_POSTGRES_URL")
	if server == "" {
		t.Skip("no PostgreSQL server: run scripts/postgres run go test")
	}
	conn, err := pgx.Connect(t.Context(), server)
	require.NoError(t, err)
	name := "t_" + strings.TrimPrefix(state.NewID("_"), "_")
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), server)
		require.NoError(t, err)
		_, err = conn.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		require.NoError(t, err)
		require.NoError(t, conn.Close(context.Background()))
	})
	u, err := url.Parse(server)
	require.NoError(t, err)
	u.Path = "/" + name
	return u.String()
}

func open(t *testing.T, address string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), address, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestStore(t *testing.T) {
	statetest.Run(t, func(t *testing.T) state.Store {
		t.Helper()
		return open(t, database(t))
	})
}

// TestManyOpenAtOnce: the tables are made once, by whoever is first.
func TestManyOpenAtOnce(t *testing.T) {
	address := database(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, err := postgres.Open(t.Context(), address, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	wg.Wait()
}

// TestTwoServers share everything, and refuse together what one alone would.
func TestTwoServers(t *testing.T) {
	address := database(t)
	a, b := open(t, address), open(t, address)
	ctx := t.Context()
	var wg sync.WaitGroup
	kept := make(chan string, 40)
	for n, s := range []*postgres.Store{a, b} {
		for i := range 20 {
			wg.Go(func() {
				f := state.File{ID: state.NewID("file-"), Owner: "ann", Name: "a", Content: "c", Bytes: 10, Created: time.Unix(int64(n*100+i), 0).UTC(), State: state.Uploaded}
				if s.AddFile(ctx, f, state.Quota{Bytes: 55}) == nil {
					kept <- f.ID
				}
			})
		}
	}
	wg.Wait()
	require.Len(t, kept, 5, "the limit is that of both")

	require.NoError(t, a.AddChat(ctx, state.Chat{ID: "chat_1", Owner: "ann", Created: time.Unix(1, 0)}))
	turns := make(chan error, 2)
	for _, s := range []*postgres.Store{a, b} {
		go func() {
			turns <- s.AddTurn(ctx, "ann", "chat_1", state.Turn{Number: 1, Created: time.Unix(2, 0), Messages: []byte("[]"), Result: []byte("{}")})
		}()
	}
	first, second := <-turns, <-turns
	if first != nil {
		first, second = second, first
	}
	require.NoError(t, first)
	require.ErrorIs(t, second, state.ErrConflict, "of two turns at the same place one is refused")

	var owners sync.WaitGroup
	for i, s := range []*postgres.Store{a, b, a, b} {
		owners.Go(func() {
			_, err := s.AddKey(ctx, state.Key{ID: state.NewID("key_"), OwnerName: "ann", Name: "k", Hash: []byte{byte(i)}, Scope: state.Write, Created: time.Unix(1, 0)})
			if err != nil {
				t.Error(err)
			}
		})
	}
	owners.Wait()
	list, err := b.ListKeys(ctx, state.Local)
	require.NoError(t, err)
	require.Len(t, list, 4, "all made one owner, the first")
}

// TestNoSuchText: ids from addresses may have bytes that no text in the
// database can have.
func TestNoSuchText(t *testing.T) {
	s := open(t, database(t))
	for _, id := range []string{"file-\x00", "file-\xff"} {
		_, err := s.File(t.Context(), "ann", id)
		require.ErrorIs(t, err, state.ErrNotFound)
	}
}

func TestOpenRefuses(t *testing.T) {
	_, err := postgres.Open(t.Context(), "mysql://x", slog.New(slog.DiscardHandler))
	require.True(t, fault.Is(err, fault.Usage), "%v", err)
	_, err = postgres.Open(t.Context(), "postgres://inlay@127.0.0.1:1/none?connect_timeout=2", slog.New(slog.DiscardHandler))
	require.True(t, fault.Is(err, fault.StoreUnreachable), "%v", err)
	require.NotContains(t, err.Error(), "inlay@", "no parts of the address: it may hold a password")

	address := database(t)
	open(t, address)
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)")
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	_, err = postgres.Open(t.Context(), address, slog.New(slog.DiscardHandler))
	require.True(t, fault.Is(err, fault.StoreDamaged))
	require.ErrorContains(t, err, "newer")
}

// TestRestart: a restart of the database is a pause; while it is away the error
// says so.
func TestRestart(t *testing.T) {
	s := open(t, database(t))
	ctx := t.Context()
	require.NoError(t, s.AddChat(ctx, state.Chat{ID: "chat_1", Owner: "ann", Created: time.Unix(1, 0)}))
	control(t, "restart")
	require.NoError(t, s.AddTurn(ctx, "ann", "chat_1", state.Turn{Number: 1, Created: time.Unix(2, 0), Messages: []byte("[]"), Result: []byte("{}")}))

	control(t, "stop")
	_, _, err := s.Chat(ctx, "ann", "chat_1")
	require.True(t, fault.Is(err, fault.StoreUnreachable), "%v", err)
	require.Error(t, s.Ping(ctx))
	control(t, "start")
	require.NoError(t, s.Ping(ctx))
	_, turns, err := s.Chat(ctx, "ann", "chat_1")
	require.NoError(t, err)
	require.Len(t, turns, 1)
}

func control(t *testing.T, command string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "../../../scripts/postgres", command).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestWork: what was accepted is done once, by whichever server, and what a
// dead server or a failure leaves is done by another.
func TestWork(t *testing.T) {
	address := database(t)
	ctx := t.Context()
	accepting := open(t, address)
	require.NoError(t, accepting.AddFile(ctx, waiting("ann", "file-0"), state.Quota{}))
	conn, err := pgx.Connect(ctx, address)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.Background())) }()
	_, err = conn.Exec(ctx, "UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now(), attempted_by = '{replica_ghost}'")
	require.NoError(t, err)

	var mu sync.Mutex
	done := map[string]int{}
	failed := false
	var stops []func()
	for range 2 {
		s := open(t, address)
		s.Handle(state.WorkRead, 4, func(_ context.Context, task state.Task) error {
			mu.Lock()
			defer mu.Unlock()
			if task.ID == "file-7" && !failed {
				failed = true
				return errors.New("the store is away")
			}
			done[task.Owner+" "+task.ID]++
			return nil
		})
		s.Handle(state.WorkEvaluate, 1, func(context.Context, state.Task) error { return nil })
		require.NoError(t, s.Start(ctx))
		stops = append(stops, s.Stop)
	}
	for n := range 30 {
		require.NoError(t, accepting.AddFile(ctx, waiting("ann", fmt.Sprintf("file-%d", n+1)), state.Quota{}))
	}
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(done) == 31
	}, 5*time.Minute, 50*time.Millisecond)
	for _, stop := range stops {
		stop()
	}
	for task, n := range done {
		require.Equal(t, 1, n, task)
	}
	var first, later, last int
	require.NoError(t, conn.QueryRow(ctx, `SELECT count(*) FILTER (WHERE priority = 1), count(*) FILTER (WHERE priority = 2),
		count(*) FILTER (WHERE priority = 3) FROM river_job`).Scan(&first, &later, &last))
	require.Equal(t, []int{1, 7, 23}, []int{first, later, last}, "the more wait of one owner, the later")
}

// TestTakenOver: records that came without jobs get them.
func TestTakenOver(t *testing.T) {
	address := database(t)
	s := open(t, address)
	ctx := t.Context()
	require.NoError(t, s.AddFile(ctx, waiting("ann", "file-1"), state.Quota{}))
	conn, err := pgx.Connect(ctx, address)
	require.NoError(t, err)
	_, err = conn.Exec(ctx, "DELETE FROM river_job")
	require.NoError(t, err)
	require.NoError(t, conn.Close(ctx))
	read := make(chan state.Task, 9)
	s.Handle(state.WorkRead, 1, func(_ context.Context, task state.Task) error { read <- task; return nil })
	s.Handle(state.WorkEvaluate, 1, func(context.Context, state.Task) error { return nil })
	require.NoError(t, s.Start(ctx))
	defer s.Stop()
	require.Equal(t, state.Task{Owner: "ann", ID: "file-1"}, <-read)
}

func waiting(owner, id string) state.File {
	return state.File{ID: id, Owner: owner, Name: "a", Content: "c", Bytes: 10, Created: time.Unix(1, 0).UTC(), State: state.Uploaded}
}

// TestSharedRate: two servers give an owner no more than one would.
func TestSharedRate(t *testing.T) {
	address := database(t)
	a, b := open(t, address), open(t, address)
	granted := 0
	for _, s := range []*postgres.Store{a, b, a, b, a, b} {
		n, err := s.Take(t.Context(), "ann", 10, .001, 25)
		require.NoError(t, err)
		granted += n
	}
	require.Equal(t, 25, granted)
	n, err := a.Take(t.Context(), "bob", 10, .001, 25)
	require.NoError(t, err)
	require.Equal(t, 10, n, "each owner has a rate")
	time.Sleep(50 * time.Millisecond)
	n, err = b.Take(t.Context(), "ann", 5, 1000, 25)
	require.NoError(t, err)
	require.Equal(t, 5, n, "it fills again")
}

// TestDeletions are known to all.
func TestDeletions(t *testing.T) {
	address := database(t)
	a, b := open(t, address), open(t, address)
	require.NoError(t, a.Announce(t.Context(), state.Deletion{Owner: "ann", Of: "c"}))
	list, err := b.Deletions(t.Context(), time.Minute)
	require.NoError(t, err)
	require.Equal(t, []state.Deletion{{Owner: "ann", Of: "c"}}, list)
	list, err = b.Deletions(t.Context(), 10_000*time.Hour)
	require.NoError(t, err)
	require.Len(t, list, 1)
}
