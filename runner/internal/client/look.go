package client

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// screenRead is the result of reading the screen of a device.
type screenRead struct {
	tree  *screen.Tree
	stale error  // why the tree is an earlier one; nil: it is current
	url   string // of a page
	title string
	tabs  []drivers.WebTab
	open  *drivers.Alert
}

// snapshotTime limits how long reading a screen may take. After it, the last tree or the pixels are used.
const snapshotTime = 8 * time.Second

// Look reads the screen and writes it as lines.
func (c *Screen) Look(ctx context.Context, view View) (*Answer, error) {
	var seen screenRead
	err := c.Live.Use(ctx, c.Device, c.Who, func(ctx context.Context, s *action.Performer) (err error) {
		seen, err = c.readScreen(drivers.WithStepDeadline(ctx, time.Now().Add(snapshotTime)), s, view)
		if errors.Is(err, drivers.ErrNotReady) && ctx.Err() == nil {
			seen.stale, err = err, nil
			seen.tree = c.lastTree(s)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if seen.open != nil {
		return Text(c.Device + " cannot be read until this is answered\n" + c.DialogWords(seen.open)), nil
	}
	if seen.tree == nil {
		return c.pixels(ctx, seen.stale)
	}
	var news []string
	for _, line := range c.NewsOf(ctx) { // the heading shows the page, and the tabs follow
		if !strings.HasPrefix(line, "page: ") && (len(seen.tabs) <= 1 || !strings.HasPrefix(line, "tab ")) {
			news = append(news, line)
		}
	}
	c.mu.Lock()
	now, before := c.Refs.Take(c.Device, seen.tree, c.Mask.Text)
	c.mu.Unlock()
	body, err := now.Text(before, view, c.Mask.Text)
	var r *Refusal
	if errors.As(err, &r) {
		r.Fence, r.News = &c.Fence, news
	}
	if err != nil {
		return nil, err
	}
	if len(seen.tabs) > 1 {
		news = append(news, TabLines(seen.tabs, c.Foreign)...)
	}
	heading := c.heading(seen, len(now.Order))
	if len(news) > 0 {
		heading += strings.Join(news, "\n") + "\n"
	}
	return Text(heading + c.Fence.Block(c.Mask.Text(body))), nil
}

// readScreen reads the elements, the URL and the tabs.
func (c *Screen) readScreen(ctx context.Context, s *action.Performer, view View) (seen screenRead, err error) {
	if seen.open, err = OpenDialog(ctx, s.Device); err != nil || seen.open != nil {
		return seen, err
	}
	if n, ok := s.Device.(drivers.Navigator); ok {
		if seen.url, seen.title, err = n.Location(ctx); err != nil {
			return seen, err
		}
	} else if c.PageOnly {
		return seen, Unsupported(s.Device.Info().ID, "is not a browser page")
	}
	if w, ok := s.Device.(drivers.WebPageMonitor); ok {
		if seen.tabs, err = w.Tabs(ctx); err != nil {
			return seen, err
		}
	}
	if d, ok := s.Device.(drivers.TextHinter); ok && view.Find != "" {
		d.HintTexts(view.Find)
		defer d.HintTexts()
	}
	seen.tree, err = c.readTree(ctx, s)
	return seen, err
}

// lastTree returns the newest tree of a device, or nil.
func (c *Screen) lastTree(s *action.Performer) *screen.Tree {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.Refs.Last(c.Device)
	if s.Tree != nil && (last == nil || s.Tree.Taken.After(last.Taken)) {
		return s.Tree
	}
	return last
}

// pixels returns what is available of a screen without readable elements: a screenshot, and the text in it.
func (c *Screen) pixels(ctx context.Context, why error) (*Answer, error) {
	picture, err := c.Screenshot(ctx, ScreenshotArgs{MaxPx: 1024, Format: "jpeg"})
	if err != nil {
		return nil, errors.Join(why, err)
	}
	words := fmt.Sprintf("the elements of %s cannot be read: %v. This is its screenshot", c.Device, why)
	if lines, err := c.readText(ctx); err == nil {
		words += ", and the text in it; tap {point} works\n" + c.Fence.Block(Capped(textLines(lines), 500))
	}
	picture.Parts = append([]Part{{Text: words}}, picture.Parts...)
	return picture, nil
}

// heading describes the lines of a snapshot.
func (c *Screen) heading(seen screenRead, elements int) string {
	var b strings.Builder
	t := seen.tree
	b.WriteString(c.Device)
	if seen.url != "" {
		b.WriteString(" " + c.Foreign(phrase.LimitRunes(seen.url, 300)+" "+Quoted(seen.title)))
	} else if n := len(t.Windows); n > 0 && t.Windows[n-1].Package != "" {
		b.WriteString(" " + t.Windows[n-1].Package)
	}
	fmt.Fprintf(&b, " %dx%d, elements: %d; bounds in the device's pixels\n", t.Size.X, t.Size.Y, elements)
	if seen.stale != nil {
		fmt.Fprintf(&b, "this is the screen as it was %s ago: it cannot be read now (%v); screenshot shows what it is now\n",
			time.Since(t.Taken).Round(time.Second), seen.stale)
	}
	if why := t.Cut(); why != "" {
		b.WriteString("not all of the screen could be read: " + why + "; find= looks in all of it\n")
	}
	return b.String()
}

// Screenshot takes a screenshot.
func (c *Screen) Screenshot(ctx context.Context, a ScreenshotArgs) (*Answer, error) {
	var img image.Image
	var t *screen.Tree
	err := c.Live.Use(ctx, c.Device, c.Who, func(ctx context.Context, s *action.Performer) (err error) {
		if a.Marks {
			if t, err = c.readTree(ctx, s); err != nil {
				return err
			}
		}
		img, err = c.photograph(ctx, s.Device)
		return err
	})
	if err != nil {
		return nil, err
	}
	if img == nil || img.Bounds().Empty() {
		return nil, &Refusal{What: c.Device + " returned an empty screenshot", Try: "try again, or look with `snapshot`"}
	}
	s := fit(img.Bounds().Size(), a.MaxPx)
	out := s.resize(img)
	words := c.Device + ": " + s.words()
	if t != nil {
		words += c.marks(t, out, s)
	}
	data, kind, err := encode(out, a.Format)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.scales[c.Device] = s
	c.mu.Unlock()
	return &Answer{Parts: []Part{{Data: data, Kind: kind}, {Text: words}}}, nil
}

// marks numbers the elements that react, by their references, and returns the legend of the numbers.
func (c *Screen) marks(t *screen.Tree, out *image.RGBA, s scaling) string {
	c.mu.Lock()
	now, _ := c.Refs.Take(c.Device, t, c.Mask.Text)
	c.mu.Unlock()
	var b strings.Builder
	for _, ref := range now.Order {
		n := now.Nodes[ref]
		if n.Offscreen || !n.Clickable && !n.Editable || !n.Bounds.Overlaps(image.Rectangle{Max: t.Size}) {
			continue
		}
		mark(out, s.toPicture(n.Bounds), strings.TrimPrefix(ref, "e"))
		if b.Len() < MaxText/4 {
			fmt.Fprintf(&b, "\n%s %s", ref, now.Lines[ref])
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n" + c.Fence.Block(b.String()[1:])
}

// readText reads the text in the pixels of a screen.
func (c *Screen) readText(ctx context.Context) (lines []drivers.TextLine, err error) {
	err = c.Live.Use(ctx, c.Device, c.Who, func(ctx context.Context, s *action.Performer) error {
		img, err := c.photograph(ctx, s.Device)
		if err != nil {
			return err
		}
		if lines, err = s.Vision.OCR(ctx, img); err != nil {
			return &action.VisionError{Err: err}
		}
		return nil
	})
	return lines, err
}

func textLines(lines []drivers.TextLine) (out []string) {
	for _, l := range lines {
		out = append(out, fmt.Sprintf("%s %.0f%% [%d,%d][%d,%d]", Quoted(l.Text), l.Confidence*100, l.Bounds.Min.X,
			l.Bounds.Min.Y, l.Bounds.Max.X, l.Bounds.Max.Y))
	}
	return out
}

// ReadPixels reads the text in the pixels of the screen; with find, the lines that contain it.
func (c *Screen) ReadPixels(ctx context.Context, find string) (*Answer, error) {
	all, err := c.readText(ctx)
	if err != nil {
		return nil, err
	}
	want := screen.Normalise(find)
	var lines []drivers.TextLine
	for _, l := range all {
		if strings.Contains(screen.Normalise(l.Text), want) {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 && want != "" {
		r := &Refusal{What: fmt.Sprintf("no line that was read on the screen contains %q", phrase.LimitRunes(want, 80)),
			Try: "`ocr` without find, or `screenshot`", Fence: &c.Fence}
		for _, l := range all[:min(3, len(all))] {
			r.Near = append(r.Near, Quoted(l.Text))
		}
		return nil, r
	}
	return Text(fmt.Sprintf("%s: %d lines read in the pixels of the screen; bounds in the device's pixels\n", c.Device,
		len(lines)) +
		c.Fence.Block(c.Mask.Text(Capped(textLines(lines), 2000)))), nil
}
