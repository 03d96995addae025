package pages

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
)

// AnyDialog is the type of a dialog of which the browser does not report what it is.
const AnyDialog = "dialog"

// dialogs is how one context deals with alert, confirm, prompt and beforeunload. An open dialog stops its page: no call
// on the page ends before it is answered.
type dialogs struct {
	health  *Health
	slot    *Slot
	journal *journal.Journal

	mu      sync.Mutex
	how     drivers.WebAnswer
	refuse  int               // calls are under way that must not be stopped
	open    playwright.Dialog // left open for Alerter
	opened  chan struct{}     // closed when one is left open; renewed once it is answered
	stopped []<-chan struct{} // calls that the open one stopped
}

func newDialogs(health *Health, slot *Slot, journal *journal.Journal) *dialogs {
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
		g.journal.LogLine("dialog", fmt.Sprintf("%s %s is open", kind, screen.Quote(message)))
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
	case (kind == "prompt" || kind == AnyDialog) && text != "":
		verb, err = "accepted", dialog.Accept(text)
	case kind == "prompt": // OK returns the text that the field of a prompt holds from the start
		verb, err = "accepted", dialog.Accept(dialog.DefaultValue())
	default:
		verb, err = "accepted", dialog.Accept()
	}
	g.journal.NoteDialog(verb, kind, dialog.Message())
	return err
}

// Set says what becomes of dialogs from now on.
func (g *dialogs) Set(how drivers.WebAnswer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.how = how
}

// OnDialog returns a channel that is closed when a dialog is left open.
func (g *dialogs) OnDialog() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.opened
}

// IsOpen reports whether a dialog is left open.
func (g *dialogs) IsOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open != nil
}

// Refusing has dialogs dismissed at once until the function that it returns is called: what is under way must not be
// stopped.
func (g *dialogs) Refusing() (done func()) {
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

// Settle closes the open dialog and waits for the calls that it stopped; without one it does nothing and reports that.
func (g *dialogs) Settle(ctx context.Context, accept bool, text string) (there bool, err error) {
	dialog, stopped := g.take()
	if dialog == nil {
		return false, nil
	}
	done := Start(g.slot, func() (struct{}, error) { return struct{}{}, g.answer(dialog, accept, text) })
	timer := time.NewTimer(browser.CallLimit)
	defer timer.Stop()
	select {
	case r := <-done:
		err = g.health.Explain(r.Err)
	case <-ctx.Done():
		return true, ctx.Err()
	case <-timer.C:
		return true, g.health.unresponsiveError(browser.CallLimit)
	}
	next := g.OnDialog() // the same call may open another one
	for _, call := range stopped {
		select {
		case <-call:
		case <-next:
			g.stops(call)
		case <-g.health.Browser.Lost:
			return true, g.health.Browser.LostError()
		case <-ctx.Done():
			return true, ctx.Err()
		case <-timer.C:
			return true, g.health.unresponsiveError(browser.CallLimit)
		}
	}
	return true, err
}

// Alert describes the open dialog, nil when there is none.
func (g *dialogs) Alert() *drivers.Alert {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		return nil
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
		Field: g.open.Type() == "prompt" || g.open.Type() == AnyDialog}
}
