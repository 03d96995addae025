package service_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// TestRefusedIsBounded checks that refusals are in the audit log, and that repeated attempts, also with many names, do
// not fill it.
func TestRefusedIsBounded(t *testing.T) {
	t.Parallel()
	l := open(t, storetest.SQLite(t))
	lines := func() (list []service.Entry) {
		entries, err := l.Operator().Log(t.Context(), service.Page{})
		must(t, err)
		for _, e := range entries {
			if e.Result == "refused" {
				list = append(list, e)
			}
		}
		return list
	}
	awaitLines := func(n int) []service.Entry {
		t.Helper()
		for until := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
			if list := lines(); len(list) >= n || time.Now().After(until) {
				if len(list) != n {
					t.Errorf("%d lines, not %d", len(list), n)
				}
				return list
			}
		}
	}
	lie := service.Entry{Actor: "host liar", Action: "farm.result", Target: "attempt 1", Address: "192.0.2.1"}
	for range 1000 {
		l.Refused(lie)
	}
	l.Refused(service.Entry{Actor: "host liar", Action: "farm.nats", Target: "publish to hub.>"})
	l.Refused(service.Entry{Actor: "host other", Action: "farm.result", Target: "attempt 2"})
	awaitLines(3)
	l.clock.add(11 * time.Minute)
	l.Refused(lie)
	if list := awaitLines(4); !slices.ContainsFunc(list, func(e service.Entry) bool {
		return e.Actor == "host liar" && e.Target == "attempt 1 (and 999 more)" && e.Address == "192.0.2.1"
	}) {
		t.Errorf("%+v", list)
	}
	for round := range 5 { // in turns, so that the writer keeps up
		for i := range 60 {
			l.Refused(service.Entry{Actor: fmt.Sprintf("host %d-%d", round, i), Action: "farm.connect"})
		}
		awaitLines(min(4+60*(round+1), 200))
	}
	l.clock.add(time.Hour)
	l.Refused(service.Entry{Actor: "host new", Action: "farm.connect"})
	for until := time.Now().Add(30 * time.Second); lines()[0].Actor != "host new"; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("nothing is noted after an hour")
		}
	}
}
