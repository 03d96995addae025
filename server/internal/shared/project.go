// Package shared synchronizes the runs and tests of a project between servers: each server uploads its folders to a
// bucket and downloads what others have uploaded.
package shared

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

	"golang.org/x/sync/errgroup"

	"github.com/taproot-dev/taproot/internal/blob"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/server/internal/received"
)

// Options are the settings of a Project.
type Options struct {
	Bucket  blob.Bucket
	Name    string // of the project, in the bucket
	Reports string // the folder of its runs
	Tests   *upload.Folder
	// Limits returns how many runs are kept in the bucket.
	Limits func() history.Limits
	// Claim reserves the name of a run on all servers.
	Claim func(ctx context.Context, run string) (bool, error)
}

// Project is the folders of one project on one server. The bucket is the source of truth; the folders are a copy, with
// runs that have not ended in addition. Safe for concurrent use.
type Project struct {
	o    Options
	turn chan struct{} // a lock: one goroutine synchronizes at a time

	mu      sync.Mutex
	started map[string]bool // runs of this process, which are uploaded when they have ended
	synced  time.Time       // start of the last successful synchronization
}

const (
	mark       = ".shared" // a file in the folder of a run that is in the bucket
	suffix     = ".tar.gz"
	runsFolder = "/reports/"
	fetchers   = 4
)

// New makes a Project. It does not synchronize yet.
func New(o Options) *Project {
	o.Bucket = bucket{o.Bucket}
	return &Project{o: o, turn: make(chan struct{}, 1), started: map[string]bool{}}
}

// Claim reserves the name of a run which this process is about to make.
func (p *Project) Claim(run string) (bool, error) {
	free, err := p.o.Claim(context.Background(), run)
	if free && err == nil {
		p.mu.Lock()
		p.started[run] = true
		p.mu.Unlock()
	}
	return free, err
}

// take waits for the lock.
func (p *Project) take(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *Project) release() { <-p.turn }

// Sync downloads what the folders lack, and uploads what earlier processes have left in them.
func (p *Project) Sync(ctx context.Context) error { return p.sync(ctx, time.Now()) }

// SyncSince calls Sync unless the last one is recent.
func (p *Project) SyncSince(ctx context.Context, ago time.Duration) error {
	return p.sync(ctx, time.Now().Add(-ago))
}

func (p *Project) sync(ctx context.Context, since time.Time) error {
	if p.fresh(since) {
		return nil
	}
	if err := p.take(ctx); err != nil {
		return err
	}
	defer p.release()
	if p.fresh(since) { // another goroutine has synchronized while this one waited
		return nil
	}
	began := time.Now()
	names, err := p.o.Bucket.List(ctx, p.o.Name+"/")
	if err == nil {
		err = errors.Join(p.syncTests(ctx, names), p.syncRuns(ctx, names))
	}
	if err != nil {
		return fmt.Errorf("share the reports of a project: %w", err)
	}
	p.mu.Lock()
	p.synced = began
	p.mu.Unlock()
	return nil
}

func (p *Project) fresh(since time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.synced.After(since)
}

// runs returns the runs among the names of the bucket within the limits, newest first, and the others.
func (p *Project) runs(names []string) (keep, others []string) {
	for _, name := range names {
		run, ok := strings.CutSuffix(strings.TrimPrefix(name, p.o.Name+runsFolder), suffix)
		if ok && pack.IsRunName(run) && name == p.runName(run) {
			keep = append(keep, run)
		}
	}
	slices.Sort(keep)
	slices.Reverse(keep)
	return p.o.Limits().Split(keep, time.Now())
}

func (p *Project) runName(run string) string { return p.o.Name + runsFolder + run + suffix }

func (p *Project) marked(run string) bool {
	_, err := os.Lstat(filepath.Join(p.o.Reports, run, mark))
	return err == nil
}

func (p *Project) syncRuns(ctx context.Context, names []string) error {
	keep, over := p.runs(names)
	for _, run := range over {
		if err := p.o.Bucket.Delete(ctx, p.runName(run)); err != nil {
			return err
		}
	}
	local, err := p.localRuns()
	if err != nil {
		return err
	}
	if err := p.fetch(ctx, keep, local); err != nil {
		return err
	}
	for _, run := range local {
		switch shared := slices.Contains(keep, run); {
		case shared && !p.marked(run):
			// the server died, or lost the connection, after the upload and before setting the mark
			err = p.setMark(run)
		case !shared && p.marked(run): // another server deleted it
			if err = history.Remove(p.o.Reports, run); errors.Is(err, history.ErrInUse) || errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		case !shared && !slices.Contains(over, run) && p.left(run):
			err = p.put(ctx, run)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Project) localRuns() ([]string, error) {
	root, err := os.OpenRoot(p.o.Reports)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	runs, err := pack.Folders(root, pack.IsRunName)
	return runs, errors.Join(err, root.Close())
}

// fetch downloads the runs that are missing, the newest ones first.
func (p *Project) fetch(ctx context.Context, runs, local []string) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(fetchers)
	for _, run := range runs {
		if !slices.Contains(local, run) {
			all.Go(func() error { return p.fetchRun(ctx, run) })
		}
	}
	return all.Wait()
}

func (p *Project) fetchRun(ctx context.Context, run string) error {
	in, err := p.o.Bucket.Get(ctx, p.runName(run))
	if errors.Is(err, blob.ErrNotFound) { // it was deleted meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(received.Fetch(ctx, p.o.Reports, run, mark, in), in.Close())
}

// left reports whether a run that is not in the bucket has ended, and no other process will upload it.
func (p *Project) left(run string) bool {
	p.mu.Lock()
	ours := p.started[run]
	p.mu.Unlock()
	dir := filepath.Join(p.o.Reports, run)
	if ours || pack.Alive(dir) {
		return false
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close() // opened for reading only
	packs, err := pack.Folders(root, pack.IsPackName)
	whole := func(name string) bool {
		_, err := root.Lstat(name + "/summary.json")
		return err == nil
	}
	return err == nil && len(packs) > 0 && !slices.ContainsFunc(packs, func(name string) bool { return !whole(name) })
}

// Publish uploads a run that has ended, and removes runs beyond the limits from the bucket. If it fails, a later Sync
// does it.
func (p *Project) Publish(ctx context.Context, run string) error {
	defer func() {
		p.mu.Lock()
		delete(p.started, run)
		p.mu.Unlock()
	}()
	if err := p.take(ctx); err != nil {
		return err
	}
	defer p.release()
	if err := p.put(ctx, run); err != nil {
		return fmt.Errorf("share run %s: %w", run, err)
	}
	names, err := p.o.Bucket.List(ctx, p.o.Name+runsFolder)
	if err != nil {
		return fmt.Errorf("share run %s: %w", run, err)
	}
	_, over := p.runs(names)
	for _, old := range over {
		if err := p.o.Bucket.Delete(ctx, p.runName(old)); err != nil {
			return fmt.Errorf("remove run %s: %w", old, err)
		}
	}
	return nil
}

// Published reports whether a run is in the bucket, as far as this server knows.
func (p *Project) Published(run string) bool { return p.marked(run) }

func (p *Project) put(ctx context.Context, run string) (err error) {
	f, err := os.CreateTemp("", "taproot-run-*"+suffix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if err := pack.ArchiveRun(filepath.Join(p.o.Reports, run), f); err != nil {
		if errors.Is(err, fs.ErrNotExist) { // it was beyond the limits, or deleted
			return nil
		}
		return err
	}
	if err := p.o.Bucket.Put(ctx, p.runName(run), f); err != nil {
		return err
	}
	return p.setMark(run)
}

func (p *Project) setMark(run string) error {
	err := os.WriteFile(filepath.Join(p.o.Reports, run, mark), nil, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Remove deletes a run from the bucket, and so from all servers.
func (p *Project) Remove(ctx context.Context, run string) error {
	if err := p.take(ctx); err != nil {
		return err
	}
	defer p.release()
	return p.o.Bucket.Delete(ctx, p.runName(run))
}

// Drop deletes a project from the bucket.
func (p *Project) Drop(ctx context.Context) error {
	if err := p.take(ctx); err != nil {
		return err
	}
	defer p.release()
	names, err := p.o.Bucket.List(ctx, p.o.Name+"/")
	for _, name := range names {
		err = errors.Join(err, p.o.Bucket.Delete(ctx, name))
	}
	return err
}
