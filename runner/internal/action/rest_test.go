package action_test

import (
	"context"
	"image"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// resting is a device that knows when something is on its way.
type resting struct {
	*fake
	rest func(at time.Duration) screen.Activity
}

func (d resting) Tree(ctx context.Context) (*screen.Tree, error) {
	rest := d.rest(d.at())
	t, err := d.fake.Tree(ctx)
	if err == nil {
		t.Rest = rest
	}
	return t, err
}

// TestStateOutlastsWhatIsOnItsWay: a state counts once what the action has set going has ended, at once where nothing
// is, and after a second and a half where there is no end of it.
func TestStateOutlastsWhatIsOnItsWay(t *testing.T) {
	until := func(end time.Duration) func(time.Duration) screen.Activity {
		return func(at time.Duration) screen.Activity {
			if at < end {
				return screen.Busy
			}
			return screen.Quiet
		}
	}
	on, text := true, "On"
	states := map[string]any{
		"a switch":                  dsl.Assert{Selector: dsl.Selector{Label: "Wi-Fi", Checked: &on}},
		"the text of a named title": dsl.Assert{Selector: dsl.Selector{ID: "title", Text: text}},
		"its text, asserted apart":  dsl.AssertElement{Selector: dsl.Selector{ID: "title"}, Text: &text},
	}
	for _, c := range []struct {
		name  string
		rest  func(time.Duration) screen.Activity
		ends  time.Duration // when the state is taken back
		pass  bool
		least time.Duration
		most  time.Duration
	}{
		{"quiet", until(0), time.Hour, true, 70 * time.Millisecond, 190 * time.Millisecond},
		{"nobody knows", func(time.Duration) screen.Activity { return screen.Unknown }, time.Hour, true,
			200 * time.Millisecond, 400 * time.Millisecond},
		{"taken back by a timer", until(900 * time.Millisecond), 850 * time.Millisecond, false, 0, time.Hour},
		{"kept when it is over", until(900 * time.Millisecond), time.Hour, true, 900 * time.Millisecond,
			1200 * time.Millisecond},
		{"for ever on its way", until(time.Hour), time.Hour, true, 1500 * time.Millisecond, 1800 * time.Millisecond},
	} {
		for name, assert := range states {
			t.Run(c.name+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fake{began: time.Now(), treeCost: 10 * time.Millisecond,
						show: func(at time.Duration, taps []image.Point) []*screen.Node {
							n := button("Wi-Fi", 0, 100, 900, 200)
							n.Checkable, n.Checked = true, len(taps) > 0 && at < c.ends
							title := button("Off", 0, 300, 900, 400)
							title.ID = "title"
							if n.Checked {
								title.Text = "On"
							}
							return []*screen.Node{n, title}
						}}
					s := &action.Performer{Device: resting{f, c.rest}, Timeout: 5 * time.Second}
					if err := action.Perform(t.Context(), s, dsl.Tap{Selector: dsl.Selector{Label: "Wi-Fi"}}); err != nil {
						t.Fatal(err)
					}
					acted := time.Now()
					f.began = acted
					err := action.Perform(t.Context(), s, assert)
					least := c.least
					if c.name == "quiet" && name != "a switch" { // a text is not held where nothing is pending
						least = 0
					}
					if took := time.Since(acted); (err == nil) != c.pass || took < least || took > c.most {
						t.Errorf("after %s: %v", took, err)
					}
				})
			})
		}
	}
}
