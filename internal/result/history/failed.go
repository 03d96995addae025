package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/result/pack"
)

// LastRun loads the newest run under root that has ended and has a case. A run that a process still works on is
// skipped; one that died is not.
func LastRun(root string, now time.Time) (run *Run, err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("there are no reports: %w", err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	names, err := pack.Folders(dir, pack.IsRunName)
	if err != nil {
		return nil, fmt.Errorf("list the runs: %w", err)
	}
	look := pruner{root: dir, now: now}
	for _, name := range slices.Backward(names) {
		over, unlock, err := look.lock(name)
		if err = errors.Join(err, unlock()); err != nil {
			return nil, fmt.Errorf("check run %s: %w", name, err)
		}
		if !over {
			continue
		}
		if run, err := LoadRun(filepath.Join(root, name)); err != nil || len(run.Cases) > 0 {
			return run, err
		}
	}
	return nil, fmt.Errorf("there is no run in %s", root)
}

// Failed names the cases of the run to run again: those that failed, ended with an error, were interrupted or never
// started. A name is that of the pack without the numbers of attempt and repetition.
func (r *Run) Failed() []string {
	var names []string
	for _, c := range r.Bad() {
		if name := withoutRep(c.Key); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func withoutRep(key string) string {
	parts := strings.Split(key, "--")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		n, isRep := strings.CutPrefix(part, "rep-")
		_, err := strconv.Atoi(n)
		return isRep && err == nil
	}), "--")
}
