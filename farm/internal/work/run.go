package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/remote/order"
	"github.com/taproot-dev/taproot/runner/run"
)

// run runs an attempt and puts its pack into the spool. why is set when no host could run the case. err is set when it
// was not started here, or this machine failed.
func (w *Worker) run(ctx context.Context, j order.Job, start order.Start) (why string, err error) {
	var ref plan.Ref
	if err := json.Unmarshal(j.What, &ref); err != nil {
		return "the case is not valid: " + err.Error(), nil
	}
	if err := start.Settings.Check(); err != nil {
		return err.Error(), nil
	}
	dir, release, err := w.cache.Open(context.WithoutCancel(ctx), j.Run, start.Archive)
	var refused *upload.Refused
	var large *upload.TooLarge
	if errors.As(err, &refused) || errors.As(err, &large) {
		return "the archive of the tests is refused: " + err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	defer release()
	work := filepath.Join(dir, filepath.FromSlash(start.Settings.Dir))
	c, err := ref.Find(start.Settings.Planning(work))
	if err != nil {
		return err.Error(), nil
	}
	needs, err := start.Settings.Needs(ref.Values)
	if err != nil {
		return err.Error(), nil
	}
	folder, err := os.MkdirTemp(filepath.Join(w.o.Dir, "cases"), "case-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder) // the pack is in the spool
	runs, err := pack.OpenRunDir(folder)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", errors.Join(err, runs.Close())
	}
	defer root.Close() // used by tests, which check their own writes
	conf := start.Settings.Apply(w.o.Config, work)
	conf.Access.Root = root
	conf.FillStarted(&c)
	see := &observer{w: w, at: j.Attempt}
	r := &run.Runner{Config: conf, Pool: w.o.Pool, Dir: runs, Observe: see.event, Build: j.Run}
	// A withdrawn case is interrupted, which is its result. The end of the worker interrupts it, too, but then it runs on
	// another host.
	ids, lent, release, err := w.seats(ctx, j, conf)
	if err != nil {
		return "", errors.Join(err, runs.Close())
	}
	defer release()
	r.Lent = lent
	out, kept, err := r.OnHost(ctx, c, ids, needs)
	see.flush()
	if err = errors.Join(err, runs.Close()); err != nil {
		return "", err
	}
	if w.life.Err() != nil && (out.CaseResult == nil || out.CaseResult.Result == event.Interrupted) {
		return "", context.Cause(w.life)
	}
	if noRoom(out.Err) { // another host may have space for the whole report
		return "", out.Err
	}
	if out.Dir == "" {
		return fmt.Sprintf("the report could not be saved: %v", out.Err), nil
	}
	if err := start.Settings.Leave(out.Dir, kept); err != nil {
		return "", err
	}
	return "", w.spool.put(j.Attempt, out.Dir)
}
