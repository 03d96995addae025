package action_test

import (
	"context"
	"image"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// form is a page with one field that reports what it shows, and that may be slow to do so.
type form struct {
	*fake
	drivers.Keys
	field func(f *form, at time.Duration) *screen.Field // at: since the last tap or key; nil: no field has the focus
	// what each read takes before it sees the page, and after that; the last one holds for all others
	before  []time.Duration
	after   []time.Duration
	cell    bool // it is one of a grid
	looks   int
	touched time.Time
	asked   []string // of which fields it was read again
}

func (f *form) look(ctx context.Context) (*screen.Field, error) {
	cost := func(list []time.Duration) time.Duration {
		if len(list) == 0 {
			return 5 * time.Millisecond
		}
		return list[min(f.looks, len(list)-1)]
	}
	before, after := cost(f.before), cost(f.after)
	f.looks++
	if err := f.wait(ctx, before); err != nil {
		return nil, err
	}
	field := f.field(f, time.Since(f.touched))
	return field, f.wait(ctx, after)
}

func (f *form) Field(ctx context.Context) (*screen.Field, string, error) {
	field, err := f.look(ctx)
	return field, "", err
}

func (f *form) FieldAgain(ctx context.Context, was *screen.Field) (*screen.Field, error) {
	f.asked = append(f.asked, was.ID)
	return f.look(ctx)
}

func (f *form) CellInFocus(context.Context) (bool, error) { return f.cell, nil }

func (f *form) Tap(ctx context.Context, p image.Point) error {
	f.touched = time.Now()
	return f.fake.Tap(ctx, p)
}

func (f *form) Type(ctx context.Context, text string) error {
	f.touched = time.Now()
	return f.fake.Type(ctx, text)
}

func (f *form) Press(_ context.Context, keys []string) error {
	f.touched, f.cell = time.Now(), false
	f.typed += strings.Join(keys, "")
	return nil
}

// input is a field that shows a text.
func input(id, text string, rest screen.Activity) *screen.Field {
	return &screen.Field{Node: screen.Node{Type: "input", ID: id, Text: text, Editable: true}, Name: "input#" + id,
		Tail: text, Known: text == "", Rest: rest}
}

const ms = time.Millisecond

// TestSlowLooksAtAField: how long a read takes says nothing of how long the page has shown what it saw.
func TestSlowLooksAtAField(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after []time.Duration
		field         func(f *form, at time.Duration) *screen.Field
		cell          bool
		fail          string
		holds         string
	}{
		{name: "taken back by a timer that is due for long", fail: `shows ""`,
			field: func(f *form, at time.Duration) *screen.Field {
				text := f.typed
				if at > 700*ms {
					text = ""
				}
				field := input("f", text, screen.Busy)
				field.Late = at > 60*ms && at <= 700*ms
				return field
			}},
		{name: "kept by a page whose timer is due for long", holds: "ada",
			field: func(f *form, at time.Duration) *screen.Field {
				field := input("f", f.typed, screen.Busy)
				field.Late = at > 60*ms && at <= 700*ms
				return field
			}},
		{name: "taken back between two looks that are close together", fail: `shows ""`, before: []time.Duration{
			0, 500 * ms, 0}, after: []time.Duration{0, 0, 500 * ms, 0},
			field: func(f *form, at time.Duration) *screen.Field {
				if at > 560*ms {
					return input("f", "", screen.Busy)
				}
				return input("f", f.typed, screen.Busy)
			}},
		{name: "a cell that opens late", cell: true, holds: "ada", field: func(f *form, at time.Duration) *screen.Field {
			if f.typed == "a" && at < 900*ms {
				return nil
			}
			return input("f", f.typed, screen.Quiet)
		}},
		{name: "a cell that opens at once", cell: true, holds: "ada", field: func(f *form, _ time.Duration) *screen.Field {
			return input("f", f.typed, screen.Quiet)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &form{fake: &fake{began: time.Now(), show: always()}, before: c.before, after: c.after, field: c.field,
					cell: c.cell, touched: time.Now()}
				err := action.Perform(t.Context(), &action.Performer{Device: f, Timeout: 10 * time.Second}, dsl.Input{Text: "ada"})
				if c.fail != "" {
					wantFail(t, err, false, c.fail)
					return
				}
				if err != nil || f.typed != c.holds {
					t.Errorf("it holds %q: %v", f.typed, err)
				}
			})
		})
	}
}

// TestFocusIsWaitedForOnSlowDevices: a read that was requested right after the tap does not show where the focus goes,
// however long it takes.
func TestFocusIsWaitedForOnSlowDevices(t *testing.T) {
	show := func(at time.Duration, taps []image.Point) []*screen.Node {
		first, second := edit("", true), edit("", false)
		first.Type, second.Type = "input", "input"
		first.ID, second.ID, second.Bounds = "first", "second", image.Rect(0, 300, 900, 400)
		if len(taps) > 0 {
			second.Bounds = second.Bounds.Sub(image.Pt(0, 50)) // the keyboard opens
		}
		return []*screen.Node{first, second}
	}
	second := dsl.Tap{Selector: dsl.Selector{ID: "second"}}
	t.Run("a page", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &form{fake: &fake{began: time.Now(), show: show}, after: []time.Duration{1200 * ms},
				field: func(f *form, at time.Duration) *screen.Field {
					if f.typed == "" && at < 300*ms {
						return input("first", "", screen.Quiet)
					}
					return input("second", f.typed, screen.Quiet)
				}}
			s := &action.Performer{Device: f, Timeout: 10 * time.Second}
			for _, step := range []any{second, dsl.Input{Text: "ada"}} {
				if err := action.Perform(t.Context(), s, step); err != nil {
					t.Fatal(err)
				}
			}
			if len(f.asked) == 0 || f.asked[0] != "second" {
				t.Errorf("it was typed into %q", f.asked)
			}
		})
	})
	t.Run("a phone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), treeCost: 1200 * ms}
			f.show = func(at time.Duration, taps []image.Point) []*screen.Node {
				nodes := show(at, taps)
				if len(taps) > 0 && at > f.when[0]+300*ms {
					nodes[0].Focused, nodes[1].Focused = false, true
					nodes[1].Text = f.typed
				}
				return nodes
			}
			s := &action.Performer{Device: f, Timeout: 10 * time.Second}
			for _, step := range []any{second, dsl.Input{Text: "ada"}} {
				if err := action.Perform(t.Context(), s, step); err != nil {
					t.Fatal(err)
				}
			}
			if len(s.Detail.Warnings) > 0 {
				t.Errorf("warnings %q", s.Detail.Warnings)
			}
		})
	})
}
