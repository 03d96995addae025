package apps

import (
	"cmp"
	"image"
	"image/color"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/system"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
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
	// Draw orders siblings that are drawn in another order than they are listed in; the highest is drawn last.
	Draw int

	Entry    *Entry
	Tapped   func()
	Scrolled func(dy int) // the content moves up by so many pixels

	Parts []Part
}

// Entry is an editable text that outlives the parts that show it.
type Entry struct{ f *ui.Field }

// NewEntry makes one with a text in it.
func NewEntry(text string, password bool) *Entry {
	return &Entry{&ui.Field{Text: text, Password: password}}
}

// Filter lets an app make something else of each text that comes into the entry: fewer characters, other ones.
func (e *Entry) Filter(f func(string) string) { e.f.Filter = f }

// Then passes the keys to another entry as soon as this one has so many characters, as fields for the digits of a code
// do.
func (e *Entry) Then(characters int, next *Entry) { e.f.Full, e.f.Next = characters, next.f }

// Text is what is in it; in handlers and scenes only, elsewhere Phone.EntryText.
func (e *Entry) Text() string { return e.f.Text }

// App is an app that shows a scene.
type App struct {
	screen *system.Screen
	pkg    string
}

// CrashIn makes the app die of an exception after a while.
func (a App) CrashIn(d time.Duration, exception string) {
	a.screen.Later(d, func() { a.screen.Crash(a.pkg, exception) })
}

// Lock locks the phone and leaves its display on.
func (a App) Lock() {
	a.screen.Sleep(false)
	a.screen.Guard.Off = false
}

// Sleep switches the display off.
func (a App) Sleep() { a.screen.Sleep(false) }

// Freeze makes an app that runs hang until the system shows a dialog about it; "" is the app itself.
func (a App) Freeze(pkg string) { a.screen.Freeze(cmp.Or(pkg, a.pkg)) }

// Crash makes the app die of an exception at once.
func (a App) Crash(exception string) { a.screen.Crash(a.pkg, exception) }

// Restart makes the app die of an exception, or without one for want of memory, and opens it again at once.
func (a App) Restart(exception string) {
	if exception != "" {
		a.screen.Crash(a.pkg, exception)
	} else {
		a.screen.Die(a.pkg)
	}
	a.screen.Start(a.pkg)
}

// Toast shows a toast.
func (a App) Toast(text string) { a.screen.Say(text, false) }

// Finish closes the app's activity, as an app does that ends itself. Its process lives on.
func (a App) Finish() { a.screen.Finish(a.screen.Top()) }

// ScenePages makes the pages of an app with a scene.
func ScenePages(s Scene) func(o system.Opening) system.Page {
	return func(o system.Opening) system.Page { return &scenePage{o.Screen, o.Act, s} }
}

// scenePage is the page of an app with a scene.
type scenePage struct {
	screen *system.Screen
	act    *system.Activity
	scene  Scene
}

func (s *scenePage) look(m ui.Metrics) Shown {
	return s.scene(Moment{Since: m.Now.Sub(s.act.Started), Area: m.Area, Size: s.screen.Size(),
		Screenshot: s.screen.Pictured, App: App{s.screen, s.act.Pkg}})
}

func (s *scenePage) View(m ui.Metrics) *ui.View {
	root := m.Page(0xfefbff)
	for _, p := range s.look(m).Page {
		root.Add(p.view(m))
	}
	return root
}

func (s *scenePage) Dialog(m ui.Metrics) *ui.View {
	d := s.look(m).Dialog
	if d == nil {
		return nil
	}
	root := d.view(m)
	root.Walk(func(v *ui.View) { v.Pkg = d.Package })
	return root
}

func (s *scenePage) Popups(m ui.Metrics) []*system.Popup {
	menu := s.look(m).Menu
	if menu == nil {
		return nil
	}
	return []*system.Popup{{Root: menu.view(m), Focusable: true, Close: func() {}}}
}

func (s *scenePage) Secret(m ui.Metrics) (page, dialog bool) {
	now := s.look(m)
	return now.Secure, now.Dialog != nil && now.Dialog.Secure
}

func (s *scenePage) Back() bool { return false }

// Above are the windows of others.
func (s *scenePage) Above(m ui.Metrics) []*ui.Window {
	var list []*ui.Window
	for _, p := range s.look(m).Above {
		root := p.view(m)
		root.Walk(func(v *ui.View) { v.Pkg = cmp.Or(p.Package, "com.android.systemui") })
		w := &ui.Window{Title: "Heads-up", Kind: "SYSTEM", Root: root, Layer: 7, Secure: p.Secure}
		if p.App {
			w.Title, w.Kind = p.Package+"/.Film", "APPLICATION"
		}
		list = append(list, w)
	}
	return list
}

func (p Part) view(m ui.Metrics) *ui.View {
	v := &ui.View{
		Class: p.Class, Text: p.Text, Desc: p.Desc, Hint: p.Hint, ID: p.ID, B: p.Bounds, Level: p.Level,
		Clickable: p.Clickable, Focusable: p.Clickable, LongClickable: p.LongClickable, Checkable: p.Checkable,
		Checked:  p.Checked,
		Disabled: p.Disabled, Selected: p.Selected, SharesFocus: p.SharesFocus, Fill: p.Fill, Ink: p.Ink, Size: p.Size,
		Center: p.Centered, Image: p.Picture,
		OnTap: p.Tapped, NotShown: p.Invisible, Clear: p.Invisible, Draw: p.Draw,
	}
	if v.Class == "" {
		v.Class = ui.ClassText
	}
	if p.Scrolled != nil {
		v.Scrollable, v.Scroll = true, p.Scrolled
	}
	if p.Entry != nil {
		v.Field, v.Text, v.Password = p.Entry.f, p.Entry.f.Display(), p.Entry.f.Password
	}
	if v.Size == 0 && (v.Text != "" || v.Hint != "") {
		v.Size = m.Dp(17)
	}
	if v.Image && v.Ink == nil {
		v.Ink = ui.RGB(0x6750a4)
	}
	for _, c := range p.Painted {
		v.Paint(c.view(m))
	}
	for _, c := range p.Parts {
		v.Add(c.view(m))
	}
	return v
}
