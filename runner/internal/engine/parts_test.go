package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// memory is a sink that keeps events and the names of clips.
type memory struct {
	Sink
	fail   error // of each event
	events []event.Event
	clips  []string
}

func (m *memory) Emit(e event.Event) error {
	m.events = append(m.events, e)
	return m.fail
}

func (m *memory) RequestClip(name string, from, to time.Time) {
	if !from.After(to) {
		m.clips = append(m.clips, name)
	}
}

// TestReportKeepsTheFirstProblem: the first problem counts, and before it a report that cannot be written.
func TestReportKeepsTheFirstProblem(t *testing.T) {
	to := &memory{}
	r := &report{sink: to, result: event.Pass}
	first := &event.Problem{Message: "first"}
	r.applyOutcome(passed)
	r.applyOutcome(outcome{result: event.Fail, problem: first})
	r.applyOutcome(outcome{result: event.Error, problem: &event.Problem{Message: "second"}})
	if r.result != event.Fail || r.problem != first {
		t.Errorf("the result is %s, %+v", r.result, r.problem)
	}
	full := errors.New("disk full")
	to.fail = full
	r.log(3, "step %d", 3)
	to.fail = errors.New("still full")
	r.log(4, "step %d", 4)
	r.end(event.Pass, nil)
	if r.result != event.Error || r.sinkErr != full || len(to.events) != 2 || to.events[0].Message != "step 3" {
		t.Errorf("the result is %s, the error %v, the events %+v", r.result, r.sinkErr, to.events)
	}
}

// TestClipsFollowEachOther: one clip at a time; the end of the case ends the last one.
func TestClipsFollowEachOther(t *testing.T) {
	to := &memory{}
	c := &clips{sink: to}
	for _, step := range []struct {
		name string
		ok   bool
	}{{"", false}, {"a", true}, {"b", false}, {"", true}, {"c", true}} {
		if err := c.startOrEnd(step.name); (err == nil) != step.ok {
			t.Errorf("startOrEnd(%q): %v", step.name, err)
		}
	}
	c.end()
	c.end()
	if len(to.clips) != 2 || to.clips[0] != "a" || to.clips[1] != "c" {
		t.Errorf("the clips are %q", to.clips)
	}
}

// TestSoftFailureEndsAnAttempt: the failure of a soft step counts after the last step of the attempt that handles it,
// and outside of an attempt for the case.
func TestSoftFailureEndsAnAttempt(t *testing.T) {
	s := &stepper{report: &report{result: event.Pass}}
	failed := outcome{result: event.Fail, problem: &event.Problem{Message: "soft"}}
	o := s.attempt(true, func() outcome { s.later(failed); return passed })
	if o != failed || s.result != event.Pass || s.lenient != 0 || s.soft != nil {
		t.Errorf("the attempt is %+v, the case %s", o, s.result)
	}
	if o = s.attempt(false, func() outcome { s.later(failed); return passed }); o != passed || s.result != event.Fail {
		t.Errorf("without an attempt it is %+v, the case %s", o, s.result)
	}
}

// metered is a device with an app that runs for a while.
type metered struct {
	drivers.Device
	began, ends time.Time
}

func (m *metered) Measure(context.Context) (*drivers.Measurement, error) {
	if now := time.Now(); now.Before(m.began) || now.After(m.ends) {
		return nil, nil
	}
	return &drivers.Measurement{App: "a.b", At: time.Now()}, nil
}

// TestShortTestIsMeasured: an app that runs for two seconds is measured, however long the test took to launch it.
func TestShortTestIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := &metered{began: time.Now().Add(7500 * time.Millisecond)}
		app.ends = app.began.Add(2 * time.Second)
		m := startMeter(t.Context(), app)
		time.Sleep(time.Until(app.ends) + time.Minute)
		m.stop()
		m.done.Wait()
		if len(m.all.Samples) != 1 || m.all.Samples[0].AtMS != 8000 {
			t.Errorf("samples %+v", m.all.Samples)
		}
	})
}
