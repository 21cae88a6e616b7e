package service

import (
	"context"
	"sync"
	"time"

	"inlay/fault"
	"inlay/internal/state"
)

// How often a server looks for what others deleted; how far it looks back each
// time, so that none is missed that was announced late; and how far at first.
const (
	followEvery = 2 * time.Second
	followBack  = time.Minute
	followFirst = 1000 * time.Hour
)

// follow has this server forget what others delete.
func (s *Service) follow(ctx context.Context, b state.Bulletin) error {
	list, err := b.Deletions(ctx, followFirst)
	if err != nil {
		return err
	}
	s.forget(ctx, list, map[state.Deletion]time.Time{})
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() { s.followOn(ctx, b) })
	s.unfollow = func() { cancel(); done.Wait() }
	return nil
}

func (s *Service) followOn(ctx context.Context, b state.Bulletin) {
	every := time.NewTicker(followEvery)
	defer every.Stop()
	last, seen := time.Now(), map[state.Deletion]time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		now := time.Now()
		list, err := b.Deletions(ctx, now.Sub(last)+followBack)
		if err != nil {
			if ctx.Err() == nil {
				s.log.WarnContext(ctx, "what other servers deleted is not known", "code", string(fault.CodeOf(err)))
			}
			continue
		}
		last = now
		s.forget(ctx, list, seen)
	}
}

// forget forgets what was not forgotten lately.
func (s *Service) forget(ctx context.Context, list []state.Deletion, seen map[state.Deletion]time.Time) {
	now := time.Now()
	for _, d := range list {
		if _, ok := seen[d]; ok {
			continue
		}
		seen[d] = now
		s.memo.Clear()
		if s.config.Deleted != nil {
			s.config.Deleted(ctx, d)
		}
	}
	for d, at := range seen {
		if now.Sub(at) > 2*followBack {
			delete(seen, d)
		}
	}
}
