package live

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/engine"
	"github.com/taproot-dev/taproot/runner/plan"
)

// StepEnd is how one of the steps ended.
type StepEnd = engine.StepEnd

// StepsRequest are steps of the language, to be performed on one open device.
type StepsRequest struct {
	Device string
	Who    string
	Test   *dsl.Test       // whose steps they are; what else it says counts for nothing
	Dir    string          // from which files are named; default: Access.Root's
	Ended  func(StepEnd)   // hears of each step at the top when it has ended
	Begins func(*dsl.Step) // hears of each step at the top before it is done; may be nil
	// Prepare is called before the first step; may be nil.
	Prepare func(*action.Session)
	// Case gives the steps their variables: those of a test that was planned; nil: they have none but the exposed ones.
	Case *plan.Case
	// Saved are the variables that steps before these have saved.
	Saved map[string]any
}

// Steps performs steps one after the other until one does not go well; a step that failed is no error. Errors are those
// of Call.
func (d *Devices) Steps(ctx context.Context, r StepsRequest) ([]File, error) {
	var files []File
	err := d.turn(ctx, r.Device, r.Who, func(ctx context.Context, e *entry) error {
		return d.use(ctx, e, r.Who, func(ctx context.Context, s *action.Session) error {
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
				Access: d.o.Access, Vision: d.o.Vision, Saved: r.Saved, Begins: r.Begins, Uses: s.Uses}
			err := engine.Openly(ctx, c, s.Device, fileSink{d, e}, opts, r.Ended)
			var mistake *action.Mistake
			if action.VerdictOf(err) == event.Fail || errors.As(err, &mistake) {
				return nil // Ended has heard of it
			}
			return err
		}, []*[]File{&files})
	})
	if err != nil {
		err = d.hide(err)
	}
	return files, err
}

// fileSink is the report of steps that leave none: it keeps the files that they leave for their caller.
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
