package web

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

func TestRecordingGivesAClipPerOpening(t *testing.T) {
	d, dir := open(t), t.TempDir()
	recording, err := d.StartRecording(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	evidence, err := d.StartEvidence(t.Context(), drivers.WebEvidenceOptions{Dir: t.TempDir(), Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"moving.html", "list.html"} {
		if err := d.OpenPage(t.Context(), site.Page(page), drivers.PageOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Screenshot(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	clips, err := recording.Stop(t.Context())
	if err != nil || len(clips) != 2 {
		t.Fatalf("%v, %v", clips, err)
	}
	for i, c := range clips {
		raw, err := os.ReadFile(c.Path)
		if err != nil || filepath.Dir(c.Path) != dir || !bytes.HasPrefix(raw, []byte("\x1a\x45\xdf\xa3")) {
			t.Errorf("clip %s is no WebM in %s: %v", c.Path, dir, err)
		}
		if c.Start.IsZero() || i > 0 && !clips[i-1].Start.Before(c.Start) {
			t.Errorf("clip %d starts at %v", i, c.Start)
		}
	}
	_, err = d.Tree(t.Context())
	WantError(t, err, drivers.ErrPage)
	_, traces, err := evidence.Stop(t.Context())
	if err != nil || len(traces) != 2 {
		t.Fatalf("traces %q, %v", traces, err)
	}
	for _, trace := range traces {
		if all := checkTrace(t, trace); strings.Contains(all, ".jpeg") {
			t.Errorf("filmed, and the trace has pictures as well: %s", all)
		}
	}
}

func TestRecordingMustComeBeforeThePage(t *testing.T) {
	d := browse(t, "index.html")
	_, err := d.StartRecording(t.Context(), t.TempDir())
	WantError(t, err, drivers.ErrUnsupported, "is open already")
}

func TestRecordingNeedsFFmpeg(t *testing.T) {
	own := New(Options{})
	own.launcher.Setup = &toolchain.PlaywrightSetup{}
	defer own.Close()
	_, err := newDevice(own.launcher, own.info("web-1")).StartRecording(t.Context(), t.TempDir())
	WantError(t, err, drivers.ErrUnsupported, "ffmpeg")
}

func TestWithoutABrowserThePlatformIsUnavailable(t *testing.T) {
	empty := func(string) string { return "" }
	host := toolchain.NewHost(empty, nil)
	host.LookPath = func(name string) (string, error) { return "", os.ErrNotExist }
	host.CacheDir = t.TempDir()
	own := New(Options{Host: &host})
	defer own.Close()
	_, err := own.Devices(t.Context())
	var missing *drivers.Unavailable
	if !errors.As(err, &missing) || !strings.Contains(missing.What, "playwright-driver") || missing.Fix == "" {
		t.Errorf("%v", err)
	}
	if _, err := own.Open(t.Context(), "web-1"); !errors.As(err, &missing) {
		t.Errorf("open: %v", err)
	}
}

func TestLog(t *testing.T) {
	d, out := open(t), &drivertest.Log{}
	stop, err := d.StartLog(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.StartLog(t.Context(), out); err == nil {
		t.Error("two logs at once")
	}
	if err := d.OpenPage(t.Context(), site.Page("noisy.html"), drivers.PageOptions{}); err != nil {
		t.Fatal(err)
	}
	tap(t, d, byID(t, tree(t, d), "shout"))
	want := []string{"console log: hello from the page", "console warning: two\n    lines", "response: 503 GET " +
		site.URL + "/status/503",
		"uncaught: uncaught trouble", "Failed to load resource: net::ERR_"}
	if !until(t.Context(), patience, func() bool {
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				return false
			}
		}
		return true
	}) {
		t.Errorf("the log lacks something of %q:\n%s", want, out)
	}
	for range 2 {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	for line := range strings.Lines(out.String()) {
		if !regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z |    )`).MatchString(line) {
			t.Errorf("no time: %q", line)
		}
	}
	end := out.String()
	tap(t, d, byID(t, tree(t, d), "shout"))
	if _, err := d.Tree(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out.String() != end {
		t.Error("the log goes on after its end")
	}
}
