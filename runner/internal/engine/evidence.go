package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// stopLimit is how long the saving of recordings and logs may take, including after an interrupt.
const stopLimit = 20 * time.Second

// evidence is the recordings and the log of a running case. Their errors are reported but fail nothing, unless the
// report cannot be written.
type evidence struct {
	*report
	c        plan.Case
	dev      drivers.Device
	opts     Options
	device   *deviceLog
	work     string // the folder for unfinished files
	recorder drivers.Recording
	web      drivers.WebRecording
	frames   *frameWriter
	traces   []string // of pages, until the result is known
}

// start starts the recording and the log.
func (e *evidence) start(ctx context.Context) {
	work := e.work
	if err := os.MkdirAll(work, 0o755); err != nil {
		e.keep(err)
		return
	}
	e.startRecording(ctx, work)
	e.frames = startFrames(e.report, work, e.opts.KeepFrames)
	if logger, ok := e.dev.(drivers.Logger); ok {
		e.device.start(ctx, work, logger)
	}
	if browser, ok := e.dev.(drivers.WebEvidence); ok {
		e.startWeb(ctx, work, browser)
	}
}

// guarded reports whether evidence that cannot be masked, recordings and traces, is left out.
func (e *evidence) guarded() bool { return len(e.c.Test.Secrets) > 0 && !e.opts.UnmaskedEvidence }

func (e *evidence) startRecording(ctx context.Context, work string) {
	recorder, ok := e.dev.(drivers.Recorder)
	switch {
	case e.opts.NoVideo:
		e.sink.NoRecording("switched off")
	case e.guarded():
		e.sink.NoRecording("the test has secrets, which a recording would show; --unmasked-evidence records it all the same")
	case !ok:
		e.sink.NoRecording("this device cannot record its screen")
	default:
		err := action.Guard(func() (err error) {
			e.recorder, err = recorder.StartRecording(ctx, work)
			return err
		})
		if err != nil {
			e.recorder = nil
			e.sink.NoRecording(err.Error())
		}
	}
}

// startWeb records the network and a trace. A trace contains typed texts, so a test with secrets has none.
func (e *evidence) startWeb(ctx context.Context, work string, browser drivers.WebEvidence) {
	how := drivers.WebEvidenceOptions{Dir: work, Mask: e.sink.Mask().Text, Trace: !e.opts.NoTrace && !e.guarded()}
	err := action.Guard(func() (err error) {
		e.web, err = browser.StartEvidence(ctx, how)
		return err
	})
	if err != nil {
		e.web = nil
		e.log(0, "no network.har: %v", err)
	}
}

// troubles returns the errors of the page's console and network since the last call.
func (e *evidence) troubles() (list []string) {
	if e.web == nil {
		return nil
	}
	// Stop reports the same error
	_ = action.Guard(func() error { list = e.web.Troubles(); return nil })
	return list
}

// stop ends the recording, the log and the browser's evidence, and adds their files to the report, even if ctx is
// cancelled. t matches the log with the steps that did not pass.
func (e *evidence) stop(ctx context.Context, t *troubles) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if e.web != nil {
		e.endWeb(ctx)
	}
	if e.device.stop != nil {
		e.device.end(t)
	}
	if e.recorder != nil {
		e.endRecording(ctx)
	}
}

// endWeb keeps the recordings of the browser.
func (e *evidence) endWeb(ctx context.Context) {
	for _, t := range e.troubles() {
		e.log(0, "after the last step: %s", t)
	}
	var har string
	var traces []string
	err := action.Guard(func() (err error) {
		har, traces, err = e.web.Stop(ctx)
		return err
	})
	if err != nil {
		e.log(0, "the evidence of the browser may be incomplete: %v", err)
	}
	if har != "" {
		e.keep(e.sink.Add(event.Attachment{Path: "network.har", Type: "application/json", Kind: event.KindArtifact}, 0, har))
	}
	e.traces = traces
}

// addTraces adds the traces of pages to the report, unless only those of failures are kept, and the case passed.
func (e *evidence) addTraces() {
	if e.opts.FailedTrace && e.result == event.Pass {
		return
	}
	for _, trace := range e.traces {
		e.keep(e.sink.Add(event.Attachment{Path: "artifacts/trace.zip", Type: "application/zip", Kind: event.KindArtifact}, 0,
			trace))
	}
}

func (e *evidence) endRecording(ctx context.Context) {
	var clips []drivers.Clip
	err := action.Guard(func() (err error) {
		clips, err = e.recorder.Stop(ctx)
		return err
	})
	for _, c := range clips {
		e.sink.AddClip(c.Path, c.Start)
	}
	if err != nil {
		e.sink.NoRecording(err.Error())
		e.log(0, "the recording may be incomplete: %v", err)
	}
}

// deviceLog is the log of the device while a case runs.
type deviceLog struct {
	*report
	platform dsl.Platform
	file     *os.File
	stop     func() error
	cut      func() error // why the log is incomplete; nil: unknown
	name     string       // in the pack
}

// start starts the log.
func (d *deviceLog) start(ctx context.Context, work string, logger drivers.Logger) {
	d.name = "logcat.txt"
	if d.platform == dsl.Web {
		d.name = "console.txt"
	}
	f, err := os.Create(filepath.Join(work, d.name))
	if err != nil {
		d.keep(err)
		return
	}
	masked := d.sink.Mask().Writer(f)
	err = action.Guard(func() error {
		stop, err := logger.StartLog(ctx, masked)
		d.stop = func() error { return errors.Join(stop(), masked.Close()) }
		return err
	})
	if err != nil {
		d.stop = nil
		d.log(0, "no %s: %v", d.name, err)
		f.Close()
		return
	}
	d.file = f
	if keeper, ok := logger.(drivers.LogKeeper); ok {
		d.cut = keeper.LogCut
	}
}

// ReadLog returns the log up to now, without secrets. It fails for a log that is incomplete.
func (d *deviceLog) ReadLog() ([]byte, error) {
	if d.file == nil {
		return nil, fmt.Errorf("the log of this device could not be read: %w", drivers.ErrUnsupported)
	}
	if d.cut != nil {
		if err := d.cut(); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(d.file.Name())
}

// end ends the log and adds it to the report. t matches it with the steps that did not pass.
func (d *deviceLog) end(t *troubles) {
	if err := action.Guard(d.stop); err != nil {
		d.log(0, "%s may be incomplete: %v", d.name, err)
	}
	if err := d.file.Close(); err != nil {
		d.log(0, "%s may be cut: %v", d.name, err)
	}
	if len(t.missed) > 0 {
		log, err := os.ReadFile(d.file.Name())
		if err != nil {
			d.log(0, "%s cannot be read: %v", d.name, err)
		}
		t.noteIncidents(log)
	}
	d.keep(d.sink.Add(event.Attachment{Path: d.name, Type: "text/plain; charset=utf-8", Kind: event.KindLog}, 0,
		d.file.Name()))
}
