package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// deviceChange is one line of `taproot devices --watch --json`.
type deviceChange struct {
	Event  string       `json:"event"` // added, changed, removed
	Device drivers.Info `json:"device"`
}

// watchDevices prints devices that are added, removed or changed until ctx ends.
func watchDevices(ctx context.Context, env *process.Env, asJSON bool) (err error) {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	all := run.Drivers(conf)
	defer func() {
		for _, d := range all {
			err = errors.Join(err, d.Close())
		}
	}()
	w := &deviceWatch{env: env, asJSON: asJSON, known: map[dsl.Platform]map[string]drivers.Info{}}
	return w.watchAll(ctx, all)
}

// watchAll watches every platform that can be watched. It prints the error of a platform that cannot, as `taproot
// devices` does. It is an error if no platform can be watched.
func (w *deviceWatch) watchAll(ctx context.Context, all []drivers.Driver) error {
	var watching sync.WaitGroup
	errs := make([]error, len(all))
	tried := 0
	for i, d := range all {
		watcher, ok := d.(drivers.Watcher)
		if !ok {
			continue
		}
		tried++
		watching.Go(func() {
			errs[i] = watcher.Watch(ctx, func(infos []drivers.Info) { w.seen(d.Platform(), infos) })
			w.unwatched(d.Platform(), errs[i])
		})
	}
	watching.Wait()
	if failed := slices.DeleteFunc(errs, func(err error) bool { return err == nil }); len(failed) == tried {
		return errors.New("no kind of device can be watched here")
	}
	return nil
}

func (w *deviceWatch) unwatched(platform dsl.Platform, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && !drivers.UsuallyMissing(err) {
		fmt.Fprintf(w.env.Stderr, "%s: %v\n", platform, err)
	}
}

type deviceWatch struct {
	env    *process.Env
	asJSON bool

	mu    sync.Mutex
	known map[dsl.Platform]map[string]drivers.Info
}

// seen prints the differences from the last list. A change of the battery's level is not printed.
func (w *deviceWatch) seen(platform dsl.Platform, infos []drivers.Info) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, now := w.known[platform], map[string]drivers.Info{}
	for _, info := range infos {
		now[info.ID] = info
		old, known := before[info.ID]
		old.Battery, old.Charging, old.Temperature = info.Battery, info.Charging, info.Temperature
		switch {
		case !known:
			w.tell("added", info)
		case old != info:
			w.tell("changed", info)
		}
	}
	for id, info := range before {
		if _, still := now[id]; !still {
			w.tell("removed", info)
		}
	}
	w.known[platform] = now
}

func (w *deviceWatch) tell(event string, info drivers.Info) {
	if w.asJSON {
		if line, err := json.Marshal(deviceChange{event, info}); err == nil {
			fmt.Fprintf(w.env.Stdout, "%s\n", line)
		}
		return
	}
	if event == "removed" {
		fmt.Fprintf(w.env.Stdout, "removed  %s\n", info.ID)
		return
	}
	fmt.Fprintf(w.env.Stdout, "%-7s  %s  %s  %s\n", event, info.ID, info.State, whatIs(info))
}
