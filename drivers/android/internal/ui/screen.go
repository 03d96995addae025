package ui

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/android/internal/capture"
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/webview"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// Screen reads and touches the screen of a phone: by the agent where one runs, otherwise by the phone's own tools.
type Screen struct {
	Phone    *phone.Phone
	Camera   *capture.Camera
	Input    *input.Injector
	Keyboard *input.Keyboard
	Dumper   *dump.Reader
	WebViews *webview.Reader
	Agent    *agent.Agent

	mu  sync.Mutex
	aim *screen.Node // that the next touch is meant for
}

// ofDialogs touches the dialogs on a screen.
type ofDialogs struct{ *Screen }

// DialogsOn returns the dialogs on a screen.
func DialogsOn(u *Screen) *Dialogs {
	return &Dialogs{Screen: ofDialogs{u}, Device: u.Phone.Link.Serial}
}

// TapOn touches an element, unless something else has come to its place.
func (s ofDialogs) TapOn(ctx context.Context, n *screen.Node) error {
	if !n.Editable {
		s.Aim(n)
	}
	return s.Tap(ctx, middle(n))
}

// HideKeyboard hides the keyboard.
func (s ofDialogs) HideKeyboard(ctx context.Context) error {
	return s.Screen.Keyboard.HideKeyboard(ctx)
}

// PixelsAreCheap is true where uiautomator returns the trees: a raw screenshot takes a tenth of what a dump takes, and
// twice what an agent does.
func (u *Screen) PixelsAreCheap() bool { return !u.Agent.Running() }

// TreeReadBy says in a sentence what reads the screen and why.
func (u *Screen) TreeReadBy() string { return u.Agent.TreeReadBy() }

// ReadParts names the parts of texts for which the elements of pages in WebViews need places.
func (u *Screen) ReadParts(parts ...screen.TextPart) { u.WebViews.ReadParts(parts...) }

// ReadWebViews chooses the source for the pages in WebViews.
func (u *Screen) ReadWebViews(how string) error { return u.WebViews.Choose(how) }

// Tree reads the elements of the screen, with uiautomator where there is no agent. What the tool fails at for a moment
// is repeated here; a screen that never stops moving is not, because each attempt costs ten seconds: that error wraps
// ErrNotReady and the caller has the pixels.
func (u *Screen) Tree(ctx context.Context) (*screen.Tree, error) {
	return u.readTree(ctx, (*dump.Dump).Reachable)
}

// FullTree is Tree with all windows.
func (u *Screen) FullTree(ctx context.Context) (*screen.Tree, error) {
	return u.readTree(ctx, func(*dump.Dump) {})
}

// readTree reads the elements; choose leaves out windows.
func (u *Screen) readTree(ctx context.Context, choose func(*dump.Dump)) (*screen.Tree, error) {
	got, stock, err := u.dump(ctx, choose)
	if err != nil {
		return nil, err
	}
	if err := u.WebViews.Read(ctx, got.Windows); err != nil {
		return nil, err
	}
	tree := u.newTree(got)
	if stock {
		u.Dumper.AskBars(ctx, got, tree)
		u.Dumper.AskCaret(ctx, tree)
	}
	return tree, nil
}

// dump reads the elements of the screen without those of pages; stock: with uiautomator.
func (u *Screen) dump(ctx context.Context, choose func(*dump.Dump)) (got *dump.Dump, stock bool, err error) {
	err = agent.ErrFallback
	if u.Agent.Running() {
		got, err = u.Agent.ReadTree(ctx, choose)
	}
	if stock = errors.Is(err, agent.ErrFallback); stock {
		got, err = u.Dumper.Read(ctx, choose)
	}
	return got, stock, err
}

// newTree sets the size of the dump to that of the screenshot, which has the same coordinates: the last screenshot's,
// or what `wm size` reported, rotated as the screen was when it was dumped.
func (u *Screen) newTree(from *dump.Dump) *screen.Tree {
	size := from.ScreenSize(u.Phone.LastShot(), image.Pt(u.Phone.Info.Width, u.Phone.Info.Height))
	tree := screen.NewTree(from.Windows, size, from.Taken)
	tree.Active, tree.Bars, tree.SwipeEdges, tree.Parts = from.Active(), from.Bars, from.Edges, u.WebViews.Parts
	tree.Loading = u.WebViews.Loading()
	return tree
}

// Aim sets the element that the next touch is meant for. If the agent is used, its position is queried again right
// before the touch.
func (u *Screen) Aim(n *screen.Node) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.aim = n
}

func (u *Screen) takeAim() *screen.Node {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := u.aim
	u.aim = nil
	return n
}

// AimsExactly reports whether the agent knows where the element is when it is touched.
func (u *Screen) AimsExactly(n *screen.Node) bool {
	if !u.Agent.Running() {
		return false
	}
	_, _, ok := u.Agent.Selector(n)
	return ok
}

// gesture checks the points and touches.
func (u *Screen) gesture(ctx context.Context, t input.Touch) error {
	aimed := u.takeAim()
	if err := u.onScreen(ctx, t.Points...); err != nil {
		return err
	}
	if aimed == nil || !aimed.InPage {
		t.Aimed = aimed
		return u.touch(ctx, t)
	}
	err := u.WebViews.Touch(ctx, aimed, func(ctx context.Context, _ webview.OnPage) error { return u.touch(ctx, t) })
	unknown := new(webview.UnknownTouch)
	if !errors.As(err, &unknown) {
		return err
	}
	// The scripts of a page wait while it has a dialog open.
	if got, _, err := u.dump(ctx, (*dump.Dump).Reachable); err != nil || webview.On(got.Windows) {
		u.Phone.Warn("%v", unknown)
	}
	return nil
}

// touch makes a gesture, once. What may have happened is never repeated.
func (u *Screen) touch(ctx context.Context, t input.Touch) error {
	if u.Agent.Running() {
		if err := u.Agent.Touch(ctx, t); !errors.Is(err, agent.ErrFallback) {
			return err
		}
	}
	return u.Input.Touch(ctx, t)
}

// Clipboard returns what was copied last, where Android lets it be read.
func (u *Screen) Clipboard(ctx context.Context) (string, error) {
	if !u.Agent.Running() {
		return "", u.noClipboard()
	}
	return u.Agent.Copied(ctx)
}

// SetClipboard puts a text where a paste takes it from.
func (u *Screen) SetClipboard(ctx context.Context, text string) error {
	if !u.Agent.Running() {
		return u.noClipboard()
	}
	return u.Agent.Copy(ctx, text)
}

func (u *Screen) noClipboard() error {
	return fmt.Errorf("device %s: %w: the clipboard needs the agent: %s", u.Phone.Link.Serial, drivers.ErrUnsupported,
		u.Agent.TreeReadBy())
}
