package runtest

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// Sink keeps the events of a case in memory, and nothing else of its report. It is safe for concurrent use.
type Sink struct {
	// Added is called with each file before it is removed; may be nil.
	Added func(a event.Attachment, from string)

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

// Add removes the file.
func (s *Sink) Add(a event.Attachment, _ int, from string) error {
	if s.Added != nil {
		s.Added(a, from)
	}
	return os.Remove(from)
}

// AddClip keeps nothing.
func (s *Sink) AddClip(string, time.Time) {}

// NoRecording keeps nothing.
func (s *Sink) NoRecording(string) {}
