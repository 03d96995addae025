package main

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// Silence is the time after which an open phase prints a line again; a phase that does something else prints one after
// Pause.
const (
	silence = 10 * time.Second
	pause   = 8 * time.Second
)

// progress prints lines of phases, which may be open at the same time. Each line starts with the time since the start.
type progress struct {
	now func() time.Time

	mu      sync.Mutex
	w       io.Writer
	began   time.Time
	open    []*phase
	stop    chan struct{}
	stopped sync.WaitGroup
}

// phase is one part of the work. Its methods may be called from several goroutines.
type phase struct {
	p       *progress
	name    string
	doing   string
	since   time.Time
	printed time.Time
	stale   bool // it does something else than the last line says
}

// newProgress starts the time at since, in seconds since 1970, where it is known.
func newProgress(w io.Writer, since string) *progress {
	p := &progress{now: time.Now, w: w, stop: make(chan struct{})}
	p.began = startOf(p.now(), since)
	p.stopped.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-tick.C:
				p.beat()
			}
		}
	})
	return p
}

// startOf returns when make started, in seconds since 1970: before it compiled this program. now: it does not say so.
func startOf(now time.Time, seconds string) time.Time {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if at := time.Unix(n, 0); err == nil && !at.After(now) && now.Sub(at) < time.Hour {
		return at
	}
	return now
}

func (p *progress) close() {
	close(p.stop)
	p.stopped.Wait()
}

// start opens a phase and prints what it does.
func (p *progress) start(name, doing string) *phase {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	ph := &phase{p: p, name: name, doing: doing, since: now}
	p.open = append(p.open, ph)
	ph.print(now, doing)
	return ph
}

// does says what the phase does now. It is printed soon, unless something else follows at once.
func (ph *phase) does(format string, args ...any) {
	ph.p.mu.Lock()
	defer ph.p.mu.Unlock()
	ph.doing, ph.stale = fmt.Sprintf(format, args...), true
	if now := ph.p.now(); now.Sub(ph.printed) >= pause {
		ph.print(now, ph.doing)
	}
}

// say prints a line at once.
func (ph *phase) say(format string, args ...any) {
	ph.p.mu.Lock()
	defer ph.p.mu.Unlock()
	ph.print(ph.p.now(), fmt.Sprintf(format, args...))
}

// end closes the phase and prints how long it took, and what comes next.
func (ph *phase) end(err error, next string) {
	ph.p.mu.Lock()
	defer ph.p.mu.Unlock()
	for i, other := range ph.p.open {
		if other == ph {
			ph.p.open = append(ph.p.open[:i], ph.p.open[i+1:]...)
			break
		}
	}
	now := ph.p.now()
	text := "done in " + seconds(now.Sub(ph.since))
	if err != nil {
		text = "failed after " + seconds(now.Sub(ph.since))
	} else if next != "" {
		text += "; next: " + next
	}
	ph.print(now, text)
}

// print needs the lock.
func (ph *phase) print(now time.Time, text string) {
	fmt.Fprintf(ph.p.w, "[%s] %s: %s\n", seconds(now.Sub(ph.p.began)), ph.name, text)
	ph.printed, ph.stale = now, false
}

// beat prints the phases that were silent for long.
func (p *progress) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for _, ph := range p.open {
		switch quiet := now.Sub(ph.printed); {
		case ph.stale && quiet >= pause:
			ph.print(now, ph.doing)
		case quiet >= silence:
			ph.print(now, ph.doing+" … "+seconds(now.Sub(ph.since)))
		}
	}
}

// seconds returns a duration as "7 s" or "2 min 05 s".
func seconds(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return fmt.Sprintf("%d min %02d s", s/60, s%60)
}
