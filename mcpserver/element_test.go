package mcpserver

import (
	"strings"
	"testing"
)

// TestStaleRefs checks that a removed element is not tapped, even if another one looks the same.
func TestStaleRefs(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	s := connect(t, l.config(t))
	s.refused("tap", `{"ref": "e1"}`, "there are several devices: SIM1, SIM2", "set_device")
	s.ok("set_device", `{"device": "SIM1"}`)
	s.refused("tap", `{"ref": "e1"}`, "e1 is stale", "call snapshot")
	s.ok("launch", listApp)
	seen := s.ok("snapshot", `{}`)
	ref := refOf(t, seen, `"Edge"`)
	s.refused("tap", `{"ref": "`+ref+`", "device": "SIM2"}`, "is an element of SIM1, not of SIM2")
	// A reference belongs to its device, which is not the one that was set.
	s.ok("set_device", `{"device": "SIM2"}`)
	if text := s.ok("wait_for", `{"visible": "`+ref+`"}`); !strings.Contains(text, "SIM1") {
		t.Errorf("a reference of SIM1 was used on another device: %s", text)
	}
	s.ok("set_device", `{"device": "SIM1"}`)
	s.refused("tap", `{"ref": "`+ref+`", "label": "Item 4"}`, "ref cannot be combined with label")
	s.ok("scroll_to", `{"label": "Item 30"}`)
	taps := len(l.phones[0].Taps())
	s.refused("tap", `{"ref": "`+ref+`"}`, ref+" is stale", "nothing was touched")
	s.refused("assert", `{"ref": "`+ref+`"}`, "stale")
	s.refused("wait_for", `{"visible": {"ref": "`+ref+`"}}`, "stale")
	s.refused("swipe", `{"direction": "up", "inside": {"ref": "`+ref+`"}}`, "stale")
	if n := len(l.phones[0].Taps()); n != taps {
		t.Errorf("%d taps", n-taps)
	}
	again := refOf(t, s.ok("snapshot", `{"find": "Item 30"}`), `"Item 30"`)
	if again == ref {
		t.Errorf("%s has a second meaning", ref)
	}
	if answer := s.ok("tap", `{"ref": "`+again+`"}`); !strings.HasSuffix(answer, "step: - tap: Item 30") {
		t.Errorf("tap says\n%s", answer)
	}
}
