package runner

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
	"github.com/onsi/ginkgo/v2"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

const (
	notePrefix = "ginkgo-"
	noteLimit  = 48 * time.Hour
)

// oneRun is the run directory of one invocation of `go test` or `ginkgo` for a package: RunSuites and DeviceT write
// into it, in all processes of `ginkgo --procs=N`. The zero value is ready.
type oneRun struct {
	mu sync.Mutex
	// held is by reports directory. It is open until the process ends, so that the run stays alive between its tests.
	held map[string]*pack.RunDir
}

// theRun is the oneRun of this process.
var theRun = sync.OnceValue(func() *oneRun { return &oneRun{} })

// join opens the run of this invocation; it starts one if there is none yet. The runner has its own lock on the run
// directory.
func (o *oneRun) join(conf run.Config) (r *run.Runner, begun bool, sealed []history.Finalized, err error) {
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
func (o *oneRun) open(conf run.Config, note string) (*run.Runner, bool, []history.Finalized, error) {
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

// keep makes the run that process 1 has started that of this process, unless this process has one.
func (o *oneRun) keep(reports, dir string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held[reports] != nil {
		return nil
	}
	return o.keepAlive(reports, dir)
}

// keepAlive keeps a run alive until the process ends. o.mu is held.
func (o *oneRun) keepAlive(reports, dir string) error {
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

// report runs work, which writes the pages of the run, while no other process of this invocation does.
func (o *oneRun) report(conf run.Config, work func() error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.alone(conf, func(string) error { return work() })
}

// alone runs work while no other process of this invocation runs one. note is the file in which they record their run;
// it is empty when there is one process only.
func (o *oneRun) alone(conf run.Config, work func(note string) error) error {
	suite, _ := ginkgo.GinkgoConfiguration()
	if suite.ParallelTotal <= 1 || suite.ParallelHost == "" {
		return work("")
	}
	dir := pool.LeaseDir(conf.Getenv)
	if err := pool.PrepareLeaseDir(dir); err != nil {
		return err
	}
	name, err := invocation(conf.Reports, suite.ParallelHost)
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
