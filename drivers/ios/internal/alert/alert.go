// Package alert answers the alerts of one device, and opens links, for which iOS may ask.
package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/view"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// Alerts reads and answers the alerts of the system and of apps on one device. Its methods are called one at a time.
type Alerts struct {
	link   *wda.Link
	reader *view.Reader
}

// New returns the Alerts of the device that r reads.
func New(l *wda.Link, r *view.Reader) *Alerts { return &Alerts{link: l, reader: r} }

// Alert returns the alert of the system or the app that is open.
func (x *Alerts) Alert(ctx context.Context) (*drivers.Alert, error) {
	ctx, cancel := drivers.Bound(ctx, x.link.Life)
	defer cancel()
	return x.alert(ctx)
}

func (x *Alerts) alert(ctx context.Context) (*drivers.Alert, error) {
	text, err := x.link.AlertText(ctx)
	if err != nil || text == nil {
		return nil, err
	}
	a := &drivers.Alert{Text: *text}
	err = x.link.Agent.In(ctx, wda.Get("the alert's buttons", "/wda/alert/buttons"), &a.Buttons)
	switch {
	case errors.Is(err, screen.ErrNotFound): // it was closed meanwhile
		return nil, nil
	case wda.UnknownCommand(err): // an old WebDriverAgent
		a.Buttons, _, err = x.alertInTree(ctx)
	}
	if err != nil {
		return nil, err
	}
	a.Accept, a.Dismiss = answersAmong(a.Buttons)
	if a.Accept == "" && a.Dismiss == "" && len(a.Buttons) == 2 {
		// Words that we do not know, of an app or in another language: iOS has the button that cancels first in an alert, and
		// not in a sheet.
		if buttons, sheet, err := x.alertInTree(ctx); err == nil && !sheet && slices.Equal(buttons, a.Buttons) {
			a.Dismiss, a.Accept = a.Buttons[0], a.Buttons[1]
		}
	}
	return a, nil
}

// alertInTree finds the buttons of the alert that is drawn, and whether it is a sheet.
func (x *Alerts) alertInTree(ctx context.Context) (buttons []string, sheet bool, err error) {
	tree, err := x.reader.Tree(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, open := range slices.Backward(tree.Windows) {
		if sheet = open.Type == source.Prefix+"Sheet"; !sheet && open.Type != source.Prefix+"Alert" {
			continue
		}
		return buttonsIn(open), sheet, nil
	}
	return nil, false, nil
}

func buttonsIn(n *screen.Node) (labels []string) {
	if n.Type == source.Prefix+"Button" && n.Label() != "" {
		return []string{n.Label()}
	}
	for _, c := range n.Children {
		labels = append(labels, buttonsIn(c)...)
	}
	return labels
}

// AnswerAlert fills the alert's field and presses the button of that name. Without a name WebDriverAgent would take the
// last button to accept, and that denies what iOS requires for places and photos.
func (x *Alerts) AnswerAlert(ctx context.Context, button, text string) error {
	if text != "" {
		ask := wda.Post("text for the alert", "/alert/text", map[string]any{"value": text})
		if err := x.link.Do(ctx, ask, nil); err != nil {
			var refused *wda.Error
			if errors.As(err, &refused) && refused.Code == "unsupported operation" {
				return fmt.Errorf("device %s: %w: %w", x.link.ID, drivers.ErrNotActionable, err)
			}
			return err
		}
	}
	asked, err := x.link.AlertText(ctx)
	if err != nil {
		return err
	}
	for range 2 { // a touch of an alert that still slides in is lost
		ask := wda.Post("the alert's button "+screen.Quote(button), "/alert/accept", map[string]any{"name": button})
		if err := x.link.Do(ctx, ask, nil); err != nil {
			return err
		}
		if went, err := x.alertWent(ctx, asked, button); err != nil || went {
			return err
		}
	}
	return fmt.Errorf("device %s: %w: the alert stays after its button %s was pressed twice", x.link.ID,
		drivers.ErrNotActionable, screen.Quote(button))
}

// alertGoes is how long an alert may take to go once its button was pressed.
const alertGoes = 1500 * time.Millisecond

// alertWent waits until another alert is open than the one that was asked, or none, or the button is gone, as that of a
// switch within it is.
func (x *Alerts) alertWent(ctx context.Context, asked *string, button string) (bool, error) {
	for began := time.Now(); ; {
		now, err := x.link.AlertText(ctx)
		if err != nil || now == nil || asked == nil || *now != *asked {
			return true, err
		}
		var buttons []string
		err = x.link.Do(ctx, wda.Get("the alert's buttons", "/wda/alert/buttons"), &buttons)
		if err == nil && !slices.Contains(buttons, button) || errors.Is(err, screen.ErrNotFound) {
			return true, nil
		}
		if err != nil && !wda.UnknownCommand(err) {
			return false, err
		}
		if time.Since(began) >= alertGoes {
			return false, nil
		}
		if err := drivers.Pause(ctx, alertPoll); err != nil {
			return false, err
		}
	}
}

// alertPoll is how often an alert is asked for that is about to go.
const alertPoll = 50 * time.Millisecond

// buttonWords are what iOS (16 to 26, in English) and apps write on the buttons of their questions, the plainest answer
// first. The order of the buttons says nothing: it varies.
type buttonWords struct {
	yes, no  []string
	part     []string // allows less than was asked for
	isSwitch []string // is a switch in the question, and closes nothing
}

func knownButtons() buttonWords {
	return buttonWords{
		yes: []string{"Allow While Using App", "Allow Full Access", "Allow Access to All Photos", "Change to Always Allow",
			"Always Allow", "Allow", "Allow Once",
			"Allow Paste", "Open", "OK", "Yes", "Continue", "Accept", "Agree", "Join", "Trust"},
		no: []string{"Don't Allow", "Don't Allow Paste", "Keep Only While Using", "Ask App Not to Track", "Cancel", "Not Now",
			"No", "Deny", "Decline",
			"Don't Trust", "Close", "Dismiss"},
		part:     []string{"Limit Access...", "Select Photos..."},
		isSwitch: []string{"Precise: On", "Precise: Off"},
	}
}

// answersAmong returns which of an alert's buttons accept and dismiss, by their words; "" where that is unknown.
func answersAmong(buttons []string) (accept, dismiss string) {
	words := knownButtons()
	var open []string
	for _, b := range buttons {
		if rank(words.isSwitch, b) < 0 {
			open = append(open, b)
		}
	}
	if len(open) == 1 {
		return open[0], open[0]
	}
	accept, dismiss = best(words.yes, open), best(words.no, open)
	others := slices.DeleteFunc(slices.Clone(open), func(b string) bool {
		return rank(words.yes, b) >= 0 || rank(words.no, b) >= 0 || rank(words.part, b) >= 0
	})
	switch {
	case accept == "" && dismiss != "" && len(others) == 1: // Cancel and Delete
		accept = others[0]
	case dismiss == "" && accept != "" && len(others) == 1:
		dismiss = others[0]
	}
	return accept, dismiss
}

// best is the button with the word that comes first in a list.
func best(words, buttons []string) (found string) {
	least := len(words)
	for _, b := range buttons {
		if at := rank(words, b); at >= 0 && at < least {
			found, least = b, at
		}
	}
	return found
}

func rank(words []string, button string) int {
	return slices.IndexFunc(words, func(w string) bool { return screen.SameText(w, button) })
}
