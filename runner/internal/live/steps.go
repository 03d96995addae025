package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// StepEnd is the end of a step.
type StepEnd = engine.StepEnd

// StepsRequest are steps of a test, to be performed on one open device.
type StepsRequest struct {
	Device string
	// Devices are those of a test with several, by their names in it: Device is one of them.
	Devices map[string]string
	Who     string
	Test    *dsl.Test       // contains the steps; its other fields are ignored
	Dir     string          // folder of relative paths of files; default: Access.Root's
	Ended   func(StepEnd)   // called for each top-level step that has ended
	OnStep  func(*dsl.Step) // called before each top-level step; may be nil
	// Prepare is called before the first step; may be nil.
	Prepare func(*action.Performer)
	// Case provides the variables of a planned test; nil: only the exposed variables are available.
	Case *plan.Case
	// Saved are the variables that earlier steps have saved.
	Saved map[string]any
}

// Steps performs steps one after the other until one does not pass. A failed step is not an error. Errors are those of
// Call.
func (d *Devices) Steps(ctx context.Context, r StepsRequest) ([]File, error) {
	if several := r.Test.Devices; len(several) > 0 && r.Devices == nil {
		return nil, &InvalidError{fmt.Errorf("the test uses %d devices at once, and here one is open: run it with "+
			"taproot run, or open it with taproot studio", len(several))}
	}
	var files []File
	ids := []string{r.Device}
	if len(r.Devices) > 0 {
		ids = slices.Sorted(maps.Values(r.Devices)) // the order of all calls with several
	}
	err := d.withAll(ctx, ids, r.Who, &files, nil, func(ctx context.Context, open map[string]opened) error {
		return performAll(ctx, d, r, open)
	})
	if err != nil {
		err = d.texts.maskError(err)
	}
	return files, err
}

// opened is a device that is open for a call.
type opened struct {
	entry   *entry
	session *action.Performer
}

// withAll calls do with several devices open, which it takes one after the other.
func (d *Devices) withAll(ctx context.Context, ids []string, who string, files *[]File, open map[string]opened,
	do func(context.Context, map[string]opened) error) error {
	if len(ids) == 0 {
		return do(ctx, open)
	}
	return d.withDevice(ctx, ids[0], who, func(ctx context.Context, e *entry) error {
		var made []File
		err := d.use(ctx, e, who, func(ctx context.Context, s *action.Performer) error {
			with := maps.Clone(open)
			if with == nil {
				with = map[string]opened{}
			}
			with[ids[0]] = opened{e, s}
			return d.withAll(ctx, ids[1:], who, files, with, do)
		}, []*[]File{&made})
		*files = append(made, *files...)
		return err
	})
}

// performAll performs steps on open devices.
func performAll(ctx context.Context, d *Devices, r StepsRequest, open map[string]opened) error {
	at := open[r.Device]
	s := at.session
	if len(r.Devices) == 0 {
		for _, step := range r.Test.Steps {
			if !step.Def.On(s.Platform) {
				return &InvalidError{errors.New(step.Def.Name + " does not work on " + r.Device + ", which is " +
					string(s.Platform))}
			}
		}
	}
	if r.Prepare != nil {
		r.Prepare(s)
	}
	c := plan.Case{Test: r.Test, Platform: s.Platform, Dir: r.Dir, Vars: d.o.Exposed, Env: func(string) (string, bool) {
		return "", false
	}}
	if r.Case != nil {
		c = *r.Case
		c.Test = r.Test
	}
	devices := []engine.Device{{Device: s.Device, Uses: s.Uses}}
	if len(r.Devices) > 0 {
		devices = nil
		for _, e := range c.Devices {
			one := open[r.Devices[e.Name]].session
			if one == nil {
				return &InvalidError{fmt.Errorf("the test has a device %s, and none is open for it", e.Name)}
			}
			if d, ok := one.Device.(drivers.BrowserChooser); ok { // also when it names none: it may have had another one
				if err := d.UseBrowser(ctx, e.Browser); err != nil {
					return fmt.Errorf("%s: %w", e.Name, err)
				}
			}
			devices = append(devices, engine.Device{Name: e.Name, Device: one.Device, Uses: one.Uses})
		}
	}
	opts := engine.Options{Timeout: d.o.Timeout, NoVideo: true, NoTrace: true, NoDOM: true, AllowShell: d.o.AllowShell,
		Exec: d.o.Exec, Access: d.o.Access, Vision: d.o.Vision, Saved: r.Saved, OnStep: r.OnStep, Uses: s.Uses,
		Mails: s.Mails}
	err := engine.RunInteractive(ctx, c, devices, fileSink{d, at.entry}, opts, r.Ended)
	var mistake *action.Mistake
	if action.ResultOf(err) == event.Fail || errors.As(err, &mistake) {
		return nil // Ended has reported it
	}
	return err
}

// fileSink is the report of steps without a report: it keeps the files that they create for their caller.
type fileSink struct {
	devices *Devices
	entry   *entry
}

var _ engine.Sink = fileSink{}

func (fileSink) Emit(event.Event) error                       { return nil }
func (fileSink) Screenshot(context.Context, event.Shot) error { return nil }
func (fileSink) AddClip(string, time.Time)                    {}
func (fileSink) NoRecording(string)                           {}
func (s fileSink) Mask() *event.Mask                          { return s.devices.o.Mask }
func (s fileSink) Dir() string                                { return s.entry.work }

func (s fileSink) Add(a event.Attachment, _ int, from string) error {
	s.entry.keep(filepath.ToSlash(a.Path), from)
	return nil
}
