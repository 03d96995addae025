package action

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
)

// focusGrace is how long the focus may take to reach the field that was tapped before another field's focus is accepted.
const focusGrace = time.Second

// typingRests is how long a field that took something else than what was typed is watched before that counts as its answer.
const typingRests = 500 * time.Millisecond

func input(ctx context.Context, s *Session, a dsl.Input) error {
	text := a.Text
	if a.Random != "" {
		text = s.random(a.Random, a.Length)
		s.Value = text
	}
	field, err := focusedField(ctx, s)
	if err != nil {
		return err
	}
	if a.Replace && (field == nil || field.Text != "") {
		if err := s.erase(ctx, field, -1); err != nil {
			return err
		}
		if field, err = focusedField(ctx, s); err != nil {
			return err
		}
	}
	if err := s.enter(ctx, text, a.PerKey); err != nil {
		return err
	}
	if field == nil {
		s.doubt("no field of the tree has the focus: typed blind, because the keyboard is open")
		return nil
	}
	return verifyTyped(ctx, s, field, text)
}

// enter types in bulk, or character by character.
func (s *Session) enter(ctx context.Context, text string, perKey bool) error {
	if !perKey {
		return s.Device.Type(ctx, text)
	}
	for _, r := range text {
		if err := s.Device.Type(ctx, string(r)); err != nil {
			return err
		}
	}
	return nil
}

// focusedField waits for the field that takes text. It gives nil when only the open keyboard says that there is one.
func focusedField(ctx context.Context, s *Session) (*drivers.Node, error) {
	var field *drivers.Node
	var tree *drivers.Tree
	began := time.Now()
	err := poll(ctx, s.Timeout, func() (err error) {
		if tree, err = s.Device.Tree(ctx); err != nil {
			return err
		}
		s.Detail.Looks++
		field = tree.Focused()
		if field != nil && field.Editable && (s.isTapped(field) || time.Since(began) >= focusGrace) {
			return nil
		}
		if k, ok := s.Device.(drivers.Keyboard); ok && (field == nil || !field.Editable) && time.Since(began) >= focusGrace {
			if shown, err := k.KeyboardShown(ctx); err == nil && shown {
				field = nil
				return nil
			}
		}
		return errWait
	})
	if errors.Is(err, errWait) {
		return nil, &Failure{reporters.Problem{
			Message:  fmt.Sprintf("no text field has the focus; tap one first; %s", shown(tree)),
			Expected: "a text field with the focus", Actual: focusText(tree)}}
	}
	return field, err
}

func focusText(t *drivers.Tree) string {
	if n := t.Focused(); n != nil {
		return fmt.Sprintf("the focus is on %s", n)
	}
	return "nothing has the focus"
}

// isTapped tells whether n may be the field that the last tap touched; fields move when the keyboard opens, so their ids decide.
func (s *Session) isTapped(n *drivers.Node) bool {
	t := s.tapped
	return t == nil || !t.Editable || t.ID == n.ID && t.Type == n.Type
}

// verifyTyped reads the field back: text that never arrived must not pass.
func verifyTyped(ctx context.Context, s *Session, before *drivers.Node, text string) error {
	if text == "" {
		return nil
	}
	var now *drivers.Node
	var changed time.Time
	err := poll(ctx, min(s.Timeout, 3*time.Second), func() error {
		tree, err := s.Device.Tree(ctx)
		if err != nil {
			return err
		}
		s.Detail.Looks++
		now = tree.Focused()
		if now == nil || !sameField(now, before) || now.Text == before.Text+text || grewBy(before, now, text) {
			return nil
		}
		if !arrived(before, now, text) {
			return errWait
		}
		if changed.IsZero() {
			changed = time.Now()
		}
		if time.Since(changed) < typingRests { // the rest of the text may be on its way
			return errWait
		}
		return nil
	})
	switch {
	case errors.Is(err, errWait):
		return &Failure{reporters.Problem{
			Message:  fmt.Sprintf("typed %s, and %s still shows %s", drivers.Quote(text), before, drivers.Quote(now.Text)),
			Expected: drivers.Quote(before.Text + text), Actual: drivers.Quote(now.Text)}}
	case err != nil:
		return err
	case now == nil || !sameField(now, before):
		s.doubt("the focus moved on, so what was typed was not read back")
	case now.Password || before.Password:
		s.doubt("a password field: its length was checked, not its text")
	case !strings.Contains(now.Text, text):
		s.doubt("the field made %s of what was typed", drivers.Quote(now.Text))
	}
	return nil
}

func sameField(a, b *drivers.Node) bool { return a.ID == b.ID && a.Type == b.Type && a.Editable }

// grewBy tells whether a password field shows as many marks more as characters were typed.
func grewBy(before, now *drivers.Node, text string) bool {
	length := utf8.RuneCountInString
	return now.Password && before.Password && length(now.Text) == length(before.Text)+length(text)
}

// arrived tells whether the field took the text. A field may format or mask what it gets, so any change that adds to it counts; a
// password field that shows nothing at all cannot be judged.
func arrived(before, now *drivers.Node, text string) bool {
	if now.Password {
		return now.Text == "" || utf8.RuneCountInString(now.Text) > utf8.RuneCountInString(before.Text)
	}
	return now.Text != before.Text || strings.Contains(now.Text, text) && strings.TrimSpace(text) == ""
}
