package web

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

// TestWhatPlaywrightSwitchesOffStaysOff: Chromium heeds only the last list of features to switch off, and ours comes
// last.
func TestWhatPlaywrightSwitchesOffStaysOff(t *testing.T) {
	t.Parallel()
	setup, err := toolchain.Playwright(t.Context(), toolchain.System())
	Must(t, err)
	source, err := os.ReadFile(filepath.Join(setup.Driver, "package/lib/server/chromium/chromiumSwitches.js"))
	Must(t, err)
	_, list, found := strings.Cut(string(source), "const disabledFeatures")
	list, _, ends := strings.Cut(list, "assistantMode ?")
	theirs := regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(list, -1)
	if !found || !ends || len(theirs) < 10 {
		t.Fatalf("Playwright's list is not where it was: %d names", len(theirs))
	}
	i := slices.IndexFunc(toolchain.ChromiumArgs(), func(a string) bool {
		return strings.HasPrefix(a, "--disable-features=")
	})
	ours := strings.Split(strings.TrimPrefix(toolchain.ChromiumArgs()[i], "--disable-features="), ",")
	for _, name := range theirs {
		if !slices.Contains(ours, name[1]) {
			t.Errorf("Playwright switches %s off, we do not", name[1])
		}
	}
}

// TestAPageStartsNoWindowPages: the parts of Chromium's own window that are pages take more processor time than the
// page under test.
func TestAPageStartsNoWindowPages(t *testing.T) {
	t.Parallel()
	d := browse(t, "form.html")
	s, _, err := d.slot.Page()
	Must(t, err)
	cdp, err := s.Context.Browser().NewBrowserCDPSession()
	Must(t, err)
	answer, err := cdp.Send("Target.getTargets", map[string]any{"filter": []any{map[string]any{}}})
	Must(t, err)
	targets, _ := answer.(map[string]any)["targetInfos"].([]any)
	for _, one := range targets {
		if url, _ := one.(map[string]any)["url"].(string); strings.HasPrefix(url, "chrome://") {
			t.Errorf("%v is open", one)
		}
	}
	if len(targets) == 0 {
		t.Error("no target is listed")
	}
}
