package vocabulary

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// record keeps in memory what a report pack would hold.
type record struct {
	dir  string
	mask event.Mask

	stepped func() // is called when a step has ended, while the device is still open

	mu     sync.Mutex
	events []event.Event
	files  map[string][]byte
	shots  []string
	clips  []map[string]any
}

func newRecord(t *testing.T) *record {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".work"), 0o755); err != nil {
		t.Fatal(err)
	}
	return &record{dir: dir, files: map[string][]byte{}}
}

func (r *record) Emit(e event.Event) error {
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
	if e.Kind == event.StepEnded && r.stepped != nil {
		r.stepped()
	}
	return nil
}

func (r *record) Screenshot(_ context.Context, shot event.Shot) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shots = append(r.shots, shot.Label)
	return nil
}

func (r *record) Add(a event.Attachment, _ int, from string) error {
	data, err := os.ReadFile(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[a.Path] = data
	return err
}

func (r *record) Mask() *event.Mask         { return &r.mask }
func (r *record) Dir() string               { return r.dir }
func (r *record) AddClip(string, time.Time) {}
func (r *record) NoRecording(string)        {}

// RequestClip notes the clip that a test wants of its own.
func (r *record) RequestClip(name string, from, to time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clips = append(r.clips, map[string]any{"name": name, "ms": to.Sub(from).Milliseconds()})
}

// facts are what an effect can ask of the report: files, shots, notes, warnings, steps.
func (r *record) facts() map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes, warnings, steps, files := []string{}, []string{}, []map[string]any{}, map[string]string{}
	for _, e := range r.events {
		if e.Kind != event.StepEnded {
			continue
		}
		if d := e.Detail; d != nil {
			notes, warnings = append(notes, d.Notes...), append(warnings, d.Warnings...)
		}
		steps = append(steps, map[string]any{"result": string(e.Result), "ms": e.DurationMS})
	}
	for name, data := range r.files {
		files[name] = string(data)
	}
	return map[string]any{"files": files, "shots": r.shots, "notes": notes, "clips": r.clips, "warnings": warnings,
		"steps": steps}
}

// problem is why the case did not pass.
func (r *record) problem() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.events) - 1; i >= 0; i-- {
		if p := r.events[i].Problem; p != nil && r.events[i].Kind == event.CaseEnded {
			return p.Message
		}
	}
	return ""
}
