package androidsim

import (
	"context"
	"encoding/binary"
	"image"
	"strings"
)

const (
	displayID = "4619827259835644672"
	outsideID = "4619827259835644673"
)

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
	if display != "" && display != displayID && display != c.sys.mainDisplay() {
		return c.fail(1, "Failed to take screenshot. Status: -22, unable to get display with ID %s", display)
	}
	dark := c.sys.opts.Folded && display != outsideID
	if !pause(c.ctx, c.sys.opts.Latency.Screencap) {
		return 128 + signalOf(c.ctx)
	}
	var head []byte
	if c.sys.opts.Displays > 1 && display == "" {
		head = []byte(
			"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found, " +
				"however " +
				"this default is not guaranteed to be consistent across captures. A display id should be specified.\n" +
				"A display ID can be specified with the [-d display-id] option.\nSee \"dumpsys SurfaceFlinger --display-id\" for " +
				"valid display IDs.\n")
	}
	if style := c.sys.opts.secure(); style != SecureBlack && !dark && c.sys.forbidden() {
		c.sys.logf('W', "SurfaceFlinger", "FB is protected: PERMISSION_DENIED")
		if style == SecureRefused {
			return 1
		}
		_, _ = c.out.Write(make([]byte, 12))
		return 0
	}
	img := c.sys.glass()
	if dark {
		img = image.NewRGBA(image.Rect(0, 0, 2*img.Rect.Dx(), img.Rect.Dy()))
	}
	data := c.sys.encode(img, asPNG || strings.HasSuffix(file, ".png"))
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
	if err := c.sys.files.write(c.path(file), data, 0o660); err != nil {
		return c.fail(1, "Error opening file: %s (%s)", file, reason(err))
	}
	return 0
}

// framebuffer is the service behind the old screenshots: a header of version 2 and the pixels, again for every byte
// asked.
func (p *daemon) framebuffer(ctx context.Context, s session) {
	if p.sys.opts.secure() != SecureBlack && p.sys.forbidden() {
		return // the program behind it writes nothing
	}
	img := p.sys.captured()
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
