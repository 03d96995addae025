package dom

import (
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

const touchPoll = 30 * time.Millisecond

// Aimed is a touch that is blocked unless it reaches its target element.
type Aimed struct {
	chains  [][]string // the documents that contain the element, outermost first
	lost    LostPress
	unasked error
	silent  []string // the chain of the document that unasked is about
}

// LostPress is a press without a click, because the pressed element moved away before the release, or the page replaced
// it or what was pressed in it.
type LostPress struct {
	// What describes the pressed element, "" when the press resulted in a click.
	What string `json:"lost"`
	// Sure reports that the element does nothing before it is clicked. Otherwise the page may have reacted to the press
	// itself.
	Sure bool
	// Replaced reports that the page replaced the element, or the part of it that was pressed.
	Replaced bool
	// Chain leads to the document of the element.
	Chain []string `json:"-"`
}

// touchAnswer is the state of a touch in a document.
type touchAnswer struct {
	Result, Met string
	LostPress
}

// Aim makes a page block the next touch unless it reaches the element of a ref. Each document around the element is
// informed, so that an element over a frame does not receive the touch either. Errors of the Asker are returned
// unchanged; those about the ref wrap ErrNotReady.
func Aim(a Asker, ref string) (*Aimed, error) {
	gen, path, err := ParseRef(ref)
	if err != nil {
		return nil, err
	}
	aimed := &Aimed{chains: Chains(gen, path)}
	for i, chain := range aimed.chains {
		var nothing struct{}
		if err := a.Ask(chain, fmt.Sprintf("aim.%s.%d", gen, path[i]), &nothing); err != nil {
			return nil, err
		}
	}
	return aimed, nil
}

// Met returns a description of the element that the touch reached, from the innermost document with a result, and an
// error for a touch that was blocked. A touch that reaches no document within patience is blocked if it still arrives.
// A page that the touch has replaced cannot be queried: the touch counts as successful.
func (t *Aimed) Met(a Asker, patience time.Duration) (met string, err error) {
	t.silent, t.unasked = nil, nil
	for began := time.Now(); ; time.Sleep(touchPoll) {
		met, came, err := t.ask(a, "aimed")
		if came || err != nil {
			return met, err
		}
		if time.Since(began) > patience {
			if met, _, err := t.ask(a, "aimed.lost"); met != "" || err != nil { // in a document without scripts
				return met, err
			}
			return "", fmt.Errorf("%w: the touch has reached nothing in the page", drivers.ErrMissed)
		}
	}
}

// Unasked returns the chain of a document that Met could not query, so that the touch counted as successful, and why;
// a nil error: all of them were. The error is that of the Asker: the page may have been replaced, or the response lost.
func (t *Aimed) Unasked() (chain []string, err error) { return t.silent, t.unasked }

// UnknownTouch is the warning about a touch of an element that was made, when its page did not respond afterwards.
func UnknownTouch(n *screen.Node, why string) string {
	return fmt.Sprintf("whether the touch of %s has reached it is unknown: %s", n, why)
}

// Lost returns the press of a touch for which Met returned a result, when it should have resulted in a click but did
// not.
func (t *Aimed) Lost() LostPress { return t.lost }

// Err returns the error of a press without a click. It wraps ErrNotActionable.
func (p LostPress) Err() error {
	if p.Replaced {
		return fmt.Errorf("%w: the page replaced %s between press and release: no click", drivers.ErrNotActionable, p.What)
	}
	return fmt.Errorf("%w: %s moved away between press and release: no click", drivers.ErrNotActionable, p.What)
}

// ask queries the documents once. came reports whether the touch has arrived in one of them, or this is unknown.
func (t *Aimed) ask(a Asker, command string) (met string, came bool, err error) {
	var waiting [][]string
	for i, chain := range t.chains {
		var touch touchAnswer
		if err := a.Ask(chain, command, &touch); err != nil {
			t.silent, t.unasked = chain, err
			return "", true, nil
		}
		switch touch.Result {
		case "missed":
			return "", true, fmt.Errorf("%w: %s", drivers.ErrMissed, touch.Met)
		case "frame": // the next document decides for a frame around the element
			came = came || i == len(t.chains)-1
			fallthrough
		case "nothing":
			waiting = append(waiting, chain)
			continue
		}
		came = true
		if touch.What != "" {
			t.lost = touch.LostPress
			t.lost.Chain = chain
		}
		if touch.Met != "" { // the innermost document is the last
			met = touch.Met
		}
	}
	if came {
		for _, chain := range waiting {
			var nothing struct{}
			_ = a.Ask(chain, "aimed.over", &nothing) // a document that no longer exists blocks nothing
		}
	}
	return met, came, nil
}

// Scripted is Aim for a touch that a script makes at a point of the page's own document, with events of its own. It
// returns an error that wraps ErrMissed when that point is not on the element, and does nothing when no touch is aimed.
// The caller calls again when the script made no touch: the result is then that of the touch that follows.
func Scripted(a Asker, x, y int) (again func(), err error) {
	var touch touchAnswer
	if err := a.Ask(nil, fmt.Sprintf("aimed-at.%d.%d", x, y), &touch); err != nil {
		return nil, err
	}
	if touch.Result == "missed" {
		return nil, fmt.Errorf("%w: %s", drivers.ErrMissed, touch.Met)
	}
	return func() {
		var nothing struct{}
		_ = a.Ask(nil, "aimed-again", &nothing) // the page was replaced: no touch follows
	}, nil
}
