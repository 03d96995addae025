package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// MaxTroubles caps what is reported to one step.
const MaxTroubles = 20

// Evidence is what is recorded in addition to video and log, from StartEvidence on.
type Evidence struct {
	How drivers.WebEvidenceOptions
	HAR *HAR

	mu       sync.Mutex
	troubles []string
	more     int
	traces   []string
	errs     []error // why a trace is not there
}

// NewEvidence returns evidence that goes into an existing folder.
func NewEvidence(how drivers.WebEvidenceOptions) (*Evidence, error) {
	if how.Mask == nil {
		how.Mask = func(s string) string { return s }
	}
	dir, err := filepath.Abs(how.Dir)
	if err != nil {
		return nil, fmt.Errorf("record the network: %w", err)
	}
	how.Dir = dir
	return &Evidence{How: how, HAR: NewHAR()}, nil
}

// Trouble notes something that a reader of the current step should see.
func (e *Evidence) Trouble(format string, args ...any) {
	if e == nil {
		return
	}
	text := e.How.Mask(fmt.Sprintf(format, args...)) // before it is cut: half a secret would not be found
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.troubles) >= MaxTroubles {
		e.more++
		return
	}
	e.troubles = append(e.troubles, shortened(text))
}

// shortened is one line that is not too long.
func shortened(text string) string {
	return phrase.LimitRunes(phrase.OneLine(strings.ToValidUTF8(text, "�")), 299)
}

// Troubles returns what went wrong since the last call.
func (e *Evidence) Troubles() []string {
	e.mu.Lock()
	list, more := e.troubles, e.more
	e.troubles, e.more = nil, 0
	e.mu.Unlock()
	if more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return list
}

// Finish writes the HAR, and returns its path and those of the traces.
func (e *Evidence) Finish() (string, []string, error) {
	path := filepath.Join(e.How.Dir, "network.har")
	file, err := os.Create(path)
	if err != nil {
		return "", nil, fmt.Errorf("keep the network's traffic: %w", err)
	}
	err = e.HAR.Write(file, e.How.Mask)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", nil, fmt.Errorf("keep the network's traffic: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return path, e.traces, errors.Join(e.errs...)
}

// Trace starts Playwright's trace of a context of our own. Its strip of screenshots costs a third of a test's time:
// where there is a video already, it goes without.
func (e *Evidence) Trace(context playwright.BrowserContext, pictures bool) error {
	return context.Tracing().Start(playwright.TracingStartOptions{Snapshots: playwright.Bool(true),
		Screenshots: playwright.Bool(pictures)})
}

// NoTrace keeps why there is none.
func (e *Evidence) NoTrace(why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.errs = append(e.errs, why)
}

// EndTrace keeps the trace of a context that is about to be closed.
func (e *Evidence) EndTrace(context playwright.BrowserContext) {
	e.mu.Lock()
	path := filepath.Join(e.How.Dir, fmt.Sprintf("trace-%d.zip", len(e.traces)+len(e.errs)+1))
	e.mu.Unlock()
	err := context.Tracing().Stop(path)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.errs = append(e.errs, fmt.Errorf("there is no trace: %s", browser.Plain(err)))
		return
	}
	e.traces = append(e.traces, path)
}

// Record notes what a context requests from the network, and what of that failed, as far as mine says that a request
// counts.
func (e *Evidence) Record(context playwright.BrowserContext, mine func(playwright.Request) bool) {
	context.OnRequest(func(r playwright.Request) {
		if mine(r) {
			e.HAR.asked(r)
		}
	})
	context.OnResponse(func(r playwright.Response) {
		e.HAR.answered(r)
		if r.Status() >= 400 && mine(r.Request()) && !Favicon(r.URL()) {
			e.Trouble("%d %s %s", r.Status(), r.Request().Method(), r.URL())
		}
	})
	context.OnRequestFinished(func(r playwright.Request) { e.HAR.ended(r, "") })
	context.OnRequestFailed(func(r playwright.Request) {
		why := "it failed"
		if err := r.Failure(); err != nil {
			why = err.Error()
		}
		e.HAR.ended(r, why)
		// Pages that are left break requests off, and what a route blocks is what the test wants.
		if mine(r) && !Favicon(r.URL()) && !browser.ContainsAny(why, "ERR_ABORTED", "ERR_BLOCKED_BY_CLIENT") {
			e.Trouble("%s %s: %s", r.Method(), r.URL(), why)
		}
	})
}

// Favicon reports whether the browser made a request by itself.
func Favicon(address string) bool { return strings.HasSuffix(address, "/favicon.ico") }
