package action

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	flows "github.com/taproot-dev/taproot/dsl/maestro"
)

// enterText types where the focus is, and looks at nothing.
func (s maestroSession) enterText(ctx context.Context, text string) error {
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
func (s maestroSession) fillDate(ctx context.Context, text string) (bool, error) {
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

func flowInput(ctx context.Context, s maestroSession, a flows.Input) error {
	if err := s.enterText(ctx, a.Text); err != nil {
		return err
	}
	return Settle(ctx, s.Session, nil)
}

func flowRandom(ctx context.Context, s maestroSession, a flows.Random) error {
	text := s.randomText(a.Kind, a.Length)
	s.Value = text
	s.note("typed %s", screen.Quote(text))
	return flowInput(ctx, s, flows.Input{Text: text})
}

func flowErase(ctx context.Context, s maestroSession, a flows.Erase) error {
	d, err := capability[drivers.Editor](s.Session)
	if err != nil {
		return err
	}
	s.tapped = nil
	if a.Count > 0 {
		if err := d.Erase(ctx, a.Count); err != nil && !(s.isWeb() && drivers.AppIsWrong(err)) {
			return err
		}
	}
	return Settle(ctx, s.Session, nil)
}

func flowCopy(ctx context.Context, s maestroSession, a flows.Copy) error {
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

func flowClipboard(_ context.Context, s maestroSession, a flows.SetClipboard) error {
	s.Copied = &a.Text
	return nil
}

func flowPaste(ctx context.Context, s maestroSession, _ flows.Paste) error {
	if s.Copied == nil {
		return nil
	}
	return flowInput(ctx, s, flows.Input{Text: *s.Copied})
}

func flowPress(ctx context.Context, s maestroSession, a flows.Press) error {
	d, err := capability[drivers.Keys](s.Session)
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
	return Settle(ctx, s.Session, nil)
}

func flowHideKeyboard(ctx context.Context, s maestroSession, a flows.HideKeyboard) error {
	switch {
	case s.isWeb():
		return nil
	case s.Platform == dsl.IOS:
		return hideKeyboard(ctx, s.Session, dsl.HideKeyboard{})
	}
	d, err := capability[drivers.Keys](s.Session)
	if err != nil {
		return err
	}
	s.tapped = nil
	if err := d.Press(ctx, []string{"back"}); err != nil {
		return err
	}
	s.note("hideKeyboard sends Back, with or without a keyboard, as in Maestro")
	if err := Settle(ctx, s.Session, nil); err != nil {
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
