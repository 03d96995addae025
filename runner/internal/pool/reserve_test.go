package pool_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// phones is a driver of phones that do nothing.
type phones []string

func (p phones) Platform() dsl.Platform { return dsl.Android }
func (p phones) Close() error           { return nil }
func (p phones) Open(context.Context, string) (drivers.Device, error) {
	return nil, errors.New("it is for looks alone")
}
func (p phones) Devices(context.Context) (list []drivers.Info, err error) {
	for _, id := range p {
		list = append(list, drivers.Info{ID: id, Platform: dsl.Android, State: drivers.Ready})
	}
	return list, nil
}

// TestReservations: only the holder of a reservation can lease a device in its time, in all processes; before that, no
// case starts that might not end in time.
func TestReservations(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		getenv := func(name string) string {
			if name == "XDG_RUNTIME_DIR" {
				return dir
			}
			return ""
		}
		one, two := pool.New([]drivers.Driver{phones{"A", "B"}}, pool.Options{Getenv: getenv}),
			pool.New([]drivers.Driver{phones{"A", "B"}}, pool.Options{Getenv: getenv})
		defer one.Close()
		defer two.Close()
		begin := time.Now()
		at := func(minutes int) time.Time { return begin.Add(time.Duration(minutes) * time.Minute) }
		reserve := func(who string, from, until int) error {
			return one.Reserve("A", pool.Reservation{Who: who, From: at(from), Until: at(until)}, who)
		}
		if err := errors.Join(reserve("ada", 30, 40), reserve("bob", 40, 50)); err != nil {
			t.Fatal(err)
		}
		var reserved *pool.ReservedError
		for _, span := range [][2]int{{20, 31}, {39, 45}, {35, 36}, {20, 60}, {30, 40}} {
			if err := reserve("eve", span[0], span[1]); !errors.As(err, &reserved) {
				t.Errorf("%v: %v", span, err)
			}
		}
		first := func() string {
			lease, err := two.LeaseFor(t.Context(), pool.Request{Platform: dsl.Android, Skip: func(drivers.Info) bool {
				return false
			}, Sleep: pool.Sleep})
			if err != nil {
				t.Fatal(err)
			}
			defer lease.Release()
			return lease.Info.ID
		}
		take := func(who string) error {
			lease, err := two.TakeFor(t.Context(), "A", "a call", who)
			if err == nil {
				lease.Release()
			}
			return err
		}
		for _, step := range []struct {
			minute int
			cases  string // the device of a case that starts then
			may    []string
		}{{19, "A", []string{"ada", "bob", "eve", ""}}, {21, "B", []string{"ada", "bob", "eve", ""}},
			{30, "B", []string{"ada"}}, {39, "B", []string{"ada"}}, {40, "B", []string{"bob"}},
			{50, "A", []string{"ada", "bob", "eve", ""}}} {
			time.Sleep(time.Until(at(step.minute)))
			if id := first(); id != step.cases {
				t.Errorf("at %d, a case begins on %s", step.minute, id)
			}
			if two.Held(dsl.Android, "A") != (step.cases != "A") {
				t.Errorf("at %d, whether cases may have it: %v", step.minute, step.cases != "A")
			}
			for _, who := range []string{"ada", "bob", "eve", ""} {
				if err := take(who); errors.As(err, &reserved) == slices.Contains(step.may, who) {
					t.Errorf("at %d, %q: %v", step.minute, who, err)
				}
			}
		}
		if n, err := one.Unreserve("A", func(pool.Reservation) bool { return true }); n != 0 || err != nil {
			t.Errorf("what is over: %d %v", n, err)
		}
		if err := reserve("ada", 90, 100); err != nil {
			t.Fatal(err)
		}
		if n, err := two.Unreserve("A", func(r pool.Reservation) bool { return r.Who == "ada" }); n != 1 || err != nil ||
			len(one.Reservations("A")) != 0 {
			t.Errorf("taken back: %d %v %v", n, err, one.Reservations("A"))
		}
		lease, err := two.Take(t.Context(), "A", "a call")
		if err != nil {
			t.Fatal(err)
		}
		defer lease.Release()
		if err := lease.Hold("bob", at(80)); err != nil {
			t.Fatal(err)
		}
		var busy *pool.BusyError
		if err := reserve("eve", 70, 75); !errors.As(err, &busy) {
			t.Errorf("over a lease: %v", err)
		}
		if err := errors.Join(reserve("eve", 80, 85), reserve("bob", 70, 75)); err != nil {
			t.Errorf("behind a lease, and by its holder: %v", err)
		}
	})
}
