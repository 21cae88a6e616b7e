package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"inlay/fault"
	"inlay/internal/state"
	"inlay/internal/state/tables"
)

// work hands out tasks by River: a task is a job, kept in the transaction of
// its record. What River does not do, [work.beat] does: it gives the jobs of a
// server that went away to the others within seconds.
type work struct {
	id     string // of this server
	pool   *pgxpool.Pool
	log    *slog.Logger
	client *river.Client[pgx.Tx] // inserts; works too once it was started
	how    map[string]worker     // by kind

	mu    sync.Mutex
	under map[int64]bool // jobs that this server works on

	worker *river.Client[pgx.Tx] // nil until Start
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// worker does one kind of work.
type worker struct {
	parallel int
	do       func(context.Context, state.Task) error
}

// readArgs and evaluateArgs are the jobs.
type (
	readArgs     struct{ Owner, ID string }
	evaluateArgs struct{ Owner, ID string }
)

// Kind implements river.JobArgs.
func (readArgs) Kind() string { return state.WorkRead }

// Kind implements river.JobArgs.
func (evaluateArgs) Kind() string { return state.WorkEvaluate }

// attempts is how often a task is tried, its server's death included.
const attempts = 25

func (w *work) open(pool *pgxpool.Pool, log *slog.Logger) (err error) {
	w.id, w.pool, w.log, w.how, w.under = state.NewID("replica_"), pool, log, map[string]worker{}, map[int64]bool{}
	w.client, err = river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	return err
}

// migrateWork brings River's tables up to the version of its module.
func migrateWork(ctx context.Context, pool *pgxpool.Pool) error {
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return refused(err)
	}
	return nil
}

// addFile is [tables.Engine.AddedFile].
func (w *work) addFile(ctx context.Context, q tables.Queries, f state.File) error {
	if f.State != state.Uploaded {
		return nil
	}
	return w.add(ctx, q, readArgs{f.Owner, f.ID}, "SELECT count(*) FROM (SELECT 1 FROM files WHERE owner = $1 AND state = 'uploaded' LIMIT 65) AS waiting", f.Owner, 1)
}

// addEvaluation is [tables.Engine.AddedEvaluation].
func (w *work) addEvaluation(ctx context.Context, q tables.Queries, e state.Evaluation) error {
	return w.add(ctx, q, evaluateArgs{e.Owner, e.ID}, "SELECT count(*) FROM evaluations WHERE owner = $1 AND state IN ('queued', 'running')", e.Owner, 1)
}

// add keeps a job. The more of its kind an owner has waiting, the later it is
// done: one owner's million files do not stop another one's.
func (w *work) add(ctx context.Context, q tables.Queries, args river.JobArgs, count, owner string, step int) error {
	var waiting int
	if err := q.One(ctx, count, owner).Scan(&waiting); err != nil {
		return err
	}
	tx := q.(queries).handle.(pgx.Tx)
	_, err := w.client.InsertTx(ctx, tx, args, &river.InsertOpts{Queue: args.Kind(), Priority: priority(waiting, step), MaxAttempts: attempts})
	return err
}

// priority is 1, first, to 4, of the last of so many that wait.
func priority(waiting, step int) int {
	p := 1
	for ; p < 4 && waiting > step; p++ {
		step *= 8
	}
	return p
}

// Handle implements [state.Work].
func (s *Store) Handle(kind string, parallel int, f func(context.Context, state.Task) error) {
	s.work.how[kind] = worker{parallel, f}
}

// Start implements [state.Work].
func (s *Store) Start(ctx context.Context) (err error) {
	w := &s.work
	workers, queues := river.NewWorkers(), map[string]river.QueueConfig{}
	for kind, how := range w.how {
		queues[kind] = river.QueueConfig{MaxWorkers: how.parallel}
	}
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, j *river.Job[readArgs]) error {
		return w.do(ctx, j.JobRow, state.Task{Owner: j.Args.Owner, ID: j.Args.ID})
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, j *river.Job[evaluateArgs]) error {
		return w.do(ctx, j.JobRow, state.Task{Owner: j.Args.Owner, ID: j.Args.ID})
	}))
	w.worker, err = river.NewClient(riverpgxv5.New(w.pool), &river.Config{
		ID: w.id, Queues: queues, Workers: workers, Logger: slog.New(slog.DiscardHandler), MaxAttempts: attempts, RetryPolicy: soon{},
		JobTimeout: -1, RescueStuckJobsAfter: never, // beat knows which servers live
		CompletedJobRetentionPeriod: time.Hour, FetchPollInterval: time.Second,
	})
	if err != nil {
		return err
	}
	if err := s.requeue(ctx); err != nil {
		return err
	}
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := w.beatOnce(ctx, false); err != nil {
		return explained(err)
	}
	w.done.Go(func() { w.beat(ctx) })
	return w.worker.Start(ctx)
}

// never is longer than any job runs.
const never = 10_000 * time.Hour

// soon is when a task that failed is tried again: in half a second, and then in
// twice as long each time, at most in half a minute.
type soon struct{}

// NextRetry implements river.ClientRetryPolicy.
func (soon) NextRetry(job *rivertype.JobRow) time.Time {
	return time.Now().Add(min(30*time.Second, time.Second/2<<min(len(job.Errors), 10)))
}

// do runs a task.
func (w *work) do(ctx context.Context, job *rivertype.JobRow, t state.Task) (err error) {
	w.mark(job.ID, true)
	defer w.mark(job.ID, false)
	t.Last = job.Attempt >= job.MaxAttempts
	err = w.how[job.Kind].do(ctx, t)
	if err == nil {
		return nil
	}
	if ctx.Err() == nil {
		w.log.WarnContext(ctx, "work failed and will be tried again", "kind", job.Kind, "id", t.ID, "attempt", job.Attempt, "code", string(fault.CodeOf(err)))
	}
	return fmt.Errorf("%s", fault.CodeOf(err)) // what the table keeps of it: errors may have names of files
}

func (w *work) mark(id int64, under bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if under {
		w.under[id] = true
	} else {
		delete(w.under, id)
	}
}

// Stop implements [state.Work].
func (s *Store) Stop() {
	w := &s.work
	if w.worker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	_ = w.worker.StopAndCancel(ctx) // what it left is given away as if this server had died
	w.stop()
	w.done.Wait()
	_, _ = w.pool.Exec(ctx, "DELETE FROM replicas WHERE id = $1", w.id)
}

// How long a stopping server waits for its tasks; how often a server says that
// it lives; and after how long without it is taken for dead.
const (
	stopTimeout = 10 * time.Second
	beatEvery   = 2 * time.Second
	deadAfter   = 10 * time.Second
)

// beat says that this server lives, and gives away the jobs of those that do not.
func (w *work) beat(ctx context.Context) {
	every := time.NewTicker(beatEvery)
	defer every.Stop()
	var since time.Time // when the database was there again
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		if since.IsZero() {
			since = time.Now()
		}
		// After the database was away nobody was seen for long: the others get their time.
		if err := w.beatOnce(ctx, time.Since(since) > deadAfter); err != nil {
			since = time.Time{}
		}
	}
}

func (w *work) beatOnce(ctx context.Context, rescue bool) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	_, err := w.pool.Exec(ctx, "INSERT INTO replicas (id, seen) VALUES ($1, clock_timestamp()) ON CONFLICT (id) DO UPDATE SET seen = excluded.seen", w.id)
	if err != nil || !rescue {
		return err
	}
	w.mu.Lock()
	mine := make([]int64, 0, len(w.under))
	for id := range w.under {
		mine = append(mine, id)
	}
	w.mu.Unlock()
	// Jobs of the dead; and those of ours that ended while the database was away, so that it does not know.
	_, err = w.pool.Exec(ctx, `UPDATE river_job SET state = 'available', scheduled_at = clock_timestamp(), finalized_at = NULL
		WHERE state = 'running' AND queue IN ('read', 'evaluate') AND (
			NOT EXISTS (SELECT 1 FROM replicas WHERE id = attempted_by[array_upper(attempted_by, 1)] AND seen > clock_timestamp() - $1::interval)
			OR attempted_by[array_upper(attempted_by, 1)] = $2 AND NOT id = ANY($3) AND attempted_at < clock_timestamp() - 3 * $1::interval)`,
		deadAfter, w.id, mine)
	if err == nil {
		_, err = w.pool.Exec(ctx, "DELETE FROM replicas WHERE seen < clock_timestamp() - 10 * $1::interval", deadAfter)
	}
	return err
}

// requeue makes jobs of what waits and has none: records that came from another
// store.
func (s *Store) requeue(ctx context.Context) error {
	return s.Exclusive(ctx, "requeue", func() error {
		return s.transact(ctx, func(q tables.Queries) error {
			var jobs []river.InsertManyParams
			for query, args := range map[string]func(owner, id string) river.JobArgs{
				"SELECT owner, id FROM files WHERE state = 'uploaded'":                   func(owner, id string) river.JobArgs { return readArgs{owner, id} },
				"SELECT owner, id FROM evaluations WHERE state IN ('queued', 'running')": func(owner, id string) river.JobArgs { return evaluateArgs{owner, id} },
			} {
				kind := args("", "").Kind()
				err := q.Each(ctx, func(row tables.Row) error {
					var owner, id string
					err := row.Scan(&owner, &id)
					jobs = append(jobs, river.InsertManyParams{Args: args(owner, id), InsertOpts: &river.InsertOpts{Queue: kind, Priority: 4, MaxAttempts: attempts}})
					return err
				}, query+" AND id NOT IN (SELECT args->>'ID' FROM river_job WHERE kind = $1 AND state NOT IN ('completed', 'cancelled', 'discarded'))", kind)
				if err != nil {
					return err
				}
			}
			if len(jobs) == 0 {
				return nil
			}
			_, err := s.work.client.InsertManyTx(ctx, q.(queries).handle.(pgx.Tx), jobs)
			return err
		})
	})
}
