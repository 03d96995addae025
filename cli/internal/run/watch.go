package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// settle is how long no file must have been saved before the next run: an editor saves in several steps, and "save all"
// saves several files.
const settle = 150 * time.Millisecond

// runWatching runs the tests, and runs them again whenever a file in their folders is saved, until it is interrupted.
// Its exit code is that of the last run.
func runWatching(ctx context.Context, env *process.Env, f runFlags, args []string) error {
	conf, err := run.FromEnv(env.Dir, env.LookupEnv)
	if err != nil {
		return &plan.Usage{Msg: err.Error()}
	}
	w, err := newWatcher(conf, plan.Folders(env.Dir, args))
	if err != nil {
		return err
	}
	defer w.files.Close()
	for first := true; ; first = false {
		last := runTests(ctx, env, f, args)
		w.over()
		var usage *plan.Usage
		if ctx.Err() != nil || first && errors.As(last, &usage) {
			return last
		}
		var code process.Exit
		if last != nil && !errors.As(last, &code) {
			fmt.Fprintf(env.Stderr, "taproot: %v\n", last)
		}
		fmt.Fprintln(env.Stdout, "\nwatching; save a file to run again, press Ctrl-C to end")
		names, err := w.wait(ctx)
		if ctx.Err() != nil {
			return last
		}
		if err != nil {
			return fmt.Errorf("watch the tests: %w", err)
		}
		fmt.Fprintf(env.Stdout, "\n%s was saved\n\n", process.ShownPath(env.Dir, names[0]))
	}
}

// tick is how much earlier than the clock the times of files may be: file systems count in ticks of the system. A run
// writes its reports for longer than this after its tests have written their files.
const tick = 20 * time.Millisecond

// unknownFile is the name of files of which the system lost track.
const unknownFile = "an unknown file"

// watcher reports saved files.
type watcher struct {
	files   *fsnotify.Watcher
	reports string // the folder that runs write to

	mu      sync.Mutex
	running bool      // a run is in progress
	ended   time.Time // when the last run ended
}

// started notes the start of a run.
func (w *watcher) started() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = true
}

// over notes the end of a run.
func (w *watcher) over() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running, w.ended = false, time.Now()
}

func newWatcher(conf run.Config, folders []string) (*watcher, error) {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch the tests: %w", err)
	}
	w := &watcher{files: files, reports: conf.Reports}
	for _, dir := range folders {
		if err := w.add(dir); err != nil {
			return nil, errors.Join(fmt.Errorf("watch the tests: %w", err), files.Close())
		}
	}
	return w, nil
}

// add watches a folder and its subfolders.
func (w *watcher) add(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case path == w.reports || path != dir && plan.SkipFolder(d.Name()):
			return filepath.SkipDir
		}
		return w.files.Add(path)
	})
}

// wait returns the saved files, the first one first, once no further file is saved.
func (w *watcher) wait(ctx context.Context) (names []string, err error) {
	quiet := time.NewTimer(settle)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case err, ok := <-w.files.Errors:
			if !ok || !errors.Is(err, fsnotify.ErrEventOverflow) {
				return nil, errors.Join(err, ctx.Err())
			}
			names = append(names, unknownFile) // events were lost: run again
		case event := <-w.files.Events:
			if info, err := os.Stat(event.Name); err == nil && info.IsDir() && event.Has(fsnotify.Create) {
				if err := w.add(event.Name); err != nil {
					return nil, err
				}
			}
			if w.matters(event) && !slices.Contains(names, event.Name) {
				names = append(names, event.Name)
			}
			quiet.Reset(settle)
		case <-quiet.C:
			if len(names) > 0 {
				return names, nil
			}
		}
	}
}

// matters reports whether the user saved the file. Files that runs write (baselines, sessions of pages, downloads) do
// not start another run.
func (w *watcher) matters(event fsnotify.Event) bool {
	base := filepath.Base(event.Name)
	if event.Op == fsnotify.Chmod || strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~") ||
		strings.HasSuffix(base, ".swp") {
		return false
	}
	if plan.YAMLFile(base) {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running {
		return false
	}
	info, err := os.Stat(event.Name)
	return err == nil && info.Mode().IsRegular() && info.ModTime().After(w.ended.Add(-tick))
}
