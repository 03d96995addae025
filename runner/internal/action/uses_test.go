package action_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// cleaned is a phone that notes what is done with its apps.
type cleaned struct {
	fake
	drivers.AppManager
	apps []string // installed on top of the system's
	done []string
	fail error
}

func (c *cleaned) ListApps(context.Context) ([]string, error) { return slices.Clone(c.apps), nil }
func (c *cleaned) Stop(_ context.Context, app string) error {
	c.done = append(c.done, "stop "+app)
	return c.fail
}
func (c *cleaned) ClearApp(_ context.Context, app string) error {
	c.done = append(c.done, "clear "+app)
	return nil
}

// TestUsesAreCleaned: what was newly installed is stopped or cleared, once; nothing else is.
func TestUsesAreCleaned(t *testing.T) {
	install := func(c *cleaned, u *action.UsedApps, app string) {
		t.Helper()
		if err := u.Install(t.Context(), c, func() error {
			if !slices.Contains(c.apps, app) {
				c.apps = append(c.apps, app)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for policy, want := range map[action.AfterUse]string{action.NothingAfterUse: "", action.StopAfterUse: "stop new",
		action.ClearAfterUse: "stop new, clear new"} {
		c, u := &cleaned{apps: []string{"old"}}, &action.UsedApps{}
		install(c, u, "old")
		install(c, u, "new")
		for range 2 {
			if err := u.Clean(t.Context(), c, policy); err != nil {
				t.Error(err)
			}
		}
		if got := strings.Join(c.done, ", "); got != want {
			t.Errorf("%s: %q, not %q", policy, got, want)
		}
	}
	c, u := &cleaned{}, &action.UsedApps{}
	install(c, u, "gone")
	c.fail = drivers.ErrNoApp
	if err := u.Clean(t.Context(), c, action.ClearAfterUse); err != nil {
		t.Errorf("an app that is gone: %v", err)
	}
	install(c, u, "stuck")
	c.fail = errors.New("no")
	if err := u.Clean(t.Context(), c, action.StopAfterUse); err == nil || !strings.Contains(err.Error(), "stuck") {
		t.Errorf("an app that cannot be stopped: %v", err)
	}
	var none *action.UsedApps
	install(c, none, "other")
	if err := none.Clean(t.Context(), c, action.StopAfterUse); err != nil || none.Apps() != nil {
		t.Errorf("nobody notes: %v", err)
	}
	if _, err := action.ParseAfterUse("wipe"); err == nil {
		t.Error("a policy that there is not")
	}
}
