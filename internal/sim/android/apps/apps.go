// Package apps has the apps of a simulated phone: launcher, login, list, and apps that show the scenes of tests.
package apps

import (
	"maps"
	"slices"

	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// Default are those that a phone comes with.
func Default(o spec.Options) []*system.Package {
	list := []*system.Package{
		{
			Name: spec.LauncherPackage, Label: "Launcher", UID: 10101, System: true, Pages: newLauncher,
			Activities: map[string]string{spec.LauncherPackage + ".uioverrides.QuickstepLauncher": ""},
		},
		{Name: "com.android.systemui", Label: "System UI", UID: 10102, System: true},
		{Name: "com.android.settings", Label: "Settings", UID: 1000, System: true},
		{Name: spec.IMEPackage, Label: "Gboard", UID: 10103, System: true},
		{
			Name: spec.LoginPackage, Label: "Login", UID: 10151, Launch: spec.LoginPackage + ".MainActivity", Pages: newLogin,
			Activities: map[string]string{spec.LoginPackage + ".MainActivity": "login"},
			Declared:   []string{"android.permission.POST_NOTIFICATIONS", "android.permission.CAMERA"},
		},
		{
			Name: spec.ListPackage, Label: "Catalogue", UID: 10152, Launch: spec.ListPackage + ".MainActivity",
			Pages:      newListPage,
			Activities: listActivities(),
			Declared:   []string{"android.permission.ACCESS_FINE_LOCATION"},
		},
	}
	if o.ADBKeyboard {
		list = append(list, &system.Package{Name: spec.ADBKeyboardPackage, Label: "ADB Keyboard", UID: 10153})
	}
	for _, p := range list {
		p.Version, p.Code = "1.0", 1
		p.Granted = map[string]bool{}
		p.Data = map[string]string{}
	}
	return list
}

// launcher shows an icon with a label for every app that can be started.
type launcher struct{ screen *system.Screen }

func newLauncher(o system.Opening) system.Page { return &launcher{screen: o.Screen} }

func (l *launcher) Dialog(ui.Metrics) *ui.View { return nil }

func (l *launcher) Back() bool { return true }

func (l *launcher) View(m ui.Metrics) *ui.View {
	root := m.Page(0xd7e3f4)
	i := 0
	for _, name := range slices.Sorted(maps.Keys(l.screen.Packages)) {
		p := l.screen.Packages[name]
		if p.Launch == "" {
			continue
		}
		x, y := 16+i%4*96, 60+i/4*120
		icon := &ui.View{Class: ui.ClassText, Text: p.Label, Desc: p.Label, B: m.Rect(x, y, 88, 108), Clickable: true,
			LongClickable: true, Focusable: true}
		icon.OnTap = func() { l.screen.Start(p.Name) }
		icon.ID = spec.LauncherPackage + ":id/icon"
		picture := &ui.View{Class: ui.ClassImage, B: m.Rect(x+16, y+4, 56, 56), Fill: ui.RGB(0xffffff), Ink: ui.RGB(0x6750a4),
			Image: true}
		caption := &ui.View{Class: ui.ClassText, B: m.Rect(x, y+66, 88, 36), Text: p.Label, Size: m.Dp(14), Center: true,
			Ink: ui.RGB(0x1c1b1f)}
		// The stock launcher draws icon and caption in one view: only pixels here, no nodes.
		root.Add(icon.Paint(picture, caption))
		i++
	}
	return root
}
