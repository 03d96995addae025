package live_test

import (
	"context"
	"errors"
	"image"
	"image/draw"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// phones is a driver of phones that count their actions. The screen of each shows one button.
type phones struct {
	mu     sync.Mutex
	ids    []string
	opened map[string]int
	taps   map[string]int
	busy   map[string]bool
	open   int
	fail   error                           // of the next tap
	during func(ctx context.Context) error // during a tap

	shots atomic.Int32 // number of screenshots
	ink   atomic.Int32 // 0: black screens, else white ones
}

func newPhones(ids ...string) *phones {
	return &phones{ids: ids, opened: map[string]int{}, taps: map[string]int{}, busy: map[string]bool{}}
}

func (p *phones) Platform() dsl.Platform { return dsl.Android }

func (p *phones) Close() error { return nil }

func (p *phones) Devices(context.Context) ([]drivers.Info, error) {
	var infos []drivers.Info
	for _, id := range p.ids {
		infos = append(infos, drivers.Info{ID: id, Platform: dsl.Android, State: drivers.Ready})
	}
	return append(infos, drivers.Info{ID: "off", Platform: dsl.Android, State: "offline", Problem: "plug it in again"}),
		nil
}

func (p *phones) Open(_ context.Context, id string) (drivers.Device, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened[id]++
	p.open++
	return &phone{p: p, id: id}, nil
}

func (p *phones) count() (opened, open int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.opened {
		opened += n
	}
	return opened, p.open
}

type phone struct {
	p      *phones
	id     string
	closed bool
	typed  string
}

func (d *phone) Info() drivers.Info {
	return drivers.Info{ID: d.id, Platform: dsl.Android, State: drivers.Ready}
}

func (d *phone) Tree(context.Context) (*screen.Tree, error) {
	return screen.NewTree([]*screen.Node{
		{Bounds: image.Rect(0, 0, 100, 200), Children: []*screen.Node{
			{Type: "Button", Text: "Login", Clickable: true, Bounds: image.Rect(10, 10, 90, 50)},
			{Type: "EditText", Text: d.typed, Editable: true, Focused: true, Bounds: image.Rect(10, 60, 90, 90)}}}},
		image.Pt(100, 200), time.Now()), nil
}

func (d *phone) Screenshot(context.Context) (image.Image, error) {
	img := image.NewRGBA(image.Rect(0, 0, 100, 200))
	if d.p.ink.Load() != 0 {
		draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	}
	d.p.shots.Add(1)
	return img, nil
}

func (d *phone) Type(_ context.Context, text string) error {
	d.typed += text
	return nil
}

func (d *phone) Tap(ctx context.Context, _ image.Point) error {
	d.p.mu.Lock()
	if d.p.busy[d.id] {
		d.p.mu.Unlock()
		return errors.New("two calls at once")
	}
	d.p.busy[d.id] = true
	fail, during := d.p.fail, d.p.during
	d.p.fail = nil
	d.p.mu.Unlock()
	defer func() { d.p.mu.Lock(); d.p.busy[d.id] = false; d.p.mu.Unlock() }()
	if during != nil {
		if err := during(ctx); err != nil {
			return err
		}
	}
	if fail == nil {
		d.p.mu.Lock()
		d.p.taps[d.id]++
		d.p.mu.Unlock()
	}
	return fail
}

func (d *phone) Close() error {
	d.p.mu.Lock()
	defer d.p.mu.Unlock()
	if !d.closed {
		d.closed = true
		d.p.open--
	}
	return nil
}
