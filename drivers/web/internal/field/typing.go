// Package field types into the field that has the focus, key by key as a person does.
package field

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/journal"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/drivers/web/internal/read"
	"github.com/taproot-dev/taproot/drivers/web/internal/visit"
)

// Typist reads and fills the field that has the focus.
type Typist struct {
	slot    *pages.Slot
	reader  *read.Reader
	nav     *visit.Navigator
	Caret   *Caret
	journal *journal.Journal // has the clipboard
}

// NewTypist types into the current page of a slot.
func NewTypist(slot *pages.Slot, reader *read.Reader, nav *visit.Navigator, journal *journal.Journal) *Typist {
	return &Typist{slot: slot, reader: reader, nav: nav, journal: journal, Caret: &Caret{}}
}

// caret says what becomes of the caret before text is typed.
type caret string

const (
	caretEnd  caret = "end"  // behind the text: the focus came by a touch
	caretSame caret = "same" // where it is, unless another field has the focus than was typed into before
	caretKeep caret = "keep" // where keys have put it
	caretLast caret = "last" // behind the text, whatever is selected
)

// fieldReading is a field as script/typing.js reports it.
type fieldReading struct {
	Frame, Able, Gone, Focused, Cell       bool
	N                                      int
	Kind, Tag, ID, Type, What, Hint        string
	Text, Value, Invalid, Elsewhere, Taken string
	Robbed                                 string
	Secret, Multiline, Bad, Inner, Painted bool
	Around, Parts                          []string
	At                                     int
	Rest                                   screen.Activity
	Late, Refused                          bool
	// Of the command that places the caret: the key that does it, the length of the text, how many boxes there are.
	Press         string
	Length, Count int
	Order         string // of day, month and year in dates
	Fresh         bool   // another field was typed into before
}

// fieldHandle is where a field is found again.
type fieldHandle struct {
	page  playwright.Page
	chain []string
	n     int
}

func (r *fieldReading) field(handle fieldHandle) *screen.Field {
	f := &screen.Field{
		Node: screen.Node{Type: r.Tag, ID: r.ID, Text: r.Text, Hint: r.Hint, Password: r.Secret, Editable: true,
			Focused: r.Focused},
		Name: r.What, Handle: handle, Value: r.Value, Editor: r.Kind == "editor" || r.Kind == "surface", Lines: r.Multiline,
		Painted: r.Painted,
		Parts:   r.Parts, At: r.At,
		Invalid: r.Invalid, Unfinished: r.Bad, Gone: r.Gone, Elsewhere: r.Elsewhere, Taken: r.Taken, Robbed: r.Robbed,
	}
	if r.Kind == "picked" {
		f.Picker, f.Order = r.Type, r.Order
	}
	if len(r.Around) == 3 {
		f.Head, f.Picked, f.Tail, f.Known = r.Around[0], r.Around[1], r.Around[2], true
	}
	return f
}

// inFocus queries the document that has the focus, through the frames around it, and returns the way to it.
func inFocus(page playwright.Page, command string, into func() *fieldReading) (chain []string, err error) {
	for range dom.MaxDepth {
		r := into()
		if err := askTyping(page, chain, command, r); err != nil {
			return chain, err
		}
		if !r.Frame {
			return chain, nil
		}
		chain = append(chain, "frame")
	}
	return chain, fmt.Errorf("%w: the focus is in too many frames", drivers.ErrNotActionable)
}

// askTyping is ask of script/typing.js.
func askTyping(page playwright.Page, chain []string, command string, into any) error {
	return pages.AskSelector(page.Locator(typingSelector(chain, command)), into, browser.CallLimit-time.Second)
}

func typingSelector(chain []string, command string) string {
	selector := ""
	for _, frame := range chain {
		selector += browser.TypingName + "=" + frame + pages.EnterFrame
	}
	return selector + browser.TypingName + "=" + command
}

// Field returns the field that has the focus.
func (ty *Typist) Field(ctx context.Context) (field *screen.Field, other string, err error) {
	type answer struct {
		field *screen.Field
		other string
	}
	a, err := pages.Read(ctx, ty.slot, func(page playwright.Page) (answer, error) {
		var r fieldReading
		chain, err := inFocus(page, "field", func() *fieldReading { r = fieldReading{}; return &r })
		if err != nil {
			return answer{}, err
		}
		if !r.Able {
			return answer{other: r.What}, nil
		}
		r.Focused = true
		return answer{field: r.field(fieldHandle{page, chain, r.N})}, nil
	})
	return a.field, a.other, err
}

// CellInFocus reports whether a cell of a grid has the focus, which takes no text itself.
func (ty *Typist) CellInFocus(ctx context.Context) (bool, error) {
	return pages.Read(ctx, ty.slot, func(page playwright.Page) (bool, error) {
		var r fieldReading
		_, err := inFocus(page, "field", func() *fieldReading { r = fieldReading{}; return &r })
		return r.Cell, err
	})
}

// FieldAgain reads a field again.
func (ty *Typist) FieldAgain(ctx context.Context, f *screen.Field) (*screen.Field, error) {
	at, ok := f.Handle.(fieldHandle)
	if !ok {
		return nil, fmt.Errorf("%w: this is not a field of a page", drivers.ErrUnsupported)
	}
	gone := &screen.Field{Node: f.Node, Name: f.Name, Gone: true}
	return pages.Read(ctx, ty.slot, func(playwright.Page) (*screen.Field, error) {
		if at.page.IsClosed() {
			return gone, nil
		}
		var r fieldReading
		err := askTyping(at.page, at.chain, fmt.Sprintf("again.%d", at.n), &r)
		if err != nil && browser.Passing(err) {
			return gone, nil // the frame that it was in is another one
		}
		if err != nil {
			return nil, err
		}
		if r.Gone {
			return gone, nil
		}
		field := r.field(at)
		field.Rest, field.Late, field.Refused = ty.reader.Rest(ctx, at.page, r.Rest), r.Late, r.Refused
		return field, nil
	})
}

// Type presses the keys of text where the focus is. A new line is the Enter key.
func (ty *Typist) Type(ctx context.Context, text string) error {
	s, _, err := ty.slot.Page()
	if err != nil {
		return err
	}
	return pages.ActInParts(ctx, ty.slot, func(page playwright.Page, over func()) error {
		field, err := ty.place(page, ty.Caret.caretNow())
		if err != nil {
			return err
		}
		k := NewKeyboard(s, page)
		k.written = over
		switch {
		case field.kind == "picked":
			return field.pick(k, text)
		case field.parts > 1:
			return field.typeParts(ctx, k, text)
		case utf8.RuneCountInString(text) > longText:
			return page.Keyboard().InsertText(text)
		}
		return field.keys(k, text)
	})
}

// keys presses the keys of a text. An editor has time after each line to make a new one.
func (f placed) keys(k keyboard, text string) error {
	for f.kind == "editor" {
		line, rest, more := strings.Cut(text, "\n")
		if !more {
			break
		}
		if err := k.write(line + "\n"); err != nil {
			return err
		}
		if _, err := k.page.Evaluate("(" + pages.Rests + ")(30)"); err != nil {
			return pages.UnlessGone(err)
		}
		text = rest
	}
	return k.write(text)
}

// placed is the field that has the focus, with its caret where text goes.
type placed struct {
	chain        []string // the frames around it
	kind, picker string
	order        string // of day, month and year in dates
	first        bool   // a touch has brought the focus, or another field had it
	length       int    // of its text, characters
	parts        int
	inner        bool // an editor in another one
}

// place checks that something editable has the focus and puts the caret behind its text, unless something in it is
// selected or keys have put the caret elsewhere.
func (ty *Typist) place(page playwright.Page, how caret) (placed, error) {
	var r fieldReading
	chain, err := inFocus(page, "place."+string(how), func() *fieldReading { r = fieldReading{}; return &r })
	if err != nil {
		return placed{}, err
	}
	switch {
	case r.What == "":
		return placed{}, fmt.Errorf("%w: no field has the focus: tap one first", drivers.ErrNotActionable)
	case !r.Able:
		return placed{}, fmt.Errorf("%w: %s has the focus, and it takes no text", drivers.ErrNotActionable, r.What)
	}
	ty.Caret.setCaret(caretSame)
	if r.Press != "" {
		err = page.Keyboard().Press(r.Press)
	}
	return placed{chain: chain, order: r.Order, first: how == caretEnd || how == caretSame && r.Fresh, kind: r.Kind,
		picker: r.Type, length: r.Length, parts: r.Count, inner: r.Inner}, err
}

// Caret is what becomes of the caret before text is typed: a touch puts it behind the text. The zero value is ready.
type Caret struct {
	mu  sync.Mutex
	how caret
}

// Touched notes that a touch has brought the focus.
func (ca *Caret) Touched() { ca.setCaret(caretEnd) }

// caretNow is what becomes of the caret now.
func (ca *Caret) caretNow() caret {
	ca.mu.Lock()
	defer ca.mu.Unlock()
	return cmp.Or(ca.how, caretSame)
}

func (ca *Caret) setCaret(how caret) {
	ca.mu.Lock()
	ca.how = how
	ca.mu.Unlock()
}

// pick sets the value of a field: by the text that means one, or else by the keys, which go to the first of its parts.
func (f placed) pick(k keyboard, text string) error {
	if value, ok := screen.PickedValue(f.picker, text, f.order); ok {
		return f.fill(k.page, value)
	}
	if spelled(f.picker, text) {
		return f.fill(k.page, strings.ToLower(text)) // a color is in lower case
	}
	for range maxSegments {
		if !f.first || !screen.Dated(f.picker) {
			break
		}
		if err := k.keys.Press("ArrowLeft"); err != nil {
			return err
		}
	}
	return k.write(text)
}

// maxSegments is how many parts of a date and time a field has at most: month, day, year, hour, minute, second,
// thousandth, half of the day.
const maxSegments = 8

// spelled reports whether a text is the value of a field that is picked rather than written, and is not a date,
// as the field would report it.
func spelled(picker, text string) bool {
	form := map[string]string{"color": `#[0-9a-fA-F]{6}`, "range": `-?\d+(\.\d+)?`}[picker]
	ok, err := regexp.MatchString("^(?:"+form+")$", text)
	return form != "" && ok && err == nil
}

// fill sets the value of a field as its picker does.
func (f placed) fill(page playwright.Page, text string) error {
	err := page.Locator(typingSelector(f.chain, "focus")).Fill(text, playwright.LocatorFillOptions{
		Timeout: browser.Milliseconds(browser.CallLimit / 2)})
	if err == nil || browser.Disconnected(err) || browser.Passing(err) {
		return err
	}
	return fmt.Errorf("%w: the field of the type %s does not take %s: %s", drivers.ErrNotActionable, f.picker,
		screen.Quote(text), browser.Plain(err))
}

const (
	// partWait is how long the focus may take to leave a box that is full; a script often moves it after the key.
	partWait = time.Second
	partPace = 10 * time.Millisecond
)

// Insert puts a text where the focus is, in the place of what is selected, as one change.
func (ty *Typist) Insert(ctx context.Context, text string) error {
	return pages.Act(ctx, ty.slot, func(page playwright.Page) error {
		if _, err := ty.place(page, ty.Caret.caretNow()); err != nil {
			return err
		}
		return page.Keyboard().InsertText(text)
	})
}

// typeParts types into a field of several boxes: the next key waits for the focus to arrive.
func (f placed) typeParts(ctx context.Context, k keyboard, text string) error {
	for _, r := range text {
		before, err := f.part(k.page)
		if err != nil {
			return err
		}
		if err := k.write(string(r)); err != nil {
			return err
		}
		for end := time.Now().Add(partWait); time.Now().Before(end); {
			now, err := f.part(k.page)
			if err != nil || now.At != before.At || !now.Full {
				break // it continued, it takes more, or what was typed led elsewhere
			}
			if err := browser.Pause(ctx, partPace); err != nil {
				return err
			}
		}
	}
	return nil
}

// focusedBox is the one of several boxes that has the focus.
type focusedBox struct {
	At   int
	Full bool // and it is not the last one
}

func (f placed) part(page playwright.Page) (focusedBox, error) {
	var p focusedBox
	err := askTyping(page, f.chain, "part", &p)
	return p, err
}

// longText is inserted at once instead of key by key.
const longText = 500
