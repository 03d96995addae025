package live_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/internal/live"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// TestReservationBegins: from its start only the holder can use the device, whatever watched it before, in this process
// or another; no lease overlaps it.
func TestReservationBegins(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		c := &casting{phones: newPhones("A")}
		d, elsewhere := devices(t, c, dir, live.Options{}), devices(t, c, dir, live.Options{})
		files := pool.New([]drivers.Driver{c}, pool.Options{Getenv: func(string) string { return dir }})
		begin := time.Now()
		if err := files.Reserve("A", pool.Reservation{Who: "ada", From: begin.Add(time.Hour),
			Until: begin.Add(2 * time.Hour)}, ""); err != nil {
			t.Fatal(err)
		}
		var reserved *pool.ReservedError
		if _, err := elsewhere.Hold(t.Context(), "A", "bob", 61*time.Minute); !errors.As(err, &reserved) {
			t.Errorf("a hold that lasts into it: %v", err)
		}
		if _, err := elsewhere.Hold(t.Context(), "A", "bob", 59*time.Minute); err != nil {
			t.Errorf("one that does not: %v", err)
		}
		v, err := elsewhere.View(t.Context(), "A")
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		time.Sleep(58 * time.Minute)
		if elsewhere.Extend("A", "bob", 3*time.Minute) || !elsewhere.Extend("A", "bob", time.Minute) {
			t.Error("it is extended into the reservation, or not up to it")
		}
		if _, err := v.Next(t.Context()); !errors.Is(err, live.ErrGone) { // no frame arrives before
			t.Errorf("it is still watched: %v", err)
		}
		if at := time.Since(begin); at < time.Hour || at > time.Hour+time.Minute {
			t.Errorf("given back after %s", at)
		}
		synctest.Wait() // closed afterwards
		if _, err := call(t, d, "A", "ada", "tap", `{"label": "Login"}`); err != nil {
			t.Errorf("the holder: %v", err)
		}
		var held *live.HeldError
		if _, err := call(t, d, "A", "bob", "tap", `{"label": "Login"}`); !errors.As(err, &held) || held.Who != "ada" ||
			!held.Until.Equal(begin.Add(2*time.Hour)) {
			t.Errorf("another one: %v", err)
		}
		if _, err := call(t, elsewhere, "A", "bob", "tap", `{"label": "Login"}`); !errors.As(err, &reserved) {
			t.Errorf("another one, elsewhere: %v", err)
		}
		time.Sleep(time.Until(begin.Add(2*time.Hour + time.Second)))
		if _, err := call(t, d, "A", "bob", "tap", `{"label": "Login"}`); err != nil {
			t.Errorf("when it is over: %v", err)
		}
	})
}
