package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// maxLine caps a line of the log; console messages may hold whole documents.
const maxLine = 4096

// maxErrors caps the errors of the console that are kept for assertions.
const maxErrors = 20

// pageLog writes the lines of a page's log. Events come on playwright-go's event loop, which must not wait for a slow
// writer, so a goroutine does the writing.
type pageLog struct {
	lines chan string
	done  chan struct{}

	mu      sync.Mutex
	stopped bool
	dropped int
	err     error
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
	j := &pageLog{lines: make(chan string, 1000), done: make(chan struct{})}
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
		if j.err == nil {
			_, j.err = io.WriteString(w, line)
		}
	}
}

func (j *pageLog) add(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopped {
		return
	}
	if j.dropped > 0 {
		line = fmt.Sprintf("… %d lines left out: the page writes faster than they can be kept\n%s", j.dropped, line)
	}
	select {
	case j.lines <- line:
		j.dropped = 0
	default:
		j.dropped++
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

// logLine adds a line to the log, if there is one.
func (l *Log) logLine(kind, text string) {
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

// listen sends what happens in the context to the device's log, and keeps what assertions ask for.
func (s *session) listen() {
	journal := s.journal
	s.context.OnConsole(func(m playwright.ConsoleMessage) {
		if !s.tabs.ours(m.Page()) {
			return
		}
		where, address := "", ""
		if l := m.Location(); l != nil && l.URL != "" {
			where, address = fmt.Sprintf(" (%s:%d)", l.URL, l.LineNumber+1), l.URL
			if favicon(l.URL) {
				return // asked for by the browser, not by the page
			}
		}
		if s.acting.causedConsole(m.Text(), address) {
			return
		}
		text := m.Text() + where
		if m.Type() == "error" {
			s.console.noteError(text)
			if !strings.HasPrefix(text, "Failed to load resource:") { // the request itself is reported
				s.evidence.trouble("console error: %s", text)
			}
		}
		journal.logLine("console "+m.Type(), text)
	})
	s.context.OnWebError(func(e playwright.WebError) {
		if !s.tabs.ours(e.Page()) {
			return
		}
		s.console.noteError("uncaught " + plain(e.Error()))
		journal.add(pageEvent{kind: drivers.TabError, page: e.Page(), text: plain(e.Error())})
		s.evidence.trouble("uncaught %s", plain(e.Error()))
		journal.logLine("uncaught", plain(e.Error()))
	})
	s.context.OnRequest(func(r playwright.Request) {
		s.traffic.add(exchange{url: r.URL(), said: r.Method()})
		s.traffic.asked(r)
		s.traffic.called(r)
		if r.IsNavigationRequest() {
			s.traffic.started(r)
		}
	})
	s.context.OnRequestFailed(func(r playwright.Request) {
		s.traffic.ended(r)
		s.traffic.over(r)
		s.traffic.calledBack(r)
	})
	s.context.OnRequestFinished(func(r playwright.Request) {
		s.traffic.over(r)
		s.traffic.calledBack(r)
	})
	s.context.OnResponse(func(r playwright.Response) {
		said := fmt.Sprintf("%d %s", r.Status(), r.Request().Method())
		s.traffic.add(exchange{url: r.URL(), said: said, answer: true})
		s.traffic.ended(r.Request())
		if page := s.answers.answered(r); page != nil && (r.Status() < 300 || r.Status() >= 400) { // else another follows
			journal.add(pageEvent{kind: drivers.TabWentTo, page: page, status: r.Status()})
		}
		if !s.browser.brand.devtools {
			s.unseen.answered(r, s.tasks.Go)
		}
		if r.Status() >= 400 {
			journal.logLine("response", said+" "+r.URL())
		}
	})
}

// Console keeps the errors of the console for assertions.
type Console struct {
	mu     sync.Mutex
	errors []string
}

// noteError keeps what the console says of errors.
func (c *Console) noteError(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.errors) < maxErrors {
		c.errors = append(c.errors, screen.Quote(text))
	}
}

// forget starts again.
func (c *Console) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors = nil
}

func (c *Console) consoleErrors() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.errors)
}
