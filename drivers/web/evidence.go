package web

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// maxTroubles caps what is reported to one step.
const maxTroubles = 20

// evidence is what is recorded in addition to video and log, from StartEvidence on.
type evidence struct {
	how drivers.WebEvidenceOptions
	har *har

	mu       sync.Mutex
	troubles []string
	more     int
	traces   []string
	errs     []error // why a trace is not there
}

// newEvidence returns evidence that goes into an existing folder.
func newEvidence(how drivers.WebEvidenceOptions) (*evidence, error) {
	if how.Mask == nil {
		how.Mask = func(s string) string { return s }
	}
	dir, err := filepath.Abs(how.Dir)
	if err != nil {
		return nil, fmt.Errorf("record the network: %w", err)
	}
	how.Dir = dir
	return &evidence{how: how, har: newHAR()}, nil
}

// StartEvidence starts to record what the pages that OpenPage opens from now on request from the network.
func (re *Recorder) StartEvidence(ctx context.Context, how drivers.WebEvidenceOptions) (drivers.WebRecording, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := newEvidence(how)
	if err != nil {
		return nil, err
	}
	re.mu.Lock()
	defer re.mu.Unlock()
	if re.evidence != nil {
		return nil, errors.New("the network is being recorded already")
	}
	re.evidence = e
	return evidenceRecording{evidence: e, recorder: re}, nil
}

// evidenceRecording is a recording of evidence under way.
type evidenceRecording struct {
	*evidence
	recorder *Recorder
}

// Stop closes the pages, which completes the traces, and writes the HAR.
func (e evidenceRecording) Stop(ctx context.Context) (string, []string, error) {
	re := e.recorder
	if s, _ := re.slot.opened(); s != nil && e.how.Trace {
		done := start(re.slot, func() (struct{}, error) { s.close(); return struct{}{}, nil })
		select {
		case <-done:
		case <-ctx.Done():
			return "", nil, ctx.Err()
		}
	}
	re.mu.Lock()
	re.evidence = nil
	re.mu.Unlock()
	return e.finish()
}

// recording returns what is being recorded, nil if nothing is.
func (re *Recorder) recording() *evidence {
	re.mu.Lock()
	defer re.mu.Unlock()
	return re.evidence
}

// trouble notes something that a reader of the current step should see.
func (e *evidence) trouble(format string, args ...any) {
	if e == nil {
		return
	}
	text := e.how.Mask(fmt.Sprintf(format, args...)) // before it is cut: half a secret would not be found
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.troubles) >= maxTroubles {
		e.more++
		return
	}
	e.troubles = append(e.troubles, shortened(text))
}

// shortened is one line that is not too long.
func shortened(text string) string {
	return shorten.Runes(shorten.OneLine(strings.ToValidUTF8(text, "�")), 299)
}

// Troubles returns what went wrong since the last call.
func (e *evidence) Troubles() []string {
	e.mu.Lock()
	list, more := e.troubles, e.more
	e.troubles, e.more = nil, 0
	e.mu.Unlock()
	if more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return list
}

// finish writes the HAR, and returns its path and those of the traces.
func (e *evidence) finish() (string, []string, error) {
	path := filepath.Join(e.how.Dir, "network.har")
	file, err := os.Create(path)
	if err != nil {
		return "", nil, fmt.Errorf("keep the network's traffic: %w", err)
	}
	err = e.har.write(file, e.how.Mask)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", nil, fmt.Errorf("keep the network's traffic: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return path, e.traces, errors.Join(e.errs...)
}

// trace starts Playwright's trace of a context of our own. Its strip of screenshots costs a third of a test's time:
// where there is a video already, it goes without.
func (e *evidence) trace(context playwright.BrowserContext, pictures bool) error {
	return context.Tracing().Start(playwright.TracingStartOptions{Snapshots: playwright.Bool(true),
		Screenshots: playwright.Bool(pictures)})
}

// noTrace keeps why there is none.
func (e *evidence) noTrace(why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.errs = append(e.errs, why)
}

// endTrace keeps the trace of a context that is about to be closed.
func (e *evidence) endTrace(context playwright.BrowserContext) {
	e.mu.Lock()
	path := filepath.Join(e.how.Dir, fmt.Sprintf("trace-%d.zip", len(e.traces)+len(e.errs)+1))
	e.mu.Unlock()
	err := context.Tracing().Stop(path)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.errs = append(e.errs, fmt.Errorf("there is no trace: %s", plain(err)))
		return
	}
	e.traces = append(e.traces, path)
}

// record notes what a context requests from the network, and what of that failed, as far as mine says that a request
// counts.
func (e *evidence) record(context playwright.BrowserContext, mine func(playwright.Request) bool) {
	context.OnRequest(func(r playwright.Request) {
		if mine(r) {
			e.har.asked(r)
		}
	})
	context.OnResponse(func(r playwright.Response) {
		e.har.answered(r)
		if r.Status() >= 400 && mine(r.Request()) && !favicon(r.URL()) {
			e.trouble("%d %s %s", r.Status(), r.Request().Method(), r.URL())
		}
	})
	context.OnRequestFinished(func(r playwright.Request) { e.har.ended(r, "") })
	context.OnRequestFailed(func(r playwright.Request) {
		why := "it failed"
		if err := r.Failure(); err != nil {
			why = err.Error()
		}
		e.har.ended(r, why)
		// Pages that are left break requests off, and what a route blocks is what the test wants.
		if mine(r) && !favicon(r.URL()) && !containsAny(why, "ERR_ABORTED", "ERR_BLOCKED_BY_CLIENT") {
			e.trouble("%s %s: %s", r.Method(), r.URL(), why)
		}
	})
}

// favicon reports whether the browser made a request by itself.
func favicon(address string) bool { return strings.HasSuffix(address, "/favicon.ico") }

// record passes what a context requests from the network to the evidence.
func (s *session) record() {
	if s.evidence == nil {
		return
	}
	s.evidence.record(s.context, func(r playwright.Request) bool {
		if !s.browser.attached {
			return true
		}
		frame := r.Frame()
		return frame != nil && s.tabs.ours(frame.Page())
	})
}
