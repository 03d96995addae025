package truth_test

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"time"
)

// screenMaker makes up one screen.
type screenMaker struct {
	r     *rand.Rand
	m     *model
	free  []int // slots
	words []string
	n     int
}

func words() []string {
	return []string{"Pay", "Orders", "Invoices", "Profile", "Help", "Billing", "Reports", "Team", "Inbox", "Calendar",
		"Photos", "Backup", "Wi-Fi", "Order", "Delete", "Save"}
}

// makeModel makes the screen of a seed; the same seed makes the same screen.
func makeModel(seed uint64) *model {
	r := rand.New(rand.NewPCG(seed, 36))
	s := &screenMaker{r: r, m: &model{size: image.Pt(400, 800)}, words: words()}
	s.m.api = []int{30, 34, 36}[r.IntN(3)]
	for i := range statusSlot {
		s.free = append(s.free, i)
	}
	r.Shuffle(len(s.words), func(i, j int) { s.words[i], s.words[j] = s.words[j], s.words[i] })
	makers := s.makers()
	for range 2 + r.IntN(3) {
		makers[r.IntN(len(makers))]()
	}
	if r.IntN(3) == 0 {
		s.layers()
	}
	s.m.ticker = r.IntN(25) == 0
	return s.m
}

func (s *screenMaker) makers() []func() {
	return []func(){s.family, s.family, s.family, s.moreRows, s.switchRow, s.iconRow, s.twins, s.field, s.late, s.late,
		s.mover, s.state, s.list}
}

func (s *screenMaker) word() string {
	w := s.words[s.n%len(s.words)]
	s.n++
	return w
}

// place takes the next n slots that lie together.
func (s *screenMaker) place(n int) (first int, ok bool) {
	if len(s.free) < n {
		return 0, false
	}
	first = s.free[0]
	s.free = s.free[n:]
	return first, true
}

func (s *screenMaker) ms(low, high int) time.Duration {
	return time.Duration(low+s.r.IntN(high-low)) * time.Millisecond
}

func violet() color.Color { return color.RGBA{0xd0, 0xbc, 0xff, 0xff} }
func dark() color.Color   { return color.RGBA{0x32, 0x2f, 0x35, 0xff} }
func white() color.Color  { return color.RGBA{0xff, 0xff, 0xff, 0xff} }

func (s *screenMaker) button(text string, box image.Rectangle) *item {
	label := &item{name: text + " text", text: text, box: box}
	return &item{name: text, box: box, fill: violet(), takes: true, in: []*item{label}}
}

// family shows a word among similar ones.
func (s *screenMaker) family() {
	w := s.word()
	low := strings.ToLower(w)
	kin := []string{w, w + " later", "Not " + low, "Un" + low, w + "s", strings.ToUpper(w), w + " 12", "My " + w,
		w + " history", "No longer " + low}
	s.r.Shuffle(len(kin), func(i, j int) { kin[i], kin[j] = kin[j], kin[i] })
	for _, text := range kin[:2+s.r.IntN(2)] {
		at, ok := s.place(1)
		if !ok {
			return
		}
		if s.r.IntN(4) == 0 {
			s.m.page = append(s.m.page, &item{name: text, text: text, box: s.m.slot(at)})
			continue
		}
		s.m.page = append(s.m.page, s.button(text, s.m.slot(at)))
	}
}

// switchRow is a row with a text and a switch; the row or the switch takes the touch.
func (s *screenMaker) switchRow() {
	at, ok := s.place(1)
	if !ok {
		return
	}
	w, box := s.word(), s.m.slot(at)
	text := &item{name: w + " text", text: w, box: image.Rect(box.Min.X, box.Min.Y, box.Max.X-80, box.Max.Y)}
	sw := &item{name: w + " switch", checks: true, checked: s.r.IntN(2) == 0, box: image.Rect(box.Max.X-76, box.Min.Y,
		box.Max.X, box.Max.Y)}
	row := &item{name: w, box: box, takes: true, in: []*item{text, sw}}
	s.m.page = append(s.m.page, row)
}

// iconRow is a row that takes touches with an icon in it that does so, too; sometimes in its very middle.
func (s *screenMaker) iconRow() {
	at, ok := s.place(1)
	if !ok {
		return
	}
	w, box := s.word(), s.m.slot(at)
	x := []int{box.Max.X - 48, box.Min.X + box.Dx()/2 - 24, box.Min.X + 20}[s.r.IntN(3)]
	icon := &item{name: "Share " + w, desc: "Share " + w, picture: true, takes: true, box: image.Rect(x, box.Min.Y, x+48,
		box.Max.Y)}
	text := &item{name: w + " text", text: w, box: box}
	if s.r.IntN(2) == 0 {
		text.box.Min.X = x + 50
	}
	if text.box.Dx() < 120 {
		text.box = image.Rect(box.Min.X, box.Min.Y, x, box.Max.Y)
	}
	s.m.page = append(s.m.page, &item{name: w, box: box, takes: true, in: []*item{text, icon}})
}

// moreRows are rows with equal icons.
func (s *screenMaker) moreRows() {
	for range 2 + s.r.IntN(2) {
		at, ok := s.place(1)
		if !ok {
			return
		}
		w, box := s.word(), s.m.slot(at)
		icon := &item{name: "More of " + w, desc: "More", picture: true, takes: true, box: image.Rect(box.Max.X-48, box.Min.Y,
			box.Max.X, box.Max.Y)}
		text := &item{name: w + " text", text: w, box: image.Rect(box.Min.X, box.Min.Y, box.Max.X-60, box.Max.Y)}
		s.m.page = append(s.m.page, &item{name: w, box: box, takes: true, in: []*item{text, icon}})
	}
}

// twins are two buttons with one text; sometimes a layer covers one of them.
func (s *screenMaker) twins() {
	at, ok := s.place(2)
	if !ok {
		return
	}
	w := s.word()
	first, second := s.button(w, s.m.slot(at)), s.button(w, s.m.slot(at+1))
	first.name, second.name = w+" 1", w+" 2"
	s.m.page = append(s.m.page, first, second)
	if s.r.IntN(2) == 0 {
		cover := &item{name: "cover", box: s.m.slot(at + s.r.IntN(2)).Inset(-2), fill: white()}
		if s.r.IntN(2) == 0 {
			cover.in = []*item{{name: "cover text", text: "Offers", box: cover.box.Inset(4)}}
		}
		s.m.page = append(s.m.page, cover)
	}
}

func (s *screenMaker) field() {
	if len(s.free) == 0 || s.free[0] > 5 { // not where the keyboard will be
		return
	}
	at, _ := s.place(1)
	w := s.word()
	f := (&item{name: w + " field", hint: w + " name", box: s.m.slot(at),
		fill: color.RGBA{0xe7, 0xe0, 0xec, 0xff}}).fieldOf("")
	if s.r.IntN(3) == 0 {
		f.fieldOf("Ada " + w)
	}
	s.m.page = append(s.m.page, f)
}

// late is a button that comes later, next to a similar one that is there at once; or one that goes away.
func (s *screenMaker) late() {
	at, ok := s.place(2)
	if !ok {
		return
	}
	w := s.word()
	early, late := s.button(w+" later", s.m.slot(at)), s.button(w, s.m.slot(at+1))
	late.from = s.ms(100, 2500)
	if s.r.IntN(3) == 0 {
		late.from, late.until = 0, s.ms(300, 2000)
	}
	s.m.page = append(s.m.page, early, late)
}

// mover goes down over free space, at once or after a while, sometimes with another button behind it that takes its old
// place.
func (s *screenMaker) mover() {
	at, ok := s.place(3)
	if !ok {
		return
	}
	w := s.word()
	b := s.button(w, s.m.slot(at))
	b.moves = move{start: s.ms(1, 600), by: 112}
	b.moves.end = b.moves.start + s.ms(150, 900)
	s.m.page = append(s.m.page, b)
	if s.r.IntN(2) == 0 {
		other := s.button("Delete "+strings.ToLower(w), s.m.slot(at))
		other.from = b.moves.end
		s.m.page = append(s.m.page, other)
	}
}

// state is a button that cannot be pressed, or dies when it is.
func (s *screenMaker) state() {
	at, ok := s.place(1)
	if !ok {
		return
	}
	b := s.button(s.word(), s.m.slot(at))
	if s.r.IntN(2) == 0 {
		b.disabled, b.in[0].disabled = true, true
	} else {
		b.crashes = s.ms(1, 400)
	}
	s.m.page = append(s.m.page, b)
}

func (s *screenMaker) list() {
	at, ok := s.place(4)
	if !ok {
		return
	}
	for i := range s.m.all {
		if i.rows != nil {
			return
		}
	}
	box := s.m.slot(at)
	box.Max.Y = s.m.slot(at + 3).Max.Y
	l := &item{name: "list", box: box}
	for i := range 12 + s.r.IntN(12) {
		l.rows = append(l.rows, fmt.Sprintf("Row %d", i+1))
	}
	s.m.page = append(s.m.page, l)
}

// layers lay something over all or a part of the screen.
func (s *screenMaker) layers() {
	whole := image.Rect(0, 28, s.m.size.X, s.m.size.Y-24)
	some := image.Rect(0, s.m.slot(s.r.IntN(3)).Min.Y-4, s.m.size.X, s.m.slot(3+s.r.IntN(5)).Max.Y+4)
	switch s.r.IntN(6) {
	case 0: // a splash that goes away
		s.m.page = append(s.m.page, &item{name: "splash", box: whole, fill: violet(), until: s.ms(200, 2500),
			in: []*item{{name: "splash text", text: "Loading the shop", box: s.m.slot(6)}}})
	case 1: // another page over a part, or all, that stays
		s.m.page = append(s.m.page, &item{name: "sheet", box: some, fill: white(), takes: s.r.IntN(2) == 0,
			in: []*item{{name: "sheet text", text: "Cookie settings", box: image.Rect(16, some.Min.Y+4, 380, some.Min.Y+50)}}})
	case 2: // a clear layer that takes no touches
		s.m.page = append(s.m.page, &item{name: "glass", box: whole})
	case 3: // one that takes them all
		s.m.page = append(s.m.page, &item{name: "scrim", box: whole, takes: true})
	case 4:
		s.dialog()
	case 5:
		if s.m.api >= 34 {
			s.headsUp()
		}
	}
}

func (s *screenMaker) dialog() {
	box := image.Rect(30, s.m.slot(2).Min.Y, s.m.size.X-30, s.m.slot(6).Max.Y)
	ok := s.button("Confirm", image.Rect(200, box.Max.Y-60, 350, box.Max.Y-10))
	title := &item{name: "title", text: "Really go on?", box: image.Rect(40, box.Min.Y+10, 360, box.Min.Y+58)}
	s.m.dialog = &item{name: "dialog", box: box, fill: white(), in: []*item{title, ok}}
	if s.r.IntN(2) == 0 {
		s.m.dialog.from = s.ms(100, 1500)
	}
}

// headsUp is a notification that comes down over the first two slots.
func (s *screenMaker) headsUp() {
	box := image.Rect(8, 32, s.m.size.X-8, s.m.slot(1).Max.Y+4)
	n := &item{name: "notification", box: box, fill: dark(), takes: true, in: []*item{
		{name: "notification text", text: "Bob wrote to you", box: image.Rect(20, 40, 380, 90)}}}
	if s.r.IntN(3) > 0 {
		n.from = s.ms(50, 1500)
	}
	if s.r.IntN(2) == 0 {
		n.until = n.from + s.ms(400, 2000)
	}
	s.m.above = append(s.m.above, n)
}
