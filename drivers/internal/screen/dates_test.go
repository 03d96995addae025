package screen_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

func TestPickedValue(t *testing.T) {
	for _, c := range []struct{ picker, text, order, want string }{
		{"date", "1990-12-24", "mdy", "1990-12-24"}, {"date", "12/24/1990", "mdy", "1990-12-24"},
		{"date", "12/24/1990", "dmy", ""},
		{"date", "03/04/1990", "dmy", "1990-04-03"}, {"date", "03/04/1990", "mdy", "1990-03-04"},
		{"date", "3.4.1990", "dmy", "1990-04-03"},
		{"date", "1990/04/03", "dmy", "1990-04-03"}, {"date", "24 Dec 1990", "mdy", "1990-12-24"},
		{"date", "December 24, 1990", "dmy", "1990-12-24"},
		{"date", "12241990", "mdy", "1990-12-24"}, {"date", "24121990", "dmy", "1990-12-24"},
		{"date", "19901224", "ymd", "1990-12-24"},
		{"date", "2026年11月22日", "ymd", "2026-11-22"}, {"date", "30/02/1990", "dmy", ""}, {"date", "03/04/90", "dmy", ""},
		{"date", "tomorrow", "mdy", ""},
		{"date", "12/24", "mdy", ""}, {"date", "12/24/1990", "", ""}, {"date", "1990-13-24", "dmy", ""},
		{"time", "09:30", "", "09:30"}, {"time", "9:30 PM", "", "21:30"}, {"time", "12:05 am", "", "00:05"},
		{"time", "9 p.m.", "", "21:00"}, {"time", "0930", "", "09:30"},
		{"time", "0930PM", "", "21:30"}, {"time", "21:30:15", "", "21:30:15"}, {"time", "24:00", "", ""},
		{"time", "9", "", ""}, {"time", "13:00 PM", "", ""},
		{"month", "2026-11", "mdy", "2026-11"}, {"month", "11/2026", "mdy", "2026-11"},
		{"month", "November 2026", "dmy", "2026-11"}, {"month", "112026", "mdy", "2026-11"},
		{"month", "202611", "ymd", "2026-11"}, {"month", "13/2026", "mdy", ""},
		{"week", "2026-W47", "", "2026-W47"}, {"week", "Week 47, 2026", "", "2026-W47"}, {"week", "2026-W54", "", ""},
		{"datetime-local", "2026-11-22T09:30", "mdy", "2026-11-22T09:30"}, {"datetime-local", "2026-11-22 9:30 PM", "mdy",
			"2026-11-22T21:30"},
		{"datetime-local", "11/22/2026, 09:30", "mdy", "2026-11-22T09:30"}, {"datetime-local", "22/11/2026 09:30", "dmy",
			"2026-11-22T09:30"},
		{"datetime-local", "24 Dec 1990 9:30 pm", "dmy", "1990-12-24T21:30"}, {"datetime-local", "11/22/2026", "mdy", ""},
		{"color", "#ff0000", "", ""},
	} {
		if got, ok := screen.PickedValue(c.picker, c.text, c.order); got != c.want && (ok || c.want != "") ||
			ok != (c.want != "") {
			t.Errorf("%s %q, %s: %q, not %q", c.picker, c.text, c.order, got, c.want)
		}
	}
}

// TestEachDateIsRead: a date that is written in any order is that date in this order, and never another one.
func TestEachDateIsRead(t *testing.T) {
	for day := time.Date(1899, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2101; day = day.AddDate(0, 0, 17) {
		want := day.Format(time.DateOnly)
		for order, form := range map[string]string{"dmy": "2.1.2006", "mdy": "01/02/2006", "ymd": "2006/1/2"} {
			text := day.Format(form)
			if got, ok := screen.PickedValue("date", text, order); !ok || got != want {
				t.Fatalf("%s as %s: %s, not %s", text, order, got, want)
			}
			f := &screen.Field{Picker: "date", Order: order}
			other := day.AddDate(0, 0, 1).Format(time.DateOnly)
			swapped := fmt.Sprintf("%04d-%02d-%02d", day.Year(), day.Day(), int(day.Month()))
			for value, whole := range map[string]bool{want: true, other: false, swapped: swapped == want} {
				now := &screen.Field{Node: screen.Node{Text: value}, Picker: "date"}
				if got := f.Accepts(now, text) == screen.Whole; got != whole {
					t.Fatalf("%s as %s accepts %s: %v", text, order, value, got)
				}
			}
		}
	}
}

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
		{typed: "DE89 3704", now: "DE893704", want: screen.Missing},
		{before: "DE89", picked: "DE89", typed: "DE89 3704", now: "DE893704", want: screen.Missing},
		{before: "DE893704", picked: "DE893704", typed: "DE89 3704", now: "DE893704", want: screen.Missing},
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
