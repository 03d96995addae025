package client

import (
	"context"
	"hash/maphash"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// Screen is the screen of one device as a client reads it.
type Screen struct {
	*Client
	Device   string
	PageOnly bool // only a page may be read
}

// Screen returns the screen of a device.
func (s *Client) Screen(device string) *Screen { return &Screen{Client: s, Device: device} }

// Screen returns the screen of a device, with the limits of the call.
func (c *Call) Screen(device string) *Screen {
	return &Screen{Client: c.Client, Device: device, PageOnly: c.PageOnly}
}

// settleTimeout limits how long a screen may change after an action before it is read.
const settleTimeout = 1500 * time.Millisecond

// quietFor is how long it must not change: a click may have an effect a moment later.
const quietFor = 250 * time.Millisecond

// settle waits until a page does not change. Reading a phone waits for that anyway.
func (c *Screen) settle(ctx context.Context) error {
	if c.platform(c.Device) != dsl.Web {
		return nil
	}
	return c.Live.Use(ctx, c.Device, c.Who, func(ctx context.Context, s *action.Performer) error {
		seed, began := maphash.MakeSeed(), time.Now()
		var last uint64
		since := began
		for {
			if open, err := OpenDialog(ctx, s.Device); err != nil || open != nil {
				return err
			}
			t, err := s.Device.Tree(ctx)
			now := uint64(0)
			if err == nil {
				now = digest(t, seed)
			}
			if now != last {
				last, since = now, time.Now()
			}
			if err == nil && time.Since(since) >= quietFor || time.Since(began) > settleTimeout {
				return nil
			}
			if err := drivers.Pause(ctx, 80*time.Millisecond); err != nil {
				return err
			}
		}
	})
}

// NewsOf returns what happened on a device since the client's last call.
func (c *Screen) NewsOf(ctx context.Context) []string {
	if !c.IsOpen(c.Device) {
		return nil
	}
	var lines []string
	err := c.Live.Use(ctx, c.Device, c.Who, func(ctx context.Context, s *action.Performer) error {
		if open, err := OpenDialog(ctx, s.Device); err != nil || open != nil {
			return err // the page does not respond
		}
		var opened bool
		lines, opened = c.News.Since(ctx, c.Device, s.Device, c.Foreign)
		if opened {
			c.mu.Lock()
			c.newTabs[c.Device] = true
			c.mu.Unlock()
		}
		return nil
	})
	if err != nil {
		c.Log.Debug("cannot read what happened on the page", "error", err)
	}
	return append(c.earlyNews(), lines...)
}

// readNews reads what happened since the last call before the next step is performed, and records on which page it is
// performed: here the page in the foreground stays there, while in a test a new page comes to the foreground.
func (c *Screen) readNews(ctx context.Context) {
	if !c.IsOpen(c.Device) || c.platform(c.Device) != dsl.Web {
		return
	}
	early := c.NewsOf(ctx)
	c.mu.Lock()
	c.pendingNews[c.Device] = early
	strayed := c.newTabs[c.Device]
	delete(c.newTabs, c.Device)
	c.mu.Unlock()
	if !strayed {
		return
	}
	var tabs []drivers.WebTab
	err := c.Live.Use(ctx, c.Device, c.Who, func(ctx context.Context, s *action.Performer) (err error) {
		if w, ok := s.Device.(drivers.WebPageMonitor); ok {
			tabs, err = w.Tabs(ctx)
		}
		return err
	})
	front := slices.IndexFunc(tabs, func(t drivers.WebTab) bool { return t.Front })
	if err != nil || front < 0 || front == len(tabs)-1 {
		return
	}
	for _, at := range []int{len(tabs) - 1, front} {
		c.Journal.Add(Done{Device: c.Device, Platform: dsl.Web, YAML: "webTab: {index: " + strconv.Itoa(at) + "}"})
	}
}

// earlyNews returns what was read before the step was performed.
func (c *Screen) earlyNews() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	early := c.pendingNews[c.Device]
	delete(c.pendingNews, c.Device)
	return early
}

// dialog returns the open dialog of a device of the session.
func (c *Screen) dialog(ctx context.Context) (open *drivers.Alert, err error) {
	if !c.IsOpen(c.Device) || c.platform(c.Device) != dsl.Web {
		return nil, nil
	}
	err = c.Live.Use(ctx, c.Device, c.Who, func(ctx context.Context, s *action.Performer) (err error) {
		open, err = OpenDialog(ctx, s.Device)
		return err
	})
	return open, err
}

// readIdentified reads the current screen of a device.
func (c *Screen) readIdentified(ctx context.Context) (*Identified, error) {
	var t *screen.Tree
	err := c.Live.Use(ctx, c.Device, c.Who, func(ctx context.Context, s *action.Performer) (err error) {
		t, err = c.readTree(ctx, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.Refs.Identify(t), nil
}

// addNearest adds some existing elements to the error for a missing one, and a possible reason why it is not readable.
func (c *Screen) addNearest(ctx context.Context, r *Refusal, args source.Value) error {
	if !r.Missing {
		return r
	}
	err := c.Live.Use(ctx, c.Device, c.Who, func(_ context.Context, s *action.Performer) error {
		t := s.Tree
		if t == nil || t.Taken.IsZero() {
			return nil
		}
		sc := c.Refs.Identify(t)
		for n := range t.All {
			if words := n.String(); len(r.Near) < Nearest && sc.Listed(n) && OwnLabel(n) != "" &&
				!slices.Contains(r.Near, words) {
				r.Near = append(r.Near, words)
			}
			if b := n.Bounds; n.Type == "canvas" && !n.Hidden && b.Dx()*b.Dy()*5 > t.Size.X*t.Size.Y {
				r.Try = "a canvas fills much of the page, and what it draws is not an element: `ocr` reads it, `screenshot` " +
					"shows " +
					"it, `tap point` touches it"
			}
		}
		if where := describeInside(t, args); where != "" && !strings.Contains(r.What, where) {
			r.What += "\ninside is " + where
		}
		return nil
	})
	if err != nil {
		c.Log.Debug("no candidates", "error", err)
	}
	return r
}

// digest returns a hash of all that a screen shows.
func digest(t *screen.Tree, seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	number := func(r image.Rectangle) {
		for _, n := range []int{r.Min.X, r.Min.Y, r.Max.X, r.Max.Y} {
			_, _ = h.WriteString(strconv.Itoa(n) + ",")
		}
	}
	for n := range t.All {
		_, _ = h.WriteString(n.Type + "\x00" + n.Text + "\x00" + n.Desc + "\x00")
		number(n.Bounds)
	}
	return h.Sum64() | 1
}
