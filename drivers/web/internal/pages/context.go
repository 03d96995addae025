package pages

import (
	"context"
	"fmt"
	"image"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/drivers/web/internal/network"
	"github.com/taproot-dev/taproot/dsl"
)

// BrowserContext is one browser context with its pages, from OpenPage to the next OpenPage or Close.
type BrowserContext struct {
	*Health
	Slot     *Slot
	Journal  *journal.Journal
	recorder *Recorder
	Opts     browser.Options
	Context  playwright.BrowserContext
	Size     image.Point // of the viewport
	Touch    bool        // a touch screen is emulated
	mobile   bool        // the page may be zoomed
	Filmed   bool
	Traced   bool

	Tabs      *Tabs
	Dialogs   *dialogs
	Clients   *Clients
	Router    *network.Router
	cameras   *cameras // nil: screenshots are taken by Playwright
	Console   *journal.Console
	Traffic   *network.Traffic
	Acting    *acting
	Responses network.Responses
	Frames    KnownFrames
	Unseen    network.UnseenRoots

	Evidence *journal.Evidence // nil: nothing is recorded
	Tasks    *drivers.Lifetime // what events ask for; those that come while it closes are too late

	mu      sync.Mutex
	opening drivers.WebOpening // of the page that was gone to last
}

// watch follows the pages and dialogs of the context. Its handlers run on playwright-go's event loop, where a call that
// waits for an answer would wait for ever: they take notes, and what needs an answer goes to a goroutine.
func (s *BrowserContext) watch() {
	s.Context.OnPage(s.Tabs.opens)
	s.Context.OnDialog(func(dialog playwright.Dialog) {
		if s.Tabs.Ours(dialog.Page()) {
			_ = s.Tasks.Go(func() { s.Dialogs.meet(dialog) })
		}
	})
}

// Settings are what a session is made of.
type Settings struct {
	Slot      *Slot
	Journal   *journal.Journal
	Recorder  *Recorder
	Opts      browser.Options
	Browser   *browser.Browser
	Context   playwright.BrowserContext // has no page yet
	Emulation *Emulation
}

// NewSession puts the parts of a session together.
func NewSession(from Settings) *BrowserContext {
	made, e, notes := from.Context, from.Emulation, from.Journal
	health, console, cameras := NewHealth(from.Browser), &journal.Console{}, newCameras(from.Browser, made, e)
	clients := &Clients{context: made, devtools: map[playwright.Page]*DevtoolsClient{}, ended: map[playwright.Page]bool{}}
	s := &BrowserContext{Health: health, Slot: from.Slot, Journal: notes, recorder: from.Recorder, Opts: from.Opts,
		Context: made, Size: e.Size, Touch: e.Touch, mobile: e.Mobile, Filmed: e.Options.RecordVideo != nil,
		Dialogs: newDialogs(health, from.Slot, notes), Clients: clients, cameras: cameras, Console: console,
		Router:  network.NewRouter(made, health.Ending, notes.Log, console),
		Traffic: &network.Traffic{}, Acting: &acting{}, Evidence: from.Recorder.recording(), Tasks: drivers.NewLifetime()}
	s.Tabs = &Tabs{health: health, context: made, journal: notes, traffic: s.Traffic, acting: s.Acting, tasks: s.Tasks,
		size: e.Size, Downloads: make(chan playwright.Download, 1), ended: map[playwright.Page]bool{},
		closed: func(page playwright.Page) { cameras.forget(page); clients.forget(page) }}
	s.watch()
	s.listen()
	s.record()
	return s
}

// SetOpening notes how the page came that was gone to last.
func (s *BrowserContext) SetOpening(opening drivers.WebOpening) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening = opening
}

// LastOpening returns how the page came that was gone to last.
func (s *BrowserContext) LastOpening() drivers.WebOpening {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opening
}

// Current returns the page that the test chose, or else the newest that is open.
func (s *BrowserContext) Current() (playwright.Page, error) {
	if err := s.Usable(); err != nil {
		return nil, err
	}
	if page := s.Tabs.Any(); page != nil {
		return page, nil
	}
	return nil, s.noPage()
}

// Abandon closes the context without waiting for it: a call that hangs returns then.
func (s *BrowserContext) Abandon(why string) {
	s.Fail(fmt.Errorf("%w: the page is gone: %s", drivers.ErrDeviceLost, why))
	s.Mute.Store(true)
	s.Slot.Calls.Go(func() { s.Close() })
}

// Close closes the pages and waits for it, though not for ever: a browser that hangs is ended by the driver.
func (s *BrowserContext) Close() {
	if s.closing.Swap(true) {
		browser.WaitFor(s.closed, browser.TraceLimit)
		return
	}
	close(s.Ending)
	limit := browser.StopLimit
	hung := s.Mute.Load()
	switch {
	case hung:
		limit = hardLimit
	case s.Traced:
		limit = browser.TraceLimit
	}
	over := browser.Within(limit, func() {
		defer close(s.closed)
		if s.Traced && !hung && s.Browser.Alive() && !s.Crashed() {
			s.Evidence.EndTrace(s.Context)
		}
		if s.Browser.Attached {
			s.leave()
		} else {
			_ = s.Context.Close() // fails only when it is gone
		}
		s.Tasks.End()
		if s.Filmed {
			s.recorder.keepFilms(s.Tabs.openings())
		}
	})
	if !over && hung && !s.Browser.Attached {
		s.Browser.Kill() // whatever else is open in it ends as well: a page that cannot be closed would hold it for ever
	}
}

// hardLimit is how long a page that does not answer may take to close before its browser is ended, and with it the
// pages of other tests. On a busy machine, 5 s were not enough for pages that were only slow.
const hardLimit = 15 * time.Second

// leave closes the session's own tabs and ends the connection.
func (s *BrowserContext) leave() {
	for _, page := range s.Tabs.All() {
		_ = page.Close() // fails only when it is gone
	}
	s.Browser.LetGo()
}

// Refuses is the error of an action that the browser of the session does not do; nil when it does.
func (s *BrowserContext) Refuses(word string) error {
	if why := dsl.Refusal(s.Browser.Brand.Name, word); why != "" {
		return fmt.Errorf("%w: %s", drivers.ErrUnsupported, why)
	}
	return nil
}

// readLimit returns how long a page may take to answer: the device's limit, or what is left of the step's time. A page
// that did not answer before, and still does not after the step's time, is not waited for again.
func (s *BrowserContext) readLimit(ctx context.Context) time.Duration {
	end, known := drivers.StepDeadline(ctx)
	if !known {
		return s.Slot.Limit
	}
	left, least := time.Until(end)+readGrace, readLeast
	if drivers.PromptAnswers(ctx) {
		least = promptReadLeast
	}
	if s.Mute.Load() {
		least = readGrace
	}
	return min(s.Slot.Limit, max(left, least))
}

// record passes what a context requests from the network to the evidence.
func (s *BrowserContext) record() {
	if s.Evidence == nil {
		return
	}
	s.Evidence.Record(s.Context, func(r playwright.Request) bool {
		if !s.Browser.Attached {
			return true
		}
		frame := r.Frame()
		return frame != nil && s.Tabs.Ours(frame.Page())
	})
}

// listen sends what happens in the context to the device's log, and keeps what assertions ask for.
func (s *BrowserContext) listen() {
	notes := s.Journal
	s.Context.OnConsole(func(m playwright.ConsoleMessage) {
		if !s.Tabs.Ours(m.Page()) {
			return
		}
		where, address := "", ""
		if l := m.Location(); l != nil && l.URL != "" {
			where, address = fmt.Sprintf(" (%s:%d)", l.URL, l.LineNumber+1), l.URL
			if journal.Favicon(l.URL) {
				return // asked for by the browser, not by the page
			}
		}
		if s.Acting.causedConsole(m.Text(), address) {
			return
		}
		text := m.Text() + where
		if m.Type() == "error" {
			s.Console.NoteError(text)
			if !strings.HasPrefix(text, "Failed to load resource:") { // the request itself is reported
				s.Evidence.Trouble("console error: %s", text)
			}
		}
		notes.LogLine("console "+m.Type(), text)
	})
	s.Context.OnWebError(func(e playwright.WebError) {
		if !s.Tabs.Ours(e.Page()) {
			return
		}
		s.Console.NoteError("uncaught " + browser.Plain(e.Error()))
		notes.Add(journal.PageEvent{Kind: drivers.TabError, Page: e.Page(), Text: browser.Plain(e.Error())})
		s.Evidence.Trouble("uncaught %s", browser.Plain(e.Error()))
		notes.LogLine("uncaught", browser.Plain(e.Error()))
	})
	s.Context.OnRequest(func(r playwright.Request) {
		s.Traffic.Add(network.Exchange{Url: r.URL(), Said: r.Method()})
		s.Traffic.Asked(r)
		s.Traffic.Called(r)
		if r.IsNavigationRequest() {
			s.Traffic.Started(r)
		}
	})
	s.Context.OnRequestFailed(func(r playwright.Request) {
		s.Traffic.Ended(r)
		s.Traffic.Over(r)
		s.Traffic.CalledBack(r)
	})
	s.Context.OnRequestFinished(func(r playwright.Request) {
		s.Traffic.Over(r)
		s.Traffic.CalledBack(r)
	})
	s.Context.OnResponse(func(r playwright.Response) {
		said := fmt.Sprintf("%d %s", r.Status(), r.Request().Method())
		s.Traffic.Add(network.Exchange{Url: r.URL(), Said: said, Answer: true})
		s.Traffic.Ended(r.Request())
		page := s.Responses.Answered(r)
		if page != nil && (r.Status() < 300 || r.Status() >= 400) { // else another address follows
			notes.Add(journal.PageEvent{Kind: drivers.TabWentTo, Page: page, Status: r.Status()})
		}
		if !s.Browser.Brand.Devtools {
			s.Unseen.Answered(r, s.Tasks.Go)
		}
		if r.Status() >= 400 {
			notes.LogLine("response", said+" "+r.URL())
		}
	})
}

// KnownFrames are the frames that were on the pages of a session, by CSS as in drivers.WebTarget. The zero value is
// ready.
type KnownFrames struct {
	mu     sync.Mutex
	frames map[string]bool
}

func (k *KnownFrames) Enter(frame string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.frames == nil {
		k.frames = map[string]bool{}
	}
	k.frames[frame] = true
}

func (k *KnownFrames) Has(frame string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.frames[frame]
}

const (
	// blockedScript starts what Chromium writes to the console when a document that may not run scripts (a sandboxed
	// frame) should run one. A listener is one: those of Taproot and Playwright are called by the events of every touch
	// and key.
	blockedScript = "Blocked script execution in '"
	// consoleLate is how long after an action a message of the console may come that the action caused.
	consoleLate = 500 * time.Millisecond
)

// acting keeps when Taproot acts on the pages of a session. The zero value is ready.
type acting struct {
	mu           sync.Mutex
	running      int
	began, ended time.Time
	framed       time.Time // when a frame got a document last
}

// Start is called at the start of an action; the result when it ends.
func (a *acting) Start() (end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running++; a.running == 1 {
		a.began = time.Now()
	}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.running--
		a.ended = time.Now()
	}
}

// frame is called when a frame has got another document.
func (a *acting) frame() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.framed = time.Now()
}

// causedConsole reports whether a message of the console was caused by Taproot's own scripts or Playwright's, instead
// of by the page. Scripts that are put into a page have no URL. Their listeners are reported at the URL of the
// document, like the page's own scripts: those are blocked when a document comes, ours when an action reaches a
// document that was there before.
func (a *acting) causedConsole(text, url string) bool {
	if !strings.HasPrefix(text, blockedScript) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	acts := a.running > 0 || time.Since(a.ended) < consoleLate
	return url == "" || acts && a.framed.Before(a.began)
}
