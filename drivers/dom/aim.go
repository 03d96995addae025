package dom

import (
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const touchPoll = 30 * time.Millisecond

// Aimed is a touch that is held back unless it meets the element that it is meant for.
type Aimed struct {
	chains [][]string // the documents on the way to the element, outermost first
	lost   LostPress
}

// LostPress is a press that gave no click, because what was pressed moved away before the release.
type LostPress struct {
	// What was pressed, "" when the press gave a click.
	What string `json:"lost"`
	// Sure: it does nothing before it is clicked. Otherwise the page may listen to presses of it.
	Sure bool
	// Chain leads to its document.
	Chain []string `json:"-"`
}

// touchAnswer is what a document says of a touch.
type touchAnswer struct {
	Result, Met string
	LostPress
}

// Aim has a page hold the next touch back unless it meets the element of a ref. Each document on the way is told, so
// that what lies over a frame does not get the touch either. An error of the Asker is given as it is; one of the ref
// wraps ErrNotReady.
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

// Met tells what the touch has met, in the innermost document that knows, and of one that was held back. A touch that
// has reached no document within patience is held back should it come yet. Of one that led the page elsewhere nobody
// can ask, and it has met something.
func (t *Aimed) Met(a Asker, patience time.Duration) (met string, err error) {
	for began := time.Now(); ; time.Sleep(touchPoll) {
		met, came, err := t.ask(a, "aimed")
		if came || err != nil {
			return met, err
		}
		if time.Since(began) > patience {
			_, _, _ = t.ask(a, "aimed.lost")
			return "", fmt.Errorf("%w: the touch has reached nothing in the page", drivers.ErrMissed)
		}
	}
}

// Lost is the press of a touch that Met knows, where that was to be a click and gave none.
func (t *Aimed) Lost() LostPress { return t.lost }

// Err wraps ErrNotActionable.
func (p LostPress) Err() error {
	return fmt.Errorf("%w: %s moved away between press and release: no click", drivers.ErrNotActionable, p.What)
}

// ask asks the documents once; came: the touch has come to one of them, or nobody can say.
func (t *Aimed) ask(a Asker, command string) (met string, came bool, err error) {
	var waiting [][]string
	for i, chain := range t.chains {
		var touch touchAnswer
		if err := a.Ask(chain, command, &touch); err != nil {
			return "", true, nil
		}
		switch touch.Result {
		case "missed":
			return "", true, fmt.Errorf("%w: %s", drivers.ErrMissed, touch.Met)
		case "frame": // of the frames on the way, the next document knows
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
		if touch.Met != "" { // the innermost document says it last
			met = touch.Met
		}
	}
	if came {
		for _, chain := range waiting {
			var nothing struct{}
			_ = a.Ask(chain, "aimed.over", &nothing) // a document that is gone holds nothing back
		}
	}
	return met, came, nil
}

// Scripted is Aim for a touch that a script makes at a point of the page's own document, by events of its own: it gives
// an error that wraps ErrMissed when that point is not the element's. Where no touch is aimed it says nothing. again,
// to be called when the script made none, leaves the word to the touch that is to come.
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
		_ = a.Ask(nil, "aimed-anew", &nothing) // a page that went away has no touch to come
	}, nil
}
