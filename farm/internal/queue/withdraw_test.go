package queue_test

import (
	"fmt"
	"testing"

	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// TestWithdrawn checks that waiting cases are removed, running ones are reported as cancelled, and neither starts
// again.
func TestWithdrawn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		q := queue.New(open(t, address), nil)
		all := phones("h", 2)
		begin(t, q, "r", "p", 0, 5, android())
		if n := len(pick(t, q, all, all)); n != 2 {
			t.Fatal(n)
		}
		must(t, q.Withdraw(t.Context(), "r", []int{0, 3}))
		under, cancelled, err := q.UnderWay(t.Context(), "h")
		if must(t, err); len(under) != 2 || len(cancelled) != 1 || !cancelled[[2]any{"r", 0}] {
			t.Errorf("%+v %v", under, cancelled)
		}
		_, err = q.Lost(t.Context(), "h")
		must(t, err)
		var left []int
		for _, d := range phones("g", 5) {
			for _, a := range pick(t, q, []queue.Device{d}, all) {
				left = append(left, a.N)
			}
		}
		if fmt.Sprint(left) != "[1 2 4]" {
			t.Error(left)
		}
	})
}

// TestWithdrawWaiting checks that a running case continues, and that one that waited is reported as removed, also by a
// second call.
func TestWithdrawWaiting(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		q := queue.New(open(t, address), nil)
		all := phones("h", 1)
		begin(t, q, "r", "p", 0, 3, android())
		if n := len(pick(t, q, all, all)); n != 1 {
			t.Fatal(n)
		}
		for range 2 {
			removed, err := q.WithdrawWaiting(t.Context(), "r", []int{0, 1})
			if must(t, err); fmt.Sprint(removed) != "[1]" {
				t.Error(removed)
			}
		}
		removed, err := q.WithdrawWaiting(t.Context(), "r", nil)
		if must(t, err); len(removed) > 0 {
			t.Error(removed)
		}
		_, cancelled, err := q.UnderWay(t.Context(), "h")
		if must(t, err); len(cancelled) > 0 {
			t.Error(cancelled)
		}
	})
}
