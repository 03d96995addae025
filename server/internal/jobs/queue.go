package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/run"
)

// queueFolder is a folder in the folder of reports. It contains a file for each run that waits for its turn, so that
// the run waits again after a restart of this process. Clients cannot read it.
const queueFolder = ".queue"

// queueEntry is the content of a queue file.
type queueEntry struct {
	By      string    `json:"by,omitempty"`
	Content string    `json:"content"`
	Created time.Time `json:"created"`
}

// AnyQueued reports whether the folder of reports contains waiting runs.
func AnyQueued(reports string) bool {
	files, err := filepath.Glob(filepath.Join(reports, queueFolder, "*.json"))
	return err == nil && len(files) > 0
}

// enqueue saves a request until dequeue.
func (m *Manager) enqueue(id string, w queueEntry) error {
	if m.o.Again == nil {
		return nil
	}
	folder := filepath.Join(m.o.Config.Reports, queueFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	data, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return filetree.WriteFile(folder, id+".json", data)
}

func (m *Manager) dequeue(id string) {
	err := os.Remove(filepath.Join(m.o.Config.Reports, queueFolder, id+".json"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.o.Log.Warn("cannot remove a started run from the queue", "run", id, "error", err)
	}
}

// resume queues the runs again that waited when their process ended. It skips those that another process has.
func (m *Manager) resume() {
	if m.o.Again == nil || !AnyQueued(m.o.Config.Reports) {
		return
	}
	folder := filepath.Join(m.o.Config.Reports, queueFolder)
	lock := flock.New(filepath.Join(folder, ".lock")) // of two processes that start, one takes a run
	defer lock.Close()
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err = errors.Join(err, lock.Lock()); err != nil {
		m.o.Log.Warn("runs that wait", "error", err)
		return
	}
	slices.Sort(files)
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".json")
		dir := filepath.Join(m.o.Config.Reports, id)
		if !pack.IsRunName(id) || pack.Alive(dir) {
			continue
		}
		if err := m.resumeRun(file, dir); err != nil {
			m.o.Log.Warn("cannot start a waiting run", "run", id, "error", err)
			m.dequeue(id)
		}
	}
}

func (m *Manager) resumeRun(file, dir string) error {
	var w queueEntry
	if err := readJSON(file, &w); err != nil {
		return err
	}
	r, err := m.o.Again(w.Content)
	if err != nil {
		return err
	}
	p, err := m.plan(r)
	if err != nil {
		return err
	}
	j := newJob(p.Cases, w.By, w.Created)
	work, err := run.Resume(p.conf, dir, j.observe)
	if err != nil {
		return err
	}
	if err := work.Announce(p.Cases); err != nil {
		return errors.Join(err, work.End())
	}
	m.launch(context.Background(), j, work, p)
	return nil
}

// wait waits for a run's turn; leave ends it. kept reports that the run got no turn and waits for the next process.
func (m *Manager) wait(ctx context.Context, id string) (leave func(), kept bool) {
	leave = func() {}
	select {
	case m.slots <- struct{}{}:
		leave = func() { <-m.slots }
	case <-ctx.Done(): // it ends without having started
	}
	if m.o.Again != nil && errors.Is(context.Cause(ctx), ErrClosing) {
		leave()
		return nil, true
	}
	m.dequeue(id)
	return leave, false
}
