package android

import (
	"strings"
	"testing"
)

// TestPhoneWhoseWindowsCannotBeRead is asked for one window from then on.
func TestPhoneWhoseWindowsCannotBeRead(t *testing.T) {
	t.Parallel()
	var asked []string
	driver := scriptedDriver(scripted{answer: func(_, service string) (string, bool) {
		switch {
		case strings.Contains(service, "uiautomator dump"):
			asked = append(asked, service)
			if strings.Contains(service, "--windows") {
				return says("<displays><display id=\"0\"><window></display>"), false
			}
			return says(`<hierarchy rotation="0"><node text="Here" class="V" bounds="[0,0][9,9]"/></hierarchy>`), false
		case service == "getprop":
			return says("[ro.build.version.sdk]: [36]\n"), false
		}
		return says("x"), false
	}})
	dev, err := driver.Open(t.Context(), "ODD")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		tree, err := dev.Tree(t.Context())
		if err != nil || findNode(tree, "Here") == nil {
			t.Fatalf("%v, %v", tree, err)
		}
	}
	if len(asked) != 3 || !strings.Contains(asked[0], "--windows") || strings.Contains(asked[1]+asked[2], "--windows") {
		t.Errorf("asked %q", asked)
	}
	if err := driver.Close(); err != nil {
		t.Error(err)
	}
}
