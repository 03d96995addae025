package ios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// Alert returns the alert of the system or the app that is open.
func (d *Device) Alert(ctx context.Context) (*drivers.Alert, error) {
	ctx, cancel := drivers.Bound(ctx, d.life)
	defer cancel()
	return d.alert(ctx)
}

func (d *Device) alert(ctx context.Context) (*drivers.Alert, error) {
	text, err := d.alertText(ctx)
	if err != nil || text == nil {
		return nil, err
	}
	a := &drivers.Alert{Text: *text}
	err = d.wda.in(ctx, get("the alert's buttons", "/wda/alert/buttons"), &a.Buttons)
	switch {
	case errors.Is(err, screen.ErrNotFound): // it was closed meanwhile
		return nil, nil
	case unknownCommand(err): // an old WebDriverAgent
		a.Buttons, _, err = d.alertInTree(ctx)
	}
	if err != nil {
		return nil, err
	}
	a.Accept, a.Dismiss = answersAmong(a.Buttons)
	if a.Accept == "" && a.Dismiss == "" && len(a.Buttons) == 2 {
		// Words that we do not know, of an app or in another language: iOS has the button that cancels first in an alert, and
		// not in a sheet.
		if buttons, sheet, err := d.alertInTree(ctx); err == nil && !sheet && slices.Equal(buttons, a.Buttons) {
			a.Dismiss, a.Accept = a.Buttons[0], a.Buttons[1]
		}
	}
	return a, nil
}

// alertInTree finds the buttons of the alert that is drawn, and whether it is a sheet.
func (d *Device) alertInTree(ctx context.Context) (buttons []string, sheet bool, err error) {
	tree, err := d.Tree(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, open := range slices.Backward(tree.Windows) {
		if sheet = open.Type == elementPrefix+"Sheet"; !sheet && open.Type != elementPrefix+"Alert" {
			continue
		}
		return buttonsIn(open), sheet, nil
	}
	return nil, false, nil
}

func buttonsIn(n *screen.Node) (labels []string) {
	if n.Type == elementPrefix+"Button" && n.Label() != "" {
		return []string{n.Label()}
	}
	for _, c := range n.Children {
		labels = append(labels, buttonsIn(c)...)
	}
	return labels
}

// AnswerAlert fills the alert's field and presses the button of that name. Without a name WebDriverAgent would take the
// last button to accept, and that denies what iOS requires for places and photos.
func (d *Device) AnswerAlert(ctx context.Context, button, text string) error {
	if text != "" {
		if err := d.do(ctx, post("text for the alert", "/alert/text", map[string]any{"value": text}), nil); err != nil {
			var refused *wdaError
			if errors.As(err, &refused) && refused.Code == "unsupported operation" {
				return fmt.Errorf("device %s: %w: %w", d.info.ID, drivers.ErrNotActionable, err)
			}
			return err
		}
	}
	asked, err := d.alertText(ctx)
	if err != nil {
		return err
	}
	for range 2 { // a touch of an alert that still slides in is lost
		if err := d.do(ctx, post("the alert's button "+screen.Quote(button), "/alert/accept", map[string]any{"name": button}),
			nil); err != nil {
			return err
		}
		if went, err := d.alertWent(ctx, asked, button); err != nil || went {
			return err
		}
	}
	return fmt.Errorf("device %s: %w: the alert stays after its button %s was pressed twice", d.info.ID,
		drivers.ErrNotActionable, screen.Quote(button))
}

// alertGoes is how long an alert may take to go once its button was pressed.
const alertGoes = 1500 * time.Millisecond

// alertWent waits until another alert is open than the one that was asked, or none, or the button is gone, as that of a
// switch within it is.
func (d *Device) alertWent(ctx context.Context, asked *string, button string) (bool, error) {
	for began := time.Now(); ; {
		now, err := d.alertText(ctx)
		if err != nil || now == nil || asked == nil || *now != *asked {
			return true, err
		}
		var buttons []string
		err = d.do(ctx, get("the alert's buttons", "/wda/alert/buttons"), &buttons)
		if err == nil && !slices.Contains(buttons, button) || errors.Is(err, screen.ErrNotFound) {
			return true, nil
		}
		if err != nil && !unknownCommand(err) {
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
