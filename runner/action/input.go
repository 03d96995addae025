package action

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/decide"
)

// focusGrace is how long the focus may take to reach the field that was tapped before another field's focus is
// accepted.
const focusGrace = time.Second

func input(ctx context.Context, s *Session, a dsl.Input) error {
	ctx = drivers.WithStepDeadline(ctx, time.Now().Add(s.Timeout))
	if a.Into != nil {
		if err := tap(ctx, s, dsl.Tap{Selector: *a.Into}); err != nil {
			return err
		}
	}
	if n := s.tapped; s.Platform == dsl.Web && n != nil && n.Type == "select" {
		return listTakesNoText(n)
	}
	text := a.Text
	if a.Random != "" {
		text = s.random(a)
		s.Value = text
	}
	if d, ok := s.Device.(drivers.Adjuster); ok && a.Into != nil && s.tapped != nil && d.Adjustable(s.tapped) {
		return s.adjust(ctx, d, s.tapped, a, text)
	}
	if d, ok := s.Device.(screen.Typist); ok {
		return typist{s: s, d: d}.typeInto(ctx, a, text)
	}
	field, err := focusedField(ctx, s)
	if err != nil {
		return err
	}
	if a.Replace && (field == nil || field.Text != "" || field.HintUnsure) {
		if err := eraseNode(ctx, s, field, -1); err != nil {
			return err
		}
		if field, err = focusedField(ctx, s); err != nil {
			return err
		}
	}
	if err := enter(ctx, s, text, a.PerKey); err != nil {
		return err
	}
	if a.Verify != nil && !*a.Verify {
		s.warn("what the field made of the text was not looked at: verify: false")
		return nil
	}
	if field == nil {
		s.warn("no field of the tree has the focus: typed blind, because the keyboard is open")
		return nil
	}
	t := typing{s: s, before: field, text: text}
	t.erased = a.Replace && field.Text != ""
	return t.verify(ctx)
}

// adjust sets what is not a field: a picker wheel must show the text then, what a slider says is its own affair.
func (s *Session) adjust(ctx context.Context, d drivers.Adjuster, n *screen.Node, a dsl.Input, text string) error {
	shown, err := d.Adjust(ctx, n, text)
	if err != nil {
		return err
	}
	s.note("%s shows %s", n, screen.Quote(shown))
	if number := strings.TrimSuffix(shown, "%"); shown == text || a.Verify != nil && !*a.Verify || number != shown {
		return nil
	}
	p := problem("%s was set to %s and shows %s", n, screen.Quote(text), screen.Quote(shown))
	p.Expected, p.Actual = screen.Quote(text), screen.Quote(shown)
	return &Failure{p}
}

// enter types in bulk, or character by character.
func enter(ctx context.Context, s *Session, text string, perKey bool) error {
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

// focusedField waits for the field that takes text. It returns nil when only the open keyboard says that there is one.
func focusedField(ctx context.Context, s *Session) (*screen.Node, error) {
	var field, passed *screen.Node
	var tree *screen.Tree
	began := time.Now()
	err := poll(ctx, s.Timeout, func() (err error) {
		graced := time.Since(began) >= focusGrace // when it was requested: a slow response is of the moment of the tap
		if tree, err = s.Device.Tree(ctx); err != nil {
			return err
		}
		s.Detail.ScreenReads++
		field = tree.Focused()
		if passed = passedOver(s, tree, field); passed != nil {
			return errWait
		}
		if field != nil && field.Editable && (isTapped(s, field) || graced) {
			return nil
		}
		if k, ok := s.Device.(drivers.Keyboard); ok && (field == nil || !field.Editable) && graced {
			if shown, err := k.KeyboardShown(ctx); err == nil && shown {
				field = nil
				return nil
			}
		}
		return errWait
	})
	if errors.Is(err, errWait) && passed != nil {
		p := problem("%s was tapped, and the focus is on %s: nothing was typed", passed, field)
		p.Expected, p.Actual = fmt.Sprintf("the focus on %s", passed), focusText(tree)
		return nil, &Failure{p}
	}
	if errors.Is(err, errWait) {
		return nil, noFocus(s, tree, focusText(tree))
	}
	return field, err
}

// passedOver is the field that the last tap touched, when it is where it was and another one has the focus; nil
// otherwise. Where the tap has led to another page with a field, as that of a search does, it is gone.
func passedOver(s *Session, tree *screen.Tree, focused *screen.Node) *screen.Node {
	t := s.tapped
	if t == nil || !t.Editable || focused == nil || !focused.Editable {
		return nil
	}
	for n := range tree.All {
		if n.Editable && !n.Hidden && !n.Offscreen && n.Type == t.Type && n.ID == t.ID && n.Desc == t.Desc &&
			n.Hint == t.Hint && n.Bounds == t.Bounds && !n.Bounds.Overlaps(focused.Bounds) {
			return n
		}
	}
	return nil
}

// noFocus is the failure of a text that no field takes; where the last tap touched the name of a field and not the
// field, it says how to write the field.
func noFocus(s *Session, tree *screen.Tree, actual string) error {
	way := "tap one first"
	if field := tree.FieldOf(s.tapped); field != "" {
		way = fmt.Sprintf("%s takes no text; did you mean the field %s?", s.tapped, field)
	}
	return &Failure{event.Problem{
		Message:  fmt.Sprintf("no text field has the focus; %s; %s", way, decide.Shown(tree)),
		Expected: "a text field with the focus", Actual: actual}}
}

func focusText(t *screen.Tree) string {
	if n := t.Focused(); n != nil {
		return fmt.Sprintf("the focus is on %s", n)
	}
	return "nothing has the focus"
}

// isTapped reports whether n may be the field that the last tap touched; fields move when the keyboard opens, so their
// ids decide.
func isTapped(s *Session, n *screen.Node) bool {
	t := s.tapped
	return t == nil || !t.Editable || t.ID == n.ID && t.Type == n.Type
}
