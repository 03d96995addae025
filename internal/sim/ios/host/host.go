// Package host is the machine of simulated iPhones: its programs, notes of what has happened, and faults.
package host

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Host is the machine to which devices are attached, as they see it: its folder, what runs on it, what has happened,
// and what is to fail.
type Host struct {
	Dir  string
	Ctx  context.Context // ends with the lab
	Work sync.WaitGroup

	mu      sync.Mutex
	notes   []note
	running []string
	faults  []*Fault
}

// note is something that has happened.
type note struct {
	udid string // of the device; "": of those that the text names
	text string
}

// Home is the home folder of the lab's user.
func (l *Host) Home() string { return l.Dir }

// Notes is what happened, in order: every program that ran, every call of a WebDriverAgent, everything that the apps
// noticed.
func (l *Host) Notes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var texts []string
	for _, n := range l.notes {
		texts = append(texts, n.text)
	}
	return texts
}

// Noted counts the notes that hold a text.
func (l *Host) Noted(text string) int {
	n := 0
	for _, note := range l.Notes() {
		if strings.Contains(note, text) {
			n++
		}
	}
	return n
}

// Note notes what happened to the devices that are named.
func (l *Host) Note(format string, args ...any) { l.NoteOf("", fmt.Sprintf(format, args...)) }

// NoteOf notes what happened on one device, or to those that are named.
func (l *Host) NoteOf(udid, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, note{udid: udid, text: text})
}

// Entered notes that a program runs, until the returned function is called.
func (l *Host) Entered(line string) (left func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = append(l.running, line)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		i := slices.Index(l.running, line)
		l.running = slices.Delete(l.running, i, i+1)
	}
}

// Running are the command lines of the programs that run.
func (l *Host) Running() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.running)
}

// Rest waits, unless the context ends.
func (l *Host) Rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// NotesOf is what happened on a device, in order.
func (l *Host) NotesOf(udid string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var texts []string
	for _, n := range l.notes {
		if n.udid == udid || n.udid == "" && strings.Contains(n.text, udid) {
			texts = append(texts, n.text)
		}
	}
	return texts
}
