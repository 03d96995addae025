package history

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/joho/godotenv"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const (
	keepFile    = ".keep"
	trashPrefix = ".trash-"
	young       = 10 * time.Minute // a new run may not be marked as live yet
)

var trashName = lazyregexp.New(`^\.trash-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[A-Z2-7]{8}$`)

// Limits are how many runs are kept, and for how long. A run beyond either limit is removed.
type Limits struct {
	Days int      // from 1 on
	Runs int      // from 1 on
	Keep []string // names of runs that are always kept
}

// Pruned is a run that was removed, or that a dry run would remove.
type Pruned struct {
	Run string // its name
	Why string
}

// Prune removes the runs under root that are beyond the limits. It only touches a real directory with the exact name of
// a run that is not live in any process and has no file .keep. It renames the directory to .trash-… first, then removes
// it. It also removes what an earlier prune could not. A run that cannot be removed does not stop the others.
func Prune(root string, l Limits, now time.Time, dryRun bool) (pruned []Pruned, err error) {
	if l.Days < 1 || l.Days > maxLimit || l.Runs < 1 || l.Runs > maxLimit {
		return nil, fmt.Errorf("prune %s: a limit is not from 1 to %d: %d days, %d runs", root, maxLimit, l.Days, l.Runs)
	}
	dir, err := os.OpenRoot(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("prune %s: %w", root, err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	p := pruner{root: dir, now: now, dry: dryRun}
	errs := []error{p.emptyTrash()}
	runs, err := pack.Folders(dir, pack.IsRunName)
	errs = append(errs, err)
	slices.Sort(runs)
	slices.Reverse(runs)
	for i, run := range runs {
		why := l.beyond(run, i, now)
		if why == "" || slices.Contains(l.Keep, run) {
			continue
		}
		gone, err := p.drop(run)
		if gone {
			pruned = append(pruned, Pruned{Run: run, Why: why})
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("prune run %s: %w", run, err))
		}
	}
	errs = append(errs, p.dropLatest())
	slices.Reverse(pruned)
	return pruned, errors.Join(errs...)
}

// Split divides runs, the newest first, into those within the limits and those beyond.
func (l Limits) Split(runs []string, now time.Time) (stay, over []string) {
	for i, run := range runs {
		if l.beyond(run, i, now) == "" {
			stay = append(stay, run)
		} else {
			over = append(over, run)
		}
	}
	return stay, over
}

// beyond says why the run that is the nth newest (from 0) is removed.
func (l Limits) beyond(run string, n int, now time.Time) string {
	began, err := time.Parse(pack.RunLayout, run)
	switch {
	case err != nil:
		return ""
	case now.Sub(began) > time.Duration(l.Days)*24*time.Hour:
		return fmt.Sprintf("older than %s", phrase.Plural(l.Days, "day"))
	case n >= l.Runs:
		return fmt.Sprintf("beyond the newest %s", phrase.Plural(l.Runs, "run"))
	}
	return ""
}

// ErrInUse means that a run is under way, or that a file .keep protects it.
var ErrInUse = errors.New("the run is under way, or protected by a file .keep")

// Remove removes one run; ErrInUse when it must be kept, os.ErrNotExist when there is none.
func Remove(root, run string) (err error) {
	if !pack.IsRunName(run) {
		return os.ErrNotExist
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return fmt.Errorf("remove run %s: %w", run, err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if info, err := dir.Lstat(run); err != nil || !info.IsDir() {
		return errors.Join(os.ErrNotExist, err)
	}
	p := pruner{root: dir, now: time.Now()}
	gone, err := p.drop(run)
	if err == nil && !gone {
		err = ErrInUse
	}
	if err != nil {
		return fmt.Errorf("remove run %s: %w", run, err)
	}
	return p.dropLatest()
}

type pruner struct {
	root *os.Root
	now  time.Time
	dry  bool
}

// drop removes a run unless it is protected or live.
func (p *pruner) drop(run string) (gone bool, err error) {
	if filetree.There(p.root, filepath.Join(run, keepFile)) {
		return false, nil
	}
	free, unlock, err := p.lock(run)
	if err != nil || !free {
		return false, err
	}
	if p.dry {
		return true, unlock()
	}
	// The lock is held while the name changes, where the system allows it: no process can join the run in between.
	if runtime.GOOS == "windows" {
		if err := unlock(); err != nil {
			return false, err
		}
		unlock = func() error { return nil }
	}
	trash := trashPrefix + run + "-" + rand.Text()[:8]
	err = p.root.Rename(run, trash)
	if err = errors.Join(err, unlock()); err != nil {
		return false, err
	}
	return true, p.remove(trash)
}

// lock reports whether no process uses a run. It does not create the lock file: a run without one is live only if it
// has just started.
func (p *pruner) lock(run string) (free bool, unlock func() error, err error) {
	none := func() error { return nil }
	name := filepath.Join(run, pack.LiveFile)
	info, err := p.root.Lstat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		dir, err := p.root.Lstat(run)
		if err != nil {
			return false, none, err
		}
		return p.now.Sub(dir.ModTime()) > young, none, nil
	case err != nil:
		return false, none, err
	case !info.Mode().IsRegular():
		return false, none, fmt.Errorf("%s is not a regular file", pack.LiveFile)
	}
	lock := flock.New(filepath.Join(p.root.Name(), name))
	ok, err := pack.TryAlone(lock)
	if err != nil || !ok {
		return false, none, errors.Join(err, lock.Close())
	}
	return true, lock.Close, nil
}

// emptyTrash removes the leftovers of an earlier prune.
func (p *pruner) emptyTrash() error {
	if p.dry {
		return nil
	}
	names, err := pack.Folders(p.root, trashName.MatchString)
	errs := []error{err}
	for _, name := range names {
		errs = append(errs, p.remove(name))
	}
	return errors.Join(errs...)
}

func (p *pruner) remove(trash string) error {
	if err := p.root.RemoveAll(trash); err != nil && !errors.Is(err, os.ErrNotExist) { // another prune may do the same
		return fmt.Errorf("remove %s: %w", trash, err)
	}
	return nil
}

// dropLatest removes latest when it leads to a run that was removed.
func (p *pruner) dropLatest() error {
	name := latest(p.root)
	if name == "" || p.dry || filetree.There(p.root, name) {
		return nil
	}
	if _, err := p.root.Readlink(latestLink); err == nil {
		return filetree.RemoveIfThere(p.root, latestLink)
	}
	return filetree.RemoveIfThere(p.root, latestText)
}

const (
	defaultDays = 30
	defaultRuns = 100
	maxLimit    = 100_000
	envFile     = ".env"
	maxEnvFile  = 1 << 20
)

// LimitsFromEnv reads REPORT_MAX_DAYS (default 30) and REPORT_MAX_RUNS (default 100) from the environment, otherwise
// from the file .env in projectRoot. A value that is not a whole number from 1 on is an error, after which the caller
// must delete nothing.
func LimitsFromEnv(getenv func(string) string, projectRoot string) (Limits, error) {
	file, err := readEnvFile(projectRoot)
	if err != nil {
		return Limits{}, err
	}
	l := Limits{Days: defaultDays, Runs: defaultRuns}
	for _, v := range []struct {
		name string
		to   *int
	}{{"REPORT_MAX_DAYS", &l.Days}, {"REPORT_MAX_RUNS", &l.Runs}} {
		value, from := getenv(v.name), ""
		if value == "" {
			value, from = file[v.name], " in "+envFile
		}
		if value == "" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 1 || n > maxLimit {
			return Limits{}, fmt.Errorf("%s=%s%s: use a whole number from 1 to %d; no report is deleted until then",
				v.name, strconv.Quote(markdown.Printable(value, 40)), from, maxLimit)
		}
		*v.to = n
	}
	return l, nil
}

// readEnvFile returns the variables of .env; without that file, none. Errors never quote the file: it contains secrets.
func readEnvFile(dir string) (map[string]string, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", envFile, err)
	}
	defer root.Close() // nothing was written
	data, err := filetree.ReadCapped(root, envFile, maxEnvFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", envFile, err)
	}
	values, err := godotenv.UnmarshalBytes(data)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be parsed: write NAME=VALUE lines; no report is deleted until then", envFile)
	}
	return values, nil
}
