package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
)

// stopLimit bounds the saving of films and logs, also after the run was interrupted.
const stopLimit = 20 * time.Second

// evidence is the film and the log of a case while it runs. What goes wrong with them is said in the report and fails nothing, except
// that the report cannot be written.
type evidence struct {
	film    drivers.Recording
	log     *os.File
	stopLog func() error
	name    string // of the log in the pack
}

// start begins both.
func (e *evidence) start(ctx context.Context, r *run) {
	work := filepath.Join(r.sink.Dir(), ".work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		r.keep(err)
		return
	}
	e.startFilm(ctx, r, work)
	if logger, ok := r.dev.(drivers.Logger); ok {
		e.startLog(ctx, r, work, logger)
	}
}

func (e *evidence) startFilm(ctx context.Context, r *run, work string) {
	recorder, ok := r.dev.(drivers.Recorder)
	switch {
	case r.opts.NoVideo:
		r.sink.NoRecording("switched off")
	case len(r.c.Test.Secrets) > 0:
		r.sink.NoRecording("the test has secrets, which a film would show")
	case !ok:
		r.sink.NoRecording("this device cannot film")
	default:
		err := guard(func() (err error) {
			e.film, err = recorder.StartRecording(ctx, work)
			return err
		})
		if err != nil {
			e.film = nil
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
	err = guard(func() error {
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
}

// stop ends both and hands the files over, also when ctx is over.
func (e *evidence) stop(ctx context.Context, r *run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if e.stopLog != nil {
		e.endLog(r)
	}
	if e.film != nil {
		e.endFilm(ctx, r)
	}
}

func (e *evidence) endLog(r *run) {
	if err := guard(e.stopLog); err != nil {
		r.log(0, "%s may be cut: %v", e.name, err)
	}
	if err := e.log.Close(); err != nil {
		r.log(0, "%s may be cut: %v", e.name, err)
	}
	r.keep(r.sink.Add(reporters.Attachment{Path: e.name, Type: "text/plain; charset=utf-8", Kind: reporters.KindLog}, 0, e.log.Name()))
}

func (e *evidence) endFilm(ctx context.Context, r *run) {
	var clips []drivers.Clip
	err := guard(func() (err error) {
		clips, err = e.film.Stop(ctx)
		return err
	})
	for _, c := range clips {
		r.sink.AddClip(c.Path, c.Start)
	}
	if err != nil {
		r.sink.NoRecording(err.Error())
		r.log(0, "the recording may be cut: %v", err)
	}
}
