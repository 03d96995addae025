package apps

import (
	"slices"
	"strings"
	"testing"
)

func TestOwnActivities(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pkg       string
		all, want []string
	}{
		{"com.acme.shop.debug", []string{"com.acme.shop.debug/com.acme.shop.Main", "com.acme.shop.debug/leaks.Launcher"},
			[]string{"com.acme.shop.debug/com.acme.shop.Main"}},
		{"com.acme.shop.debug", []string{"com.acme.shop.debug/com.acme.shop.Main", "com.acme.shop.debug/.DebugMenu"},
			[]string{"com.acme.shop.debug/com.acme.shop.Main", "com.acme.shop.debug/.DebugMenu"}},
		{"com.acme.shop", []string{"com.acme.shop/com.acmeother.Main", "com.acme.shop/org.lib.Tool"}, nil},
		{"shop", []string{"shop/.A", "shop/org.lib.Tool"}, nil},
	} {
		if got := ownActivities(c.pkg, c.all); !slices.Equal(got, c.want) {
			t.Errorf("%s of %v: %v", c.pkg, c.all, got)
		}
	}
}

func TestComponentsOf(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\ncom.a.b/.Main\n": "com.a.b/.Main",
		"com.a.b/com.a.b.ui.Main$Alias\r\n":                                "com.a.b/com.a.b.ui.Main$Alias",
		"No activity found\n":                                              "",
		"priority=0\nandroid/com.android.internal.app.ResolverActivity\n":  "",
		"priority=0\ncom.a.bc/.Main\n":                                     "",
		"com.a.b/$(reboot)\n":                                              "",
		"  Activity #0:\n    com.a.b/.B\n  Activity #1:\n    com.a.b/.A\n": "com.a.b/.A com.a.b/.B",
	} {
		if got := strings.Join(componentsOf(answer, "com.a.b"), " "); got != want {
			t.Errorf("%q: %q", answer, got)
		}
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	names := []string{"com.example.login", "com.example.list", "org.other.login", "com.whatsapp"}
	if got := near("com.example.logn", names); !slices.Equal(got, []string{"com.example.login", "com.example.list"}) {
		t.Errorf("%v", got)
	}
	if got := near("com.whatsapp.com", []string{"com.zzz.aaa.bbb.ccc"}); got != nil {
		t.Errorf("%v", got)
	}
}

func TestShortNamesByLevel(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{}
	for _, all := range shortNames() {
		for _, p := range all {
			asked["android.permission."+p.name] = true
		}
	}
	for _, c := range []struct {
		name string
		api  int
		want string
	}{
		{"storage", 28, "READ_EXTERNAL_STORAGE WRITE_EXTERNAL_STORAGE"},
		{"storage", 34, "READ_MEDIA_IMAGES READ_MEDIA_VIDEO READ_MEDIA_AUDIO"},
		{"location", 24, "ACCESS_FINE_LOCATION ACCESS_COARSE_LOCATION"},
		{"phone", 24, "READ_PHONE_STATE CALL_PHONE"},
		{"bluetooth", 30, ""},
		{"bluetooth", 31, "BLUETOOTH_SCAN BLUETOOTH_CONNECT BLUETOOTH_ADVERTISE"},
	} {
		names, err := PermissionRule{API: c.api, Asked: asked}.Names(c.name, true)
		got := strings.ReplaceAll(strings.Join(names, " "), "android.permission.", "")
		if err != nil || got != c.want {
			t.Errorf("%s on %d: %q, %v", c.name, c.api, got, err)
		}
	}
}

// TestRequested: other sections, and other packages that are in the same dump, do not count.
func TestRequested(t *testing.T) {
	t.Parallel()
	const dump = "Permissions:\n  Permission [a.b.c] (1):\n\nPackages:\n  Package [com.a] (1f):\n    userId=1\n    " +
		"requested " +
		"permissions:\n" +
		"      android.permission.CAMERA\n      android.permission.READ_SMS: restricted=true\n    install permissions:\n" +
		"      android.permission.INTERNET: granted=true\n\nHidden system packages:\n  Package [com.b] (2):\n    requested " +
		"permissions:\n      x.Y\n"
	if got := requested(dump, "com.a"); len(got) != 2 || !got["android.permission.CAMERA"] ||
		!got["android.permission.READ_SMS"] {
		t.Errorf("%v", got)
	}
	if got := requested(dump, "com.c"); got != nil {
		t.Errorf("of an unknown app: %v", got)
	}
}
