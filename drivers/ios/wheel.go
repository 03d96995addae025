package ios

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

var _ drivers.Adjuster = (*Device)(nil)

const (
	wheelType  = elementPrefix + "PickerWheel"
	sliderType = elementPrefix + "Slider"
)

// Adjustable reports whether an element is a picker wheel, or a slider.
func (d *Device) Adjustable(n *screen.Node) bool { return n.Type == wheelType || n.Type == sliderType }

// Adjust turns a picker wheel until it shows a value, or drags a slider to a part of its way: "0.3" or "30%".
// WebDriverAgent does both when it gets the value of such an element.
func (d *Device) Adjust(ctx context.Context, n *screen.Node, to string) (shown string, err error) {
	if n.Type == sliderType {
		part, ok := partOf(to)
		if !ok {
			return "", fmt.Errorf("device %s: %w: a slider goes to a part of its way: \"30%%\", or 0.3", d.info.ID,
				drivers.ErrNotActionable)
		}
		to = strconv.FormatFloat(part, 'f', -1, 64)
	}
	e, err := d.again(ctx, n)
	if err != nil {
		return "", err
	}
	err = d.do(ctx, post("a value", "/element/"+e.ID+"/value", map[string]any{"text": to, "value": strings.Split(to, "")}),
		nil)
	var refused *wdaError
	if err != nil && !errors.As(err, &refused) {
		return "", err
	}
	var value *string
	if err := d.do(ctx, get("a value", "/element/"+e.ID+"/attribute/value"), &value); err != nil {
		return "", err
	}
	if value != nil {
		shown = *value
	}
	if refused != nil {
		return shown, fmt.Errorf("device %s: %w: %s cannot be set to %s, and shows %s: %w", d.info.ID,
			drivers.ErrNotActionable, n, screen.Quote(to), screen.Quote(shown), refused)
	}
	return shown, nil
}

// partOf reads how far a slider is to go, from 0 to 1.
func partOf(text string) (float64, bool) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	part, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		part /= 100
	}
	return part, err == nil && part >= 0 && part <= 1
}

// again finds an element of a tree once more, by its type and place.
func (d *Device) again(ctx context.Context, n *screen.Node) (activeElement, error) {
	all, err := d.ofType(ctx, n.Type)
	switch {
	case errors.Is(err, screen.ErrNotFound):
		all = nil // not all of them have a place then
	case err != nil:
		return activeElement{}, err
	}
	if e, ok := onlyAt(all, n.Bounds, func(e activeElement) image.Rectangle { return e.pixels(d.factor()) }); ok {
		return e, nil
	}
	return activeElement{},
		fmt.Errorf("device %s: %s: %w: it was there and went away, or another one of its type has its "+
			"place", d.info.ID, n, screen.ErrNotFound)
}

// onlyAt returns the one element at a place. Of several that are near it, the one exactly there is taken; ok is false
// where that is not one.
func onlyAt(all []activeElement, place image.Rectangle, of func(activeElement) image.Rectangle) (only activeElement,
	ok bool) {
	exact, close := 0, 0
	for _, e := range all {
		switch b := of(e); {
		case b == place:
			if exact++; exact == 1 {
				only = e
			}
		case near(b, place):
			if close++; close == 1 && exact == 0 {
				only = e
			}
		}
	}
	return only, exact == 1 || exact == 0 && close == 1
}

// ofType returns the elements of a type, each with its place in points.
func (d *Device) ofType(ctx context.Context, kind string) (all []activeElement, err error) {
	err = d.do(ctx, request{what: "the elements of a type", method: http.MethodPost, path: "/elements", look: true,
		body: map[string]any{"using": "class name", "value": kind}}, &all)
	for i := range all {
		e := &all[i]
		if e.ID == "" {
			e.ID = e.Old
		}
		if e.Rect == nil && err == nil {
			e.Rect = &rect{}
			err = d.do(ctx, get("the place of an element", "/element/"+e.ID+"/rect"), e.Rect)
		}
	}
	return all, err
}

// box is the place of an element in points.
func (a activeElement) box() image.Rectangle {
	return image.Rect(whole(a.Rect.X), whole(a.Rect.Y), whole(a.Rect.X+a.Rect.Width), whole(a.Rect.Y+a.Rect.Height))
}
