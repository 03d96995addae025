package queue_test

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/queue"
)

// TestNeedsAndRemotes: a device of a remote suits cases for its browser that a remote can run, with one device, also
// one that has lost a session there.
func TestNeedsAndRemotes(t *testing.T) {
	t.Parallel()
	fox := queue.Device{Host: "desk", ID: "grid-1", Platform: dsl.Web, Remote: "grid", Browsers: []string{"firefox"}}
	other := fox
	other.Browsers = []string{""}
	blocked := fox
	blocked.Blocked = "it does not respond"
	own := queue.Device{Host: "desk", ID: "web-1", Platform: dsl.Web}
	web := queue.Needs{Platform: dsl.Web}
	with := func(change func(*queue.Needs)) queue.Needs {
		n := web
		change(&n)
		return n
	}
	for i, c := range []struct {
		needs  queue.Needs
		device queue.Device
		unmet  string
	}{
		{web, fox, ""}, {web, other, ""}, {web, blocked, "it is blocked: it does not respond"},
		{with(func(n *queue.Needs) { n.Browser = "firefox" }), fox, ""},
		{with(func(n *queue.Needs) { n.Browser = "firefox" }), other, "firefox is wanted"},
		{with(func(n *queue.Needs) { n.Browser = "chromium" }), fox, "chromium is wanted"},
		{with(func(n *queue.Needs) { n.Local = "webRoute does not work" }), fox, "webRoute does not work"},
		{with(func(n *queue.Needs) { n.Local = "webRoute does not work" }), own, ""},
		{with(func(n *queue.Needs) { n.Avoid = "grid-1" }), fox, ""},
		{with(func(n *queue.Needs) { n.Avoid = "web-1" }), own, "lost"},
		{with(func(n *queue.Needs) { n.Devices = []dsl.Entry{{Name: "alice", Platform: dsl.Web}} }), fox,
			"devices of remotes are for tests with one device"},
		{with(func(n *queue.Needs) { n.Devices = []dsl.Entry{{Name: "alice", Platform: dsl.Web}} }), own, ""},
	} {
		if got := c.needs.Unmet("", c.device); (got == "") != (c.unmet == "") || !strings.Contains(got, c.unmet) {
			t.Errorf("%d: %q, not %q", i, got, c.unmet)
		}
	}
}
