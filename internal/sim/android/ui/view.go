package ui

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"strings"
	"time"
)

// View is one element of a window; the tree and the screenshot are both made from it.
type View struct {
	Class, Text, Desc, ID, Hint, Pkg string
	Level                            string // of a range: what the agent returns as its text
	// B may be inverted or empty, as broken views on phones are; image.Rectangle's own methods do not check it.
	B image.Rectangle

	Clickable, LongClickable, Checkable, Checked, Disabled bool
	Focusable, Focused, Scrollable, Password, Selected     bool
	SharesFocus                                            bool
	// for dumps that say so: it is there, and not visible to the user
	NotShown bool
	Clear    bool // nothing of it is drawn, nor of what is in it

	OnTap    func()
	OnLong   func()
	OnDouble func() // the second of two taps
	// OnDrag takes what was held and dragged to a point.
	OnDrag func(to image.Point)
	// OnPinch receives whether two fingers moved apart.
	OnPinch func(open bool)
	// Field is the text that the view edits.
	Field *Field
	// Scroll receives by how many pixels a swipe moves the content up.
	Scroll func(dy int)
	// Web is the page that a WebView shows, image and version are its last image. Its virtual children are nodes alone:
	// the WebView itself takes their touches.
	Web      RemoteView
	WebImage *image.RGBA
	Version  int
	Virtual  bool
	// SetText takes a text that an accessibility service sets in a virtual child.
	SetText func(text string)

	Fill   color.Color
	Ink    color.Color
	Size   int // text height in pixels
	Center bool
	round  bool
	Image  bool // drawn as an image, has no text
	// Draw orders siblings that are drawn in another order than the tree has them; the highest is drawn last.
	Draw int
	// Painted views are drawn with this one and have no nodes of their own.
	Painted  []*View
	Children []*View
}

// Add puts views into the view, and returns it.
func (v *View) Add(children ...*View) *View {
	v.Children = append(v.Children, children...)
	return v
}

// Paint lets views be drawn with the view, without nodes of their own, and returns it.
func (v *View) Paint(parts ...*View) *View {
	v.Painted = append(v.Painted, parts...)
	return v
}

// Walk visits a view and everything in it, outer views first.
func (v *View) Walk(f func(*View)) {
	f(v)
	for _, c := range v.Children {
		c.Walk(f)
	}
}

// Label is the text, description or first label inside.
func (v *View) Label() string {
	found := ""
	v.Walk(func(c *View) {
		if found == "" {
			found = c.Text
		}
		if found == "" {
			found = c.Desc
		}
	})
	return found
}

// Drawn are the children in the order in which they are drawn.
func (v *View) Drawn() []*View {
	if !slices.ContainsFunc(v.Children, func(c *View) bool { return c.Draw != 0 }) {
		return v.Children
	}
	return slices.SortedStableFunc(slices.Values(v.Children), func(a, b *View) int { return cmp.Compare(a.Draw, b.Draw) })
}

// virtualParent is the class of what an app describes itself to services, as Compose and Flutter do: no view of
// Android's own of this class has children.
const virtualParent = "android.view.View"

// OrderOf is the number by which services receive the order of drawing of a child: from 1 on, or 0 where the app
// describes its children itself.
func (v *View) OrderOf(child *View) int {
	if v.describes() {
		return 0
	}
	return 1 + slices.Index(v.Drawn(), child)
}

// Hit finds the view that takes a touch: like Android, it searches the children from the front to the back, and a view
// that is not clickable lets the touch through to what is behind it.
func (v *View) Hit(at image.Point) *View {
	if !at.In(v.B) {
		return nil
	}
	if v.Web != nil {
		return v
	}
	for _, c := range slices.Backward(v.Drawn()) {
		if h := c.Hit(at); h != nil {
			return h
		}
	}
	if v.Clickable || v.Field != nil {
		return v
	}
	return nil
}

// HitScroll finds the innermost view that a finger moves which is put down at a point: what takes the touch, or is
// around that. What takes touches and is over a list keeps them from the list.
func (v *View) HitScroll(at image.Point) *View {
	scrolls, _ := v.hitScroll(at)
	return scrolls
}

func (v *View) hitScroll(at image.Point) (scrolls *View, taken bool) {
	if !at.In(v.B) {
		return nil, false
	}
	for _, c := range slices.Backward(v.Drawn()) {
		if scrolls, taken = c.hitScroll(at); taken {
			break
		}
	}
	if scrolls == nil && (v.Scroll != nil || v.Web != nil) {
		return v, true
	}
	return scrolls, taken || v.Clickable || v.Field != nil
}

// RemoteView is a page that another process draws, and that takes touches and keys itself. None of its methods block:
// the phone's lock may be held.
type RemoteView interface {
	// Touched is a finger that did not move, moved one or more that did.
	Touched(at image.Point, held time.Duration)
	Moved(from, to []image.Point, held time.Duration)
	// Key reports whether a key is the page's; together are keys that are held together, of which the last is pressed.
	Key(code int) bool
	Together(keys []int)
	Typed(text string)
}

// Window is one layer of the screen.
type Window struct {
	Title   string
	Kind    string // APPLICATION, INPUT_METHOD, SYSTEM
	Root    *View
	Focused bool
	Layer   int
	Dim     bool    // everything behind is drawn darker
	Modal   bool    // it takes the touches next to it as well
	Parent  *Window // that it belongs to: a menu to its page
	Outside func()  // receives a touch next to it
	Glass   bool    // it cannot be touched, and no dump has it: a toast
	Secure  bool    // screenshots of it are forbidden
	Away    bool    // no window shows it: for dumps of the window manager
}

// Frame is the whole screen at one instant.
type Frame struct {
	At       time.Time
	Size     image.Point
	Rotation int
	Windows  []*Window // from the back to the front
	Keyboard bool
	Captured bool // as screenshots have it: without what is secure
}

// Active is the window that has the focus.
func (f *Frame) Active() *Window {
	for i := len(f.Windows) - 1; i >= 0; i-- {
		if f.Windows[i].Focused {
			return f.Windows[i]
		}
	}
	return nil
}

// Metrics turn density-independent pixels into pixels and hold the area that an app has.
type Metrics struct {
	Scale float64
	Area  image.Rectangle // below the status bar, above the navigation bar
	Now   time.Time
}

// Dp is a number of density-independent pixels in pixels.
func (m Metrics) Dp(n int) int { return int(float64(n)*m.Scale + 0.5) }

// Rect is a rectangle in dp inside the area.
func (m Metrics) Rect(x, y, w, h int) image.Rectangle {
	o := m.Area.Min
	return image.Rect(o.X+m.Dp(x), o.Y+m.Dp(y), o.X+m.Dp(x+w), o.Y+m.Dp(y+h))
}

// Width is the width of the area in dp.
func (m Metrics) Width() int { return int(float64(m.Area.Dx()) / m.Scale) }

// Height is the height of the area in dp.
func (m Metrics) Height() int { return int(float64(m.Area.Dy()) / m.Scale) }

const (
	ClassFrame   = "android.widget.FrameLayout"
	ClassLinear  = "android.widget.LinearLayout"
	ClassText    = "android.widget.TextView"
	ClassEdit    = "android.widget.EditText"
	ClassButton  = "android.widget.Button"
	ClassImage   = "android.widget.ImageView"
	ClassList    = "androidx.recyclerview.widget.RecyclerView"
	ClassBar     = "android.widget.ProgressBar"
	ClassWebView = "android.webkit.WebView"
)

// RGB is an opaque colour, as 0xrrggbb.
func RGB(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

// Label makes a text that is not clickable itself.
func (m Metrics) Label(text string, b image.Rectangle) *View {
	return &View{Class: ClassText, Text: text, B: b, Size: m.Dp(17), Ink: RGB(0x1c1b1f)}
}

// Button makes a clickable frame around a text that is not clickable, as most buttons of real apps are.
func (m Metrics) Button(text, id string, b image.Rectangle, tap func()) *View {
	t := m.Label(text, b.Inset(m.Dp(6)))
	t.Ink, t.Center = RGB(0xffffff), true
	v := &View{Class: ClassFrame, ID: id, B: b, Clickable: true, Focusable: true, OnTap: tap, Fill: RGB(0x6750a4),
		round: true}
	return v.Add(t)
}

// Edit makes a text field.
func (m Metrics) Edit(f *Field, hint, id string, b image.Rectangle) *View {
	return &View{
		Class: ClassEdit, Text: f.Display(), Hint: hint, ID: id, B: b, Field: f, Password: f.Password,
		Clickable: true, LongClickable: true, Focusable: true, Size: m.Dp(17), Ink: RGB(0x1c1b1f), Fill: RGB(0xe7e0ec),
	}
}

// Page makes the view that fills an app's area.
func (m Metrics) Page(fill uint32) *View {
	return &View{Class: ClassFrame, ID: "android:id/content", B: m.Area, Fill: RGB(fill)}
}

// Title makes a bar with a text at the top.
func (m Metrics) Title(text string) *View {
	b := m.Rect(0, 0, m.Width(), 56)
	bar := &View{Class: ClassLinear, B: b, Fill: RGB(0xeaddff)}
	t := m.Label(text, m.Rect(16, 8, m.Width()-32, 40))
	t.Size = m.Dp(21)
	return bar.Add(t)
}

// VirtualAt is the virtual child of a WebView under a point, or the WebView alone; any other view is itself.
func (v *View) VirtualAt(at image.Point) *View {
	if v == nil || v.Web == nil {
		return v
	}
	found := v
	v.Walk(func(c *View) {
		if c.Virtual && c.Class != ClassWebView && at.In(c.B) {
			found = c
		}
	})
	if found == v {
		return &View{Class: v.Class, ID: v.ID}
	}
	return found
}

// Field is an editable text.
type Field struct {
	Text     string
	Behind   int  // characters behind the caret
	Selected bool // everything is selected: the next key replaces it
	Password bool
	OnEnter  func()
	Filter   func(string) string // what the app makes of a text
	Full     int                 // characters after which next gets the keys; 0: never
	Next     *Field
}

// AgentText is the text that the agent returns: of a range the number, whatever else it shows.
func (v *View) AgentText() string { return cmp.Or(v.Level, v.Shown()) }

// WindowAt is the front window under a point. A dialog takes touches next to it as well, so that nothing behind it is
// hit.
func (f *Frame) WindowAt(at image.Point) *Window {
	for i := len(f.Windows) - 1; i >= 0; i-- {
		w := f.Windows[i]
		if !w.Glass && (at.In(w.Root.B) || w.Dim || w.Modal) {
			return w
		}
	}
	return nil
}

// Since says how long ago something was; a time that was never set is long ago.
func (m Metrics) Since(t time.Time) time.Duration { return m.Now.Sub(t) }

// Changed lets the app handle a text that was typed into the field. It returns the field that the keys go to now.
func (f *Field) Changed() *Field {
	if f.Filter != nil {
		f.Text = f.Filter(f.Text)
	}
	if f.Full > 0 && len([]rune(f.Text)) >= f.Full {
		f.Text = string([]rune(f.Text)[:f.Full])
		if f.Next != nil {
			return f.Next
		}
	}
	return f
}

// Display is the text on the glass: dots, if it is a password.
func (f *Field) Display() string {
	if f.Password {
		return strings.Repeat("•", len([]rune(f.Text)))
	}
	return f.Text
}

// Split parts the text at the caret.
func (f *Field) Split() (before, after []rune) {
	text := []rune(f.Text)
	f.Behind = max(0, min(f.Behind, len(text)))
	return text[:len(text)-f.Behind], text[len(text)-f.Behind:]
}

// Erase deletes what is selected, or the character ahead of the caret.
func (f *Field) Erase() {
	if f.Selected {
		f.Text, f.Selected, f.Behind = "", false, 0
		return
	}
	before, after := f.Split()
	if len(before) > 0 {
		f.Text = string(before[:len(before)-1]) + string(after)
	}
}

// Move takes the keys that move the caret, and the one that deletes behind it.
func (f *Field) Move(code int) {
	before, after := f.Split()
	if code == 112 && f.Selected {
		f.Erase()
		return
	}
	f.Selected = false
	switch code {
	case 21:
		f.Behind = min(f.Behind+1, len(before)+len(after))
	case 22:
		f.Behind = max(f.Behind-1, 0)
	case 19, 122:
		f.Behind = len(before) + len(after)
	case 20, 123:
		f.Behind = 0
	case 112:
		if len(after) > 0 {
			f.Text = string(before) + string(after[1:])
			f.Behind--
		}
	}
}
