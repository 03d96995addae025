package dom

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// page is an Asker with documents that return the states of a touch one after the other; the last one is repeated.
type page struct {
	states   map[int][]string // by the depth of the document
	commands []string
}

func (p *page) Ask(chain []string, command string, into any) error {
	p.commands = append(p.commands, command)
	list := p.states[len(chain)]
	if command != "aimed" || len(list) == 0 {
		return nil
	}
	state := list[0]
	if len(list) > 1 {
		p.states[len(chain)] = list[1:]
	}
	if state == "gone" {
		return errors.New("the page is another one")
	}
	answer := into.(*touchAnswer)
	answer.Result = state
	if state == "hit" || state == "missed" {
		answer.Met = "button"
	}
	return nil
}

// TestAimedMet covers touches that arrive in the page, in a frame, late, elsewhere or nowhere.
func TestAimedMet(t *testing.T) {
	for name, c := range map[string]struct {
		top, frame []string
		met        string
		missed     bool
		last       string
	}{
		"hit":        {top: []string{"hit"}, frame: []string{"nothing"}, met: "button", last: "aimed.over"},
		"in a frame": {top: []string{"nothing"}, frame: []string{"hit"}, met: "button", last: "aimed.over"},
		"late": {top: []string{"nothing", "nothing", "hit"}, frame: []string{"nothing"}, met: "button",
			last: "aimed.over"},
		"the element is a frame": {top: []string{"frame"}, frame: []string{"frame"}, last: "aimed.over"},
		"nothing in a frame":     {top: []string{"frame"}, frame: []string{"nothing"}, missed: true, last: "aimed.lost"},
		"something else":         {top: []string{"missed"}, frame: []string{"nothing"}, missed: true, last: "aimed"},
		"nothing":                {top: []string{"nothing"}, frame: []string{"nothing"}, missed: true, last: "aimed.lost"},
		"another page":           {top: []string{"gone"}, last: "aimed"},
		"a new document":         {top: []string{""}, frame: []string{"gone"}, last: "aimed"},
		"an unknown result":      {top: []string{""}, frame: []string{""}, last: "aimed"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &page{states: map[int][]string{0: c.top, 1: c.frame}}
				aimed, err := Aim(p, "g/3/4")
				if err != nil {
					t.Fatal(err)
				}
				met, err := aimed.Met(p, 200*time.Millisecond)
				if met != c.met || errors.Is(err, drivers.ErrMissed) != c.missed || (err != nil) != c.missed ||
					p.commands[len(p.commands)-1] != c.last {
					t.Errorf("%q, %v, %v", met, err, p.commands)
				}
				gone := len(c.top) > 0 && c.top[0] == "gone" || len(c.frame) > 0 && c.frame[0] == "gone"
				if _, unasked := aimed.Unasked(); (unasked != nil) != gone {
					t.Errorf("not asked: %v", unasked)
				}
			})
		})
	}
}
