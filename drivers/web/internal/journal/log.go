package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// maxLine caps a line of the log; console messages may hold whole documents.
const maxLine = 4096

// pageLog writes the lines of a page's log. Events come on playwright-go's event loop, which must not wait for a slow
// writer, so a goroutine does the writing.
type pageLog struct {
	lines chan line
	done  chan struct{}

	mu      sync.Mutex
	stopped bool
	dropped int
	err     error
}

// line is one of the log, or the end of those that are to be written.
type line struct {
	text    string
	written chan<- struct{} // closed when all lines before are written; may be nil
}

// Log copies what happens on a device's pages to a writer, once one is given.
type Log struct {
	mu  sync.Mutex
	log *pageLog
}

// StartLog copies the console, in which Chromium reports failed requests as well, uncaught errors, responses with an
// error status and dismissed dialogs to w, a line each: time, kind, text.
func (l *Log) StartLog(ctx context.Context, w io.Writer) (stop func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.log != nil {
		return nil, errors.New("the page's log is being copied already")
	}
	j := &pageLog{lines: make(chan line, 1000), done: make(chan struct{})}
	l.log = j
	go j.write(w)
	return sync.OnceValue(func() error {
		l.mu.Lock()
		l.log = nil
		l.mu.Unlock()
		return j.stop()
	}), nil
}

func (j *pageLog) write(w io.Writer) {
	defer close(j.done)
	for line := range j.lines {
		if j.err == nil && line.text != "" {
			_, j.err = io.WriteString(w, line.text)
		}
		if line.written != nil {
			close(line.written)
		}
	}
}

func (j *pageLog) add(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopped {
		return
	}
	if j.dropped > 0 {
		text = fmt.Sprintf("… %d lines left out: the page writes faster than they can be kept\n%s", j.dropped, text)
	}
	select {
	case j.lines <- line{text: text}:
		j.dropped = 0
	default:
		j.dropped++
	}
}

// flush returns when all lines are written that were added until now.
func (j *pageLog) flush(ctx context.Context) error {
	written := make(chan struct{})
	j.mu.Lock()
	if j.stopped {
		j.mu.Unlock()
		return nil
	}
	select {
	case j.lines <- line{written: written}:
		j.mu.Unlock()
	default: // what is read of the log would not be all
		j.mu.Unlock()
		return fmt.Errorf("%w: the page writes faster than its log can be kept", drivers.ErrNotReady)
	}
	select {
	case <-written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (j *pageLog) stop() error {
	j.mu.Lock()
	j.stopped = true
	close(j.lines)
	j.mu.Unlock()
	<-j.done
	return j.err
}

// Flush returns when all lines are written that were added until now.
func (l *Log) Flush(ctx context.Context) error {
	l.mu.Lock()
	j := l.log
	l.mu.Unlock()
	if j == nil {
		return ctx.Err()
	}
	return j.flush(ctx)
}

// LogLine adds a line to the log, if there is one.
func (l *Log) LogLine(kind, text string) {
	l.mu.Lock()
	j := l.log
	l.mu.Unlock()
	if j == nil {
		return
	}
	text = strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "�")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
	j.add(fmt.Sprintf("%s %s: %s\n", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), kind, text))
}
