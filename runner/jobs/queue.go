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

	"github.com/taproot-dev/taproot/internal/wholefile"
	"github.com/taproot-dev/taproot/reporters/pack"
	"github.com/taproot-dev/taproot/runner/run"
)

// queueFolder lies among the reports and holds a file for each run that waits for its turn, so that it waits on when
// this process is started anew. No client can read what is in it.
const queueFolder = ".queue"

// waits is what a queue file says.
type waits struct {
	By      string    `json:"by,omitempty"`
	Content string    `json:"content"`
	Created time.Time `json:"created"`
}

// AnyQueued tells whether runs wait among the reports of a folder.
func AnyQueued(reports string) bool {
	files, err := filepath.Glob(filepath.Join(reports, queueFolder, "*.json"))
	return err == nil && len(files) > 0
}

// enqueue keeps what was asked for until dequeue.
func (m *Manager) enqueue(id string, w waits) error {
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
	return wholefile.WriteFile(folder, id+".json", data)
}

func (m *Manager) dequeue(id string) {
	err := os.Remove(filepath.Join(m.o.Config.Reports, queueFolder, id+".json"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.o.Log.Warn("a run that begins still waits on the disk", "run", id, "error", err)
	}
}

// resume lets the runs wait on that waited when their process ended. Those that another process has are passed by.
func (m *Manager) resume() {
	if m.o.Again == nil || !AnyQueued(m.o.Config.Reports) {
		return
	}
	folder := filepath.Join(m.o.Config.Reports, queueFolder)
	lock := flock.New(filepath.Join(folder, ".lock")) // of two processes that begin, one takes a run
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
			m.o.Log.Warn("a run that waited cannot begin", "run", id, "error", err)
			m.dequeue(id)
		}
	}
}

func (m *Manager) resumeRun(file, dir string) error {
	var w waits
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

// wait waits for a run's turn; leave ends it. Without a turn, kept tells that the run waits on for the next process.
func (m *Manager) wait(ctx context.Context, id string) (leave func(), kept bool) {
	leave = func() {}
	select {
	case m.slots <- struct{}{}:
		leave = func() { <-m.slots }
	case <-ctx.Done(): // it ends without having begun
	}
	if m.o.Again != nil && errors.Is(context.Cause(ctx), ErrClosing) {
		leave()
		return nil, true
	}
	m.dequeue(id)
	return leave, false
}
