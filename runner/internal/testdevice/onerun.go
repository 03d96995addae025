package testdevice

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

const (
	notePrefix = "ginkgo-"
	noteLimit  = 48 * time.Hour
)

// OneRun is the run directory of one invocation of `go test` or `ginkgo` for a package: RunSuites and plain tests write
// into it, in all processes of `ginkgo --procs=N`. The zero value is ready.
type OneRun struct {
	// Parallel is the address on which the command of Ginkgo listens for its parallel processes; "", or nil, when this
	// is the only process.
	Parallel func() string

	mu sync.Mutex
	// held is by reports directory. It is open until the process ends, so that the run stays alive between its tests.
	held map[string]*pack.RunDir
}

// TheRun is the OneRun of this process.
var TheRun = &OneRun{}

// Join opens the run of this invocation; it starts one if there is none yet. The runner has its own lock on the run
// directory.
func (o *OneRun) Join(conf run.Config) (r *run.Runner, begun bool, sealed []history.Finalized, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if held := o.held[conf.Reports]; held != nil {
		r, err = run.Resume(conf, held.Path(), nil)
		return r, false, nil, err
	}
	err = o.alone(conf, func(note string) (err error) {
		r, begun, sealed, err = o.open(conf, note)
		return err
	})
	return r, begun, sealed, err
}

// open joins the live run that the file note names, if there is one; otherwise it starts a run and writes note.
func (o *OneRun) open(conf run.Config, note string) (*run.Runner, bool, []history.Finalized, error) {
	if noted, err := os.ReadFile(note); note != "" && err == nil {
		dir := filepath.Join(conf.Reports, string(noted))
		if pack.IsRunName(string(noted)) && pack.Alive(dir) {
			if r, err := run.Resume(conf, dir, nil); err == nil {
				return r, false, nil, o.keepAlive(conf.Reports, dir)
			}
		}
	}
	r, sealed, err := run.Start(conf, nil)
	if r == nil {
		return nil, false, sealed, err
	}
	if note != "" {
		err = errors.Join(err, os.WriteFile(note, []byte(filepath.Base(r.Dir.Path())), 0o600))
		removeOldNotes(filepath.Dir(note), time.Now())
	}
	return r, true, sealed, errors.Join(err, o.keepAlive(conf.Reports, r.Dir.Path()))
}

// Keep makes the run that process 1 has started that of this process, unless this process has one.
func (o *OneRun) Keep(reports, dir string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held[reports] != nil {
		return nil
	}
	return o.keepAlive(reports, dir)
}

// keepAlive keeps a run alive until the process ends. o.mu is held.
func (o *OneRun) keepAlive(reports, dir string) error {
	held, err := pack.OpenRunDir(dir)
	if err != nil {
		return err
	}
	if o.held == nil {
		o.held = map[string]*pack.RunDir{}
	}
	o.held[reports] = held
	return nil
}

// Report runs work, which writes the pages of the run, while no other process of this invocation does.
func (o *OneRun) Report(conf run.Config, work func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.alone(conf, func(string) error { return work() })
}

// alone runs work while no other process of this invocation runs one. note is the file in which they record their run;
// it is empty when there is one process only.
func (o *OneRun) alone(conf run.Config, work func(note string) error) error {
	var host string
	if o.Parallel != nil {
		host = o.Parallel()
	}
	if host == "" {
		return work("")
	}
	dir := pool.LeaseDir(conf.Getenv)
	if err := pool.PrepareLeaseDir(dir); err != nil {
		return err
	}
	name, err := invocation(conf.Reports, host)
	if err != nil {
		return err
	}
	note := filepath.Join(dir, name)
	lock := flock.New(note+".lock", flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("wait for the other processes of the suite: %w", err)
	}
	return errors.Join(work(note), lock.Close())
}

// invocation names the invocation of this process. The name is the same in all its processes: Ginkgo's command starts
// them all and listens for them on its own address.
func invocation(reports, host string) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	of := strings.Join([]string{reports, here, host, fmt.Sprint(os.Getppid())}, "\x00")
	return fmt.Sprintf("%s%x", notePrefix, sha256.Sum256([]byte(of)))[:31], nil
}

// removeOldNotes removes the notes, and their locks, of invocations that ended long ago.
func removeOldNotes(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is nothing to remove
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), notePrefix) && now.Sub(info.ModTime()) > noteLimit {
			_ = os.Remove(filepath.Join(dir, e.Name())) // by the next invocation, if not by this one
		}
	}
}
