package classic

import (
	"fmt"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// Prompt is a dialog as what observes a session reports it.
type Prompt struct {
	Kind             string // alert, confirm, prompt, beforeunload
	Message, Default string
}

// prompts are the dialogs that are reported to be open, by windows.
type prompts struct {
	context *Context

	mu   sync.Mutex
	open map[string]Prompt
	lost error // that a dialog was closed by the server; nil once it has been reported
}

// promptLate is how long after WebDriver a dialog may be reported.
const promptLate = time.Second

// Prompted notes the dialog that is open in a window.
func (p *prompts) Prompted(window string, open Prompt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[window] = open
}

// Answered notes that the dialog in a window is closed.
func (p *prompts) Answered(window string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, window)
}

// prompted reports whether a dialog is reported to be open in a window.
func (p *prompts) prompted(window string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, is := p.open[window]
	return is
}

// prompt returns the dialog that is open in a window.
func (p *prompts) prompt(window, message string) Prompt {
	if _, reports := p.context.opened.(Observer); !reports {
		return Prompt{}
	}
	for end := time.Now().Add(promptLate); ; {
		p.mu.Lock()
		open, is := p.open[window]
		p.mu.Unlock()
		switch {
		case is && open.Message == message:
			return open
		case time.Now().After(end), drivers.Pause(p.context.life, resizePoll) != nil:
			return Prompt{}
		}
	}
}

// lose notes that the server has closed a dialog, and returns the error which says so.
func (p *prompts) lose(cause error) error {
	err := fmt.Errorf("a dialog of the page opened in that moment, and the server has closed it: %w", cause)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = err
	return err
}

// LostDialog returns the error of a dialog that the server has closed since the last call, nil if there was none. Calls
// that ignore their errors may be the ones that came upon it.
func (p *prompts) LostDialog() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.lost
	p.lost = nil
	return err
}
