package android

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// ui reads and touches the screen of a phone: by the agent where one runs, otherwise by the phone's own tools.
type ui struct {
	phone    *phone
	camera   *camera
	input    *injector
	keyboard *keyboard
	dumper   *dumper
	webViews *webViews
	agent    *agentAccess

	mu      sync.Mutex
	aim     *screen.Node      // that the next touch is meant for
	buttons []image.Rectangle // of the dialog that was looked at last
}

// PixelsAreCheap is true where uiautomator returns the trees: a raw screenshot takes a tenth of what a dump takes, and
// twice what an agent does.
func (u *ui) PixelsAreCheap() bool { return !u.agent.running() }

// TreeReadBy says in a sentence what reads the screen and why.
func (u *ui) TreeReadBy() string { return u.agent.TreeReadBy() }

// ReadParts names the parts of texts for which the elements of pages in WebViews need places.
func (u *ui) ReadParts(parts ...screen.TextPart) { u.webViews.readParts(parts...) }

// ReadWebViews chooses the source for the pages in WebViews.
func (u *ui) ReadWebViews(how string) error { return u.webViews.choose(how) }

// Tree reads the elements of the screen, with uiautomator where there is no agent. What the tool fails at for a moment
// is repeated here; a screen that never stops moving is not, because each attempt costs ten seconds: that error wraps
// ErrNotReady and the caller has the pixels.
func (u *ui) Tree(ctx context.Context) (*screen.Tree, error) {
	return u.readTree(ctx, (*dump).reachable)
}

// FullTree is Tree with all windows.
func (u *ui) FullTree(ctx context.Context) (*screen.Tree, error) {
	return u.readTree(ctx, func(*dump) {})
}

// readTree reads the elements; choose leaves out windows.
func (u *ui) readTree(ctx context.Context, choose func(*dump)) (*screen.Tree, error) {
	var got *dump
	err := errFallback
	if u.agent.running() {
		got, err = u.agent.readTree(ctx, choose)
	}
	stock := errors.Is(err, errFallback)
	if stock {
		got, err = u.dumper.dumped(ctx, choose)
	}
	if err != nil {
		return nil, err
	}
	if err := u.webViews.read(ctx, got.windows); err != nil {
		return nil, err
	}
	tree := u.newTree(got)
	if stock {
		u.dumper.askCaret(ctx, tree)
	}
	return tree, nil
}

// newTree sets the size of the dump to that of the screenshot, which has the same coordinates: the last screenshot's,
// or what `wm size` reported, rotated as the screen was when it was dumped.
func (u *ui) newTree(from *dump) *screen.Tree {
	size := u.phone.lastShot()
	natural := image.Pt(u.phone.info.Width, u.phone.info.Height)
	if size == (image.Point{}) {
		size = natural
	}
	if natural != (image.Point{}) && from.rotation >= 0 {
		wide := natural.X > natural.Y
		if from.rotation%2 == 1 {
			wide = !wide
		}
		if size.X != size.Y && wide != (size.X > size.Y) {
			size = image.Pt(size.Y, size.X)
		}
	}
	if size == (image.Point{}) {
		size = extent(from.windows)
	}
	tree := screen.NewTree(from.windows, size, from.taken)
	tree.Active, tree.Bars, tree.SwipeEdges, tree.Parts = from.active(), from.bars, from.edges, u.webViews.parts
	return tree
}

// Aim sets the element that the next touch is meant for. If the agent is used, its position is queried again right
// before the touch.
func (u *ui) Aim(n *screen.Node) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.aim = n
}

func (u *ui) takeAim() *screen.Node {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := u.aim
	u.aim = nil
	return n
}

// AimsExactly reports whether the agent knows where the element is when it is touched.
func (u *ui) AimsExactly(n *screen.Node) bool {
	if !u.agent.running() {
		return false
	}
	_, _, ok := u.agent.selector(n)
	return ok
}

// gesture checks the points and touches.
func (u *ui) gesture(ctx context.Context, t touch) error {
	aimed := u.takeAim()
	if err := u.onScreen(ctx, t.points...); err != nil {
		return err
	}
	if aimed == nil || !aimed.InPage {
		t.aimed = aimed
		return u.touch(ctx, t)
	}
	met, err := u.webViews.aim(ctx, aimed)
	if err != nil {
		return err
	}
	if err := u.touch(ctx, t); err != nil {
		return err
	}
	return met(ctx)
}

// touch makes a gesture, once. What may have happened is never repeated.
func (u *ui) touch(ctx context.Context, t touch) error {
	if u.agent.running() {
		if err := u.agent.touch(ctx, t); !errors.Is(err, errFallback) {
			return err
		}
	}
	return u.input.touch(ctx, t)
}

// Clipboard returns what was copied last, where Android lets it be read.
func (u *ui) Clipboard(ctx context.Context) (string, error) {
	if !u.agent.running() {
		return "", u.noClipboard()
	}
	return u.agent.copied(ctx)
}

// SetClipboard puts a text where a paste takes it from.
func (u *ui) SetClipboard(ctx context.Context, text string) error {
	if !u.agent.running() {
		return u.noClipboard()
	}
	return u.agent.copy(ctx, text)
}

func (u *ui) noClipboard() error {
	return fmt.Errorf("device %s: %w: the clipboard needs the agent: %s", u.phone.link.serial, drivers.ErrUnsupported,
		u.agent.TreeReadBy())
}
