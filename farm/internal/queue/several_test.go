package queue_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/queue"
)

// several needs two phones, and the pages that are named.
func several(pages ...string) queue.Needs {
	n := queue.Needs{Platform: dsl.Android, Devices: []dsl.Entry{{Name: "alice", Platform: dsl.Android},
		{Name: "bob", Platform: dsl.Android}}}
	for _, name := range pages {
		n.Devices = append(n.Devices, dsl.Entry{Name: name, Platform: dsl.Web})
	}
	return n
}

func page(host string) queue.Device { return queue.Device{Host: host, ID: "web-1", Platform: dsl.Web} }

// seats describes the devices of an assignment.
func seats(a queue.Assignment) string {
	var list []string
	for _, p := range a.Devices {
		list = append(list, p.String())
	}
	return a.Host + "/" + a.Device + " " + strings.Join(list, ", ")
}

// A case with several devices has all of them or none; each once; those that are not phones with Android on the host
// that runs it.
func TestSeveralDevices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		needs queue.Needs
		free  []queue.Device
		want  string // "": it does not start
	}{
		{"one host", several(), slices.Concat(phones("a", 1), phones("b", 2)), "b/b-0 alice: b-0@b, bob: b-1@b"},
		{"two hosts", several(), slices.Concat(phones("a", 1), phones("b", 1)), "a/a-0 alice: a-0@a, bob: b-0@b"},
		{"one phone", several(), phones("a", 1), ""},
		{"the page's host", several("desk"), slices.Concat(phones("a", 2), []queue.Device{page("b")}),
			"b/web-1 alice: a-0@a, bob: a-1@a, desk: web-1@b"},
		{"pages of two hosts", several("x", "y"), slices.Concat(phones("a", 2), []queue.Device{page("a"), page("b")}), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q := queue.New(open(t, filepath.Join(t.TempDir(), "q.db")), nil)
			begin(t, q, "r", "p", 0, 2, c.needs)
			got := pick(t, q, c.free, c.free)
			if c.want == "" {
				if len(got) > 0 {
					t.Fatal(seats(got[0]))
				}
				none, err := q.Hopeless(t.Context(), "r", c.free)
				must(t, err)
				if len(none) != 2 || !strings.Contains(none[0], "devices at once, and the hosts do not have all") {
					t.Errorf("%v", none)
				}
				return
			}
			if len(got) != 1 || seats(got[0]) != c.want {
				t.Fatalf("%+v, want %s", got, c.want)
			}
			if again := pick(t, q, c.free, c.free); len(again) > 0 {
				t.Errorf("devices are assigned twice: %s", seats(again[0]))
			}
			under, _, err := q.UnderWay(t.Context(), "")
			must(t, err)
			if len(under) != 1 || seats(under[0]) != c.want {
				t.Errorf("%+v", under)
			}
			for _, d := range got[0].Devices {
				lends, err := q.Lends(t.Context(), "r", 0, 1, got[0].Host, queue.Device{Host: d.Host, ID: d.Device})
				must(t, err)
				if lends != (d.Host != got[0].Host) {
					t.Errorf("%s: lent is %v", d, lends)
				}
			}
			lends, err := q.Lends(t.Context(), "r", 0, 2, got[0].Host, queue.Device{Host: "b", ID: "b-0"})
			if err != nil || lends {
				t.Errorf("another attempt: %v %v", lends, err)
			}
			why, err := q.Why(t.Context(), "r", 1, c.free, nil)
			must(t, err)
			if !strings.Contains(why.Why, "it waits for devices that are in use: alice: ") ||
				!strings.Contains(why.Why, "bob: ") {
				t.Errorf("%q", why.Why)
			}
			if ok := accept(t, q, resultOf(got[0])); !ok[0] {
				t.Fatal("the result is not accepted")
			}
			if next := pick(t, q, c.free, c.free); len(next) != 1 || seats(next[0]) != c.want {
				t.Errorf("after it: %+v", next)
			}
		})
	}
}

// Cases with one device do not keep one with two waiting for ever, and of two that wait for both, one starts.
func TestSeveralDevicesStart(t *testing.T) {
	t.Parallel()
	at := &clock{time.Unix(1_800_000_000, 0)}
	q := queue.New(open(t, filepath.Join(t.TempDir(), "q.db")), at.now)
	devices := slices.Concat(phones("a", 1), phones("b", 1))
	begin(t, q, "one", "p", 0, 20, android())
	working := pick(t, q, devices, devices)
	begin(t, q, "two", "p", 0, 2, several())
	for i := 0; len(working) > 0; i++ {
		if i > 100 {
			t.Fatal("the case with two devices never starts")
		}
		at.at = at.at.Add(time.Minute)
		done := working[i%len(working)]
		accept(t, q, resultOf(done))
		working = slices.DeleteFunc(working, func(a queue.Assignment) bool { return a.Run == done.Run && a.N == done.N })
		next := pick(t, q, devices, devices)
		for _, a := range next {
			if a.Run == "two" {
				if want := "a/a-0 alice: a-0@a, bob: b-0@b"; seats(a) != want {
					t.Errorf("%s, want %s", seats(a), want)
				}
				return
			}
		}
		working = append(working, next...)
	}
	t.Error("nothing is left to run, and the case with two devices has not started")
}
