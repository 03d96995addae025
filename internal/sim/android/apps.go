package androidsim

import (
	"fmt"
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
	extras     map[string]Extra // of the activity that was opened last
	scene      Scene            // what a test has written for it; nil: a plain page
	web        *webApp          // its screen is a WebView
}

func defaultPackages(o Options) map[string]*installed {
	list := []*installed{
		{
			name: launcherPackage, label: "Launcher", uid: 10101, system: true,
			activities: map[string]string{launcherPackage + ".uioverrides.QuickstepLauncher": ""},
		},
		{name: "com.android.systemui", label: "System UI", uid: 10102, system: true},
		{name: "com.android.settings", label: "Settings", uid: 1000, system: true},
		{name: imePackage, label: "Gboard", uid: 10103, system: true},
		{
			name: LoginPackage, label: "Login", uid: 10151, launch: LoginPackage + ".MainActivity",
			activities: map[string]string{LoginPackage + ".MainActivity": "login"},
			declared:   []string{"android.permission.POST_NOTIFICATIONS", "android.permission.CAMERA"},
		},
		{
			name: ListPackage, label: "Catalogue", uid: 10152, launch: ListPackage + ".MainActivity",
			activities: listActivities(),
			declared:   []string{"android.permission.ACCESS_FINE_LOCATION"},
		},
	}
	if o.ADBKeyboard {
		list = append(list, &installed{name: adbKeyboard, label: "ADB Keyboard", uid: 10153})
	}
	out := map[string]*installed{}
	for _, p := range list {
		p.version, p.code = "1.0", 1
		p.granted = map[string]bool{}
		p.data = map[string]string{}
		out[p.name] = p
	}
	return out
}

// newPage starts the state machine behind an activity.
func newPage(s *screen, r *running, a *activity, data *string) page {
	if scene := s.phone.packages[a.pkg].scene; scene != nil {
		return &scenePage{s, a, scene}
	}
	if web := s.phone.packages[a.pkg].web; web != nil {
		return newWebPage(s, r, web)
	}
	switch a.pkg {
	case launcherPackage:
		return &launcher{screen: s}
	case LoginPackage:
		return newLogin(s, r, a, data)
	case ListPackage:
		return newListPage(s, r, a)
	default:
		return &plain{title: s.phone.packages[a.pkg].label}
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

func (l *launcher) dialog(metrics) *view { return nil }
func (l *launcher) back() bool           { return true }

func (l *launcher) view(m metrics) *view {
	root := m.page(0xd7e3f4)
	i := 0
	for _, name := range slices.Sorted(maps.Keys(l.screen.phone.packages)) {
		p := l.screen.phone.packages[name]
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

// start is a tap on an icon: what runs already comes back as it was.
func (s *screen) start(pkg string) {
	if !s.bring(pkg) {
		s.open(pkg, s.phone.packages[pkg].launch, nil)
	}
}

// appLog writes to the phone's log as a process of the app.
func (s *screen) appLog(pkg, tag, format string, args ...any) {
	r := s.apps[pkg]
	if r == nil {
		return
	}
	s.phone.log.write(logLine{pid: r.pid, tid: r.pid, pri: 'I', tag: tag, text: fmt.Sprintf(format, args...)})
}
