// Package journal keeps what happens on the pages of a device: its log, news for the client, errors of the console, HAR
// and troubles.
package journal

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

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

// Pasteboard is the clipboard of a device's pages.
type Pasteboard struct {
	mu        sync.Mutex
	clipboard string // what the test or a page put there last
}

// Put puts a text on the clipboard.
func (p *Pasteboard) Put(text string) {
	p.mu.Lock()
	p.clipboard = text
	p.mu.Unlock()
}

// SetClipboard puts a text on the clipboard of this device's pages.
func (p *Pasteboard) SetClipboard(ctx context.Context, text string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.Put(text)
	return nil
}

// Clipboard returns what was put on the clipboard last, by the test or by a page.
func (p *Pasteboard) Clipboard(ctx context.Context) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clipboard, ctx.Err()
}

// ForgetDialogs starts the list of dialogs again.
func (j *Journal) ForgetDialogs() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dialogs = nil
}

func (j *Journal) NoteDialog(verb, kind, message string) {
	j.Add(PageEvent{Kind: drivers.TabDialog, Text: fmt.Sprintf("%s %s was %s", kind, screen.Quote(message), verb)})
	j.mu.Lock()
	if len(j.dialogs) < 20 {
		j.dialogs = append(j.dialogs, fmt.Sprintf("%s %s dialog %s", verb, kind, screen.Quote(message)))
	}
	j.mu.Unlock()
	j.LogLine("dialog", fmt.Sprintf("%s %s was %s", kind, screen.Quote(message), verb))
}

// Dialogs lists the dialogs that the pages of the current context opened, and how they were answered.
func (j *Journal) Dialogs() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.dialogs...)
}

// maxErrors caps the errors of the console that are kept for assertions.
const maxErrors = 20

// Console keeps the errors of the console for assertions.
type Console struct {
	mu     sync.Mutex
	errors []string
}

// NoteError keeps what the console says of errors.
func (c *Console) NoteError(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.errors) < maxErrors {
		c.errors = append(c.errors, screen.Quote(text))
	}
}

// Forget starts again.
func (c *Console) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errors = nil
}

func (c *Console) ConsoleErrors() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.errors)
}

// maxNews caps what is remembered of a device until it is read.
const maxNews = 50

// PageEvent is a drivers.WebHappening with a page that may still be on its way.
type PageEvent struct {
	Kind, Text string
	Status     int
	Page       playwright.Page
}

// Events is what happened on the pages of a device since it was asked last. Events come on playwright-go's event
// loop: nothing here waits.
type Events struct {
	mu   sync.Mutex
	list []PageEvent
	more int
	keep bool // the foreground page stays there
}

func (n *Events) Add(h PageEvent) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.list) >= maxNews {
		n.more++
		return
	}
	n.list = append(n.list, h)
}

// News returns what happened since the last call, and how much more was left out.
func (n *Events) News() (list []PageEvent, more int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list, more = n.list, n.more
	n.list, n.more = nil, 0
	return list, more
}

func (n *Events) KeepsFront() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.keep
}

// KeepFront sets whether the foreground page stays there when another one opens.
func (n *Events) KeepFront(keep bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.keep = keep
}
