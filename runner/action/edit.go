package action

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

func erase(ctx context.Context, s *Session, a dsl.Erase) error {
	n := a.Count
	if n == 0 {
		n = -1
	}
	if d, ok := s.Device.(screen.Typist); ok {
		t := typist{s: s, d: d}
		field, err := t.fieldInFocus(ctx)
		if err != nil {
			return err
		}
		return t.eraseField(ctx, field, n)
	}
	field, err := focusedField(ctx, s)
	if err != nil {
		return err
	}
	return eraseNode(ctx, s, field, n)
}

// erase takes n characters, or all of them when n < 0, out of the field and sees that they are gone.
func eraseNode(ctx context.Context, s *Session, field *screen.Node, n int) error {
	d, err := capability[drivers.Editor](s)
	if err != nil {
		return err
	}
	if err := d.Erase(ctx, n); err != nil || field == nil || field.Text == "" {
		return err
	}
	var now *screen.Node
	err = poll(ctx, min(s.Timeout, 3*time.Second), func() error {
		tree, err := s.Device.Tree(ctx)
		if err != nil {
			return err
		}
		s.Detail.ScreenReads++
		now = tree.Focused()
		if now == nil || !sameField(now, field) || len(now.Text) < len(field.Text) || now.Text == now.Hint ||
			now.Text != field.Text {
			return nil
		}
		return errWait
	})
	if errors.Is(err, errWait) && maybeHint(field) && now != nil && now.Text == field.Text {
		s.warn("%s shows %s after erasing as before, which may be its hint", field, screen.Quote(now.Text))
		return nil
	}
	if errors.Is(err, errWait) {
		return &Failure{event.Problem{Message: fmt.Sprintf("%s still shows %s after erasing", field, screen.Quote(now.Text)),
			Expected: "less text", Actual: screen.Quote(now.Text)}}
	}
	return err
}

func copyText(ctx context.Context, s *Session, a dsl.CopyText) error {
	if byMaestro(a.Selector) {
		_, n, err := maestroSession{Session: s}.want(ctx, a.Selector)
		if err != nil {
			return err
		}
		text := ""
		for _, t := range []*string{n.Desc, n.Hint, n.Text} {
			if t != nil && *t != "" {
				text = *t
			}
		}
		s.Value = text
		return s.copied(ctx, text)
	}
	n, err := locateVisible(ctx, s, a.Selector)
	if err != nil {
		return err
	}
	s.Value = textOf(n)
	return s.copied(ctx, textOf(n))
}

// copied puts a text on the clipboard.
func (s *Session) copied(ctx context.Context, text string) error {
	s.Clipboard = text
	if d, ok := s.Device.(screen.Paster); ok {
		return d.SetClipboard(ctx, text)
	}
	return nil
}

func paste(ctx context.Context, s *Session, _ dsl.Paste) error {
	d, ok := s.Device.(screen.Typist)
	if p, pastes := s.Device.(screen.Paster); ok && pastes {
		return typist{s: s, d: d}.pasteInto(ctx, p)
	}
	if s.Clipboard == "" {
		return &Failure{problem("nothing was copied: use copyText or setClipboard before paste")}
	}
	return input(ctx, s, dsl.Input{Text: s.Clipboard})
}

func setClipboard(ctx context.Context, s *Session, a dsl.SetClipboard) error {
	return s.copied(ctx, a.Text)
}

// locateVisible waits for one element that is on the screen; it need not react.
func locateVisible(ctx context.Context, s *Session, sel dsl.Selector) (*screen.Node, error) {
	_, matches, err := locate(ctx, s, decide.Want{Selector: sel, Anywhere: true}) // to read a text, one need not see it
	if err != nil {
		var f *Failure
		if errors.As(err, &f) {
			f.Assertion = false
		}
		return nil, err
	}
	s.matched(matches[0])
	return matches[0].Node, nil
}

// textOf is the text of an element that a tester means: what it shows, else what a person would call it.
func textOf(n *screen.Node) string {
	if n.Text != "" {
		return n.Text
	}
	return n.Label()
}
