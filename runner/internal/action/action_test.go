package action_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// perform runs one action against a fake in fake time.
func perform(t *testing.T, f *fake, args any, check func(t *testing.T, s *action.Performer, err error)) {
	t.Helper()
	for _, cheap := range []bool{true, false} {
		t.Run(fmt.Sprintf("cheap pixels %v", cheap), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dev := *f
				dev.began, dev.cheap = time.Now(), cheap
				if dev.treeCost == 0 {
					dev.treeCost, dev.pictureCost = 40*time.Millisecond, 15*time.Millisecond
				}
				s := &action.Performer{Device: &dev, Timeout: 10 * time.Second}
				err := action.Perform(t.Context(), s, args)
				check(t, s, err)
			})
		})
	}
}

func device(s *action.Performer) *fake { return s.Device.(*fake) }

func label(s string) dsl.Selector { return dsl.Selector{Label: s} }

func always(nodes ...*screen.Node) func(time.Duration, []image.Point) []*screen.Node {
	return func(time.Duration, []image.Point) []*screen.Node { return nodes }
}

func wantFail(t *testing.T, err error, assertion bool, words ...string) {
	t.Helper()
	if got := action.ResultOf(err); got != event.Fail {
		t.Fatalf("result %s (%v), want fail", got, err)
	}
	p := action.ProblemOf(err)
	if p.Assertion != assertion {
		t.Errorf("assertion %v, want %v", p.Assertion, assertion)
	}
	all := fmt.Sprint(p)
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("the problem does not say %q: %s", w, all)
		}
	}
}

func TestAssertPaidDoesNotPassOnUnpaid(t *testing.T) {
	t.Parallel()
	perform(t, &fake{show: always(el("Status: Unpaid", 0, 100, 900, 200))}, dsl.Assert{Selector: label("Paid")},
		func(t *testing.T, s *action.Performer, err error) {
			wantFail(t, err, true, `"Paid"`, "Unpaid")
		})
}

func TestAssertPassesOnTextShownTwice(t *testing.T) {
	t.Parallel()
	perform(t, &fake{show: always(el("Twice", 0, 100, 900, 200), el("Twice", 0, 300, 900, 400))},
		dsl.Assert{Selector: label("Twice")},
		func(t *testing.T, s *action.Performer, err error) {
			if err != nil {
				t.Fatal(err)
			}
		})
}

func TestAssertWaitsForLateText(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		if at < 4*time.Second {
			return []*screen.Node{el("Loading", 0, 100, 900, 200)}
		}
		return []*screen.Node{el("Welcome, Ada", 0, 100, 900, 200)}
	}
	perform(t, &fake{show: show}, dsl.Assert{Selector: label("Welcome, Ada")}, func(t *testing.T, s *action.Performer,
		err error) {
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestTapListsBothOfTwoEqualTexts(t *testing.T) {
	t.Parallel()
	perform(t, &fake{show: always(button("Twice", 0, 100, 900, 200), button("Twice", 0, 300, 900, 400))},
		dsl.Tap{Selector: label("Twice")},
		func(t *testing.T, s *action.Performer, err error) {
			wantFail(t, err, false, "[0,100][900,200]", "[0,300][900,400]")
			if len(device(s).taps) != 0 {
				t.Errorf("tapped %v", device(s).taps)
			}
		})
}

func TestTapWaitsForPayBesidePaymentHistory(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		nodes := []*screen.Node{button("Payment history", 0, 100, 900, 200), button("Pay later", 0, 300, 900, 400)}
		if at >= 700*time.Millisecond {
			nodes = append(nodes, button("Pay", 0, 500, 900, 600))
		}
		return nodes
	}
	perform(t, &fake{show: show}, dsl.Tap{Selector: label("Pay")}, func(t *testing.T, s *action.Performer, err error) {
		if taps := device(s).taps; err != nil || len(taps) != 1 || taps[0] != image.Pt(450, 550) {
			t.Fatalf("taps %v, error %v", taps, err)
		}
	})
}

func TestTapWaitsUntilElementStandsStill(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		y := 100 + int(min(at, 2*time.Second)/time.Millisecond)/4
		return []*screen.Node{button("Go", 0, y, 900, y+100)}
	}
	perform(t, &fake{show: show}, dsl.Tap{Selector: label("Go")}, func(t *testing.T, s *action.Performer, err error) {
		f := device(s)
		if err != nil || len(f.taps) != 1 || f.taps[0] != image.Pt(450, 650) || f.when[0] < 2*time.Second {
			t.Fatalf("taps %v at %v, error %v", f.taps, f.when, err)
		}
	})
}

func TestTapWaitsUntilThePageIsDrawn(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		target := button("Go", 0, 100, 900, 200)
		if at >= 1200*time.Millisecond {
			target = button("Go", 0, 600, 900, 700)
		}
		target.Undrawn = at < 1200*time.Millisecond
		return []*screen.Node{target}
	}
	perform(t, &fake{show: show}, dsl.Tap{Selector: label("Go")}, func(t *testing.T, s *action.Performer, err error) {
		if f := device(s); err != nil || len(f.taps) != 1 || f.taps[0] != image.Pt(450, 650) {
			t.Fatalf("taps %v at %v, error %v", f.taps, f.when, err)
		}
	})
}

func TestTapOnAPageThatDrawsNothing(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		still, clock := button(
			"Go",
			0,
			100,
			900,
			200,
		), el(
			at.String(),
			0,
			300,
			900,
			400,
		) // its script runs all the same
		still.Undrawn, clock.Undrawn = true, true
		return []*screen.Node{still, clock}
	}
	perform(t, &fake{show: show}, dsl.Tap{Selector: label("Go")}, func(t *testing.T, s *action.Performer, err error) {
		if f := device(s); err != nil || len(f.taps) != 1 || f.when[0] < 2*time.Second {
			t.Fatalf("taps %v at %v, error %v", f.taps, f.when, err)
		}
	})
}

// aiming is a device that holds touches back which would miss.
type aiming struct {
	*fake
	at   []string
	miss int // so many touches
}

func (d *aiming) Aim(n *screen.Node) {
	if n != nil {
		d.at = append(d.at, n.Text)
	}
}

func (d *aiming) Tap(ctx context.Context, p image.Point) error {
	if d.miss--; d.miss >= 0 {
		return drivers.ErrMissed
	}
	return d.fake.Tap(ctx, p)
}

func TestATapThatWouldMissIsAimedAgain(t *testing.T) {
	for miss, want := range map[int]string{0: "", 2: "", 1e6: "in its place"} {
		f := &fake{show: func(time.Duration, []image.Point) []*screen.Node {
			return []*screen.Node{button("Go", 0, 100, 900, 200)}
		}}
		d := &aiming{fake: f, miss: miss}
		synctest.Test(t, func(t *testing.T) {
			f.began = time.Now()
			s := &action.Performer{Timeout: 10 * time.Second}
			s.Device = d
			err := action.Perform(t.Context(), s, dsl.Tap{Selector: label("Go")})
			if want == "" && (err != nil || len(f.taps) != 1 || len(d.at) != miss+1 || d.at[0] != "Go" ||
				s.Detail.ProofKind() != event.ProofHit) {
				t.Errorf(
					"%d times missed: taps %v, aimed at %v, proof %s, error %v",
					miss,
					f.taps,
					d.at,
					s.Detail.Proof,
					err,
				)
			}
			if want != "" && (!errors.Is(err, drivers.ErrNotActionable) || len(f.taps) != 0 ||
				s.Detail.Proof != event.ProofMoved || f.at() > 2*s.Timeout) {
				t.Errorf("always missed: taps %v, after %s, proof %s, error %v", f.taps, f.at(), s.Detail.Proof, err)
			}
		})
	}
}

func TestTapFailsOnElementThatNeverStands(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		y := 100 + int(at/time.Millisecond)%1000
		return []*screen.Node{button("Go", 0, y, 900, y+100)}
	}
	perform(t, &fake{show: show}, dsl.Tap{Selector: label("Go")}, func(t *testing.T, s *action.Performer, err error) {
		wantFail(t, err, false, "keeps moving")
		if len(device(s).taps) != 0 {
			t.Errorf("tapped %v", device(s).taps)
		}
	})
}

// TestTapWithSlowReads: where one read of the screen takes as long as the step may, a button that does not
// move is tapped, and one that moves is not.
func TestTapWithSlowReads(t *testing.T) {
	t.Parallel()
	still := func(time.Duration, []image.Point) []*screen.Node {
		return []*screen.Node{button("Go", 0, 100, 900, 200)}
	}
	moves := func(at time.Duration, _ []image.Point) []*screen.Node {
		y := 100 + int(at/time.Millisecond)%1000
		return []*screen.Node{button("Go", 0, y, 900, y+100)}
	}
	for _, cost := range []time.Duration{6 * time.Second, 12 * time.Second, 40 * time.Second} {
		perform(t, &fake{show: still, treeCost: cost}, dsl.Tap{Selector: label("Go")},
			func(t *testing.T, s *action.Performer, err error) {
				if err != nil || len(device(s).taps) != 1 || device(s).trees > 3 {
					t.Errorf("reads of %s: %v after %d reads, tapped %v", cost, err, device(s).trees, device(s).taps)
				}
			})
		perform(t, &fake{show: moves, treeCost: cost + time.Millisecond}, dsl.Tap{Selector: label("Go")},
			func(t *testing.T, s *action.Performer, err error) {
				wantFail(t, err, false, "keeps moving")
				if len(device(s).taps) != 0 || device(s).trees > 4 {
					t.Errorf("reads of %s: tapped %v after %d reads", cost, device(s).taps, device(s).trees)
				}
			})
	}
}

func TestTapTakesBlinkingElementByItsBounds(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		nodes := []*screen.Node{button("Go", 0, 100, 900, 200)}
		return append(nodes, el(strings.Repeat(".", int(at/(90*time.Millisecond))%5), 100, 120, 300, 180))
	}
	perform(t, &fake{show: show}, dsl.Tap{Selector: label("Go")}, func(t *testing.T, s *action.Performer, err error) {
		if err != nil || len(device(s).taps) != 1 {
			t.Fatalf("taps %v, error %v", device(s).taps, err)
		}
	})
}

func TestTapIsStoppedByOverlayInFront(t *testing.T) {
	t.Parallel()
	perform(t, &fake{show: always(button("Buy", 0, 500, 900, 600), button("We use cookies", 0, 0, 1000, 2000))},
		dsl.Tap{Selector: label("Buy")},
		func(t *testing.T, s *action.Performer, err error) {
			wantFail(t, err, false, "covered by", "We use cookies")
			if len(device(s).taps) != 0 {
				t.Errorf("tapped %v", device(s).taps)
			}
		})
}

func TestTapWaitsForOverlayToGo(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		nodes := []*screen.Node{button("Buy", 0, 500, 900, 600)}
		if at < 3*time.Second {
			nodes = append(nodes, button("Wait", 0, 0, 1000, 2000))
		}
		return nodes
	}
	perform(t, &fake{show: show}, dsl.Tap{Selector: label("Buy")}, func(t *testing.T, s *action.Performer, err error) {
		if f := device(s); err != nil || len(f.taps) != 1 || f.when[0] < 3*time.Second {
			t.Fatalf("taps at %v, error %v", f.when, err)
		}
	})
}

func TestTapWaitsForEnabled(t *testing.T) {
	t.Parallel()
	b := button("Save", 0, 500, 900, 600)
	b.Disabled = true
	perform(
		t,
		&fake{show: always(b)},
		dsl.Tap{Selector: label("Save")},
		func(t *testing.T, s *action.Performer, err error) {
			wantFail(t, err, false, "is disabled")
			if len(device(s).taps) != 0 {
				t.Errorf("tapped %v", device(s).taps)
			}
		},
	)
}

func TestMissingElementNamesTheNearest(t *testing.T) {
	t.Parallel()
	perform(t, &fake{show: always(button("Sign in", 0, 500, 900, 600))}, dsl.Tap{Selector: label("Sing in")},
		func(t *testing.T, s *action.Performer, err error) {
			wantFail(t, err, false, "Sing in", "Button \"Sign in\"", "within 10s")
		})
}

// TestScreenThatCannotBeReadIsAnError: what was not seen is neither there nor missing.
func TestScreenThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	f := &fake{show: always(el("Paid", 0, 100, 900, 200)), treeErr: func(time.Duration) error {
		return fmt.Errorf("never idle: %w", drivers.ErrNotReady)
	}}
	perform(t, f, dsl.Assert{Selector: label("Paid")}, func(t *testing.T, s *action.Performer, err error) {
		if action.ResultOf(err) != event.Error {
			t.Fatalf("result %s of %v", action.ResultOf(err), err)
		}
	})
}

func TestScreenThatCanBeReadLaterIsWaitedFor(t *testing.T) {
	t.Parallel()
	f := &fake{show: always(el("Paid", 0, 100, 900, 200)), treeErr: func(at time.Duration) error {
		if at < 5*time.Second {
			return fmt.Errorf("never idle: %w", drivers.ErrNotReady)
		}
		return nil
	}}
	perform(t, f, dsl.Assert{Selector: label("Paid")}, func(t *testing.T, s *action.Performer, err error) {
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestDeviceErrorEndsTheWaitAtOnce(t *testing.T) {
	t.Parallel()
	f := &fake{
		show:    always(),
		treeErr: func(time.Duration) error { return fmt.Errorf("R58: %w", drivers.ErrDeviceLost) },
	}
	perform(t, f, dsl.Assert{Selector: label("Paid")}, func(t *testing.T, s *action.Performer, err error) {
		if action.ResultOf(err) != event.Error || device(s).trees != 1 {
			t.Fatalf("result %s of %v after %d trees", action.ResultOf(err), err, device(s).trees)
		}
	})
}

// TestSlowDeviceLooksAtLeastOnce: one read may take longer than the whole time limit.
func TestSlowDeviceLooksAtLeastOnce(t *testing.T) {
	f := &fake{show: always(el("Paid", 0, 100, 900, 200)), treeCost: 12 * time.Second, pictureCost: time.Second}
	perform(t, f, dsl.Assert{Selector: label("Paid")}, func(t *testing.T, s *action.Performer, err error) {
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestTapOnSettledScreenIsCheap holds the price of a tap on a phone: one dump, at most three screenshots (the third is
// the step's own).
func TestTapOnSettledScreenIsCheap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{show: always(button("Go", 0, 100, 900, 200)), began: time.Now(), cheap: true,
			treeCost: 2200 * time.Millisecond, pictureCost: 250 * time.Millisecond}
		if err := action.Perform(t.Context(), &action.Performer{Device: f, Timeout: 10 * time.Second},
			dsl.Tap{Selector: label("Go")}); err != nil {
			t.Fatal(err)
		}
		if f.trees != 1 || f.shots > 2 || len(f.taps) != 1 {
			t.Errorf("%d trees, %d pictures, %d taps", f.trees, f.shots, len(f.taps))
		}
	})
}

func TestWaitStable(t *testing.T) {
	t.Parallel()
	spinner := func(until time.Duration) func(time.Duration, []image.Point) []*screen.Node {
		return func(at time.Duration, _ []image.Point) []*screen.Node {
			frame := int(min(at, until) / (30 * time.Millisecond))
			return []*screen.Node{el("Page", 0, 0, 1000, 50), el(fmt.Sprint(frame), 400, 900, 600, 1100)}
		}
	}
	perform(
		t,
		&fake{show: spinner(3 * time.Second)},
		dsl.WaitStable{},
		func(t *testing.T, s *action.Performer, err error) {
			if at := device(s).at(); err != nil || at < 3*time.Second {
				t.Fatalf("stable after %v: %v", at, err)
			}
		},
	)
	perform(t, &fake{show: spinner(time.Hour)}, dsl.WaitStable{}, func(t *testing.T, s *action.Performer, err error) {
		wantFail(t, err, true, "400,900 to 600,1100")
	})
}

func TestWaitStableIgnoresCaret(t *testing.T) {
	t.Parallel()
	show := func(at time.Duration, _ []image.Point) []*screen.Node {
		caret := " "
		if at%(40*time.Millisecond) < 20*time.Millisecond {
			caret = "|"
		}
		return []*screen.Node{el("Field", 0, 500, 1000, 600), el(caret, 100, 510, 104, 590)}
	}
	perform(t, &fake{show: show}, dsl.WaitStable{}, func(t *testing.T, s *action.Performer, err error) {
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestPoint(t *testing.T) {
	t.Parallel()
	f := &fake{show: always()}
	perform(t, f, dsl.Tap{Selector: dsl.Selector{Point: &dsl.Point{X: 50, Y: 100, Percent: true}}},
		func(t *testing.T, s *action.Performer, err error) {
			if taps := device(s).taps; err != nil || len(taps) != 1 || taps[0] != image.Pt(500, 1999) {
				t.Fatalf("taps %v, %v", taps, err)
			}
		})
	perform(
		t,
		f,
		dsl.Tap{Selector: dsl.Selector{Point: &dsl.Point{X: 1000, Y: 10}}},
		func(t *testing.T, s *action.Performer,
			err error) {
			wantFail(t, err, false, "outside")
		},
	)
}

func edit(text string, focused bool) *screen.Node {
	return &screen.Node{Type: "android.widget.EditText", Text: text, Editable: true, Clickable: true, Focused: focused,
		Bounds: image.Rect(0, 100, 900, 200)}
}

func TestCancelledContextIsNoResultOnTheApp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := &fake{show: always(), began: time.Now(), treeCost: 50 * time.Millisecond}
		err := action.Perform(
			ctx,
			&action.Performer{Device: f, Timeout: 10 * time.Second},
			dsl.Assert{Selector: label("Paid")},
		)
		if !errors.Is(err, context.DeadlineExceeded) || action.ResultOf(err) != event.Error {
			t.Fatalf("error %v", err)
		}
	})
}

// TestEveryActionHasAPerformer holds the vocabulary and the performers together.
func TestEveryActionHasAPerformer(t *testing.T) {
	t.Parallel()
	for _, def := range dsl.Vocabulary() {
		if !def.Control() && def.Name != "set" && !action.Performs(&def) {
			t.Errorf("%s has no performer", def.Name)
		}
	}
}
