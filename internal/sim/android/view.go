package androidsim

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"strings"
	"time"
)

// view is one element of a window; the tree and the screenshot are both made from it.
type view struct {
	class, text, desc, id, hint, pkg string
	level                            string // of a range: what the agent returns as its text
	// b may be inverted or empty, as broken views on phones are; image.Rectangle's own methods do not check it.
	b image.Rectangle

	clickable, longClickable, checkable, checked, disabled bool
	focusable, focused, scrollable, password, selected     bool
	sharesFocus                                            bool
	// for dumps that say so: it is there, and not visible to the user
	notShown bool
	clear    bool // nothing of it is drawn, nor of what is in it

	onTap    func()
	onLong   func()
	onDouble func() // the second of two taps
	// onDrag takes what was held and dragged to a point.
	onDrag func(to image.Point)
	// onPinch receives whether two fingers moved apart.
	onPinch func(open bool)
	// field is the text that the view edits.
	field *field
	// scroll receives by how many pixels a swipe moves the content up.
	scroll func(dy int)
	// web is the page that a WebView shows, image and version are its last image. Its virtual children are nodes alone:
	// the WebView itself takes their touches.
	web      remoteView
	webImage *image.RGBA
	version  int
	virtual  bool
	// setText takes a text that an accessibility service sets in a virtual child.
	setText func(text string)

	fill   color.Color
	ink    color.Color
	size   int // text height in pixels
	center bool
	round  bool
	image  bool // drawn as an image, has no text
	// draw orders siblings that are drawn in another order than the tree has them; the highest is drawn last.
	draw int
	// painted views are drawn with this one and have no nodes of their own.
	painted  []*view
	children []*view
}

// field is an editable text.
type field struct {
	text     string
	behind   int  // characters behind the caret
	selected bool // everything is selected: the next key replaces it
	password bool
	onEnter  func()
	filter   func(string) string // what the app makes of a text
	full     int                 // characters after which next gets the keys; 0: never
	next     *field
}

// changed lets the app handle a text that was typed into the field. It returns the field that the keys go to now.
func (f *field) changed() *field {
	if f.filter != nil {
		f.text = f.filter(f.text)
	}
	if f.full > 0 && len([]rune(f.text)) >= f.full {
		f.text = string([]rune(f.text)[:f.full])
		if f.next != nil {
			return f.next
		}
	}
	return f
}

func (f *field) display() string {
	if f.password {
		return strings.Repeat("•", len([]rune(f.text)))
	}
	return f.text
}

// split parts the text at the caret.
func (f *field) split() (before, after []rune) {
	text := []rune(f.text)
	f.behind = max(0, min(f.behind, len(text)))
	return text[:len(text)-f.behind], text[len(text)-f.behind:]
}

func (v *view) add(children ...*view) *view {
	v.children = append(v.children, children...)
	return v
}

func (v *view) paint(parts ...*view) *view {
	v.painted = append(v.painted, parts...)
	return v
}

// walk visits a view and everything in it, outer views first.
func (v *view) walk(f func(*view)) {
	f(v)
	for _, c := range v.children {
		c.walk(f)
	}
}

// label is the text, description or first label inside.
func (v *view) label() string {
	found := ""
	v.walk(func(c *view) {
		if found == "" {
			found = c.text
		}
		if found == "" {
			found = c.desc
		}
	})
	return found
}

// drawn are the children in the order in which they are drawn.
func (v *view) drawn() []*view {
	if !slices.ContainsFunc(v.children, func(c *view) bool { return c.draw != 0 }) {
		return v.children
	}
	return slices.SortedStableFunc(slices.Values(v.children), func(a, b *view) int { return cmp.Compare(a.draw, b.draw) })
}

// hit finds the view that takes a touch: like Android, it searches the children from the front to the back, and a view
// that is not clickable lets the touch through to what is behind it.
func (v *view) hit(at image.Point) *view {
	if !at.In(v.b) {
		return nil
	}
	if v.web != nil {
		return v
	}
	for _, c := range slices.Backward(v.drawn()) {
		if h := c.hit(at); h != nil {
			return h
		}
	}
	if v.clickable || v.field != nil {
		return v
	}
	return nil
}

// hitScroll finds the innermost scrollable under a point.
func (v *view) hitScroll(at image.Point) *view {
	if !at.In(v.b) {
		return nil
	}
	for _, c := range slices.Backward(v.drawn()) {
		if h := c.hitScroll(at); h != nil {
			return h
		}
	}
	if v.scroll != nil || v.web != nil {
		return v
	}
	return nil
}

// remoteView is a page that another process draws, and that takes touches and keys itself. None of its methods block:
// the phone's lock may be held.
type remoteView interface {
	// touched is a finger that did not move, moved one or more that did.
	touched(at image.Point, held time.Duration)
	moved(from, to []image.Point, held time.Duration)
	// key reports whether a key is the page's; together are keys that are held together, of which the last is pressed.
	key(code int) bool
	together(keys []int)
	typed(text string)
}

// window is one layer of the screen.
type window struct {
	title   string
	kind    string // APPLICATION, INPUT_METHOD, SYSTEM
	root    *view
	focused bool
	layer   int
	dim     bool    // everything behind is drawn darker
	modal   bool    // it takes the touches next to it as well
	parent  *window // that it belongs to: a menu to its page
	outside func()  // receives a touch next to it
	glass   bool    // it cannot be touched, and no dump has it: a toast
	secure  bool    // screenshots of it are forbidden
	away    bool    // no window shows it: for dumps of the window manager
}

// frame is the whole screen at one instant.
type frame struct {
	at       time.Time
	size     image.Point
	rotation int
	windows  []*window // from the back to the front
	keyboard bool
	captured bool // as screenshots have it: without what is secure
}

// active is the window that has the focus.
func (f *frame) active() *window {
	for i := len(f.windows) - 1; i >= 0; i-- {
		if f.windows[i].focused {
			return f.windows[i]
		}
	}
	return nil
}

// metrics turn density-independent pixels into pixels and hold the area that an app has.
type metrics struct {
	scale float64
	area  image.Rectangle // below the status bar, above the navigation bar
	now   time.Time
}

func (m metrics) dp(n int) int { return int(float64(n)*m.scale + 0.5) }

// rect is a rectangle in dp inside the area.
func (m metrics) rect(x, y, w, h int) image.Rectangle {
	o := m.area.Min
	return image.Rect(o.X+m.dp(x), o.Y+m.dp(y), o.X+m.dp(x+w), o.Y+m.dp(y+h))
}

// width is the width of the area in dp.
func (m metrics) width() int { return int(float64(m.area.Dx()) / m.scale) }

func (m metrics) height() int { return int(float64(m.area.Dy()) / m.scale) }

const (
	classFrame  = "android.widget.FrameLayout"
	classLinear = "android.widget.LinearLayout"
	classText   = "android.widget.TextView"
	classEdit   = "android.widget.EditText"
	classButton = "android.widget.Button"
	classImage  = "android.widget.ImageView"
	classList   = "androidx.recyclerview.widget.RecyclerView"
	classBar    = "android.widget.ProgressBar"
)

func rgb(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

// label makes a text that is not clickable itself.
func (m metrics) label(text string, b image.Rectangle) *view {
	return &view{class: classText, text: text, b: b, size: m.dp(17), ink: rgb(0x1c1b1f)}
}

// button makes a clickable frame around a text that is not clickable, as most buttons of real apps are.
func (m metrics) button(text, id string, b image.Rectangle, tap func()) *view {
	t := m.label(text, b.Inset(m.dp(6)))
	t.ink, t.center = rgb(0xffffff), true
	v := &view{class: classFrame, id: id, b: b, clickable: true, focusable: true, onTap: tap, fill: rgb(0x6750a4),
		round: true}
	return v.add(t)
}

// edit makes a text field.
func (m metrics) edit(f *field, hint, id string, b image.Rectangle) *view {
	return &view{
		class: classEdit, text: f.display(), hint: hint, id: id, b: b, field: f, password: f.password,
		clickable: true, longClickable: true, focusable: true, size: m.dp(17), ink: rgb(0x1c1b1f), fill: rgb(0xe7e0ec),
	}
}

func (m metrics) page(fill uint32) *view {
	return &view{class: classFrame, id: "android:id/content", b: m.area, fill: rgb(fill)}
}

func (m metrics) title(text string) *view {
	b := m.rect(0, 0, m.width(), 56)
	bar := &view{class: classLinear, b: b, fill: rgb(0xeaddff)}
	t := m.label(text, m.rect(16, 8, m.width()-32, 40))
	t.size = m.dp(21)
	return bar.add(t)
}
