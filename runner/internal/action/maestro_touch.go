package action

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/maestro"
	flows "github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// percents reads "50%,80%" or "10,20": whole numbers.
func percents(text string) (p image.Point, percent bool, err error) {
	percent = strings.Contains(text, "%")
	parts := strings.Split(strings.ReplaceAll(text, "%", ""), ",")
	if len(parts) < 2 {
		return p, percent, fatal("the point %q is not two whole numbers", text)
	}
	x, err := strconv.Atoi(strings.TrimSpace(parts[0]))
	y, err2 := strconv.Atoi(strings.TrimSpace(parts[1]))
	if err != nil || err2 != nil {
		return p, percent, fatal("the point %q is not two whole numbers", text)
	}
	if percent && (x < 0 || y < 0 || x > 100 || y > 100) {
		return p, percent, &Failure{problem("the point %q is outside: per cent go from 0 to 100", text)}
	}
	return image.Pt(x, y), percent, nil
}

// inElement is a point in an element.
func inElement(n *maestro.Node, text string) (image.Point, error) {
	p, percent, err := percents(text)
	if err != nil {
		return p, err
	}
	b := n.Bounds
	if percent {
		return b.Min.Add(image.Pt(b.Dx()*p.X/100, b.Dy()*p.Y/100)), nil
	}
	if p.X < 0 || p.Y < 0 || p.X >= b.Dx() || p.Y >= b.Dy() {
		return p, &Failure{problem("the point %q is outside of the element, which is %dx%d", text, b.Dx(), b.Dy())}
	}
	return b.Min.Add(p), nil
}

// onScreen is a point of the screen.
func onScreen(text string, size image.Point) (image.Point, error) {
	p, percent, err := percents(text)
	if err == nil && percent {
		p = image.Pt(size.X*p.X/100, size.Y*p.Y/100)
	}
	return p, err
}

// touching is one touch by the rules of Maestro.
type touching struct {
	on                  *dsl.Selector // nil: screen says where
	screen, in          string
	long                bool
	repeat              int
	pause               time.Duration
	retry, untilVisible bool
	settleMs            *int
}

func (s maestroPerformer) tapAt(ctx context.Context, t touching) error {
	if t.on == nil {
		v, err := s.readForMaestro(ctx, nil)
		if err != nil {
			return err
		}
		p, err := onScreen(t.screen, v.size)
		if err != nil {
			return err
		}
		return s.hit(ctx, t, v, p)
	}
	v, n, err := s.want(ctx, *t.on)
	if err != nil {
		return err
	}
	if t.in != "" {
		p, err := inElement(n, t.in)
		if err != nil {
			return err
		}
		return s.hit(ctx, t, v, p)
	}
	rested, err := s.rested(ctx, v, t.settleMs)
	if err != nil {
		return err
	}
	at := n
	if again := n.Again(rested.root); again != nil && again.Bounded {
		at = again
	}
	s.meets(at)
	if err := s.hit(ctx, t, rested, at.Centre()); err != nil || !t.untilVisible {
		return err
	}
	return s.untilVisible(ctx, t, rested, n)
}

// untilVisible touches again when nothing changed and something covers the element, once it does not any more.
func (s maestroPerformer) untilVisible(ctx context.Context, t touching, before *maestroScreen, n *maestro.Node) error {
	after, err := s.readForMaestro(ctx, nil)
	if err != nil || after.root.Sum() != before.root.Sum() || n.On(after.root) {
		return err
	}
	for range 10 {
		if after, err = s.readForMaestro(ctx, nil); err != nil {
			return err
		}
		if n.On(after.root) {
			break
		}
		if err := drivers.Pause(ctx, maestroRetryPause); err != nil {
			return err
		}
	}
	t.retry = false
	return s.hit(ctx, t, after, n.Centre())
}

// hit touches, and once more when it is to and nothing changed.
func (s maestroPerformer) hit(ctx context.Context, t touching, before *maestroScreen, p image.Point) error {
	tries := 1
	if t.retry {
		tries = 2
	}
	for range tries {
		if err := s.finger(ctx, t, p); err != nil {
			return err
		}
		after, err := s.rested(ctx, nil, t.settleMs)
		if err != nil || after == nil || before == nil || after.root.Sum() != before.root.Sum() {
			return err
		}
	}
	return nil
}

func (s maestroPerformer) finger(ctx context.Context, t touching, p image.Point) error {
	s.touched(p)
	s.tapped = nil
	aimAt(s.Performer, nil)
	if p.X >= syntheticAt && p.Y >= syntheticAt {
		return s.chooseOption(ctx, p)
	}
	if t.long {
		g, err := capability[drivers.Gestures](s.Performer)
		if err != nil {
			return err
		}
		return g.LongPress(ctx, p, longTouch)
	}
	for range max(t.repeat, 1) {
		began := time.Now()
		if err := s.Device.Tap(ctx, p); err != nil {
			return err
		}
		if t.repeat > 1 {
			if err := drivers.Pause(ctx, max(t.pause-time.Since(began), 0)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Coordinates of `at` as Maestro writes them.
func pointText(p *dsl.Point) string {
	if p == nil {
		return ""
	}
	if p.Percent {
		return fmt.Sprintf("%d%%,%d%%", int(p.X), int(p.Y))
	}
	return fmt.Sprintf("%d,%d", int(p.X), int(p.Y))
}

// enterText types where the focus is, and looks at nothing.
func (s maestroPerformer) enterText(ctx context.Context, text string) error {
	s.tapped = nil
	if s.isWeb() {
		if done, err := s.fillDate(ctx, text); err != nil || done {
			return err
		}
		err := s.Device.Type(ctx, text)
		if drivers.AppIsWrong(err) {
			s.note("nothing took the text: %v", err)
			return nil
		}
		return err
	}
	if s.Platform == dsl.Android && strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		text = strings.NewReplacer("\n", "", "\t", "", "\r", "").Replace(text)
	}
	if text == "" {
		return nil
	}
	return s.Device.Type(ctx, text)
}

// fillDate sets a date field of a page.
func (s maestroPerformer) fillDate(ctx context.Context, text string) (bool, error) {
	done, err := s.onPage(ctx, fmt.Sprintf(`(() => {
	const e = document.activeElement
	if (!e || e.tagName !== 'INPUT' || e.type !== 'date') return false
	const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
	set.call(e, %s)
	if (e.value === '') return false
	e.dispatchEvent(new Event('input', { bubbles: true }))
	e.dispatchEvent(new Event('change', { bubbles: true }))
	return true
})()`, strconv.Quote(text)))
	return done == true, err
}

func flowInput(ctx context.Context, s maestroPerformer, a flows.Input) error {
	if err := s.enterText(ctx, a.Text); err != nil {
		return err
	}
	return Settle(ctx, s.Performer, nil)
}

func flowRandom(ctx context.Context, s maestroPerformer, a flows.Random) error {
	text := s.randomText(a.Kind, a.Length)
	s.Value = text
	s.note("typed %s", screen.Quote(text))
	return flowInput(ctx, s, flows.Input{Text: text})
}

func flowErase(ctx context.Context, s maestroPerformer, a flows.Erase) error {
	d, err := capability[drivers.Editor](s.Performer)
	if err != nil {
		return err
	}
	s.tapped = nil
	if a.Count > 0 {
		if err := d.Erase(ctx, a.Count); err != nil && !(s.isWeb() && drivers.AppIsWrong(err)) {
			return err
		}
	}
	return Settle(ctx, s.Performer, nil)
}

func flowCopy(ctx context.Context, s maestroPerformer, a flows.Copy) error {
	sel, err := lower(a.From)
	if err != nil {
		return err
	}
	_, n, err := s.want(ctx, sel)
	if err != nil {
		return err
	}
	for _, text := range []*string{n.Text, n.Hint} {
		if text != nil && *text != "" {
			s.Copied, s.Value = text, *text
			return nil
		}
	}
	if n.Desc == nil {
		return &Failure{problem("%s has no text to copy", called(n))}
	}
	s.Copied, s.Value = n.Desc, *n.Desc
	return nil
}

func flowClipboard(_ context.Context, s maestroPerformer, a flows.SetClipboard) error {
	s.Copied = &a.Text
	return nil
}

func flowPaste(ctx context.Context, s maestroPerformer, _ flows.Paste) error {
	if s.Copied == nil {
		return nil
	}
	return flowInput(ctx, s, flows.Input{Text: *s.Copied})
}

func flowPress(ctx context.Context, s maestroPerformer, a flows.Press) error {
	d, err := capability[drivers.Keys](s.Performer)
	if err != nil {
		return err
	}
	s.tapped = nil
	switch {
	case s.isWeb() && a.Key != "enter" && a.Key != "backspace" && !a.Back:
		return fatal("the key %q is not one that Maestro presses on pages: enter and backspace are", a.Key)
	case s.Platform == dsl.IOS && !slices.Contains([]string{"enter", "backspace", "home", "lock"}, a.Key):
		s.note("the key %s does nothing on iOS", a.Key)
		return nil
	}
	if err := d.Press(ctx, []string{flows.KeyOf(a.Key, s.Platform)}); err != nil {
		if s.isWeb() && drivers.AppIsWrong(err) { // a browser without history, a page without focus
			s.note("nothing took the key: %v", err)
			return nil
		}
		return err
	}
	return Settle(ctx, s.Performer, nil)
}

func flowHideKeyboard(ctx context.Context, s maestroPerformer, a flows.HideKeyboard) error {
	switch {
	case s.isWeb():
		return nil
	case s.Platform == dsl.IOS:
		return hideKeyboard(ctx, s.Performer, dsl.HideKeyboard{})
	}
	d, err := capability[drivers.Keys](s.Performer)
	if err != nil {
		return err
	}
	s.tapped = nil
	if err := d.Press(ctx, []string{"back"}); err != nil {
		return err
	}
	s.note("hideKeyboard sends Back, with or without a keyboard, as in Maestro")
	if err := Settle(ctx, s.Performer, nil); err != nil {
		return err
	}
	if k, ok := s.Device.(drivers.Keyboard); ok {
		shown, err := k.KeyboardShown(ctx)
		if err != nil {
			return err
		}
		if shown {
			return &Failure{problem("the keyboard is still on the screen")}
		}
	}
	return nil
}
