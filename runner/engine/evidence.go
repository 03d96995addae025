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
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// stopLimit is how long the saving of recordings and logs may take, including after an interrupt.
const stopLimit = 20 * time.Second

// evidence is the recording and the log of a running case. Their errors are reported but fail nothing, unless the
// report cannot be written.
type evidence struct {
	recorder drivers.Recording
	log      *os.File
	stopLog  func() error
	cut      func() error // why the log is incomplete; nil: unknown
	name     string       // of the log in the pack
	web      drivers.WebRecording
	frames   *frameWriter
}

// start starts the recording and the log.
func (e *evidence) start(ctx context.Context, r *run) {
	work := filepath.Join(r.sink.Dir(), ".work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		r.keep(err)
		return
	}
	e.startRecording(ctx, r, work)
	e.frames = startFrames(r, work)
	if logger, ok := r.dev.(drivers.Logger); ok {
		e.startLog(ctx, r, work, logger)
	}
	if browser, ok := r.dev.(drivers.WebEvidence); ok {
		e.startWeb(ctx, r, work, browser)
	}
}

// startWeb records the network and a trace. A trace contains typed texts, so a test with secrets has none.
func (e *evidence) startWeb(ctx context.Context, r *run, work string, browser drivers.WebEvidence) {
	how := drivers.WebEvidenceOptions{Dir: work, Mask: r.sink.Mask().Text, Trace: !r.opts.NoTrace && !r.guarded()}
	err := action.Guard(func() (err error) {
		e.web, err = browser.StartEvidence(ctx, how)
		return err
	})
	if err != nil {
		e.web = nil
		r.log(0, "no network.har: %v", err)
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

// endWeb keeps the recordings of the browser.
func (e *evidence) endWeb(ctx context.Context, r *run) {
	for _, t := range e.troubles() {
		r.log(0, "after the last step: %s", t)
	}
	var har string
	var traces []string
	err := action.Guard(func() (err error) {
		har, traces, err = e.web.Stop(ctx)
		return err
	})
	if err != nil {
		r.log(0, "the evidence of the browser may be incomplete: %v", err)
	}
	if har != "" {
		r.keep(r.sink.Add(event.Attachment{Path: "network.har", Type: "application/json", Kind: event.KindArtifact}, 0, har))
	}
	for _, trace := range traces {
		r.keep(r.sink.Add(event.Attachment{Path: "artifacts/trace.zip", Type: "application/zip", Kind: event.KindArtifact}, 0,
			trace))
	}
}

// guarded reports whether evidence that cannot be masked, recordings and traces, is left out.
func (r *run) guarded() bool { return len(r.c.Test.Secrets) > 0 && !r.opts.UnmaskedEvidence }

func (e *evidence) startRecording(ctx context.Context, r *run, work string) {
	recorder, ok := r.dev.(drivers.Recorder)
	switch {
	case r.opts.NoVideo:
		r.sink.NoRecording("switched off")
	case r.guarded():
		r.sink.NoRecording("the test has secrets, which a recording would show; --unmasked-evidence records it all the same")
	case !ok:
		r.sink.NoRecording("this device cannot record its screen")
	default:
		err := action.Guard(func() (err error) {
			e.recorder, err = recorder.StartRecording(ctx, work)
			return err
		})
		if err != nil {
			e.recorder = nil
			r.sink.NoRecording(err.Error())
		}
	}
}

func (e *evidence) startLog(ctx context.Context, r *run, work string, logger drivers.Logger) {
	e.name = "logcat.txt"
	if r.c.Platform == dsl.Web {
		e.name = "console.txt"
	}
	f, err := os.Create(filepath.Join(work, e.name))
	if err != nil {
		r.keep(err)
		return
	}
	masked := r.sink.Mask().Writer(f)
	err = action.Guard(func() error {
		stop, err := logger.StartLog(ctx, masked)
		e.stopLog = func() error { return errors.Join(stop(), masked.Close()) }
		return err
	})
	if err != nil {
		e.stopLog = nil
		r.log(0, "no %s: %v", e.name, err)
		f.Close()
		return
	}
	e.log = f
	if keeper, ok := logger.(drivers.LogKeeper); ok {
		e.cut = keeper.LogCut
	}
}

// read returns the log up to now, without secrets. It fails for a log that is incomplete.
func (e *evidence) read() ([]byte, error) {
	if e.log == nil {
		return nil, fmt.Errorf("the log of this device could not be read: %w", drivers.ErrUnsupported)
	}
	if e.cut != nil {
		if err := e.cut(); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(e.log.Name())
}

// stop ends the recording, the log and the browser's evidence, and adds their files to the report, even if ctx is
// cancelled.
func (e *evidence) stop(ctx context.Context, r *run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	e.frames.end(r)
	if e.web != nil {
		e.endWeb(ctx, r)
	}
	if e.stopLog != nil {
		e.endLog(r)
	}
	if e.recorder != nil {
		e.endRecording(ctx, r)
	}
}

func (e *evidence) endLog(r *run) {
	if err := action.Guard(e.stopLog); err != nil {
		r.log(0, "%s may be incomplete: %v", e.name, err)
	}
	if err := e.log.Close(); err != nil {
		r.log(0, "%s may be cut: %v", e.name, err)
	}
	if len(r.missed) > 0 {
		log, err := os.ReadFile(e.log.Name())
		if err != nil {
			r.log(0, "%s cannot be read: %v", e.name, err)
		}
		r.noteIncidents(log)
	}
	r.keep(r.sink.Add(event.Attachment{Path: e.name, Type: "text/plain; charset=utf-8", Kind: event.KindLog}, 0,
		e.log.Name()))
}

func (e *evidence) endRecording(ctx context.Context, r *run) {
	var clips []drivers.Clip
	err := action.Guard(func() (err error) {
		clips, err = e.recorder.Stop(ctx)
		return err
	})
	for _, c := range clips {
		r.sink.AddClip(c.Path, c.Start)
	}
	if err != nil {
		r.sink.NoRecording(err.Error())
		r.log(0, "the recording may be incomplete: %v", err)
	}
}
