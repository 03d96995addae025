package action_test

import (
	"context"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// fake is a device with a screen that is a function of the time since it was made and of the taps so far. Run it inside
// synctest: its calls cost time and nothing else.
type fake struct {
	show        func(at time.Duration, taps []image.Point) []*screen.Node
	began       time.Time
	treeCost    time.Duration
	pictureCost time.Duration
	cheap       bool // screenshots are cheaper than trees, as on Android
	treeErr     func(at time.Duration) error

	taps  []image.Point
	when  []time.Duration
	typed string
	trees int
	shots int
}

var size = image.Pt(1000, 2000)

func (f *fake) at() time.Duration { return time.Since(f.began) }

func (f *fake) Info() drivers.Info { return drivers.Info{ID: "fake"} }
func (f *fake) Close() error       { return nil }

func (f *fake) Tree(ctx context.Context) (*screen.Tree, error) {
	f.trees++
	taken := time.Now()
	nodes := f.show(f.at(), f.taps)
	if err := f.wait(ctx, f.treeCost); err != nil {
		return nil, err
	}
	if f.treeErr != nil {
		if err := f.treeErr(f.at()); err != nil {
			return nil, err
		}
	}
	root := &screen.Node{Type: "root", Bounds: image.Rectangle{Max: size}, Children: nodes}
	return screen.NewTree([]*screen.Node{root}, size, taken), nil
}

// Screenshot paints each element in a colour of its text, and strokes of different heights in it.
func (f *fake) Screenshot(ctx context.Context) (image.Image, error) {
	f.shots++
	img := image.NewRGBA(image.Rectangle{Max: size})
	for _, n := range f.show(f.at(), f.taps) {
		h := fnv.New32a()
		h.Write([]byte(n.Text))
		sum := h.Sum32()
		c := color.RGBA{byte(sum), byte(sum >> 8), byte(sum >> 16), 255}
		draw.Draw(img, n.Bounds, image.NewUniform(c), image.Point{}, draw.Src)
		for i := range 5 * min(1, len(n.Text)) {
			stroke := image.Rect(n.Bounds.Min.X+20+12*i, n.Bounds.Min.Y+20+4*i, n.Bounds.Min.X+26+12*i, n.Bounds.Max.Y-20)
			draw.Draw(img, stroke.Intersect(n.Bounds), image.NewUniform(color.RGBA{^c.R, ^c.G, ^c.B, 255}), image.Point{},
				draw.Src)
		}
	}
	return img, f.wait(ctx, f.pictureCost)
}

func (f *fake) Tap(_ context.Context, p image.Point) error {
	f.taps, f.when = append(f.taps, p), append(f.when, f.at())
	return nil
}

func (f *fake) Type(_ context.Context, text string) error {
	f.typed += text
	return nil
}

func (f *fake) PixelsAreCheap() bool { return f.cheap }

func (f *fake) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func el(text string, l, t, r, b int) *screen.Node {
	return &screen.Node{Type: "android.widget.TextView", Text: text, Bounds: image.Rect(l, t, r, b)}
}

func button(text string, l, t, r, b int) *screen.Node {
	n := el(text, l, t, r, b)
	n.Type, n.Clickable = "android.widget.Button", true
	return n
}
