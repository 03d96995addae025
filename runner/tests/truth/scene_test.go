package truth_test

import (
	"fmt"
	"image"
	"image/color"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

const rowHeight = 52

// scene shows the model on a phone.
func (m *model) scene(now androidsim.Moment) androidsim.Shown {
	if n := len(m.looks); n == 0 || m.looks[n-1] != now.Since {
		m.looks = append(m.looks, now.Since)
	}
	var s androidsim.Shown
	for _, i := range m.page {
		if i.there(now.Since) {
			s.Page = append(s.Page, m.part(i, now, image.Point{}))
		}
	}
	if m.status != "" {
		s.Page = append(s.Page, androidsim.Part{Text: m.status, Bounds: m.statusBox(), ID: "com.example.truth:id/status"})
	}
	if m.ticker {
		b := image.Rect(m.size.X-90, m.slot(statusSlot).Min.Y, m.size.X-16, m.slot(statusSlot).Max.Y)
		s.Page = append(s.Page, androidsim.Part{Text: fmt.Sprint(now.Since.Milliseconds() / 15 % 1000), Bounds: b})
	}
	if m.dialog != nil && m.dialog.there(now.Since) {
		d := m.part(m.dialog, now, image.Point{})
		s.Dialog = &d
	}
	for _, i := range m.above {
		if i.there(now.Since) {
			s.Above = append(s.Above, m.part(i, now, image.Point{}))
		}
	}
	return s
}

func (m *model) part(i *item, now androidsim.Moment, by image.Point) androidsim.Part {
	at := i.at(now.Since).Add(by)
	p := androidsim.Part{
		Text: i.text, Desc: i.desc, Hint: i.hint, Bounds: at, Fill: i.fill, Picture: i.picture, Clickable: i.takes,
		Checkable: i.checks, Checked: i.checked, Disabled: i.disabled, Class: "android.widget.TextView",
	}
	switch {
	case i.editable:
		p.Class, p.Entry, p.Clickable = "android.widget.EditText", i.field, true
		i.typed = i.field.Text()
	case i.checks:
		p.Class = "android.widget.Switch"
		ink := color.RGBA{0x79, 0x74, 0x7e, 0xff}
		if i.checked {
			ink = color.RGBA{0x67, 0x50, 0xa4, 0xff}
		}
		p.Painted = []androidsim.Part{{Bounds: image.Rect(at.Max.X-30, at.Min.Y+12, at.Max.X-6, at.Max.Y-12), Fill: ink}}
	case i.picture:
		p.Class = "android.widget.ImageView"
	case len(i.in) > 0 || i.text == "":
		p.Class = "android.widget.FrameLayout"
	}
	if i.takes && !i.editable {
		app := now.App
		p.Tapped = func() { m.took(i, now.Since, &app) }
	}
	if i.rows != nil {
		m.list(i, &p, now)
	}
	for _, c := range i.in {
		if c.there(now.Since) {
			p.Parts = append(p.Parts, m.part(c, now, at.Min.Sub(i.box.Min)))
		}
	}
	return p
}

// list shows the rows that lie in the window of a list, cut to it.
func (m *model) list(i *item, p *androidsim.Part, now androidsim.Moment) {
	p.Class = "androidx.recyclerview.widget.RecyclerView"
	most := max(0, len(i.rows)*rowHeight-i.box.Dy())
	p.Scrolled = func(dy int) { i.offset = max(0, min(most, i.offset+dy)) }
	app := now.App
	for n, text := range i.rows {
		row := image.Rect(i.box.Min.X, i.box.Min.Y+n*rowHeight-i.offset, i.box.Max.X, i.box.Min.Y+(n+1)*rowHeight-4-i.offset)
		cut := row.Intersect(i.box)
		if cut.Empty() || cut.Dy() < 8 {
			continue
		}
		p.Parts = append(p.Parts, androidsim.Part{
			Class: "android.widget.LinearLayout", Bounds: cut, Clickable: true,
			Tapped: func() { m.took(&item{name: text}, now.Since, &app) },
			Parts:  []androidsim.Part{{Text: text, Bounds: cut}},
		})
	}
}

// field makes an editable item.
func (i *item) fieldOf(text string) *item {
	i.editable, i.takes, i.typed, i.field = true, true, text, androidsim.NewEntry(text, false)
	return i
}
