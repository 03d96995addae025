package service

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// refusedAgain is the minimum time between two lines about the same actor and action.
	refusedAgain = 10 * time.Minute
	// refusedMost limits the lines about refusals in an hour, for all actors together.
	refusedMost = 200
)

// refusals limits the lines of the audit log about refusals, so that repeated attempts cannot fill the disk or hide
// what others did.
type refusals struct {
	mu    sync.Mutex
	last  map[[2]string]refusal // by actor and action
	since time.Time             // start of the current hour
	lines int                   // number of lines in this hour
}

type refusal struct {
	at   time.Time
	more int // refusals since then that were not logged
}

// Refused adds a line about a refusal, in the background: one in ten minutes for an actor and an action, with the
// number of those since the previous line, and at most 200 an hour for all of them. It does not block.
func (s *Service) Refused(e Entry) {
	e.Result, e.Actor, e.Target = "refused", cut(e.Actor, 100), cut(e.Target, 160)
	more, note := s.refusals.admit(s.now(), e.Actor, e.Action)
	if !note {
		return
	}
	if more > 0 {
		e.Target += fmt.Sprintf(" (and %d more)", more)
	}
	select {
	case s.refused <- e:
	default: // the database is too slow
	}
}

// admit reports whether a line is due, and how many refusals were left out since the last one.
func (r *refusals) admit(now time.Time, actor, action string) (more int, note bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := [2]string{actor, action}
	before, known := r.last[key]
	if known && now.Sub(before.at) < refusedAgain {
		before.more++
		r.last[key] = before
		return 0, false
	}
	if now.Sub(r.since) >= time.Hour {
		r.since, r.lines = now, 0
		for k, v := range r.last {
			if now.Sub(v.at) >= time.Hour || now.Sub(v.at) >= refusedAgain && v.more == 0 {
				delete(r.last, k)
			}
		}
	}
	if r.lines >= refusedMost {
		return 0, false
	}
	r.lines++
	r.last[key] = refusal{at: now}
	return before.more, true
}

// noteRefused writes the lines until ctx ends, and then the pending ones.
func (s *Service) noteRefused(ctx context.Context) {
	for {
		var e Entry
		select {
		case e = <-s.refused:
		default:
			select {
			case e = <-s.refused:
			case <-ctx.Done():
				return
			}
		}
		writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		if err := s.Note(writing, e); err != nil {
			s.log.WarnContext(ctx, "a refusal could not be logged", "actor", e.Actor, "action", e.Action,
				"error", err)
		}
		cancel()
	}
}
