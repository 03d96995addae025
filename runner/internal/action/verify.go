package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// typing is a text that went into a field, and how the field was before.
type typing struct {
	s      *Performer
	before *screen.Node
	text   string
	erased bool // what it still showed then is its hint, or was not erased
}

// arrival is what became of a text.
type arrival int

const (
	// it is there, as it was typed or as the field writes it: spaces and marks added, in other case
	whole     arrival = iota
	grown             // it is there, among characters or digits that were not typed
	lost              // characters of it are missing, or all
	uncertain         // the field does not show it
)

// verify reads the field back. A field that lost something, or took more than was typed, is given the text once more,
// key by key; what is still lost then is a failure. What a field adds both times is its own doing, and a warning.
func (t typing) verify(ctx context.Context) error {
	if t.text == "" {
		return nil
	}
	now, how, err := t.read(ctx)
	if err != nil {
		return err
	}
	if how == lost || how == grown {
		again, err := t.retype(ctx, now)
		if err != nil {
			return err
		}
		if again {
			t.s.note("the field showed %s, so the text was typed once more, key by key", screen.Quote(now.Text))
			if now, how, err = t.read(ctx); err != nil {
				return err
			}
		}
	}
	switch {
	case how == lost, how == grown && (t.erased && strings.HasPrefix(now.Text, t.before.Text) || t.doubled(now)):
		return &Failure{event.Problem{
			Message:  fmt.Sprintf("typed %s, and %s shows %s", screen.Quote(t.text), t.before, screen.Quote(now.Text)),
			Expected: screen.Quote(t.before.Text + t.text), Actual: screen.Quote(now.Text)}}
	case now == nil || !sameField(now, t.before):
		t.s.warn("the focus moved on, so what was typed was not read back")
	case how == uncertain && !now.Password:
		t.s.warn("the field showed the same text before, which may be its hint: whether what was typed arrived is " +
			"unknown")
	case how == uncertain:
		t.s.Detail.Secret = true
		t.s.warn("a password field that shows nothing: what it took is unknown")
	case now.Password || t.before.Password:
		t.s.Detail.Secret = true
		t.s.warn("a password field: its length was checked, not its text")
	case !strings.Contains(now.Text, t.text):
		t.s.warn("the field made %s of what was typed", screen.Quote(now.Text))
	}
	return nil
}

// doubled reports whether the field shows the text twice, and nothing else that is new.
func (t typing) doubled(now *screen.Node) bool {
	before := t.before.Text
	if maybeHint(t.before) && !strings.HasPrefix(now.Text, before) {
		before = ""
	}
	return screen.Normalise(now.Text) == screen.Normalise(before+t.text+t.text)
}

// read looks at the field until the text is there, or what it shows instead has rested.
func (t typing) read(ctx context.Context) (now *screen.Node, how arrival, err error) {
	var changed time.Time
	last := t.before.Text
	err = poll(ctx, min(t.s.Timeout, fieldLimit), func() error {
		asked := time.Now()
		tree, err := t.s.Device.Tree(ctx)
		if err != nil {
			return err
		}
		t.s.Detail.ScreenReads++
		now = tree.Focused()
		if now == nil || !sameField(now, t.before) {
			how = uncertain
			return nil
		}
		if how = t.judge(now); how == whole {
			return nil
		}
		if now.Text != last {
			last, changed = now.Text, time.Now()
		}
		if how == uncertain && changed.IsZero() {
			changed = time.Now()
		}
		if changed.IsZero() || asked.Sub(changed) < typingRests { // the rest of the text may be on its way
			return errWait
		}
		return nil
	})
	if errors.Is(err, errWait) {
		err = nil
	}
	return now, how, err
}

// maybeHint reports whether what a field shows may be its hint: an empty one reports it as its text, whether or not the
// tree has an attribute for it. With that attribute, any other text is the field's own.
func maybeHint(n *screen.Node) bool {
	if n.Password {
		return !masked(n.Text)
	}
	return n.Text != "" && (n.Hint == "" || n.Text == n.Hint)
}

// masked reports whether a text is only the marks in place of a secret's characters.
func masked(s string) bool {
	return strings.Trim(s, "•*●∙⬤·") == ""
}

// judge compares what the field shows with what it should.
func (t typing) judge(now *screen.Node) arrival {
	if now.Password || t.before.Password {
		return t.judgePassword(now)
	}
	switch {
	case now.HintUnsure && now.Hint == t.before.Text+t.text: // whichever of the two it shows, it reads like what was typed
		return uncertain
	case t.before.HintUnsure && !t.erased && now.Text == t.before.Hint+t.text: // what it showed was not a hint
		return whole
	case t.erased && now.Text == t.before.Text+t.text && now.Text != t.text:
		return grown
	case now.Text == t.before.Text+t.text:
		return whole
	case now.Text == t.text && maybeHint(t.before):
		// it was empty; or, when the hint is the same text, nothing may have arrived
		if now.Text == t.before.Text {
			return uncertain
		}
		return whole
	case now.Text == t.before.Text:
		return lost
	case strings.Contains(now.Text, t.text):
		before := t.before.Text
		if maybeHint(t.before) && !keepsAll(now.Text, before) { // it was a hint
			before = ""
		}
		return within(now.Text, before, t.text)
	}
	if added, ok := strings.CutPrefix(now.Text, t.before.Text); ok {
		return follows(added, t.text)
	}
	return follows(now.Text, t.text)
}

// judgePassword counts marks; a field that shows nothing at all cannot be judged.
func (t typing) judgePassword(now *screen.Node) arrival {
	base := t.before.Text
	if maybeHint(t.before) {
		base = ""
	}
	have, want := utf8.RuneCountInString(now.Text), utf8.RuneCountInString(base)+utf8.RuneCountInString(t.text)
	switch {
	case now.Text == "":
		return uncertain
	case !masked(now.Text) && now.Text != base+t.text && now.Text == t.before.Text: // its hint, still: nothing arrived
		return lost
	case !masked(now.Text) && now.Text == base+t.text: // shown as it is
		return whole
	case have == want:
		return whole
	case have > want:
		return grown
	}
	return lost
}

// keepsAll reports whether a text has the letters and digits of another one, in their order.
func keepsAll(text, other string) bool {
	for _, r := range other {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+utf8.RuneLen(r):]
	}
	return true
}

// within reports whether a text that holds what was typed holds more than that and what was there before.
func within(now, before, typed string) arrival {
	if utf8.RuneCountInString(now) <= utf8.RuneCountInString(before)+utf8.RuneCountInString(typed) {
		return whole
	}
	return follows(strings.Replace(now, before, "", 1), typed)
}

// follows reports whether all of a text is in another one, in its order: whole when there is nothing between its
// characters but spaces and marks.
func follows(have, want string) arrival {
	rest := []rune(screen.Normalise(want))
	more := false
	for _, r := range screen.Normalise(have) {
		switch {
		case len(rest) > 0 && rest[0] == r:
			rest = rest[1:]
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			more = true
		}
	}
	switch {
	case len(rest) > 0:
		return lost
	case more:
		return grown
	}
	return whole
}

// retype takes away what the field added and types the text key by key. It returns false when the field cannot be
// brought back to what it was.
func (t typing) retype(ctx context.Context, now *screen.Node) (bool, error) {
	if _, ok := t.s.Device.(drivers.Editor); !ok || now == nil {
		return false, nil
	}
	n := -1
	if t.before.Text != "" && !(t.before.Hint != "" && maybeHint(t.before)) &&
		!(t.before.Password && maybeHint(t.before)) {
		added, ok := strings.CutPrefix(now.Text, t.before.Text)
		if !ok {
			return false, nil
		}
		n = utf8.RuneCountInString(added)
	}
	if now.Text != t.before.Text {
		if err := eraseNode(ctx, t.s, now, n); err != nil {
			return false, err
		}
	}
	return true, enter(ctx, t.s, t.text, true)
}

func sameField(a, b *screen.Node) bool { return a.ID == b.ID && a.Type == b.Type && a.Editable }

// A text of which characters were lost in a page's field is typed again, with a pause after each key in which the page
// responds to it. If they are lost then, too, the page loses what its users type, and the step fails. Only where a page
// is busy for so long that there was no time for that, the text is put in at once, so that nothing is lost on the way.

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
	half := time.Until(end) / 2
	if strings.Contains(text, "\n") || e.outrun && half < time.Duration(len(keys))*personPace/2 {
		return errNotThisWay
	}
	// the rest of the time is left to read the field, and to fill it in another way; what a person types in half of the
	// time needs no other way, unless the machine is slow
	limit := time.Now().Add(half)
	if time.Duration(len(keys))*personPace <= half {
		limit = end.Add(-half / 4)
	}
	answered := true
	for i, r := range keys {
		if !time.Now().Before(limit) {
			return e.cutOff(ctx, string(keys[:i]), string(keys[i:]), answered)
		}
		share := time.Now().Add(min(responseLimit, time.Until(limit)/time.Duration(len(keys)-i)))
		if err := finish(ctx, func(ctx context.Context) error { return e.s.Device.Type(ctx, string(r)) }); err != nil {
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
	e.answered, e.outrun = answered, e.outrun || !answered
	return nil
}

// cutOff ends typing key by key for lack of time, with what is left of the text at once. Answered says that the app has
// answered each key so far: what it has lost all the same would be lost at any pace.
func (e *textEntry) cutOff(ctx context.Context, typed, left string, answered bool) error {
	now, err := e.d.FieldAgain(ctx, e.before)
	if err != nil {
		return err
	}
	e.answered = answered && typed != "" && !now.Password && written(now.Text) < written(typed)
	e.outrun = true
	err = finish(ctx, func(ctx context.Context) error { return e.s.Device.Type(ctx, left) })
	return cmp.Or(err, errNotThisWay)
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
