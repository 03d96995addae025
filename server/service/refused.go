package service

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// refusedAgain is how often the log says of an actor that the same thing was refused.
	refusedAgain = 10 * time.Minute
	// refusedMost bounds the lines about what was refused that come in an hour, whoever tries it and under however many
	// names.
	refusedMost = 200
)

// refusals bound what the log says of what was refused: who tries something again and again fills no disk, and hides
// nothing that others did.
type refusals struct {
	mu    sync.Mutex
	last  map[[2]string]refusal // by actor and action
	since time.Time             // the hour that is counted
	lines int                   // in it
}

type refusal struct {
	at   time.Time
	more int // that were not noted since
}

// Refused adds a line on something that was refused, soon: of an actor and an action one in ten minutes, which counts
// those since the one before, and of all of them no more than 200 an hour. It waits for nothing.
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
	default: // the database does not keep up
	}
}

// admit tells whether a line is due, and how many were left out since the last one.
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

// noteRefused writes the lines until ctx ends, and those that wait then.
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
			s.log.WarnContext(ctx, "that something was refused could not be noted", "actor", e.Actor, "action", e.Action,
				"error", err)
		}
		cancel()
	}
}
