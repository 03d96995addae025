package engine

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
)

// stopLimit bounds the saving of films and logs, also after the run was interrupted.
const stopLimit = 20 * time.Second

// evidence is the film and the log of a case while it runs.
type evidence struct {
	film    drivers.Recording
	log     *os.File
	stopLog func() error
	name    string // of the log in the pack
}

// start begins both. That one of them cannot be had is said in the report and fails nothing.
func (e *evidence) start(ctx context.Context, r *run) {
	work := filepath.Join(r.sink.Dir(), ".work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		r.keep(err)
		return
	}
	e.startFilm(ctx, r, work)
	logger, ok := r.dev.(drivers.Logger)
	if !ok {
		return
	}
	e.name = "logcat.txt"
	if r.c.Platform == dsl.Web {
		e.name = "console.txt"
	}
	f, err := os.Create(filepath.Join(work, e.name))
	if err != nil {
		r.keep(err)
		return
	}
	stop, err := logger.StartLog(ctx, f)
	if err != nil {
		r.log(0, "no %s: %v", e.name, err)
		f.Close()
		return
	}
	e.log, e.stopLog = f, stop
}

func (e *evidence) startFilm(ctx context.Context, r *run, work string) {
	recorder, ok := r.dev.(drivers.Recorder)
	switch {
	case r.opts.NoVideo:
		r.sink.NoRecording("switched off")
	case !ok:
		r.sink.NoRecording("this device cannot film")
	default:
		film, err := recorder.StartRecording(ctx, work)
		if err != nil {
			r.sink.NoRecording(err.Error())
			return
		}
		e.film = film
	}
}

// stop ends both and hands the files over, also when ctx is over.
func (e *evidence) stop(ctx context.Context, r *run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if e.stopLog != nil {
		if err := e.stopLog(); err != nil {
			r.log(0, "%s may be cut: %v", e.name, err)
		}
		path := e.log.Name()
		if err := e.log.Close(); err != nil {
			r.log(0, "%s may be cut: %v", e.name, err)
		}
		r.keep(r.sink.Add(reporters.Attachment{Path: e.name, Type: "text/plain; charset=utf-8", Kind: "log"}, 0, path))
	}
	if e.film != nil {
		clips, err := e.film.Stop(ctx)
		for _, c := range clips {
			r.sink.AddClip(c.Path, c.Start)
		}
		if err != nil {
			r.sink.NoRecording(err.Error())
			r.log(0, "the recording may be cut: %v", err)
		}
	}
}
