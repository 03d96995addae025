package android

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// TestComplaints: the system's dialog about another app is an obstacle; one about the app itself is a crash,
// of which the log may have nothing left.
func TestComplaints(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{LoginLoading: 1, Transition: 1})
	look := func() (string, *drivers.Crash) {
		what, err := d.Obstacle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return what, crashOf(t, d)
	}
	p.Complain("Application Not Responding: com.android.systemui")
	if what, crash := look(); what != "" || crash != nil {
		t.Errorf("before anything was launched: %q, %+v", what, crash)
	}
	if err := d.Launch(t.Context(), androidsim.LoginPackage, true); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ title, obstacle, crash string }{
		{"", "", ""},
		{"Application Not Responding: com.android.systemui", "com.android.systemui does not respond", ""},
		{"Application Error: com.google.android.gms:car", "com.google.android.gms:car has stopped", ""},
		{"Application Not Responding: " + androidsim.LoginPackage, "", drivers.CrashANR},
		{"Application Error: " + androidsim.LoginPackage + ":sync", "", drivers.CrashException},
	} {
		p.Complain(c.title)
		what, crash := look()
		kind := ""
		if crash != nil {
			kind = crash.Kind
		}
		if !strings.Contains(what, c.obstacle) || (what == "") != (c.obstacle == "") || kind != c.crash {
			t.Errorf("%s: %q, %+v", c.title, what, crash)
		}
	}
}
