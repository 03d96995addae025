package androidsim

import (
	"cmp"
	"image"
	"image/color"
	"time"
)

// Scene makes the screen of an app that a test has written. It is called for every dump, screenshot and touch, with the
// phone's lock held: it must be quick, and must not call the phone.
type Scene func(now Moment) Shown

// Moment is when and where a scene is looked at.
type Moment struct {
	Since time.Duration   // since the app's activity was opened
	Area  image.Rectangle // what the app may draw on, in pixels of the screen
	Size  image.Point     // of the whole screen
	// Screenshot says that a screenshot is taken, which may show something else than the tree.
	Screenshot bool
	// App is who shows the scene; it may be used in the scene's handlers, too.
	App App
}

// Shown is what a scene shows.
type Shown struct {
	Page   []Part // in the order of drawing
	Secure bool   // the app forbids screenshots of the page's window
	Dialog *Part  // a window of the app's own that dims the page and takes every touch
	Menu   *Part  // one above that which has dropped down, or a second dialog: it takes every touch, too
	// Above are windows of the system over the app: notifications, chat bubbles.
	Above []Part
}

// Part is an element of a scene; its bounds are pixels of the screen.
type Part struct {
	Class, Text, Desc, Hint, ID string
	// Level is the value of a slider or a progress bar, "50.0": the agent returns it as the text, uiautomator does not.
	Level  string
	Bounds image.Rectangle

	Clickable, LongClickable, Checkable, Checked, Disabled, Selected bool
	// it says that it has the focus whenever a field has it
	SharesFocus bool

	Fill, Ink color.Color
	Size      int // height of the text
	Centered  bool
	Picture   bool
	Invisible bool // transparent, alpha 0: it takes touches, and services do not receive it
	// of a dialog and of what is above: the owner of its window; by default the app's and that of the system's own
	// interface
	Package string
	App     bool   // of what is above: it is an app's window, such as a video in a corner
	Secure  bool   // of a dialog and of what is above: screenshots of its window are forbidden
	Painted []Part // drawn with it, without elements of their own

	Entry    *Entry
	Tapped   func()
	Scrolled func(dy int) // the content moves up by so many pixels

	Parts []Part
}

// Entry is an editable text that outlives the parts that show it.
type Entry struct{ f *field }

// NewEntry makes one with a text in it.
func NewEntry(text string, password bool) *Entry {
	return &Entry{&field{text: text, password: password}}
}

// Filter lets an app make something else of each text that comes into the entry: fewer characters, other ones.
func (e *Entry) Filter(f func(string) string) { e.f.filter = f }

// Then passes the keys to another entry as soon as this one has so many characters, as fields for the digits of a code
// do.
func (e *Entry) Then(characters int, next *Entry) { e.f.full, e.f.next = characters, next.f }

// Text is what is in it; in handlers and scenes only, elsewhere Phone.EntryText.
func (e *Entry) Text() string { return e.f.text }

// App is an app that shows a scene.
type App struct {
	screen *screen
	pkg    string
}

// CrashIn makes the app die of an exception after a while.
func (a App) CrashIn(d time.Duration, exception string) {
	a.screen.later(d, func() { a.screen.crash(a.pkg, exception) })
}

// Lock locks the phone and leaves its display on.
func (a App) Lock() {
	a.screen.sleep(false)
	a.screen.guard.off = false
}

// Sleep switches the display off.
func (a App) Sleep() { a.screen.sleep(false) }

// Freeze makes an app that runs hang until the system shows a dialog about it; "" is the app itself.
func (a App) Freeze(pkg string) { a.screen.freeze(cmp.Or(pkg, a.pkg)) }

// Crash makes the app die of an exception at once.
func (a App) Crash(exception string) { a.screen.crash(a.pkg, exception) }

// Restart makes the app die of an exception, or without one for want of memory, and opens it again at once.
func (a App) Restart(exception string) {
	if exception != "" {
		a.screen.crash(a.pkg, exception)
	} else {
		a.screen.die(a.pkg)
	}
	a.screen.start(a.pkg)
}

// Toast shows a toast.
func (a App) Toast(text string) { a.screen.say(text, false) }

// Finish closes the app's activity, as an app does that ends itself. Its process lives on.
func (a App) Finish() { a.screen.finish(a.screen.top()) }

// scenePages makes the pages of an app with a scene.
func scenePages(s Scene) func(o opening) page {
	return func(o opening) page { return &scenePage{o.screen, o.act, s} }
}

// scenePage is the page of an app with a scene.
type scenePage struct {
	screen *screen
	act    *activity
	scene  Scene
}

func (s *scenePage) look(m metrics) Shown {
	return s.scene(Moment{Since: m.now.Sub(s.act.started), Area: m.area, Size: s.screen.size(),
		Screenshot: s.screen.pictured, App: App{s.screen, s.act.pkg}})
}

func (s *scenePage) view(m metrics) *view {
	root := m.page(0xfefbff)
	for _, p := range s.look(m).Page {
		root.add(p.view(m))
	}
	return root
}

func (s *scenePage) dialog(m metrics) *view {
	d := s.look(m).Dialog
	if d == nil {
		return nil
	}
	root := d.view(m)
	root.walk(func(v *view) { v.pkg = d.Package })
	return root
}

func (s *scenePage) popups(m metrics) []*popup {
	menu := s.look(m).Menu
	if menu == nil {
		return nil
	}
	return []*popup{{root: menu.view(m), focusable: true, close: func() {}}}
}

func (s *scenePage) secret(m metrics) (page, dialog bool) {
	now := s.look(m)
	return now.Secure, now.Dialog != nil && now.Dialog.Secure
}

func (s *scenePage) back() bool { return false }

// above are the windows of others.
func (s *scenePage) above(m metrics) []*window {
	var list []*window
	for _, p := range s.look(m).Above {
		root := p.view(m)
		root.walk(func(v *view) { v.pkg = cmp.Or(p.Package, "com.android.systemui") })
		w := &window{title: "Heads-up", kind: "SYSTEM", root: root, layer: 7, secure: p.Secure}
		if p.App {
			w.title, w.kind = p.Package+"/.Film", "APPLICATION"
		}
		list = append(list, w)
	}
	return list
}

func (p Part) view(m metrics) *view {
	v := &view{
		class: p.Class, text: p.Text, desc: p.Desc, hint: p.Hint, id: p.ID, b: p.Bounds, level: p.Level,
		clickable: p.Clickable, focusable: p.Clickable, longClickable: p.LongClickable, checkable: p.Checkable,
		checked:  p.Checked,
		disabled: p.Disabled, selected: p.Selected, sharesFocus: p.SharesFocus, fill: p.Fill, ink: p.Ink, size: p.Size,
		center: p.Centered, image: p.Picture,
		onTap: p.Tapped, notShown: p.Invisible, clear: p.Invisible,
	}
	if v.class == "" {
		v.class = classText
	}
	if p.Scrolled != nil {
		v.scrollable, v.scroll = true, p.Scrolled
	}
	if p.Entry != nil {
		v.field, v.text, v.password = p.Entry.f, p.Entry.f.display(), p.Entry.f.password
	}
	if v.size == 0 && (v.text != "" || v.hint != "") {
		v.size = m.dp(17)
	}
	if v.image && v.ink == nil {
		v.ink = rgb(0x6750a4)
	}
	for _, c := range p.Painted {
		v.paint(c.view(m))
	}
	for _, c := range p.Parts {
		v.add(c.view(m))
	}
	return v
}
