package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// focusOn touches the field that the selector picks; it is preferred to what else has its name, such as a button.
func focusOn(ctx context.Context, s *Performer, field dsl.Selector) error {
	if byMaestro(field) {
		return maestroTap(ctx, maestroPerformer{Performer: s}, dsl.Tap{Selector: field})
	}
	aim := func(ctx context.Context, s *Performer) (image.Point, error) {
		p, _, err := aimMatch(ctx, s, decide.Want{Selector: field, Typing: true})
		if s.Tree != nil {
			s.hadFocus = s.Tree.Focused()
		}
		return p, err
	}
	return tapWithRetry(ctx, s, aim, func(p image.Point) error {
		return finish(ctx, func(ctx context.Context) error { return s.Device.Tap(ctx, p) })
	})
}

func input(ctx context.Context, s *Performer, a dsl.Input) error {
	ctx = drivers.WithStepDeadline(ctx, time.Now().Add(s.Timeout))
	s.hadFocus = nil
	if a.Into != nil {
		if err := focusOn(ctx, s, *a.Into); err != nil {
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
func (s *Performer) adjust(ctx context.Context, d drivers.Adjuster, n *screen.Node, a dsl.Input, text string) error {
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
func enter(ctx context.Context, s *Performer, text string, perKey bool) error {
	if !perKey {
		return finish(ctx, func(ctx context.Context) error { return s.Device.Type(ctx, text) })
	}
	for _, r := range text {
		if err := finish(ctx, func(ctx context.Context) error { return s.Device.Type(ctx, string(r)) }); err != nil {
			return err
		}
	}
	return nil
}

// focusedField waits for the field that takes text. It returns nil when only the open keyboard says that there is one.
func focusedField(ctx context.Context, s *Performer) (*screen.Node, error) {
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
		if passed = passedOver(s, tree, field); passed == nil {
			passed = nameAlone(s, tree, field)
		}
		if passed != nil {
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
		if meant := tree.FieldOf(passed); meant != "" {
			p.Message += "; did you mean the field " + meant + "?"
		}
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
func passedOver(s *Performer, tree *screen.Tree, focused *screen.Node) *screen.Node {
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

// nameAlone is what the last tap touched to reach a field, when it takes no text and had no effect on the focus:
// another field, which has nothing to do with it, had the focus before and still has it. nil otherwise. A field that
// cannot be seen may take the text of what was touched, as that behind the boxes of a code does.
func nameAlone(s *Performer, tree *screen.Tree, focused *screen.Node) *screen.Node {
	t, had := s.tapped, s.hadFocus
	if t == nil || t.Editable || had == nil || focused == nil || !sameField(focused, had) {
		return nil
	}
	at := focused.Bounds
	if at != had.Bounds || focused.Hidden || focused.Offscreen || min(at.Dx(), at.Dy()) < leastField {
		return nil
	}
	if t.Bounds.Overlaps(at) || t.Control != nil && sameField(focused, t.Control) || tree.NamesField(t, focused) {
		return nil
	}
	return t
}

// leastField is the height and width in pixels below which what a field shows cannot be read.
const leastField = 8

// noFocus is the failure of a text that no field takes; where the last tap touched the name of a field and not the
// field, it says how to write the field.
func noFocus(s *Performer, tree *screen.Tree, actual string) error {
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
func isTapped(s *Performer, n *screen.Node) bool {
	t := s.tapped
	return t == nil || !t.Editable || t.ID == n.ID && t.Type == n.Type
}

func erase(ctx context.Context, s *Performer, a dsl.Erase) error {
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

// eraseNode takes n characters, or all of them when n < 0, out of the field and sees that they are gone.
func eraseNode(ctx context.Context, s *Performer, field *screen.Node, n int) error {
	d, err := capability[drivers.Editor](s)
	if err != nil {
		return err
	}
	if err := d.Erase(ctx, n); err != nil || field == nil || field.Text == "" {
		return err
	}
	var now *screen.Node
	err = poll(ctx, min(s.Timeout, fieldLimit), func() error {
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

func copyText(ctx context.Context, s *Performer, a dsl.CopyText) error {
	n, err := locateVisible(ctx, s, a.Selector)
	if err != nil {
		return err
	}
	s.Value = textOf(n)
	return s.copied(ctx, textOf(n))
}

// copied puts a text on the clipboard.
func (s *Performer) copied(ctx context.Context, text string) error {
	s.Clipboard = text
	if d, ok := s.Device.(screen.Paster); ok {
		return d.SetClipboard(ctx, text)
	}
	return nil
}

func paste(ctx context.Context, s *Performer, _ dsl.Paste) error {
	d, ok := s.Device.(screen.Typist)
	if p, pastes := s.Device.(screen.Paster); ok && pastes {
		return typist{s: s, d: d}.pasteInto(ctx, p)
	}
	if s.Clipboard == "" {
		return &Failure{problem("nothing was copied: use copyText or setClipboard before paste")}
	}
	return input(ctx, s, dsl.Input{Text: s.Clipboard})
}

func setClipboard(ctx context.Context, s *Performer, a dsl.SetClipboard) error {
	return s.copied(ctx, a.Text)
}

// locateVisible waits for one element that is on the screen; it need not react.
func locateVisible(ctx context.Context, s *Performer, sel dsl.Selector) (*screen.Node, error) {
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

// largestSeed is the largest that every reader of a report takes as a whole number.
const largestSeed = 1<<53 - 1

// random makes data of a kind. They depend on nothing but the step and its seed, which is in the report.
func (s *Performer) random(a dsl.Input) string {
	seed := uint64(a.Seed)
	if seed == 0 {
		seed = s.seed()
	}
	s.note("random %s; seed: %d makes it again", a.Random, seed)
	d := generator{rand.New(rand.NewPCG(seed, 0))}
	switch a.Random {
	case "email":
		return strings.ToLower(d.of(given())+"."+d.of(kindOfValue())) + "." + d.letters("0123456789", 6) + "@example.com"
	case "name":
		return d.of(given()) + " " + d.of(kindOfValue())
	case "city":
		return d.of([]string{"Berlin", "Lagos", "Lima", "Osaka", "Oslo", "Porto", "Quito", "Tunis", "Utrecht", "Zürich"})
	case "country":
		return d.of([]string{"Brazil", "Canada", "Finland", "Ghana", "India", "Japan", "Kenya", "Mexico", "Nepal", "Spain"})
	case "color":
		return "#" + d.letters("0123456789abcdef", 6)
	case "phone": // of the block that is kept free for fiction
		return "+1202555" + "01" + d.letters("0123456789", 2)
	case "word":
		const consonants, vowels = "bcdfghklmnprst", "aeiou"
		return d.letters(consonants, 1) + d.letters(vowels, 1) + d.letters(consonants, 1) + d.letters(vowels, 1) + d.letters(
			"lmnrst", 1)
	case "number":
		return d.letters("123456789", 1) + d.letters("0123456789", length(a, 8)-1)
	}
	return d.letters("abcdefghijklmnopqrstuvwxyz", length(a, 20))
}

// seed returns the next one: of the session's own, when it has one.
func (s *Performer) seed() uint64 {
	if s.seeds == nil {
		first := s.Seed
		if first == 0 {
			first = rand.Uint64()
		}
		s.seeds = rand.New(rand.NewPCG(first, 0))
	}
	return s.seeds.Uint64N(largestSeed) + 1
}

func length(a dsl.Input, otherwise int) int {
	if a.Length > 0 {
		return a.Length
	}
	return otherwise
}

func given() []string {
	return []string{"Ada", "Grace", "Alan", "Barbara", "Edsger", "Frances", "Donald", "Margaret", "Niklaus", "Radia"}
}

func kindOfValue() []string {
	return []string{"Lovelace", "Hopper", "Turing", "Liskov", "Dijkstra", "Allen", "Knuth", "Hamilton", "Wirth", "Perlman"}
}

type generator struct{ *rand.Rand }

func (d generator) of(list []string) string { return list[d.IntN(len(list))] }

func (d generator) letters(from string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(from[d.IntN(len(from))])
	}
	return b.String()
}
