package mcpserver

import (
	"context"
	"fmt"
	"image"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/client"
)

func takeSnapshot(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.anyDevice(ctx)
	if err != nil {
		return nil, err
	}
	return c.snapshot(ctx, device)
}

func webSnapshot(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.pick(ctx, []dsl.Platform{dsl.Web})
	if err != nil {
		return nil, err
	}
	return c.snapshot(ctx, device)
}

// snapshot reads the screen and writes it as lines.
func (c *call) snapshot(ctx context.Context, device string) (*mcp.CallToolResult, error) {
	var t *screen.Tree
	var seen deviceRecord
	var open *drivers.Alert
	err := c.live.Use(ctx, device, who, func(ctx context.Context, s *action.Session) (err error) {
		if open, err = openDialog(ctx, s.Device); err != nil || open != nil {
			return err
		}
		if n, ok := s.Device.(drivers.Navigator); ok {
			if seen.URL, seen.Title, err = n.Location(ctx); err != nil {
				return err
			}
		} else if c.tool.name == "web_snapshot" {
			return unsupported(device, "is no browser page")
		}
		t, err = readTree(ctx, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	if open != nil {
		return text(device + " cannot be read until this is answered\n" + dialogWords(open)), nil
	}
	c.mu.Lock()
	now, before := c.refs.Take(device, t, c.mask.Text)
	c.mu.Unlock()
	body, err := now.Text(before, c.args.(client.View), c.mask.Text)
	if err != nil {
		return nil, err
	}
	return text(c.heading(device, t, seen, len(now.Order)) + body), nil
}

// heading tells what the lines of a snapshot are about.
func (c *call) heading(device string, t *screen.Tree, seen deviceRecord, elements int) string {
	var b strings.Builder
	b.WriteString(device)
	if seen.URL != "" {
		fmt.Fprintf(&b, " %s %s", shorten.Runes(seen.URL, 300), client.Quoted(seen.Title))
	} else if n := len(t.Windows); n > 0 && t.Windows[n-1].Package != "" {
		b.WriteString(" " + t.Windows[n-1].Package)
	}
	fmt.Fprintf(&b, " %dx%d, elements: %d; bounds in the device's pixels\n", t.Size.X, t.Size.Y, elements)
	if why := t.Cut(); why != "" {
		b.WriteString("not all of the screen could be read: " + why + "\n")
	}
	return b.String()
}

func takeScreenshot(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.anyDevice(ctx)
	if err != nil {
		return nil, err
	}
	a := c.args.(screenshotArgs)
	var img image.Image
	var t *screen.Tree
	err = c.live.Use(ctx, device, who, func(ctx context.Context, s *action.Session) (err error) {
		if a.Marks {
			if t, err = readTree(ctx, s); err != nil {
				return err
			}
		}
		img, err = s.Host.Photograph(ctx, s.Device)
		return err
	})
	if err != nil {
		return nil, err
	}
	if img == nil || img.Bounds().Empty() {
		return nil, &refusal{What: device + " gave an empty picture", Try: "try again, or look with snapshot"}
	}
	s := fit(img.Bounds().Size(), a.MaxPx)
	out := s.resize(img)
	words := device + ": " + s.words()
	if t != nil {
		words += c.marks(device, t, out, s)
	}
	data, kind, err := encode(out, a.Format)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.scales[device] = s
	c.mu.Unlock()
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: data, MIMEType: kind}, &mcp.TextContent{Text: words}}}, nil
}

// marks numbers the elements that react, by their references, and tells what the numbers stand for.
func (c *call) marks(device string, t *screen.Tree, out *image.RGBA, s scaling) string {
	c.mu.Lock()
	now, _ := c.refs.Take(device, t, c.mask.Text)
	c.mu.Unlock()
	var b strings.Builder
	for _, ref := range now.Order {
		n := now.Nodes[ref]
		if n.Offscreen || !n.Clickable && !n.Editable || !n.Bounds.Overlaps(image.Rectangle{Max: t.Size}) {
			continue
		}
		mark(out, s.toPicture(n.Bounds), strings.TrimPrefix(ref, "e"))
		if b.Len() < client.MaxText/4 {
			fmt.Fprintf(&b, "\n%s %s", ref, now.Lines[ref])
		}
	}
	return b.String()
}

// ocrArgs are those of the tool ocr.
type ocrArgs struct {
	Find string `json:"find,omitempty" minLength:"1" doc:"Only lines that contain this."`
}

func readPixels(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.anyDevice(ctx)
	if err != nil {
		return nil, err
	}
	var lines []drivers.TextLine
	err = c.live.Use(ctx, device, who, func(ctx context.Context, s *action.Session) error {
		img, err := s.Host.Photograph(ctx, s.Device)
		if err != nil {
			return err
		}
		if lines, err = s.Vision.OCR(ctx, img); err != nil {
			return &action.VisionError{Err: err}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	want := screen.Normalise(c.args.(ocrArgs).Find)
	var out []string
	for _, l := range lines {
		if strings.Contains(screen.Normalise(l.Text), want) {
			out = append(out, fmt.Sprintf("%s %.0f%% [%d,%d][%d,%d]", client.Quoted(l.Text), l.Confidence*100, l.Bounds.Min.X, l.Bounds.Min.Y, l.Bounds.Max.X, l.Bounds.Max.Y))
		}
	}
	if len(out) == 0 && want != "" {
		r := &refusal{What: fmt.Sprintf("no line that was read in the picture contains %q", shorten.Runes(want, 80)), Try: "ocr without find, or screenshot"}
		for _, l := range lines[:min(3, len(lines))] {
			r.Near = append(r.Near, client.Quoted(l.Text))
		}
		return nil, r
	}
	return text(fmt.Sprintf("%s: %d lines read in the pixels of the screen; bounds in the device's pixels\n", device, len(out)) + client.Capped(out, 2000)), nil
}
