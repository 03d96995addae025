package kernel

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

const maxLogLines = 20000

// LogLine is a message; one of several lines becomes several entries.
type LogLine struct {
	At       time.Time
	PID, Tid int
	Pri      byte
	Tag      string
	Text     string
	Buffer   string // "crash"; empty: main and system, which are one here
}

// logRing is the buffer "main" of logd.
type logRing struct {
	mu      sync.Mutex
	lines   []LogLine
	dropped int // lines that fell out or were cleared
	changed chan struct{}
}

func newLogRing(boot time.Time) *logRing {
	l := &logRing{changed: make(chan struct{})}
	l.Write(LogLine{At: boot, PID: 1033, Tid: 1033, Pri: 'I', Tag: "SystemServiceManager", Text: "Starting phase 1000"})
	return l
}

func (l *logRing) Write(line LogLine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line.At.IsZero() {
		line.At = time.Now()
	}
	if line.Tid == 0 {
		line.Tid = line.PID
	}
	for text := range strings.SplitSeq(line.Text, "\n") {
		line.Text = text
		l.lines = append(l.lines, line)
	}
	if over := len(l.lines) - maxLogLines; over > 0 {
		l.lines = append([]LogLine(nil), l.lines[over:]...)
		l.dropped += over
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// From returns the lines after a place in the log, the new place, and a channel that is closed at the next change.
func (l *logRing) From(place int) ([]LogLine, int, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	skip := max(place-l.dropped, 0)
	skip = min(skip, len(l.lines))
	return append([]LogLine(nil), l.lines[skip:]...), l.dropped + len(l.lines), l.changed
}

// Text is all of it, as logcat shows it.
func (l *logRing) Text() string {
	lines, _, _ := l.From(0)
	var b strings.Builder
	for _, one := range lines {
		b.WriteString(one.Format("threadtime"))
	}
	return b.String()
}

// Clear drops all lines.
func (l *logRing) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropped += len(l.lines)
	l.lines = nil
}

// Format writes the line in one of logcat's formats.
func (l LogLine) Format(kind string) string {
	at := l.At.Format("01-02 15:04:05.000")
	switch kind {
	case "brief":
		return fmt.Sprintf("%c/%-8s(%5d): %s\n", l.Pri, l.Tag, l.PID, l.Text)
	case "time":
		return fmt.Sprintf("%s %c/%-8s(%5d): %s\n", at, l.Pri, l.Tag, l.PID, l.Text)
	case "raw":
		return l.Text + "\n"
	case "tag":
		return fmt.Sprintf("%c/%-8s: %s\n", l.Pri, l.Tag, l.Text)
	case "process":
		return fmt.Sprintf("%c(%5d) %s  (%s)\n", l.Pri, l.PID, l.Text, l.Tag)
	case "long":
		return fmt.Sprintf("[ %s %5d:%5d %c/%-8s ]\n%s\n\n", at, l.PID, l.Tid, l.Pri, l.Tag, l.Text)
	default:
		return fmt.Sprintf("%s %5d %5d %c %-8s: %s\n", at, l.PID, l.Tid, l.Pri, l.Tag, l.Text)
	}
}
