package web

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// dialogs is how one context deals with alert, confirm, prompt and beforeunload. An open dialog stops its page: no call
// on the page ends before it is answered.
type dialogs struct {
	health  *Health
	slot    *Slot
	journal *Journal

	mu      sync.Mutex
	how     drivers.WebAnswer
	refuse  int               // calls are under way that must not be stopped
	open    playwright.Dialog // left open for Alerter
	opened  chan struct{}     // closed when one is left open; renewed once it is answered
	stopped []<-chan struct{} // calls that the open one stopped
}

func newDialogs(health *Health, slot *Slot, journal *Journal) *dialogs {
	return &dialogs{health: health, slot: slot, journal: journal, opened: make(chan struct{})}
}

// meet deals with a dialog that just opened. It may wait for a response of the browser, so it runs next to
// playwright-go's event loop.
func (g *dialogs) meet(dialog playwright.Dialog) {
	kind, message := dialog.Type(), dialog.Message()
	g.mu.Lock()
	how := g.how
	leaving := kind == "beforeunload" // to refuse it would be an answer, too: the page stays
	if !how.AtOnce && (g.refuse == 0 || leaving) && g.open == nil {
		g.open = dialog
		close(g.opened)
		g.mu.Unlock()
		g.journal.logLine("dialog", fmt.Sprintf("%s %s is open", kind, screen.Quote(message)))
		return
	}
	g.mu.Unlock()
	_ = g.answer(dialog, how.AtOnce && how.Accept, how.Text)
}

// answer accepts or dismisses, and reports it.
func (g *dialogs) answer(dialog playwright.Dialog, accept bool, text string) (err error) {
	kind, verb := dialog.Type(), "dismissed"
	switch {
	case !accept:
		err = dialog.Dismiss()
	case kind == "prompt" && text != "":
		verb, err = "accepted", dialog.Accept(text)
	default:
		verb, err = "accepted", dialog.Accept()
	}
	g.journal.noteDialog(verb, kind, dialog.Message())
	return err
}

// set says what becomes of dialogs from now on.
func (g *dialogs) set(how drivers.WebAnswer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.how = how
}

// onDialog returns a channel that is closed when a dialog is left open.
func (g *dialogs) onDialog() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opened
}

// isOpen reports whether a dialog is left open.
func (g *dialogs) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open != nil
}

// refusing has dialogs dismissed at once until the function that it returns is called: what is under way must not be
// stopped.
func (g *dialogs) refusing() (done func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refuse++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.refuse--
	}
}

// stops notes a call that the open dialog keeps from ending.
func (g *dialogs) stops(call <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stopped = append(g.stopped, call)
}

// take returns the open dialog, if there is one, and what it stopped: the caller that takes it closes it.
func (g *dialogs) take() (playwright.Dialog, []<-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	dialog, stopped := g.open, g.stopped
	if dialog != nil {
		g.open, g.stopped, g.opened = nil, nil, make(chan struct{})
	}
	return dialog, stopped
}

// settle closes the open dialog and waits for the calls that it stopped; without one it does nothing and reports that.
func (g *dialogs) settle(ctx context.Context, accept bool, text string) (there bool, err error) {
	dialog, stopped := g.take()
	if dialog == nil {
		return false, nil
	}
	done := start(g.slot, func() (struct{}, error) { return struct{}{}, g.answer(dialog, accept, text) })
	timer := time.NewTimer(callLimit)
	defer timer.Stop()
	select {
	case r := <-done:
		err = g.health.explain(r.err)
	case <-ctx.Done():
		return true, ctx.Err()
	case <-timer.C:
		return true, g.health.unresponsiveError(callLimit)
	}
	next := g.onDialog() // the same call may open another one
	for _, call := range stopped {
		select {
		case <-call:
		case <-next:
			g.stops(call)
		case <-g.health.browser.lost:
			return true, errBrowserLost
		case <-ctx.Done():
			return true, ctx.Err()
		case <-timer.C:
			return true, g.health.unresponsiveError(callLimit)
		}
	}
	return true, err
}

// Alerter answers the dialogs of the current page.
type Alerter struct{ slot *Slot }

// Alert returns the dialog that is open.
func (a *Alerter) Alert(ctx context.Context) (*drivers.Alert, error) {
	s, _, err := a.slot.page()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g := s.dialogs
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		return nil, nil
	}
	buttons, text := []string{"OK", "Cancel"}, g.open.Message()
	switch g.open.Type() {
	case "alert":
		buttons = buttons[:1]
	case "beforeunload":
		buttons[0] = "Leave"
		text = "Leave site?" // browsers show words of their own
	}
	return &drivers.Alert{Text: text, Buttons: buttons, Accept: buttons[0], Dismiss: buttons[len(buttons)-1],
		Field: g.open.Type() == "prompt"}, nil
}

// AnswerAlert closes the dialog that is open.
func (a *Alerter) AnswerAlert(ctx context.Context, button, text string) error {
	s, _, err := a.slot.page()
	if err != nil {
		return err
	}
	open, err := a.Alert(ctx)
	if err == nil && open != nil && !slices.Contains(open.Buttons, button) {
		return fmt.Errorf("%w: the dialog has the buttons %q, not %s", screen.ErrNotFound, open.Buttons, screen.Quote(button))
	}
	there, err := s.dialogs.settle(ctx, open != nil && button == open.Accept, text)
	if !there && err == nil {
		return fmt.Errorf("%w: no dialog is open", screen.ErrNotFound)
	}
	return err
}

// AnswerDialogs says what becomes of dialogs from now on; before there is a page, of those of the next OpenPage.
func (o *Opener) AnswerDialogs(ctx context.Context, how drivers.WebAnswer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o.mu.Lock()
	s, _ := o.slot.opened()
	if s == nil {
		o.pending.answer = how
	}
	o.mu.Unlock()
	if s != nil {
		s.dialogs.set(how)
	}
	return nil
}

// Journal is what a device keeps of what happens on its pages, whichever session they are of.
type Journal struct {
	*Log
	*Events
	*Pasteboard

	mu      sync.Mutex
	dialogs []string
}

// NewJournal returns an empty one.
func NewJournal() *Journal {
	return &Journal{Log: &Log{}, Events: &Events{}, Pasteboard: &Pasteboard{}}
}

// forgetDialogs starts the list of dialogs again.
func (j *Journal) forgetDialogs() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dialogs = nil
}

func (j *Journal) noteDialog(verb, kind, message string) {
	j.add(pageEvent{kind: drivers.TabDialog, text: fmt.Sprintf("%s %s was %s", kind, screen.Quote(message), verb)})
	j.mu.Lock()
	if len(j.dialogs) < 20 {
		j.dialogs = append(j.dialogs, fmt.Sprintf("%s %s dialog %s", verb, kind, screen.Quote(message)))
	}
	j.mu.Unlock()
	j.logLine("dialog", fmt.Sprintf("%s %s was %s", kind, screen.Quote(message), verb))
}

// Dialogs lists the dialogs that the pages of the current context opened, and how they were answered.
func (j *Journal) Dialogs() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.dialogs...)
}
