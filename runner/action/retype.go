package action

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// A text of which characters were lost in a page's field is typed again, with a pause after each key in which the page
// responds to it. If they are lost then, too, the page loses what its users type, and the step fails. Only where a page
// is busy for so long that there was no time for that, the text is put in at once, so that nothing is lost on the way.

const (
	// keyPace is between two keys of a text that is typed once more, for pages that are slow to take them.
	keyPace = 40 * time.Millisecond
	// responseLimit is how long the answer to one of these keys is waited for, responsePacehow long between two reads.
	responseLimit = time.Second
	responsePace  = 20 * time.Millisecond
	// personPace is between two keys of a person who types slowly.
	personPace = 200 * time.Millisecond
)

// errNotThisWay says that a text cannot be typed again in a certain way.
var errNotThisWay = errors.New("not this way")

// mayRepeat: only a plain field with a known content, and that still has the focus, can be filled again without
// harm.
func (e *textEntry) mayRepeat(now *screen.Field) bool {
	f := e.before
	_, ok := e.s.Device.(drivers.Editor)
	if written(now.Text) > written(f.Head+e.text+f.Tail) {
		return false // nothing is lost: something that should have been replaced is there
	}
	return ok && e.how == "typed" && plainField(f) && (f.Known || f.Text == "") && now.Focused && !now.Gone &&
		!strings.Contains(e.text, "\n")
}

// written is how many alphabetic characters and digits are in a text.
func written(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// repeat fills a field again: with what was in it before and behind the text, too.
func (e *textEntry) repeat(ctx context.Context, now *screen.Field, fill func(context.Context, string) error) (
	*textEntry, error) {
	whole := e.text
	if e.before.Known && !e.before.Password {
		whole = e.before.Head + e.text + e.before.Tail
	}
	if e.before.Password && e.before.Text != "" || !e.before.Known && e.before.Text != "" {
		return e, errNotThisWay
	}
	if end, ok := drivers.StepDeadline(ctx); ok && time.Until(end) <= 0 {
		return e, errNotThisWay
	}
	field := now
	var err error
	if holds(now) {
		if field, err = e.replaceable(ctx, now); err != nil {
			return e, err
		}
	}
	again := &textEntry{typist: e.typist, before: field, text: whole, how: e.how}
	return again, fill(ctx, whole)
}

// typeSlowly types a text key by key, where there is time for that, and waits after each key until the app has answered
// it.
func (e *textEntry) typeSlowly(ctx context.Context, text string) error {
	keys := []rune(text)
	end, ok := drivers.StepDeadline(ctx)
	if !ok {
		end = time.Now().Add(e.s.Timeout)
	}
	least := keyPace
	if e.outrun {
		least = personPace / 2
	}
	if strings.Contains(text, "\n") || time.Until(end)/2 < time.Duration(len(keys))*least {
		return errNotThisWay
	}
	answered := true
	for i, r := range keys {
		// half of the time is left to read the field, and to fill it in another way
		share := time.Now().Add(min(responseLimit, time.Until(end)/2/time.Duration(len(keys)-i)))
		if err := e.s.Device.Type(ctx, string(r)); err != nil {
			return err
		}
		if err := drivers.Pause(ctx, keyPace); err != nil {
			return err
		}
		rests, err := e.awaitResponse(ctx, time.Until(share))
		if err != nil {
			return err
		}
		answered = answered && rests
	}
	e.answered = answered
	return nil
}

// awaitResponse waits until the app has answered a key: until it has nothing on its way, or the field has shown the
// same for as long as people take between two keys. It returns false when the time ends first.
func (e *textEntry) awaitResponse(ctx context.Context, most time.Duration) (bool, error) {
	last, since := "", time.Now()
	same := time.Duration(0)
	err := pollEvery(ctx, most, responsePace, func() error {
		asked := time.Now()
		now, err := e.d.FieldAgain(ctx, e.before)
		if err != nil {
			return err
		}
		e.s.Detail.ScreenReads++
		if seen := fmt.Sprint(now.Gone, now.Text, now.Parts, now.Head); seen != last {
			last, since = seen, time.Now()
		}
		same = max(0, asked.Sub(since))
		if now.Gone || now.Rest == screen.Quiet && !now.Late || now.Rest == screen.Unknown && same >= personPace {
			same = personPace
			return nil
		}
		return errWait
	})
	if errors.Is(err, errWait) {
		err = nil
	}
	return same >= personPace, err
}

// insert puts a text in as one change, where keys outrun the app: what it makes of each key by itself is its own doing.
// It would not receive characters that it refuses.
func (e *textEntry) insert(ctx context.Context, text string) error {
	d, ok := e.d.(screen.Inserter)
	if !ok || !e.outrun {
		return errNotThisWay
	}
	now, err := e.d.FieldAgain(ctx, e.before)
	if err != nil {
		return err
	}
	if now.Refused {
		return errNotThisWay
	}
	return d.Insert(ctx, text)
}

// cellOpens is how long a cell may take to open its field, and to show the key that has opened it.
const cellOpens = 500 * time.Millisecond

// openCell presses the first key of text when a cell of a grid has the focus and no field is on its way to it: many
// grids open a field then. It returns what is still to be typed, the whole text where no field has opened; key is what
// was pressed, "" when nothing was.
func (t typist) openCell(ctx context.Context, text string) (opened bool, key, rest string,
	err error) {
	cells, ok := t.d.(screen.CellTypist)
	keys, can := t.s.Device.(drivers.Keys)
	if !ok || !can || text == "" || text[0] > unicode.MaxASCII || !unicode.IsGraphic(rune(text[0])) {
		return false, "", text, nil
	}
	err = poll(ctx, min(t.s.Timeout, focusGrace), func() error {
		in, err := cells.CellInFocus(ctx)
		if err == nil && in {
			err = errWait
		}
		return err
	})
	if !errors.Is(err, errWait) {
		return false, "", text, err
	}
	key, rest = text[:1], text
	if err := keys.Press(ctx, []string{key}); err != nil {
		return false, key, text, err
	}
	err = poll(ctx, cellOpens, func() error {
		field, _, err := t.d.Field(ctx)
		t.s.Detail.ScreenReads++
		if err == nil && field == nil {
			err = errWait
		}
		if err != nil {
			return err
		}
		if opened = true; !strings.HasSuffix(field.Text, key) {
			return errWait
		}
		rest = text[1:]
		return nil
	})
	if errors.Is(err, errWait) {
		err = nil // it shows nothing of the key, or has opened nothing
	}
	if opened {
		t.openedBy(key)
	}
	return opened, key, rest, err
}

func (t typist) openedBy(key string) {
	t.s.note("the cell opened a field at the key %s", screen.Quote(key))
}
