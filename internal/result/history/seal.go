package history

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// Finalized is a pack that a run left incomplete when it died, and that Seal finalized.
type Finalized struct {
	Dir        string // absolute path of the pack
	CaseResult *event.CaseResult
}

// Finalize finalizes the packs of the runs under root that died: it derives run.md and summary.json from the events
// that were kept, and removes incomplete files. It skips runs that are alive, and folders without the name of a run. A
// pack that cannot be finalized does not stop the others.
func Finalize(root string, now time.Time) ([]Finalized, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("finalize the runs in %s: %w", root, err)
	}
	dir, err := os.OpenRoot(abs)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("finalize the runs in %s: %w", root, err)
	}
	runs, err := pack.Folders(dir, pack.IsRunName)
	errs := []error{err}
	var sealed []Finalized
	for _, run := range runs {
		s, err := sealRun(dir, run, now)
		sealed = append(sealed, s...)
		if err != nil {
			errs = append(errs, fmt.Errorf("finalize run %s: %w", run, err))
		}
	}
	return sealed, errors.Join(append(errs, dir.Close())...)
}

func sealRun(root *os.Root, name string, now time.Time) (sealed []Finalized, err error) {
	run, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	// Write nothing, not even a lock, when there is nothing to do.
	if packs, err := unfinished(run); err != nil || len(packs) == 0 {
		return nil, err
	}
	live := filepath.Join(run.Name(), pack.LiveFile)
	if err := filetree.Regular(live); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	lock := flock.New(live)
	if ok, err := pack.TryAlone(lock); err != nil || !ok {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	packs, err := unfinished(run) // again: another process may have finalized them
	errs := []error{err}
	for _, pack := range packs {
		res, err := sealPack(run, pack, now)
		if err != nil {
			errs = append(errs, fmt.Errorf("pack %s: %w", pack, err))
		} else if res != nil {
			sealed = append(sealed, Finalized{Dir: filepath.Join(run.Name(), pack), CaseResult: res})
		}
	}
	return sealed, errors.Join(errs...)
}

// unfinished lists the packs that have events and no summary, or leftovers to remove.
func unfinished(run *os.Root) ([]string, error) {
	packs, err := pack.Folders(run, pack.NamePattern.MatchString)
	return slices.DeleteFunc(packs, func(pack string) bool {
		if !filetree.There(run, path.Join(pack, event.EventsFile)) {
			return true
		}
		return filetree.There(run, path.Join(pack, event.SummaryFile)) &&
			!filetree.There(run, path.Join(pack, event.WorkDir))
	}), err
}

// sealPack returns nil when it only had to remove leftovers.
func sealPack(run *os.Root, name string, now time.Time) (res *event.CaseResult, err error) {
	root, err := run.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if filetree.There(root, event.SummaryFile) {
		return nil, root.RemoveAll(event.WorkDir)
	}
	if info, err := root.Lstat(event.WorkDir); err == nil && !info.IsDir() {
		if err := root.Remove(event.WorkDir); err != nil {
			return nil, err
		}
	}
	for _, dir := range []string{event.WorkDir, event.ArtifactsDir, event.ScreenshotsDir} {
		if err := root.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
	}
	log, err := rescueLog(root)
	if err != nil {
		return nil, err
	}
	res, unreadable := pack.FoldFile(root, event.Case{ID: name, Pack: name, Solver: "dsl"})
	closeResult(res, unreadable, now)
	if log != nil {
		res.Attachments = append(res.Attachments, *log)
	}
	if err := pack.WriteDerived(root, res); err != nil {
		return nil, err
	}
	return res, root.RemoveAll(event.WorkDir)
}

// closeResult adds to the result why the run did not end by itself.
func closeResult(res *event.CaseResult, unreadable error, now time.Time) {
	if unreadable != nil {
		res.Result = event.Interrupted
		res.Problem = &event.Problem{Message: "the run stopped, and its events cannot be read: " + unreadable.Error()}
	}
	note := "The run stopped before this report was complete; it was completed on " +
		now.UTC().Format("2006-01-02 15:04:05") + " UTC from what had been kept."
	if res.Problem != nil && res.Result == event.Interrupted {
		note += " Why it is marked as interrupted: " + res.Problem.Message + "."
	}
	res.Notes = append(res.Notes, note)
	if res.Recording.Kind == event.NoRecording && res.Recording.Why == "" {
		res.Recording.Why = "the run stopped before the recording was made"
	}
}

// rescueLog adds the system log that was being written when the run died: it may show the cause.
func rescueLog(root *os.Root) (*event.Attachment, error) {
	from := path.Join(event.WorkDir, event.LogcatFile)
	info, err := root.Lstat(from)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || filetree.There(root, event.LogcatFile) {
		return nil, nil
	}
	if err := filetree.MoveInto(root, from, event.LogcatFile); err != nil {
		return nil, fmt.Errorf("rescue the log: %w", err)
	}
	return &event.Attachment{Path: event.LogcatFile, Type: "text/plain", Kind: event.KindLog}, nil
}
