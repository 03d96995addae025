package touch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

var _ drivers.Adjuster = (*Fingers)(nil)

const (
	wheelType  = source.Prefix + "PickerWheel"
	sliderType = source.Prefix + "Slider"
)

// Adjustable reports whether an element is a picker wheel, or a slider.
func (f *Fingers) Adjustable(n *screen.Node) bool { return n.Type == wheelType || n.Type == sliderType }

// Adjust turns a picker wheel until it shows a value, or drags a slider to a part of its way: "0.3" or "30%".
// WebDriverAgent does both when it gets the value of such an element.
func (f *Fingers) Adjust(ctx context.Context, n *screen.Node, to string) (shown string, err error) {
	if n.Type == sliderType {
		part, ok := partOf(to)
		if !ok {
			return "", fmt.Errorf("device %s: %w: a slider goes to a part of its way: \"30%%\", or 0.3", f.parts.Link.ID,
				drivers.ErrNotActionable)
		}
		to = strconv.FormatFloat(part, 'f', -1, 64)
	}
	e, err := f.again(ctx, n)
	if err != nil {
		return "", err
	}
	err = f.parts.Link.Do(
		ctx,
		wda.Post("a value", "/element/"+e.ID+"/value", map[string]any{"text": to, "value": strings.Split(to, "")}),
		nil,
	)
	var refused *wda.Error
	if err != nil && !errors.As(err, &refused) {
		return "", err
	}
	var value *string
	if err := f.parts.Link.Do(ctx, wda.Get("a value", "/element/"+e.ID+"/attribute/value"), &value); err != nil {
		return "", err
	}
	if value != nil {
		shown = *value
	}
	if refused != nil {
		return shown, fmt.Errorf("device %s: %w: %s cannot be set to %s, and shows %s: %w", f.parts.Link.ID,
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
func (f *Fingers) again(ctx context.Context, n *screen.Node) (wda.Element, error) {
	all, err := f.parts.Link.OfType(ctx, n.Type)
	switch {
	case errors.Is(err, screen.ErrNotFound):
		all = nil // not all of them have a place then
	case err != nil:
		return wda.Element{}, err
	}
	place := func(e wda.Element) image.Rectangle { return e.Pixels(f.parts.Geometry.Factor()) }
	if e, ok := wda.OnlyAt(all, n.Bounds, place); ok {
		return e, nil
	}
	return wda.Element{},
		fmt.Errorf("device %s: %s: %w: it was there and went away, or another one of its type has its "+
			"place", f.parts.Link.ID, n, screen.ErrNotFound)
}
