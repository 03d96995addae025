package live

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

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
	Who    string
	Test   *dsl.Test       // contains the steps; its other fields are ignored
	Dir    string          // folder of relative paths of files; default: Access.Root's
	Ended  func(StepEnd)   // called for each top-level step that has ended
	OnStep func(*dsl.Step) // called before each top-level step; may be nil
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
	if several := r.Test.Devices; len(several) > 0 {
		return nil, &InvalidError{fmt.Errorf("the test uses %d devices at once, and here one is open: run it with "+
			"taproot run", len(several))}
	}
	var files []File
	err := d.withDevice(ctx, r.Device, r.Who, func(ctx context.Context, e *entry) error {
		return d.use(ctx, e, r.Who, func(ctx context.Context, s *action.Performer) error {
			for _, step := range r.Test.Steps {
				if !step.Def.On(s.Platform) {
					return &InvalidError{errors.New(step.Def.Name + " does not work on " + r.Device + ", which is " +
						string(s.Platform))}
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
			opts := engine.Options{Timeout: d.o.Timeout, NoVideo: true, NoTrace: true, NoDOM: true, AllowShell: d.o.AllowShell,
				Exec: d.o.Exec, Access: d.o.Access, Vision: d.o.Vision, Saved: r.Saved, OnStep: r.OnStep,
				Uses: s.Uses, Mails: s.Mails}
			err := engine.RunInteractive(ctx, c, s.Device, fileSink{d, e}, opts, r.Ended)
			var mistake *action.Mistake
			if action.ResultOf(err) == event.Fail || errors.As(err, &mistake) {
				return nil // Ended has reported it
			}
			return err
		}, []*[]File{&files})
	})
	if err != nil {
		err = d.texts.maskError(err)
	}
	return files, err
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
