package truth_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// TestResults checks every assertion on made-up screens in the positive and in the negative, through the agent and
// through adb: of assert and assertNot, and of a count and another one, exactly one holds, and it is the one that the
// screen's pixels show, where the phone says which of two is drawn over the other. What is touched is what was meant,
// by the phone's own record. VERDICT_SEED says which screen is the first, VERDICT_RUNS how many.
func TestResults(t *testing.T) {
	usual := 30
	if testing.Short() {
		usual = 2
	}
	seed, runs := number("VERDICT_SEED", 1), number("VERDICT_RUNS", usual)
	var seeds []int
	for i := range runs {
		seeds = append(seeds, seed+i)
	}
	if !testing.Short() && seed == 1 {
		seeds = append(seeds, slices.DeleteFunc(wrongOnce(), func(n int) bool { return n <= runs })...)
	}
	free := make(chan struct{}, number("TRUTH_PHONES", 8))
	for _, n := range seeds {
		for _, agent := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/%s", n, map[bool]string{true: "agent", false: "stock"}[agent]), func(t *testing.T) {
				t.Parallel()
				free <- struct{}{}
				defer func() { <-free }()
				newQuestioned(t, uint64(n), agent).all(t)
			})
		}
	}
}

// wrongOnce are screens on which a text counted as absent though a person sees it: below the key of a clear navigation
// bar (44), in the corner of a clear bar (59, 114), as the lower ends of its characters (65), under a text in a clear
// panel (75, 86); some on which one counted as seen of which only a border is in view (162), or that has no ink under
// another text in a clear panel (211); and those on which a tap through adb pressed a key of the navigation bar of
// Android 9 (177, 192, 216).
func wrongOnce() []int { return []int{44, 59, 65, 75, 86, 114, 162, 177, 192, 211, 216} }

// shownText is a text of a made-up screen.
type shownText struct {
	name   string
	part   part
	button bool
}

// questioned is a made-up screen on a phone.
type questioned struct {
	seed    uint64
	phone   *androidsim.Phone
	dev     drivers.Device
	page    func(now androidsim.Moment) androidsim.Shown
	texts   []*shownText
	without string // the text that is left out of the next screenshot
	only    string // the text that is alone in the next screenshot
	touched []string
	buttons bool // the navigation bar has some
	dialog  bool
	list    []part // next to each other
	byPlace bool   // the phone lists what is next to each other by its place
}

func newQuestioned(t *testing.T, seed uint64, agent bool) *questioned {
	q := &questioned{seed: seed}
	q.make(rand.New(rand.NewPCG(seed, 58)))
	o := androidsim.Options{Serial: fmt.Sprintf("VERDICT%d%t", seed, agent), API: []int{28, 34, 36}[seed%3],
		Width: trapSize, Height: 2 * trapSize, Density: 160,
		ButtonBar: q.buttons}
	q.byPlace = o.API < 34 && !agent
	q.phone = androidsim.NewPhone(o)
	t.Cleanup(q.phone.Close)
	server, err := androidsim.NewServer(q.phone)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	q.phone.InstallScene(scenePackage, "Truth", func(now androidsim.Moment) androidsim.Shown { return q.page(now) })
	e := example{agent: agent}
	driver := android.New(android.Options{NotesDir: t.TempDir(), Getenv: e.environ(t, server), FindADB: androidsim.NoADB})
	t.Cleanup(func() { driver.Close() })
	q.phone.Unlock()
	if q.dev, err = driver.Open(t.Context(), o.Serial); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.dev.Close() })
	if err := q.dev.(drivers.Apps).Launch(t.Context(), scenePackage, true); err != nil {
		t.Fatal(err)
	}
	return q
}

// make draws what is on the screen, in the order of drawing.
func (q *questioned) make(r *rand.Rand) {
	names := []string{"Ada", "Weiter", "Invoice 4711", "Total 12.00", "Paid", "Straße", "Oslo", "Vegan", "Groups",
		"Delete", "Save", "Coupon", "Terms", "Help",
		"Orders", "Checkout", "Profile", "Wallet", "Milk", "Butter", "Notes", "Share", "Retry", "Lisbon", "Berlin",
		"Summary", "Cancel", "Review", "Inbox", "Sent"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	next := func() string {
		name := names[0]
		names = names[1:]
		return name
	}
	maker := &partMaker{q: q, r: r, next: next}
	q.buttons = r.IntN(3) == 0
	var list []part
	add := func(p ...part) { list = append(list, p...) }
	add(maker.list(image.Rect(0, 84, trapSize, 300+r.IntN(300))))
	if r.IntN(2) == 0 {
		add(maker.chips(image.Rect(0, 30+r.IntN(60), trapSize, 80+r.IntN(60))))
	}
	if r.IntN(2) == 0 {
		add(maker.form(560 + r.IntN(80))...)
	}
	for range r.IntN(3) {
		add(maker.card())
	}
	if r.IntN(2) == 0 {
		add(maker.bar(28, 84))
	}
	if r.IntN(2) == 0 {
		add(maker.bar(700+r.IntN(60), 800))
	}
	if r.IntN(3) == 0 { // as Compose and React Native have them
		add(part{Class: "android.view.View", Bounds: image.Rect(0, 28, trapSize, 776)})
	}
	q.list = list
	var dialog *part
	if r.IntN(7) == 0 {
		q.dialog = true
		d := maker.box(image.Rect(40, 240, 360, 480), paper)
		dialog = &d
	}
	q.page = func(androidsim.Moment) androidsim.Shown {
		s := androidsim.Shown{Page: q.drawn(list)}
		if dialog != nil && q.only == "" {
			d := q.drawn([]part{*dialog})[0]
			s.Dialog = &d
		}
		return s
	}
}

// overlapped reports whether a text is under or over something that is next to what it is in.
func (q *questioned) overlapped(s *shownText) bool {
	var holds func(p part) bool
	holds = func(p part) bool { return p.Text+p.Hint == s.name || slices.ContainsFunc(p.Parts, holds) }
	return slices.ContainsFunc(q.list, func(p part) bool { return !holds(p) && p.Bounds.Overlaps(s.part.Bounds) })
}

// drawn leaves out the text that the next screenshot lacks.
func (q *questioned) drawn(list []part) []part {
	out := slices.Clone(list)
	for i := range out {
		p := &out[i]
		p.Parts = q.drawn(p.Parts)
		if said := p.Text + p.Hint; q.without != "" && said == q.without {
			p.Text, p.Hint = "", ""
		}
	}
	return out
}

type partMaker struct {
	q    *questioned
	r    *rand.Rand
	next func() string
}

func (m *partMaker) colour() color.Color {
	return []color.Color{paper, color.White, color.RGBA{0xea, 0xdd, 0xff, 0xff}, color.RGBA{0xe7, 0xe0, 0xec,
		0xff}}[m.r.IntN(4)]
}

func (m *partMaker) text(b image.Rectangle) part {
	p := part{Text: m.next(), Bounds: b, Centered: m.r.IntN(3) == 0}
	if m.r.IntN(12) == 0 { // nothing draws it
		p.Fill, p.Ink = paper, paper
	}
	m.q.texts = append(m.q.texts, &shownText{name: p.Text, part: p})
	return p
}

func (m *partMaker) button(b image.Rectangle) part {
	name := m.next()
	p := part{Class: "android.widget.Button", Text: name, Bounds: b, Clickable: true, Fill: blue, Ink: color.White,
		Centered: true,
		Tapped:   func() { m.q.touched = append(m.q.touched, name) }}
	m.q.texts = append(m.q.texts, &shownText{name: name, part: p, button: true})
	return p
}

// list is cut at both ends.
func (m *partMaker) list(b image.Rectangle) part {
	l := part{Class: "androidx.recyclerview.widget.RecyclerView", Bounds: b, Scrolled: func(int) {}}
	height := 60 + m.r.IntN(40)
	for y := b.Min.Y - m.r.IntN(height); y < b.Max.Y && len(l.Parts) < 7; y += height {
		row := image.Rect(0, y, trapSize, y+height-4)
		p := part{Class: "android.widget.LinearLayout", Bounds: row}
		if m.r.IntN(2) == 0 {
			p.Fill = m.colour()
		}
		p.Parts = append(p.Parts, m.text(image.Rect(16, row.Min.Y+4, 230, row.Max.Y-4)))
		if m.r.IntN(3) == 0 {
			p.Parts = append(p.Parts, m.button(image.Rect(250, row.Min.Y+6, 384, row.Max.Y-6)))
		}
		l.Parts = append(l.Parts, p)
	}
	return l
}

// chips reach beyond the edge of the screen.
func (m *partMaker) chips(b image.Rectangle) part {
	l := part{Class: "android.widget.HorizontalScrollView", Bounds: b, Scrolled: func(int) {}}
	for x := 8 - m.r.IntN(120); x < trapSize && len(l.Parts) < 4; x += 150 {
		chip := m.text(image.Rect(x, b.Min.Y+4, x+140, b.Max.Y-4))
		chip.Fill = m.colour()
		chip.Painted = []part{{Fill: ink, Bounds: image.Rect(x, b.Min.Y+4, x+2, b.Max.Y-4)}, {Fill: ink,
			Bounds: image.Rect(x, b.Min.Y+4, x+140, b.Min.Y+6)}}
		l.Parts = append(l.Parts, chip)
	}
	return l
}

func (m *partMaker) form(y int) []part {
	hint := m.next()
	field := part{Class: "android.widget.EditText", Hint: hint, Entry: androidsim.NewEntry("", false), Clickable: true,
		Bounds: image.Rect(16, y+44, 384, y+92),
		Fill:   color.RGBA{0xe7, 0xe0, 0xec, 0xff}}
	m.q.texts = append(m.q.texts, &shownText{name: hint, part: field})
	return []part{m.text(image.Rect(16, y, 384, y+40)), field, m.button(image.Rect(200, y+100, 384, y+146))}
}

// card is anywhere over what is drawn before it, opaque or clear.
func (m *partMaker) card() part {
	x, y := m.r.IntN(200)-40, 80+m.r.IntN(500)
	var fill color.Color
	if m.r.IntN(3) > 0 {
		fill = m.colour()
	}
	return m.box(image.Rect(x, y, min(trapSize, x+150+m.r.IntN(300)), y+60+m.r.IntN(300)), fill)
}

func (m *partMaker) box(b image.Rectangle, fill color.Color) part {
	p := part{Class: "android.widget.FrameLayout", Bounds: b, Fill: fill}
	at := b.Inset(8)
	if at.Dx() > 100 && at.Dy() > 40 {
		p.Parts = append(p.Parts, m.text(image.Rect(at.Min.X, at.Min.Y, at.Min.X+at.Dx()/2, at.Min.Y+40)))
	}
	if at.Dx() > 120 && at.Dy() > 100 {
		p.Parts = append(p.Parts, m.button(image.Rect(at.Min.X, at.Max.Y-46, at.Max.X, at.Max.Y)))
	}
	return p
}

func (m *partMaker) bar(top, bottom int) part {
	p := part{Class: "android.widget.LinearLayout", Bounds: image.Rect(0, top, trapSize, bottom)}
	if m.r.IntN(4) > 0 {
		p.Fill = m.colour()
	}
	for i := range 1 + m.r.IntN(2) {
		b := image.Rect(16+i*190, top+4, 196+i*190, bottom-4)
		if m.r.IntN(2) == 0 {
			p.Parts = append(p.Parts, m.button(b))
		} else {
			p.Parts = append(p.Parts, m.text(b))
		}
	}
	return p
}

// ink is how much of the characters of a text is on the screen: 0 is none, 1 all.
func (q *questioned) ink(s *shownText) float64 {
	count := func(a, b *image.RGBA) (n int) {
		for y := 0; y < a.Rect.Dy(); y++ {
			for x := range a.Rect.Dx() {
				if a.RGBAAt(x, y) != b.RGBAAt(x, y) && image.Pt(x, y).In(s.part.Bounds) && y >= 28 {
					n++
				}
			}
		}
		return n
	}
	picture := func(without string) *image.RGBA {
		q.phone.Change(func() { q.without = without })
		defer q.phone.Change(func() { q.without = "" })
		return q.phone.Screen()
	}
	all := len([]rune(s.name)) * 100 // about what a character has
	return float64(count(picture(""), picture(s.name))) / float64(all)
}

// all checks all assertions of all texts.
func (q *questioned) all(t *testing.T) {
	some := slices.Clone(q.texts)
	r := rand.New(rand.NewPCG(q.seed, 59))
	r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	for _, s := range some[:min(len(some), number("VERDICT_TEXTS", 6))] {
		ink := q.ink(s)
		seen := answer(unsure)
		switch {
		case ink == 0:
			seen = no
		case ink > 0.3:
			seen = yes
		}
		if q.dialog || q.byPlace && q.overlapped(s) {
			seen = unsure // what is next to a dialog is seen, and no phone reports it; nor which of two is drawn last
		}
		got := map[string]answer{}
		for _, question := range []struct {
			name string
			args any
		}{
			{"assert", dsl.Assert{Selector: dsl.Selector{Label: s.name}}}, {"assertNot",
				dsl.AssertNot{Selector: dsl.Selector{Label: s.name}}},
			{"count 0", dsl.AssertElement{Selector: dsl.Selector{Label: s.name}, Count: new(int)}}, {"count 1",
				dsl.AssertElement{Selector: dsl.Selector{Label: s.name}, Count: &one}},
		} {
			result, why := q.ask(t.Context(), question.args)
			want := seen
			if negated := question.name == "assertNot" || question.name == "count 0"; negated && seen != unsure {
				want = map[answer]answer{yes: no, no: yes}[seen]
			}
			got[question.name] = result
			if want != unsure && result != want || result == unsure {
				t.Errorf("VERDICT_SEED=%d: %s: %s at %v, of which %.2f is drawn: %v, and %v is right: %s", q.seed, question.name,
					s.name, s.part.Bounds, ink,
					answerWords[result], answerWords[want], why)
			}
		}
		if got["assert"] == got["assertNot"] || got["count 0"] == got["count 1"] || got["assert"] != got["count 1"] {
			t.Errorf("VERDICT_SEED=%d: %s at %v, of which %.2f is drawn: %v", q.seed, s.name, s.part.Bounds, ink, got)
		}
		if s.button && !(q.byPlace && q.overlapped(s)) {
			q.touch(t, s, seen)
		}
	}
}

var (
	one         = 1
	answerWords = map[answer]string{yes: "yes", no: "no", unsure: "an error"}
)

// ask performs an action: yes when it passes, no when it fails, unsure when it is an error.
func (q *questioned) ask(ctx context.Context, args any) (answer, string) {
	s := &action.Performer{Device: q.dev, Platform: dsl.Android, Timeout: 1200 * time.Millisecond,
		Settings: action.Settings{Vision: vision.New(vision.Options{})}}
	s.Detail = &event.Detail{}
	err := action.Perform(ctx, s, args)
	switch f := new(action.Failure); {
	case err == nil:
		return yes, strings.Join(s.Detail.Warnings, "; ")
	case errors.As(err, &f) || drivers.AppIsWrong(err):
		return no, err.Error()
	}
	return unsure, err.Error()
}

// touch holds a touch against what the phone has noted.
func (q *questioned) touch(t *testing.T, s *shownText, seen answer) {
	q.phone.Change(func() { q.touched = nil })
	pressed := len(q.phone.BarKeys())
	result, why := q.ask(t.Context(), dsl.Tap{Selector: dsl.Selector{Label: s.name}})
	var met []string
	q.phone.Change(func() { met = slices.Clone(q.touched) })
	if result == yes && !slices.Equal(met, []string{s.name}) || result != yes && len(met) > 0 ||
		len(q.phone.BarKeys()) > pressed {
		t.Errorf("VERDICT_SEED=%d: tap %s at %v: %v, and %q was touched: %s", q.seed, s.name, s.part.Bounds,
			answerWords[result], met, why)
	}
	if len(q.phone.BarKeys()) > pressed {
		t.Fatal("the app was left")
	}
}
