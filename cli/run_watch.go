package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// settle is how long nothing must have been saved: an editor saves in several steps, and "save all" saves several
// files.
const settle = 150 * time.Millisecond

// runWatching runs the tests, and runs them again whenever a file beside them is saved, until it is interrupted. Its
// exit code is the last run's.
func runWatching(ctx context.Context, env *Env, f runFlags, args []string) error {
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
		w.ended = time.Now()
		var usage *plan.Usage
		if ctx.Err() != nil || first && errors.As(last, &usage) {
			return last
		}
		var code exit
		if last != nil && !errors.As(last, &code) {
			fmt.Fprintf(env.Stderr, "taproot: %v\n", last)
		}
		fmt.Fprintln(env.Stdout, "\nwatching; save a file to run again, end with Ctrl-C")
		name, err := w.wait(ctx)
		if ctx.Err() != nil {
			return last
		}
		if err != nil {
			return fmt.Errorf("watch the tests: %w", err)
		}
		fmt.Fprintf(env.Stdout, "\n%s was saved\n\n", shownPath(env.Dir, name))
	}
}

// watcher tells of files that are saved.
type watcher struct {
	files   *fsnotify.Watcher
	reports string    // runs write there
	ended   time.Time // the last run
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

// add watches a folder and those below it.
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

// wait gives the first file that was saved, once nothing else is.
func (w *watcher) wait(ctx context.Context) (name string, err error) {
	quiet := time.NewTimer(settle)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case err, ok := <-w.files.Errors:
			if !ok || !errors.Is(err, fsnotify.ErrEventOverflow) {
				return "", errors.Join(err, ctx.Err())
			}
			name = "more than can be told" // events were lost: run again
		case event := <-w.files.Events:
			if info, err := os.Stat(event.Name); err == nil && info.IsDir() && event.Has(fsnotify.Create) {
				if err := w.add(event.Name); err != nil {
					return "", err
				}
			}
			if name == "" && w.matters(event) {
				name = event.Name
			}
			quiet.Reset(settle)
		case <-quiet.C:
			if name != "" {
				return name, nil
			}
		}
	}
}

// matters tells whether a person saved a file. What runs write themselves (baselines, sessions of pages, downloads) is
// no reason to run again.
func (w *watcher) matters(event fsnotify.Event) bool {
	base := filepath.Base(event.Name)
	if event.Op == fsnotify.Chmod || strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~") ||
		strings.HasSuffix(base, ".swp") {
		return false
	}
	if plan.YAMLFile(base) {
		return true
	}
	info, err := os.Stat(event.Name)
	return err == nil && info.Mode().IsRegular() && info.ModTime().After(w.ended)
}
