package androidsim

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	xdraw "golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/internal/screenpng"
)

const (
	displayID = "4619827259835644672"
	outsideID = "4619827259835644673"
)

// mainDisplay is the id of the glass that shows Android's display 0.
func (p *Phone) mainDisplay() string {
	if p.opts.Folded {
		return outsideID
	}
	return displayID
}

func cmdScreencap(c *call) int {
	const usage = "usage: screencap [-hp] [-d display-id] [FILENAME]\n   -h: this message\n   -p: save the file as a " +
		"png.\n   -d: specify the physical display ID to capture\n" +
		"If FILENAME ends with .png it will be saved as a png.\nIf FILENAME is not given, the results will be printed to " +
		"stdout.\n"
	asPNG, file, display := false, "", ""
	for args := c.args[1:]; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "-p":
			asPNG = true
		case args[0] == "-d" && len(args) > 1:
			display, args = args[1], args[1:]
		case args[0] == "-h":
			c.errorf("%s", usage)
			return 0
		case strings.HasPrefix(args[0], "-"):
			c.errorf("screencap: unrecognized option '%s'\n%s", args[0], usage)
			return 1
		default:
			file = args[0]
		}
	}
	if display != "" && display != displayID && display != c.phone.mainDisplay() {
		return c.fail(1, "Failed to take screenshot. Status: -22, unable to get display with ID %s", display)
	}
	dark := c.phone.opts.Folded && display != outsideID
	if !pause(c.ctx, c.phone.opts.Latency.Screencap) {
		return 128 + signalOf(c.ctx)
	}
	var head []byte
	if c.phone.opts.Displays > 1 && display == "" {
		head = []byte(
			"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found, " +
				"however " +
				"this default is not guaranteed to be consistent across captures. A display id should be specified.\n" +
				"A display ID can be specified with the [-d display-id] option.\nSee \"dumpsys SurfaceFlinger --display-id\" for " +
				"valid display IDs.\n")
	}
	if style := c.phone.opts.secure(); style != SecureBlack && !dark && c.phone.forbidden() {
		c.phone.Log('W', "SurfaceFlinger", "FB is protected: PERMISSION_DENIED")
		if style == SecureRefused {
			return 1
		}
		_, _ = c.out.Write(make([]byte, 12))
		return 0
	}
	img := c.phone.glass()
	if dark {
		img = image.NewRGBA(image.Rect(0, 0, 2*img.Rect.Dx(), img.Rect.Dy()))
	}
	data := c.phone.encode(img, asPNG || strings.HasSuffix(file, ".png"))
	if file == "" {
		if head != nil {
			data = append(head, data...)
		}
		if _, err := c.out.Write(data); err != nil {
			return 1
		}
		return 0
	}
	c.errorf("%s", head)
	if err := c.phone.files.write(c.path(file), data, 0o660); err != nil {
		return c.fail(1, "Error opening file: %s (%s)", file, reason(err))
	}
	return 0
}

// forbidden reports whether a window on the screen forbids screenshots.
func (p *Phone) forbidden() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.ui.frame(time.Now()).windows, func(w *window) bool { return w.secure })
}

// captured is the screenshot without what apps protect from screenshots.
func (p *Phone) captured() *image.RGBA {
	p.renewImage()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.pictured = true
	f := p.ui.frame(time.Now())
	p.ui.pictured = false
	f.captured = true
	return p.draw.frame(f)
}

// glass is what screencap sees.
func (p *Phone) glass() *image.RGBA {
	img := p.captured()
	if !p.opts.WholeGlass {
		return img
	}
	whole := image.NewRGBA(image.Rect(0, 0, p.opts.Width, p.opts.Height))
	if img.Rect.Dx() > img.Rect.Dy() {
		whole = image.NewRGBA(image.Rect(0, 0, p.opts.Height, p.opts.Width))
	}
	xdraw.ApproxBiLinear.Scale(whole, whole.Rect, img, img.Rect, xdraw.Src, nil)
	return whole
}

// encode converts an image to what screencap writes: PNG, or a header of 12 bytes (16 from API 28) and RGBA pixels.
func (p *Phone) encode(img *image.RGBA, asPNG bool) []byte {
	if asPNG {
		var b bytes.Buffer
		if err := screenpng.Encode(&b, img); err != nil {
			return nil // a buffer takes everything
		}
		return b.Bytes()
	}
	size := img.Rect.Size()
	head := []uint32{uint32(size.X), uint32(size.Y), 1}
	if p.prof.api >= 28 {
		head = append(head, 0)
	}
	out := make([]byte, 0, len(img.Pix)+16)
	for _, v := range head {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return append(out, img.Pix...)
}

// framebuffer is the service behind the old screenshots: a header of version 2 and the pixels, again for every byte
// asked.
func (p *Phone) framebuffer(ctx context.Context, s session) {
	if p.opts.secure() != SecureBlack && p.forbidden() {
		return // the program behind it writes nothing
	}
	img := p.captured()
	size := img.Rect.Size()
	// version, bpp, colour space, size, width, height, then offset and length of red, blue, green and alpha
	head := []uint32{2, 32, 0, uint32(len(img.Pix)), uint32(size.X), uint32(size.Y), 0, 8, 16, 8, 8, 8, 24, 8}
	var out []byte
	for _, v := range head {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	if _, err := s.Write(append(out, img.Pix...)); err != nil || ctx.Err() != nil {
		return
	}
}

// changeKey changes whenever the image does.
func (p *Phone) changeKey(now time.Time) (string, image.Point) {
	p.renewImage()
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.ui.frame(now)
	var b strings.Builder
	for _, w := range f.windows {
		w.root.walk(func(v *view) {
			b.WriteString(v.class + v.shown() + v.b.String() + strconv.Itoa(v.version))
			if v.focused {
				b.WriteString("|" + strconv.FormatInt(now.UnixMilli()/500, 10))
			}
			for _, part := range v.painted {
				b.WriteString(part.b.String())
			}
		})
	}
	return b.String(), f.size
}
