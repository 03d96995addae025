package screen_test

import (
	"testing"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// TestWhatAFieldMakesOfAText: the content that results is judged first, whatever was there before.
func TestWhatAFieldMakesOfAText(t *testing.T) {
	for _, c := range []struct {
		before, head, picked, tail, typed, now string
		want                                   screen.TextOutcome
	}{
		{before: "1", picked: "1", typed: "1250", now: "1,250", want: screen.Whole},
		{before: "10", picked: "10", typed: "1250", now: "1,250", want: screen.Whole},
		{before: "1,250", picked: "1,250", typed: "1250", now: "1,250", want: screen.Whole},
		{before: "1,250", head: "1,250", typed: "1250", now: "1,250", want: screen.Missing},
		{before: "$0.00", picked: "$0.00", typed: "1250", now: "$1,250.00", want: screen.Grown},
		{before: "1", picked: "1", typed: "1250", now: "11250", want: screen.Missing},
		{before: "old", picked: "old", typed: "new", now: "oldnew", want: screen.Missing},
		{before: "old", picked: "old", typed: "new", now: "newold", want: screen.Missing},
		{before: "159", picked: "159", typed: "5", now: "15", want: screen.Missing},
		{before: "12", head: "12", typed: "-", now: "12", want: screen.Missing},
		{before: "12", head: "12", typed: "50", now: "1,250", want: screen.Whole},
		{before: "AB", head: "A", tail: "B", typed: "x", now: "AxB", want: screen.Whole},
	} {
		f := &screen.Field{Node: screen.Node{Text: c.before}, Head: c.head, Picked: c.picked, Tail: c.tail, Known: true}
		if got := f.Accepts(&screen.Field{Node: screen.Node{Text: c.now}}, c.typed); got != c.want {
			t.Errorf("%q typed into %q, which shows %q: %d, not %d", c.typed, c.before, c.now, got, c.want)
		}
	}
}
