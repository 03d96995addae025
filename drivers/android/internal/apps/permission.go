package apps

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// permission is one of Android's, with the API levels that have it as something to be granted. Zero means: all that we
// know.
type permission struct {
	name        string
	since, last int
}

// shortNames returns the permissions behind the words that testers use.
func shortNames() map[string][]permission {
	const photosSince, notificationsSince, nearbySince = 33, 33, 31
	photos := []permission{{"READ_EXTERNAL_STORAGE", 0, photosSince - 1}, {"READ_MEDIA_IMAGES", photosSince, 0},
		{"READ_MEDIA_VIDEO", photosSince, 0}}
	return map[string][]permission{
		"camera":        {{name: "CAMERA"}},
		"microphone":    {{name: "RECORD_AUDIO"}},
		"location":      {{name: "ACCESS_FINE_LOCATION"}, {name: "ACCESS_COARSE_LOCATION"}},
		"notifications": {{"POST_NOTIFICATIONS", notificationsSince, 0}},
		"contacts":      {{name: "READ_CONTACTS"}, {name: "WRITE_CONTACTS"}, {name: "GET_ACCOUNTS"}},
		"calendar":      {{name: "READ_CALENDAR"}, {name: "WRITE_CALENDAR"}},
		"phone": {{name: "READ_PHONE_STATE"}, {name: "CALL_PHONE"}, {"READ_PHONE_NUMBERS", 26, 0},
			{"ANSWER_PHONE_CALLS", 26, 0}},
		"callLog": {{name: "READ_CALL_LOG"}, {name: "WRITE_CALL_LOG"}},
		"sms": {{name: "SEND_SMS"}, {name: "READ_SMS"}, {name: "RECEIVE_SMS"}, {name: "RECEIVE_MMS"},
			{name: "RECEIVE_WAP_PUSH"}},
		"photos": photos,
		"storage": append(slices.Clone(photos), permission{"WRITE_EXTERNAL_STORAGE", 0, photosSince - 1},
			permission{"READ_MEDIA_AUDIO", photosSince, 0}),
		"sensors": {{name: "BODY_SENSORS"}},
		"bluetooth": {{"BLUETOOTH_SCAN", nearbySince, 0}, {"BLUETOOTH_CONNECT", nearbySince, 0},
			{"BLUETOOTH_ADVERTISE", nearbySince, 0}},
	}
}

var permissionName = lazyregexp.New(`^[A-Za-z]\w*(\.\w+)+$`)

// SetPermissions grants and revokes by short name or by Android's own. Of a short name's permissions those count that
// the app requests. What an older Android grants without a request is granted there already, and cannot be revoked. To
// revoke kills an app that runs.
func (a *Apps) SetPermissions(ctx context.Context, app string, allow map[string]bool) error {
	pkg, err := a.Packages.PackageOf(app)
	if err != nil || len(allow) == 0 {
		return err
	}
	o, err := a.Phone.Run(ctx, adb.Command{Name: "dumpsys package", ReadOnly: true, Line: "dumpsys package " + pkg})
	if err != nil {
		return err
	}
	asked := requested(string(o.Out), pkg)
	if asked == nil {
		if err := a.Packages.MustBeInstalled(ctx, pkg); err != nil {
			return err
		}
		return fmt.Errorf("device %s: the phone does not report which permissions %s requests", a.Phone.Link.Serial, pkg)
	}
	if grant, all := allow[drivers.AllPermissions]; all {
		if err := a.setAll(ctx, pkg, asked, grant); err != nil {
			return err
		}
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(allow)) {
		if name == drivers.AllPermissions {
			continue
		}
		names, err := PermissionRule{API: a.Phone.Info.APILevel, Version: a.Phone.Info.OSVersion, Asked: asked}.
			Names(name, allow[name])
		if err != nil {
			return fmt.Errorf("device %s: permission %s of %s: %w", a.Phone.Link.Serial, name, pkg, err)
		}
		verb := map[bool]string{true: "grant", false: "revoke"}[allow[name]]
		for _, n := range names {
			lines = append(lines, "pm "+verb+" "+pkg+" "+n)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	o, err = a.Phone.Run(ctx, adb.Command{Name: "pm grant", Line: strings.Join(lines, " && "), Limit: clearLimit})
	if err != nil {
		return err
	}
	return a.grantError(pkg, o)
}

// setAll grants or revokes all that the app requests. What Android does not let be changed stays as it is; what the
// phone's maker does not is a warning.
func (a *Apps) setAll(ctx context.Context, pkg string, asked map[string]bool, grant bool) error {
	verb := map[bool]string{true: "grant", false: "revoke"}[grant]
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		if permissionName.MatchString(name) {
			lines = append(lines, "pm "+verb+" "+pkg+" "+name)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	o, err := a.Phone.Run(ctx, adb.Command{Name: "pm " + verb, Line: strings.Join(lines, "; ") + "; true",
		Limit: clearLimit})
	if err != nil {
		return err
	}
	// the one that counts: others say that a permission cannot be changed at all
	for line := range strings.Lines(o.Text()) {
		if kept := (adb.Output{Out: []byte(line), Code: 1}); keptFromShell(kept) {
			a.Phone.Warn("the permissions of %s stay as they are: %s", pkg, a.Phone.Why(kept))
			break
		}
	}
	return nil
}

// keptFromShell reports whether the phone lets adb's shell grant and revoke nothing, which Android itself does.
func keptFromShell(o adb.Output) bool {
	said := o.Text()
	return strings.Contains(said, "GRANT_RUNTIME_PERMISSIONS") || strings.Contains(said, "REVOKE_RUNTIME_PERMISSIONS")
}

// PermissionRule is what decides which of Android's permissions one in a test means.
type PermissionRule struct {
	API     int
	Version string          // of Android
	Asked   map[string]bool // those that the app requests
}

// Names returns Android's names for a permission in a test.
func (r PermissionRule) Names(name string, allow bool) ([]string, error) {
	if strings.Contains(name, ".") {
		if !permissionName.MatchString(name) {
			return nil, phone.AsAppError(drivers.ErrNotActionable, "it is not a permission's name")
		}
		if !r.Asked[name] {
			return nil, phone.AsAppError(drivers.ErrNotActionable, "the app does not ask for it in its manifest")
		}
		return []string{name}, nil
	}
	known := shortNames()
	all, ok := known[name]
	if !ok {
		return nil, phone.AsAppError(drivers.ErrUnsupported, "there are "+strings.Join(slices.Sorted(maps.Keys(known)), ", ")+
			", and Android's own names such as android.permission.CAMERA")
	}
	exists := false
	var names []string
	for _, p := range all {
		if p.since > r.API || p.last != 0 && p.last < r.API {
			continue
		}
		exists = true
		if full := "android.permission." + p.name; r.Asked[full] {
			names = append(names, full)
		}
	}
	switch {
	case exists && len(names) == 0:
		return nil, phone.AsAppError(drivers.ErrNotActionable, "the app does not ask for it in its manifest")
	case !exists && !allow:
		return nil, phone.AsAppError(drivers.ErrUnsupported,
			fmt.Sprintf("Android %s grants it to every app, and does not revoke it", r.Version))
	}
	return names, nil
}

// requested reads the section of `dumpsys package` that lists what the manifest requests. It is nil for an unknown
// package.
func requested(dumpsys, pkg string) map[string]bool {
	var asked map[string]bool
	mine, inside := false, 0
	for line := range strings.Lines(dumpsys) {
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case strings.HasPrefix(text, "Package ["):
			mine, inside = strings.HasPrefix(text, "Package ["+pkg+"]"), 0
			if mine && asked == nil {
				asked = map[string]bool{}
			}
		case mine && text == "requested permissions:":
			inside = indent
		case inside > 0 && indent <= inside:
			inside = 0
		case inside > 0:
			name, _, _ := strings.Cut(text, ":")
			asked[name] = true
		}
	}
	return asked
}

func (a *Apps) grantError(pkg string, o adb.Output) error {
	said := o.Text()
	switch {
	case keptFromShell(o):
		return fmt.Errorf("device %s: %w: permissions of %s: %s", a.Phone.Link.Serial, drivers.ErrUnsupported, pkg,
			a.Phone.Why(o))
	case strings.Contains(said, "not a changeable permission"):
		return fmt.Errorf("device %s: permissions of %s: %w", a.Phone.Link.Serial, pkg,
			phone.AsAppError(drivers.ErrNotActionable,
				o.Reason()))
	case !o.Failed():
		return nil
	}
	return fmt.Errorf("device %s: permissions of %s: %s", a.Phone.Link.Serial, pkg, o.Reason())
}
