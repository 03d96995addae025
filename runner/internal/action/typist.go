package action

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// What a field shows afterwards decides whether typing worked, not that the keys were sent: pages format (1250 becomes
// 1,250), refuse characters, redraw the field, move the focus at the third digit, or restore the old value a moment
// later. So typing reads the field first, types with one key after the other, reads it back until it has shown the same
// for fieldRests, and compares that with what the field can have made of the text (screen.Field.Accepts). A difference
// is repaired by the ways that cannot repeat an effect (verify.go): only in a plain field with a known content that
// still has the focus. What is still different fails the step, with the text that the field shows.

// typist types on a device that reports what its fields show.
type typist struct {
	s *Performer
	d screen.Typist
}

// textEntry is a text on its way into one field.
type textEntry struct {
	typist
	before *screen.Field
	text   string
	how    string // typed, pasted
	perKey bool   // it may not be put in at once

	// outrun: the app still had something to do when the last key was pressed, or had no time to answer one that was typed
	// once more. answered: it had done with each of those before the next one, so that its users get the same.
	outrun, answered bool
}

// typeInto types into the field that has the focus and reads back what that shows.
func (t typist) typeInto(ctx context.Context, a dsl.Input, text string) error {
	opened, key, rest, err := t.openCell(ctx, text)
	if err != nil || opened && rest == "" {
		return err
	}
	field, err := t.fieldInFocus(ctx)
	if err != nil {
		return err
	}
	if key != "" && !opened && strings.HasSuffix(field.Text, key) { // it has opened late
		opened, rest = true, strings.TrimPrefix(text, key)
		t.openedBy(key)
	}
	if text = rest; text == "" && opened {
		return nil
	}
	if a.Replace && !opened && holds(field) && !neverEmpty(field) {
		if field, err = t.replaceable(ctx, field); err != nil {
			return err
		}
	}
	if err := enter(ctx, t.s, text, a.PerKey); err != nil {
		return err
	}
	if open, err := t.dialogOpen(ctx); err != nil || open {
		return err
	}
	e := textEntry{typist: t, before: field, text: text, how: "typed", perKey: a.PerKey}
	if a.Verify != nil && !*a.Verify {
		t.s.warn("what the field made of the text was not looked at: verify: false")
		now, err := t.d.FieldAgain(ctx, field)
		if err == nil {
			e.rejected(now)
		}
		return err
	}
	return e.verify(ctx)
}

// dialogOpen reports whether typing has opened a dialog of the page. Reading the field would close it.
func (t typist) dialogOpen(ctx context.Context) (bool, error) {
	d, ok := t.s.Device.(drivers.Alerter)
	if !ok || t.s.Platform != dsl.Web {
		return false, nil
	}
	open, err := d.Alert(ctx)
	if err == nil && open != nil {
		t.s.warn("a dialog of the page is open: what the field shows was not read")
	}
	return open != nil, err
}

// replaceable selects all that a plain field holds, so that the text takes its place: one that is emptied may fill
// itself again. Other fields, and those that do not let themselves be selected, are emptied.
func (t typist) replaceable(ctx context.Context, field *screen.Field) (*screen.Field, error) {
	if plainField(field) {
		if now, err := t.selectAll(ctx); err != nil || now.Picked != "" && now.Head == "" && now.Tail == "" {
			return now, err
		}
	}
	if err := t.eraseField(ctx, field, -1); err != nil {
		return nil, err
	}
	field, err := t.fieldInFocus(ctx)
	if err != nil || !holds(field) || field.Picker != "" || len(field.Parts) > 0 {
		return field, err
	}
	return t.selectAll(ctx)
}

// neverEmpty reports whether a field always has a value: a slider, a color.
func neverEmpty(f *screen.Field) bool { return f.Picker == "range" || f.Picker == "color" }

// plainField reports whether a field has nothing but characters in it.
func plainField(f *screen.Field) bool { return !f.Editor && f.Picker == "" && len(f.Parts) == 0 }

// selectAll selects what the field in focus holds, by the keys for that.
func (t typist) selectAll(ctx context.Context) (*screen.Field, error) {
	keys, err := capability[drivers.Keys](t.s)
	if err != nil {
		return nil, err
	}
	if err := keys.Press(ctx, []string{"controlOrMeta", "a"}); err != nil {
		return nil, err
	}
	return t.fieldInFocus(ctx)
}

func holds(f *screen.Field) bool {
	return f.Text != "" || f.Value != "" || strings.Join(f.Parts, "") != ""
}

// fieldInFocus waits for the field that takes text.
func (t typist) fieldInFocus(ctx context.Context) (*screen.Field, error) {
	var field *screen.Field
	var other string
	began := time.Now()
	err := poll(ctx, t.s.Timeout, func() (err error) {
		graced := time.Since(began) >= focusGrace // when it was requested: a slow response is of the moment of the tap
		field, other, err = t.d.Field(ctx)
		t.s.Detail.ScreenReads++
		if err == nil && (field == nil || (!isTapped(t.s, &field.Node) || field.Robbed != "") && !graced) {
			err = errWait
		}
		return err
	})
	if err == nil || field != nil && errors.Is(err, errWait) {
		return field, focusTaken(field)
	}
	if !errors.Is(err, errWait) {
		return nil, err
	}
	tree, err := t.s.Device.Tree(ctx)
	if err != nil {
		return nil, err
	}
	t.s.Tree = tree
	if other == "" {
		return nil, noFocus(t.s, tree, "nothing has the focus")
	}
	if tag := strings.FieldsFunc(other, func(r rune) bool { return r == '#' || r == '.' }); len(tag) > 0 &&
		tag[0] == "select" {
		return nil, listTakesNoText(other)
	}
	return nil, noFocus(t.s, tree, fmt.Sprintf("the focus is on %s, which takes no text", other))
}

// listTakesNoText is the failure of a text that is typed into a list.
func listTakesNoText(list any) error {
	p := problem("%s is a list, which takes no text: choose one of its entries with webSelect", list)
	p.Expected, p.Actual = "a text field", "a list of entries"
	return &Failure{p}
}

// focusTaken is the failure of a text that would go into another field than the one that was touched for it.
func focusTaken(field *screen.Field) error {
	if field.Robbed == "" {
		return nil
	}
	return &Failure{event.Problem{
		Message: fmt.Sprintf("%s has taken the focus from %s, which was tapped: nothing was typed", field.Name,
			field.Robbed),
		Expected: "the focus in " + field.Robbed, Actual: "the focus is in " + field.Name}}
}

// verify reads the field back. What did not arrive in a plain field is typed once more, key by key. What a page has no
// time to answer key by key is then put in at once, unless perKey forbids it; an editor gets nothing twice.
func (e *textEntry) verify(ctx context.Context) error {
	if strings.Trim(e.text, "\n") == "" {
		return nil // keys, and no text
	}
	now, how, err := e.read(ctx)
	if err != nil {
		return err
	}
	for _, way := range []struct {
		name  string
		fill  func(context.Context, string) error
		whole bool
	}{{"typed once more, key by key", e.typeSlowly, false}, {"put in at once", e.insert, true}} {
		if how != screen.Missing || e.answered || !e.mayRepeat(now) || e.perKey && way.whole {
			break
		}
		again, err := e.repeat(ctx, now, way.fill)
		if errors.Is(err, errNotThisWay) {
			continue
		}
		if err != nil {
			return err
		}
		e.s.note("the field showed %s, so the text was %s", screen.Quote(e.shows(now)), way.name)
		if now, how, err = again.read(ctx); err != nil {
			return err
		}
	}
	if how == screen.Missing { // a way that had too little time may have left a part of the text
		if last, err := e.d.FieldAgain(ctx, e.before); err == nil {
			now = last
		}
	}
	return e.result(now, how)
}

// read reads the field until it keeps showing the text, or what it shows instead has rested.
func (e *textEntry) read(ctx context.Context) (now *screen.Field, how screen.TextOutcome, err error) {
	want := e.text
	if !e.before.Lines {
		want = strings.ReplaceAll(want, "\n", "")
	}
	last, since, held := "", time.Now(), e.s.onPhone()
	pace := &holdBackOff{BackOff: slowing()}
	var look func() error
	look = func() (err error) {
		asked := time.Now()
		if now, err = e.d.FieldAgain(ctx, e.before); err != nil {
			return err
		}
		e.s.Detail.ScreenReads++
		e.outrun = e.outrun || last == "" && now.Rest != screen.Quiet
		rests := typingRests
		switch how = e.before.Accepts(now, want); {
		case how == screen.Whole && now.Rest == screen.Quiet:
			rests = quietRests
		case how == screen.Whole:
			rests = fieldRests
		}
		if now.Gone {
			rests = goneFor
		}
		seen := fmt.Sprint(now.Gone, now.Text, now.Parts)
		if seen != last {
			last, since = seen, time.Now()
		}
		if how == screen.Whole && !held {
			held = true
			e.s.meanwhile(ctx)
			return look()
		}
		if pace.left = rests - time.Since(since); asked.Sub(since) < rests || how == screen.Whole && now.Late {
			return errWait
		}
		return nil
	}
	err = pollWith(ctx, min(e.s.Timeout, fieldLimit), pace, look)
	if errors.Is(err, errWait) {
		err = nil
	}
	return now, how, err
}

// result says what became of the text.
func (e *textEntry) result(now *screen.Field, how screen.TextOutcome) error {
	s := e.s
	switch {
	case now.Gone:
		s.warn("the field is not on the page any more, so what was %s was not read back", e.how)
		return nil
	case how != screen.Whole && strings.HasSuffix(e.text, "\n") && !holds(now):
		s.warn("the field is empty after the Enter key, which has sent the text off, so it was not read back")
		return nil
	case how == screen.Missing, how == screen.Grown && e.doubled(now):
		return e.failure(now)
	case now.Password:
		s.Detail.Secret = true
		s.warn("a password field: its length was checked, not its text")
	case e.before.Painted:
		s.warn("the text is painted, so what the field shows was not read: " +
			"only what the page received was compared")
	case how == screen.Grown, !strings.Contains(e.shows(now), e.text) && e.before.Picker == "":
		s.warn("the field made %s of what was %s", screen.Quote(e.shows(now)), e.how)
	}
	if now.Elsewhere != "" {
		s.note("the focus moved to %s", now.Elsewhere)
	}
	e.rejected(now)
	return nil
}

// rejected reports a field with a content that the page does not accept.
func (e *textEntry) rejected(now *screen.Field) {
	if now.Invalid != "" && !now.Gone {
		e.s.warn("the page does not accept what the field holds: %s", strings.TrimSuffix(now.Invalid, "."))
	}
}

// doubled reports whether the text is there more often than it was typed.
func (e *textEntry) doubled(now *screen.Field) bool {
	text := screen.Normalise(e.text)
	return strings.Count(screen.Normalise(e.shows(now)), text) > strings.Count(screen.Normalise(e.shows(e.before)), text)+1
}

// shows is the text of a field as a whole.
func (e *textEntry) shows(f *screen.Field) string {
	if len(f.Parts) > 0 {
		return strings.Join(f.Parts, "")
	}
	return f.Text
}

func (e *textEntry) failure(now *screen.Field) error {
	p := event.Problem{Actual: screen.Quote(e.shows(now))}
	p.Expected = screen.Quote(e.text)
	switch {
	case now.Password: // the dots say nothing
	case e.before.Known && len(e.before.Parts) == 0:
		p.Expected = screen.Quote(e.before.Head + e.text + e.before.Tail)
	}
	p.Message = fmt.Sprintf("%s %s, and %s shows %s", e.how, screen.Quote(e.text), e.before.Name, p.Actual)
	switch {
	case screen.Dated(e.before.Picker):
		p.Message += e.dateAdvice(now)
	case now.Unfinished:
		p.Message += ", which is not a complete value"
	case e.how == "pasted" && e.shows(now) == e.shows(e.before):
		p.Message += ": the page did not take the paste"
	}
	if now.Elsewhere != "" {
		p.Message += "; the focus moved to " + now.Elsewhere
		if now.Taken != "" {
			p.Message += ", which shows " + screen.Quote(now.Taken)
		}
	}
	if now.Invalid != "" {
		p.Message += "; the page says: " + now.Invalid
	}
	return &Failure{p}
}

// dateAdvice says what a text means to a field of a date or a time, and which spelling works everywhere.
func (e *textEntry) dateAdvice(now *screen.Field) string {
	f := e.before
	if meant, ok := screen.PickedValue(f.Picker, e.text, f.Order); ok {
		return ", not " + screen.Quote(meant)
	}
	said := ""
	if now.Unfinished {
		said = ", which is not a complete value"
	}
	order := strings.NewReplacer("d", "day/", "m", "month/", "y", "year/").Replace(f.Order)
	if order != "" && f.Picker != "time" && f.Picker != "week" {
		said += "; dates of this page are written " + strings.TrimSuffix(order, "/")
	}
	return said + fmt.Sprintf("; %s works in every locale", screen.Quote(screen.ISOExample(f.Picker)))
}

// eraseField takes n characters, or all of them when n < 0, out of the field and sees that they are gone.
func (t typist) eraseField(ctx context.Context, field *screen.Field, n int) error {
	editor, err := capability[drivers.Editor](t.s)
	if err != nil {
		return err
	}
	if neverEmpty(field) {
		return &Failure{event.Problem{Message: fmt.Sprintf("%s always has a value, and cannot be erased", field.Name),
			Expected: "no value", Actual: screen.Quote(field.Value)}}
	}
	if err := editor.Erase(ctx, n); err != nil || !holds(field) {
		return err
	}
	var now *screen.Field
	var since time.Time
	last := ""
	err = poll(ctx, min(t.s.Timeout, fieldLimit), func() (err error) {
		asked := time.Now()
		if now, err = t.d.FieldAgain(ctx, field); err != nil {
			return err
		}
		t.s.Detail.ScreenReads++
		if seen := fmt.Sprint(now.Text, now.Value, now.Parts); seen != last {
			last, since = seen, time.Now()
		}
		if now.Gone || !holds(now) || !sameContent(now, field) && (n >= 0 || asked.Sub(since) >= typingRests) {
			return nil
		}
		return errWait
	})
	switch {
	case errors.Is(err, errWait):
		return &Failure{
			event.Problem{Message: fmt.Sprintf("%s still shows %s after erasing", field.Name, screen.Quote(now.Text)),
				Expected: "less text", Actual: screen.Quote(now.Text)}}
	case err == nil && n < 0 && holds(now) && !now.Gone:
		t.s.note("emptied, the field shows %s", screen.Quote(now.Text))
	}
	return err
}

func sameContent(a, b *screen.Field) bool {
	return a.Text == b.Text && a.Value == b.Value && slices.Equal(a.Parts, b.Parts)
}

// pasteInto pastes the device's clipboard into the field that has the focus.
func (t typist) pasteInto(ctx context.Context, p screen.Paster) error {
	text, err := p.Clipboard(ctx)
	if err != nil {
		return err
	}
	if text == "" {
		return &Failure{problem("nothing was copied: use copyText or setClipboard before paste")}
	}
	field, err := t.fieldInFocus(ctx)
	if err != nil {
		return err
	}
	if err := p.Paste(ctx); err != nil {
		return err
	}
	e := textEntry{typist: t, before: field, text: text, how: "pasted"}
	return e.verify(ctx)
}
