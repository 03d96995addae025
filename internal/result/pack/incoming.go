package pack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// Incoming is the folder of a case that runs on another machine: it holds the events received so far, and in the end
// the pack that was made there. Not safe for concurrent use.
type Incoming struct {
	p        *Pack
	observe  func(event.Case, event.Event)
	received int // events, in order
}

// NewIncoming makes the folder, which reserves its name. Call one of Adopt, End and Discard in the end. observe is
// called with each event, in order and once; it may be nil.
func (d *RunDir) NewIncoming(c event.Case, observe func(event.Case, event.Event)) (*Incoming, error) {
	p, err := d.NewPack(c, PackOptions{NoVideo: true})
	if err != nil {
		return nil, err
	}
	if observe == nil {
		observe = func(event.Case, event.Event) {}
	}
	p.log.File = unsynced{p.file}
	return &Incoming{p: p, observe: observe}, nil
}

// unsynced is a file that may be lost when the machine stops: the pack itself is elsewhere.
type unsynced struct{ *os.File }

func (unsynced) Sync() error { return nil }

// Dir is the absolute path of the folder.
func (i *Incoming) Dir() string { return i.p.dir }

// Spool is a folder for the pack while it is transferred, on the same disk. It is removed with the end of the pack, or
// of a run that died.
func (i *Incoming) Spool() string { return filepath.Join(i.p.dir, event.WorkDir) }

// Started reports whether the case is known to have started.
func (i *Incoming) Started() bool { return i.received > 0 }

// Event takes the nth event, from 0. It ignores one that was received already, or that comes out of order: Adopt has
// them all. The first event again means that the case starts again, on another device.
func (i *Incoming) Event(n int, e event.Event) {
	if n == 0 && i.received > 0 && e.Kind == event.CaseStarted && !e.Time.Equal(i.p.events[0].Time) {
		i.received = 0
		if err := i.p.log.Restart(); err != nil {
			i.p.breaks(err)
		}
	}
	if n == i.received {
		i.hear(e)
	}
}

func (i *Incoming) hear(e event.Event) {
	if i.received == 0 {
		i.p.events = []event.Event{e}
	}
	i.received++
	if c := e.Case; c != nil {
		i.p.c.Device, i.p.c.Model = c.Device, c.Model
	}
	if e.Kind != event.Attached && e.Kind != event.Recorded { // those files are on the other machine
		if err := i.p.log.Add(e); err != nil {
			i.p.breaks(err)
		}
	}
	i.observe(i.p.c, e)
}

// Adopt replaces the received events by a finished pack, a folder on the same disk, and reports the events that were
// not received yet.
func (i *Incoming) Adopt(from string) (*event.CaseResult, error) {
	res, events, err := i.load(from)
	if err != nil {
		return nil, fmt.Errorf("take the pack of %s: %w", i.p.c.Pack, err)
	}
	for n := range events {
		i.Event(n, events[n])
	}
	i.close()
	dir := i.p.dir
	aside, old := filepath.Join(filepath.Dir(dir), ".in-"+i.p.c.Pack), filepath.Join(filepath.Dir(dir), ".out-"+i.p.c.Pack)
	err = os.Rename(from, aside)
	if err == nil {
		err = os.Rename(dir, old)
	}
	if err == nil {
		err = errors.Join(os.Rename(aside, dir), os.RemoveAll(old))
	}
	if err != nil {
		return res, fmt.Errorf("take the pack of %s: %w", i.p.c.Pack, err)
	}
	return res, nil
}

// load reads the transferred pack.
func (i *Incoming) load(dir string) (*event.CaseResult, []event.Event, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close() // nothing was written
	events, err := readFile(root)
	if err != nil {
		return nil, nil, err
	}
	res := foldEvents(root, i.p.c, events)
	if res.Case.Pack != i.p.c.Pack || res.Case.ID != i.p.c.ID {
		return nil, nil, fmt.Errorf("it is that of %s", res.Case.Pack)
	}
	return res, events, nil
}

// End makes a pack of the received events, with the result of a case that will send no more.
func (i *Incoming) End(ctx context.Context, result event.Result, problem event.Problem) (*event.CaseResult, error) {
	i.p.o.Observe = i.observe
	i.p.NoRecording("the case ran on another machine, from which no report came")
	err := i.p.Emit(event.Event{Time: time.Now(), Kind: event.CaseEnded, Result: result, Problem: &problem})
	res, finishErr := i.p.Finish(ctx)
	if finishErr != nil {
		err = finishErr
	}
	return res, err
}

// Discard removes everything.
func (i *Incoming) Discard() error {
	i.close()
	return os.RemoveAll(i.p.dir)
}

func (i *Incoming) close() {
	_ = errors.Join(i.p.file.Close(), i.p.root.Close()) // its content is discarded
}
