package ios

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/sim/ios/appium"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestFaultsOfPagesOfRemoteIPhones: each call that has to do with pages, with each fault, leads to no false result, no
// second touch and no session that is left in a page.
func TestFaultsOfPagesOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	type row struct{ name, fault, when string }
	var rows []row
	for _, fault := range []string{appium.Dropped, appium.HTML, appium.Internal, appium.Cut, appium.Gone} {
		for _, name := range []string{"mobile: getContexts", "POST /context", "script", "mobile: tap"} {
			for _, when := range []string{"read", "read auto", "touch", "after the touch"} {
				rows = append(rows, row{name, fault, when})
			}
		}
	}
	rows = testutil.Few(3, rows)
	rows = append(rows, []row{{"mobile: getContexts", appium.Late, "read"}, {"POST /context", appium.Late, "read"},
		{"POST /context", appium.Late, "touch"}, {"POST /context", appium.Late, "after the touch"},
		{"script", appium.Late, "read"}, {"script", appium.Late, "touch"}, {"script", appium.Late, "after the touch"},
		{"mobile: tap", appium.Late, "touch"}}...)
	for _, c := range rows {
		t.Run(strings.Join([]string{c.name, c.fault, c.when}, " "), func(t *testing.T) {
			if c.fault == appium.Late {
				testutil.Leave(t, "the other faults: it waits until each limit")
			}
			t.Parallel()
			faultOfRemotePage(t, c.name, c.fault, c.when)
		})
	}
}

func faultOfRemotePage(t *testing.T, name, fault, when string) {
	r := openRemotePage(t, iossim.WebView{Mute: true})
	if when != "read auto" {
		r.read("devtools")
	}
	m := r.find("Pay now")
	r.Set(func() {
		r.Fault, r.Faulty, r.LateBy = fault, name, 90*time.Second
		if when == "after the touch" {
			r.After = "mobile: tap"
		}
	})
	met := true // the call was part of what was done
	if strings.HasPrefix(when, "read") {
		met = name != "mobile: tap"
		tree, err := r.dev.Tree(t.Context())
		if met && err == nil && tree.Cut() == "" {
			t.Error("the screen seems to be whole")
		}
		if met && err == nil && len(labelled(tree, "Pay now")) > 0 {
			t.Error("the page was read")
		}
		plain(t, err)
	} else {
		err := r.touch(m)
		met = name != "mobile: getContexts" && (when == "touch" || name != "mobile: tap")
		if when == "touch" && met && err == nil {
			t.Error("no error")
		}
		if fault != appium.Internal && drivers.AppIsWrong(err) {
			t.Errorf("the app is blamed: %v", err)
		}
		if r.Count("mobile: tap") > 0 && errors.Is(err, drivers.ErrMissed) && r.done() != "Nothing paid" {
			t.Errorf("the caller would touch again: %v", err)
		}
		warned := strings.Join(drivers.TakeWarnings(r.dev), "\n")
		unknown := name == "script" && when == "after the touch" && fault != appium.Internal && fault != appium.Gone
		if unknown && err == nil && !strings.Contains(warned, "has reached it is unknown") {
			t.Errorf("nothing warns of a touch of which the effect is unknown: %q", warned)
		}
		plain(t, err)
	}
	if n := r.Count("mobile: tap"); n > 1 || len(r.Strays()) > 0 {
		t.Errorf("%d touches, in the wrong context: %q", n, r.Strays())
	}
	r.Set(func() { r.Fault = "" })
	must(t, r.dev.Close())
	var err error
	if r.dev, err = r.driver.Open(t.Context(), "lab-1"); err != nil {
		t.Fatal(err)
	}
	r.back()
	if err := errors.Join(r.dev.Close(), r.driver.Close()); err != nil {
		t.Errorf("close: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(r.folder, "*.json")); r.Left() != 0 || len(files) != 0 {
		t.Errorf("%d sessions and %d records are left", r.Left(), len(files))
	}
}

// plain: an error is in plain words.
func plain(t *testing.T, err error) {
	t.Helper()
	if text := fmt.Sprint(err); strings.Contains(text, "<html") || strings.Contains(text, "invalid character") {
		t.Error(err)
	}
}

// TestHungPageOfARemoteIPhone: a page that cannot be entered blocks the server: the session is lost, and ends.
func TestHungPageOfARemoteIPhone(t *testing.T) {
	testutil.Leave(t, "TestBusyRemotePageOfAnIPhone: a page that was entered before")
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Mute: true, Silent: true})
	r.read("devtools")
	_, err := r.dev.Tree(t.Context())
	for began := time.Now(); err == nil && time.Since(began) < patience; { // on a busy machine, it is listed late
		must(t, drivers.Pause(t.Context(), 50*time.Millisecond))
		_, err = r.dev.Tree(t.Context())
	}
	if !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), "does not respond") ||
		!strings.Contains(err.Error(), webApp) {
		t.Error(err)
	}
}
