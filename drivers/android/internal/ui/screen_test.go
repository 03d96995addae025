package ui

import (
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/webview"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

func TestKeyNamesAreAllKnown(t *testing.T) {
	t.Parallel()
	seen := map[int]string{}
	for _, name := range drivers.KeyNames() {
		code, ok := keyCode(name)
		if !ok || seen[code] != "" {
			t.Errorf("%s is key %d, %v, as %s", name, code, ok, seen[code])
		}
		seen[code] = name
	}
	for r := ' '; r <= '~'; r++ {
		if text, ok := AsText([]string{string(r)}); !ok || text != string(r) {
			t.Errorf("%q types %q, %v", r, text, ok)
		}
	}
}

// TestFindDialog: what Androids of several ages put on the screen.
func TestFindDialog(t *testing.T) {
	t.Parallel()
	const permission = `<hierarchy><node bounds="[0,0][9,39]"><node text="Allow Maps to access this device's location?" ` +
		`resource-id="com.android.permissioncontroller:id/permission_message" bounds="[0,0][9,9]"/>
		<node text="While using the app" ` +
		`resource-id="com.android.permissioncontroller:id/permission_allow_foreground_only_button" bounds="[0,10][9,19]"/>
		<node text="Only this time" resource-id="com.android.permissioncontroller:id/permission_allow_one_time_button" ` +
		`bounds="[0,20][9,29]"/>
		<node text="Don't allow" resource-id="com.android.permissioncontroller:id/permission_deny_button" ` +
		`bounds="[0,30][9,39]"/></node></hierarchy>`
	const old = `<hierarchy><node bounds="[0,0][9,39]"><node text="Allow?" ` +
		`resource-id="com.android.packageinstaller:id/permission_message" package="com.google.android.packageinstaller" ` +
		`bounds="[0,0][9,9]"/>
		<node text="ALLOW" resource-id="com.android.packageinstaller:id/permission_allow_button" ` +
		`package="com.google.android.packageinstaller" bounds="[0,10][9,19]"/></node></hierarchy>`
	const anr = `<hierarchy><node bounds="[0,0][9,39]"><node text="Login isn't responding" ` +
		`resource-id="android:id/alertTitle" bounds="[0,0][9,9]"/>
		<node text="Close app" resource-id="android:id/aerr_close" bounds="[0,10][9,19]"/><node text="Wait" ` +
		`resource-id="android:id/aerr_wait" bounds="[0,20][9,29]"/></node></hierarchy>`
	for name, c := range map[string]struct{ dump, text, accept, dismiss string }{
		"a permission": {permission, "Allow Maps to access this device's location?", "While using the app",
			"Don't allow"},
		"of an old Android": {old, "Allow?", "ALLOW", ""},
		"an app that hangs": {anr, "Login isn't responding", "Wait", "Close app"},
		"an app's own message": {
			`<hierarchy><node text="Hi" resource-id="android:id/message" bounds="[0,0][9,9]"/></hierarchy>`, "", "", ""},
	} {
		tree, err := dump.ParseTree([]byte(c.dump), image.Point{})
		if err != nil {
			t.Fatal(err)
		}
		open := findDialog(tree)
		if open == nil {
			if c.accept != "" {
				t.Errorf("%s: not found", name)
			}
			continue
		}
		label := func(n *screen.Node) string {
			if n == nil {
				return ""
			}
			return n.Label()
		}
		if strings.Join(open.texts, "\n") != c.text || label(open.accept) != c.accept || label(open.dismiss) != c.dismiss {
			t.Errorf("%s: %q %q %q", name, open.texts, label(open.accept), label(open.dismiss))
		}
	}
}

func TestTreeSizeFollowsRotation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		shot     image.Point
		rotation int
		want     image.Point
	}{
		{"standing", image.Point{}, 0, image.Pt(1080, 2400)},
		{"lying", image.Point{}, 1, image.Pt(2400, 1080)},
		{"lying, after a standing screenshot", image.Pt(720, 1600), 3, image.Pt(1600, 720)},
		{"not said", image.Pt(720, 1600), -1, image.Pt(720, 1600)},
	} {
		d := &Screen{Phone: &phone.Phone{Shot: c.shot, Info: drivers.Info{Width: 1080, Height: 2400}},
			WebViews: &webview.Reader{}}
		if got := d.newTree(&dump.Dump{Rotation: c.rotation, Taken: time.Unix(1, 0)}).Size; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
