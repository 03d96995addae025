package client

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// ScreenshotArgs are the options of a screenshot.
type ScreenshotArgs struct {
	MaxPx  int    `json:"max_px,omitempty" minimum:"64" maximum:"1920" default:"1024" doc:"Longer side of the screenshot."`
	Format string `json:"format,omitempty" enum:"png,jpeg" default:"png" doc:"jpeg is smaller."`
	Marks  bool   `json:"marks,omitempty" doc:"Draws a box around each element that reacts with its ref's number: 12 is e12."`
}

// scaling is the ratio of the last screenshot to the device's screen.
type scaling struct {
	device, sent image.Point
}

// fit returns the size at which a screen is sent.
func fit(screen image.Point, maxPx int) scaling {
	s := scaling{device: screen, sent: screen}
	if longest := max(screen.X, screen.Y); longest > maxPx {
		f := float64(maxPx) / float64(longest)
		s.sent = image.Pt(max(1, int(math.Round(float64(screen.X)*f))), max(1, int(math.Round(float64(screen.Y)*f))))
	}
	return s
}

// factor converts a coordinate in the screenshot to one of the device.
func (s scaling) factor() float64 {
	if s.sent.X == 0 {
		return 1
	}
	return float64(s.device.X) / float64(s.sent.X)
}

// toDevice converts a point in the screenshot to one of the device.
func (s scaling) toDevice(x, y float64) (float64, float64) {
	if s.sent == s.device || s.sent.X == 0 || s.sent.Y == 0 {
		return x, y
	}
	turn := func(v float64, device, sent int) float64 {
		return math.Min(math.Round((v+0.5)*float64(device)/float64(sent)-0.5), float64(device-1))
	}
	return turn(x, s.device.X, s.sent.X), turn(y, s.device.Y, s.sent.Y)
}

// toPicture converts a rectangle of the device to one in the screenshot.
func (s scaling) toPicture(r image.Rectangle) image.Rectangle {
	f := 1 / s.factor()
	at := func(v int) int { return int(math.Round(float64(v) * f)) }
	return image.Rect(at(r.Min.X), at(r.Min.Y), at(r.Max.X), at(r.Max.Y))
}

// resize scales the screenshot.
func (s scaling) resize(img image.Image) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: s.sent})
	if s.sent == s.device {
		draw.Copy(out, image.Point{}, img, img.Bounds(), draw.Src, nil)
		return out
	}
	draw.CatmullRom.Scale(out, out.Rect, img, img.Bounds(), draw.Src, nil)
	return out
}

// mark draws a numbered box.
func mark(img *image.RGBA, box image.Rectangle, number string) {
	box = box.Intersect(img.Rect)
	if box.Empty() {
		return
	}
	edge := image.NewUniform(color.RGBA{220, 0, 90, 255})
	for _, side := range []image.Rectangle{
		{box.Min, image.Pt(box.Max.X, box.Min.Y+2)}, {image.Pt(box.Min.X, box.Max.Y-2), box.Max},
		{box.Min, image.Pt(box.Min.X+2, box.Max.Y)}, {image.Pt(box.Max.X-2, box.Min.Y), box.Max},
	} {
		draw.Draw(img, side.Intersect(box), edge, image.Point{}, draw.Src)
	}
	face := basicfont.Face7x13
	plate := image.Rectangle{box.Min, box.Min.Add(image.Pt(7*len(number)+4, 14))}
	if over := plate.Max.Sub(img.Rect.Max); over.X > 0 || over.Y > 0 {
		plate = plate.Sub(image.Pt(max(over.X, 0), max(over.Y, 0)))
	}
	draw.Draw(img, plate, edge, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: img, Src: image.White, Face: face, Dot: fixed.P(plate.Min.X+2, plate.Min.Y+11)}
	pen.DrawString(number)
}

// encode returns the image's bytes and their media type.
func encode(img image.Image, format string) ([]byte, string, error) {
	var b bytes.Buffer
	if format == "jpeg" {
		err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 80})
		return b.Bytes(), "image/jpeg", err
	}
	err := png.Encode(&b, img)
	return b.Bytes(), "image/png", err
}

// words describes the size of the screenshot compared with the device.
func (s scaling) words() string {
	if s.sent == s.device {
		return fmt.Sprintf("%dx%d, the device's own pixels (factor 1)", s.sent.X, s.sent.Y)
	}
	return fmt.Sprintf("%dx%d of the device's %dx%d: factor %s; a point in this screenshot's pixels can be used as it is",
		s.sent.X, s.sent.Y,
		s.device.X, s.device.Y, strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.4f", s.factor()), "0"), "."))
}

// pointOf parses a point of a caller in its scale. It returns the point in pixels of the device, and a description.
func (s scaling) pointOf(text, scale string) (point, words string, err error) {
	v := source.Value{Kind: source.String, Text: text}
	def, _ := dsl.Lookup("tap")
	args, err := dsl.Decode(def, source.Value{Kind: source.Map, Fields: []source.Field{{Key: "point", Value: v}}})
	if err != nil {
		return "", "", err
	}
	p := args.(dsl.Tap).Point
	if p == nil || p.Percent || s.sent.X == 0 && scale == "" {
		return text, "", nil
	}
	switch {
	case scale == "picture" && s.sent.X == 0:
		return "", "", &Refusal{What: "there is no screenshot yet to which the point could refer",
			Try: "`screenshot` first, or scale: \"device\""}
	case scale == "device", scale == "" && (p.X >= float64(s.sent.X) || p.Y >= float64(s.sent.Y)):
		return text, fmt.Sprintf("the point %g,%g was taken in the device's pixels", p.X, p.Y), nil
	case p.X >= float64(s.sent.X) || p.Y >= float64(s.sent.Y):
		return "", "", &Refusal{What: fmt.Sprintf("the point %g,%g is outside the screenshot of %dx%d", p.X, p.Y, s.sent.X,
			s.sent.Y),
			Try: `scale: "device" for the device's pixels`}
	}
	x, y := s.toDevice(p.X, p.Y)
	return fmt.Sprintf("%g,%g", x, y),
		fmt.Sprintf("the point %g,%g was taken in the screenshot's pixels: %g,%g on the device (factor "+
			"%.4g)", p.X, p.Y, x, y, s.factor()), nil
}
