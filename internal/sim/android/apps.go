package androidsim

import (
	"maps"
	"slices"
)

// The packages that a phone comes with.
const (
	launcherPackage = "com.google.android.apps.nexuslauncher"
	LoginPackage    = "com.example.login"
	ListPackage     = "com.example.list"
	imePackage      = "com.google.android.inputmethod.latin"
	adbKeyboard     = "com.android.adbkeyboard"
)

// installed is a package.
type installed struct {
	name       string
	label      string
	uid        int
	system     bool
	version    string
	code       int               // versionCode
	splits     []string          // the names of its parts in addition to the base
	signed     string            // by which certificate
	launch     string            // class of the launcher's activity; empty: none
	launchers  []string          // classes of further ones, as of LeakCanary
	activities map[string]string // class → URI scheme that it views, "" for none; a "-" is not exported
	granted    map[string]bool
	declared   []string // runtime permissions
	data       map[string]string
	locales    string
	extras     map[string]Extra     // of the activity that was opened last
	pages      func(o opening) page // makes the page of an activity; nil: a plain one
	cleared    func()               // is called when pm clear takes its data; may be nil
}

// defaultPackages are those that a phone comes with.
func defaultPackages(o Options) []*installed {
	list := []*installed{
		{
			name: launcherPackage, label: "Launcher", uid: 10101, system: true, pages: newLauncher,
			activities: map[string]string{launcherPackage + ".uioverrides.QuickstepLauncher": ""},
		},
		{name: "com.android.systemui", label: "System UI", uid: 10102, system: true},
		{name: "com.android.settings", label: "Settings", uid: 1000, system: true},
		{name: imePackage, label: "Gboard", uid: 10103, system: true},
		{
			name: LoginPackage, label: "Login", uid: 10151, launch: LoginPackage + ".MainActivity", pages: newLogin,
			activities: map[string]string{LoginPackage + ".MainActivity": "login"},
			declared:   []string{"android.permission.POST_NOTIFICATIONS", "android.permission.CAMERA"},
		},
		{
			name: ListPackage, label: "Catalogue", uid: 10152, launch: ListPackage + ".MainActivity", pages: newListPage,
			activities: listActivities(),
			declared:   []string{"android.permission.ACCESS_FINE_LOCATION"},
		},
	}
	if o.ADBKeyboard {
		list = append(list, &installed{name: adbKeyboard, label: "ADB Keyboard", uid: 10153})
	}
	for _, p := range list {
		p.version, p.code = "1.0", 1
		p.granted = map[string]bool{}
		p.data = map[string]string{}
	}
	return list
}

// newPackage is an app that a test installs, with one activity, .MainActivity.
func newPackage(pkg, label string, pages func(o opening) page) *installed {
	return &installed{
		name: pkg, label: label, launch: pkg + ".MainActivity", version: "1.0", pages: pages,
		activities: map[string]string{pkg + ".MainActivity": ""}, granted: map[string]bool{}, data: map[string]string{},
	}
}

// plain is the page of an app that was installed by a test.
type plain struct{ title string }

func (p *plain) view(m metrics) *view {
	return m.page(0xfefbff).add(m.title(p.title), m.label("Hello from "+p.title, m.rect(16, 80, m.width()-32, 40)))
}

func (p *plain) dialog(metrics) *view { return nil }
func (p *plain) back() bool           { return false }

// launcher shows an icon with a label for every app that can be started.
type launcher struct{ screen *screen }

func newLauncher(o opening) page { return &launcher{screen: o.screen} }

func (l *launcher) dialog(metrics) *view { return nil }
func (l *launcher) back() bool           { return true }

func (l *launcher) view(m metrics) *view {
	root := m.page(0xd7e3f4)
	i := 0
	for _, name := range slices.Sorted(maps.Keys(l.screen.packages)) {
		p := l.screen.packages[name]
		if p.launch == "" {
			continue
		}
		x, y := 16+i%4*96, 60+i/4*120
		icon := &view{class: classText, text: p.label, desc: p.label, b: m.rect(x, y, 88, 108), clickable: true,
			longClickable: true, focusable: true}
		icon.onTap = func() { l.screen.start(p.name) }
		icon.id = launcherPackage + ":id/icon"
		picture := &view{class: classImage, b: m.rect(x+16, y+4, 56, 56), fill: rgb(0xffffff), ink: rgb(0x6750a4),
			image: true}
		caption := &view{class: classText, b: m.rect(x, y+66, 88, 36), text: p.label, size: m.dp(14), center: true,
			ink: rgb(0x1c1b1f)}
		// The stock launcher draws icon and caption in one view: only pixels here, no nodes.
		root.add(icon.paint(picture, caption))
		i++
	}
	return root
}
