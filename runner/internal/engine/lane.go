package engine

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// lane is one device of a running case. It holds the parts that run its steps and report on them, and starts and ends
// them. One goroutine at a time uses it: await is called before.
type lane struct {
	*report
	name      string // of the device in the test; "": the test has one device
	c         plan.Case
	dev       drivers.Device
	opts      Options
	warnings  []string
	session   *action.Performer
	vars      *variables
	shots     *screenshots
	artifacts *artifacts
	evidence  *evidence
	clips     *clips
	usage     *usage
	troubles  *troubles
	steps     *stepper
	blocks    *blocks
	flows     *flows
	resting   sync.WaitGroup
}

// lanes are those of a case, in the order of its devices.
type lanes []*lane

// newLane makes the parts for the nth device of a case.
func newLane(c plan.Case, n int, d Device, sink Sink, opts Options) *lane {
	work := filepath.Join(sink.Dir(), ".work")
	if len(c.Devices) > 0 {
		e := c.Devices[n]
		c.Platform, c.Browser = e.Platform, e.Browser
	}
	if n > 0 {
		work = filepath.Join(work, d.Name)
		sink = &deviceSink{Sink: sink, device: d.Name}
	}
	opts.Uses = d.Uses
	rep := &report{sink: sink, device: d.Name, first: n == 0, count: &atomic.Int64{}}
	dev, session := d.Device, newSession(c, d.Device, sink, opts)
	session.Work = work
	l := &lane{report: rep, name: d.Name, c: c, dev: dev, opts: opts, warnings: d.Warnings, session: session,
		clips: &clips{sink: sink}}
	log := &deviceLog{report: rep, platform: c.Platform}
	l.evidence = &evidence{report: rep, c: c, dev: dev, opts: opts, device: log, work: work}
	l.vars = &variables{report: rep, c: c, dev: dev, session: session}
	l.artifacts = &artifacts{report: rep, session: session}
	l.shots = &screenshots{report: rep, dev: dev, session: session, vars: l.vars, off: opts.NoScreenshots,
		pages: &pages{report: rep, session: session, off: opts.NoDOM}}
	l.usage = &usage{report: rep, session: session}
	l.troubles = &troubles{report: rep, platform: c.Platform, session: session, usage: l.usage, device: log}
	l.steps = &stepper{report: rep, vars: l.vars, session: session, shots: l.shots, evidence: l.evidence,
		artifacts: l.artifacts, troubles: l.troubles, usage: l.usage, timeout: opts.Timeout, repair: opts.Repair}
	l.blocks = &blocks{report: rep, vars: l.vars, steps: l.steps}
	l.flows = &flows{report: rep, c: c, dev: dev, session: session, vars: l.vars, steps: l.steps, blocks: l.blocks,
		troubles: l.troubles}
	l.blocks.foreign = l.flows.foreign
	session.Support = l.support()
	if d.Name != "" {
		l.steps.whose = d.Name
		_ = action.Guard(func() error { // the start of the case reports what is wrong with the device
			l.steps.whose = fmt.Sprintf("%s (%s)", d.Name, dev.Info().ID)
			return nil
		})
	}
	return l
}

func newSession(c plan.Case, dev drivers.Device, sink Sink, opts Options) *action.Performer {
	s := &action.Performer{Device: dev, Platform: c.Platform, Settings: action.Settings{
		Dir:    c.Dir,
		Access: opts.Access, Vision: opts.Vision, AllowShell: opts.AllowShell, Exec: opts.Exec,
		Uses:            opts.Uses,
		Mails:           opts.Mails,
		UpdateBaselines: opts.UpdateBaselines,
		States:          opts.States,
		Headed:          opts.Headed, StepPictures: !opts.NoScreenshots, NoPictures: len(c.Test.Secrets) > 0,
		Mask: sink.Mask()}}
	if s.NoPictures {
		s.Conceal = s.Mask
	}
	return s
}

// facts describes the device.
func (l *lane) facts() event.CaseDevice {
	d := event.CaseDevice{Name: l.name, Platform: l.c.Platform, Browser: l.c.Browser}
	info := l.dev.Info()
	d.ID, d.Model = info.ID, strings.TrimSpace(info.Manufacturer+" "+info.Model)
	if l.c.Platform != dsl.Web && info.OSVersion != "" {
		d.OS = string(l.c.Platform) + " " + info.OSVersion
	}
	return d
}

// sessionURL is where a cloud shows the session of the device.
func (l *lane) sessionURL() string {
	if d, ok := l.dev.(drivers.CloudSession); ok {
		return d.SessionURL()
	}
	return ""
}

// reportResult sends the result to the cloud of the device. A result that it does not take is a warning. Only a test
// that has passed is called so; of one that was skipped the cloud gets none.
func (l *lane) reportResult(ctx context.Context) {
	d, ok := l.dev.(drivers.CloudSession)
	if !ok || l.result == event.Skipped {
		return
	}
	passed, reason := l.result == event.Pass && l.sinkErr == nil, string(l.result)
	if l.problem != nil {
		reason += ": " + l.sink.Mask().Text(l.problem.Message)
	}
	err := action.Guard(func() error { return d.ReportResult(context.WithoutCancel(ctx), passed, reason) })
	if err != nil {
		l.emit(event.Event{Kind: event.Logged, Message: l.sink.Mask().Text(err.Error()), Warning: true})
	}
}

// each calls do for each lane: for several, at the same time.
func (ls lanes) each(do func(*lane)) {
	if len(ls) == 1 {
		do(ls[0])
		return
	}
	var work sync.WaitGroup
	for _, l := range ls {
		work.Go(func() {
			if err := action.Guard(func() error { do(l); return nil }); err != nil {
				l.end(event.Error, &event.Problem{Message: l.steps.whose + ": " + err.Error(), Stack: action.StackOf(err)})
			}
		})
	}
	work.Wait()
}

// of returns the lane of a device.
func (ls lanes) of(name string) *lane {
	for _, l := range ls {
		if l.name == name {
			return l
		}
	}
	return nil
}

// failed returns the device to which a problem belongs; "" when the case has one.
func (ls lanes) failed(p *event.Problem) string {
	for _, l := range ls[1:] { // the first one knows the problems of all
		if _, own := l.stepOf[p]; own {
			return l.name
		}
	}
	return ls[0].name
}

// rest takes the screenshots that the lane still owes to the report, while other devices run their steps: afterwards
// they could have changed what it shows.
func (l *lane) rest(ctx context.Context) {
	if len(l.shots.pending) == 0 || ctx.Err() != nil {
		return
	}
	l.resting.Go(func() {
		err := action.Guard(func() error { return l.shots.takePending(ctx) })
		if err != nil && action.StackOf(err) != "" {
			l.end(event.Error, &event.Problem{Message: l.steps.whose + ": " + err.Error(), Stack: action.StackOf(err)})
		}
	})
}

// await waits until the lane can be used.
func (l *lane) await() { l.resting.Wait() }

// moments keeps, when step n has failed on a device, what the others of the test show. ctx may have ended.
func (ls lanes) moments(ctx context.Context, failed string, n int) {
	if len(ls) < 2 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), screenshotLimit)
	defer cancel()
	var work sync.WaitGroup
	for _, l := range ls {
		if l.name == failed || l.shots.off {
			continue
		}
		work.Go(func() { _ = action.Guard(func() error { l.moment(ctx, n); return nil }) })
	}
	work.Wait()
}

func (l *lane) moment(ctx context.Context, n int) {
	if l.await(); l.result == event.Error || l.sinkErr != nil {
		return
	}
	wanted := l.session.Wanted
	l.session.Wanted = action.Wanted{Shot: true}
	p := l.session.TakePicture(ctx, nil)
	l.session.Wanted = wanted
	if p.Image == nil { // a page that is not open has none
		return
	}
	l.shots.keepScreenshot(ctx, event.Shot{Step: n, Label: l.name, Image: p.Image, Device: l.name})
}

// takeOver takes over what the other lanes report.
func (r *run) takeOver() {
	for _, l := range r.lanes[1:] {
		r.report.takeOver(l.report)
	}
}

// takeOver takes over the result of another lane if no worse one is known, and why the report cannot be written.
func (r *report) takeOver(o *report) {
	if r == o {
		return
	}
	for p, n := range o.stepOf {
		r.belongs(p, n)
	}
	if o.sinkErr != nil {
		r.keep(o.sinkErr)
	}
	if o.result != event.Pass && r.result == event.Pass {
		r.end(o.result, o.problem)
	}
}

// deviceSink is the sink of a device that is not the first one of its test: its files have its name.
type deviceSink struct {
	Sink
	device string
}

// severalSink is a Sink that makes a recording for each of several devices.
type severalSink interface {
	AddClipOf(device, path string, start time.Time)
	RequestClipOf(device, name string, from, to time.Time)
	NoRecordingOf(device, reason string)
}

// Add adds the name of the device to that of a file of the whole case.
func (s *deviceSink) Add(a event.Attachment, step int, from string) error {
	if step == 0 {
		ext := filepath.Ext(a.Path)
		a.Path, a.Device = strings.TrimSuffix(a.Path, ext)+"-"+s.device+ext, s.device
	}
	return s.Sink.Add(a, step, from)
}

// AddClip takes a part of the device's recording.
func (s *deviceSink) AddClip(path string, start time.Time) {
	if to, ok := s.Sink.(severalSink); ok {
		to.AddClipOf(s.device, path, start)
	}
}

// RequestClip requests a part of the device's recording.
func (s *deviceSink) RequestClip(name string, from, to time.Time) {
	if sink, ok := s.Sink.(severalSink); ok {
		sink.RequestClipOf(s.device, name, from, to)
	}
}

// NoRecording says why there is no recording of the device.
func (s *deviceSink) NoRecording(reason string) {
	if to, ok := s.Sink.(severalSink); ok {
		to.NoRecordingOf(s.device, reason)
	}
}

// failing names the step in which a lane failed; "" in none.
func (l *lane) failing(p *event.Problem) string {
	n := cmp.Or(l.stepOf[p], l.steps.n)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" in step %d", n)
}
