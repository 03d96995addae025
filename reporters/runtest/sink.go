package runtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/reporters/event"
)

// Sink keeps the events of a case in memory, and nothing else of its report. It is safe for concurrent use.
type Sink struct {
	dir    string
	mask   event.Mask
	mu     sync.Mutex
	events []event.Event
}

// NewSink makes a sink with its working files in a folder.
func NewSink(dir string) *Sink { return &Sink{dir: dir} }

// CaseResult folds the events that came so far.
func (s *Sink) CaseResult() *event.CaseResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	return event.Fold(s.events)
}

// Emit keeps an event.
func (s *Sink) Emit(e event.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	return nil
}

// Screenshot keeps nothing.
func (s *Sink) Screenshot(ctx context.Context, _ event.Shot) error { return ctx.Err() }

// Mask holds the case's secrets.
func (s *Sink) Mask() *event.Mask { return &s.mask }

// Dir is the folder of working files.
func (s *Sink) Dir() string { return s.dir }

// Add removes the file. Where TAPROOT_COLLECT_FRAMES names a folder, recorded frames are compressed into it first: they
// become test data of runner/decide.
func (s *Sink) Add(a event.Attachment, _ int, from string) error {
	if dir := os.Getenv("TAPROOT_COLLECT_FRAMES"); dir != "" && path.Base(a.Path) == "frames.ndjson" {
		if err := collect(dir, s.CaseResult().Case.ID, from); err != nil {
			return err
		}
	}
	return os.Remove(from)
}

// collect compresses a file into a folder.
func collect(dir, name, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write(data); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%x.ndjson.gz", name, sum[:3])), out.Bytes(), 0o644)
}

// AddClip keeps nothing.
func (s *Sink) AddClip(string, time.Time) {}

// NoRecording keeps nothing.
func (s *Sink) NoRecording(string) {}
