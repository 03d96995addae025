package devices

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// screens shows what is on the screens of devices: screenshots, elements, live images and logs.
type screens struct{ *desk }

// screenshotQuery are the parameters of a screenshot.
func screenshotQuery() []*huma.Param {
	least, most := float64(minSide), float64(maxSide)
	return []*huma.Param{
		{Name: "format", In: "query", Description: "png, or jpeg, which is smaller.", Schema: &huma.Schema{
			Type: huma.TypeString, Enum: []any{"png", "jpeg"}, Default: "png"}},
		{Name: "max", In: "query",
			Description: "The longer side has at most so many pixels; the screenshot is made smaller, never larger.",
			Schema:      &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most}},
	}
}

const (
	minSide = 16
	maxSide = 8192
)

// screenshot captures the screen while it has the device, and writes the response after the device is free again,
// because a client may read slowly.
func (s *screens) screenshot(w http.ResponseWriter, r *http.Request) error {
	format, side, err := screenshotOptions(r)
	if err != nil {
		return err
	}
	var picture image.Image
	err = s.use(r, func(ctx context.Context, session *action.Performer) (err error) {
		picture, err = session.Device.Screenshot(ctx)
		return err
	})
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := encode(&body, shrink(picture, side), format); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/"+format)
	return rest.WriteBody(w, body.Bytes())
}

func screenshotOptions(r *http.Request) (format string, side int, err error) {
	q := r.URL.Query()
	format = "png"
	if q.Has("format") {
		format = q.Get("format")
	}
	if format != "png" && format != "jpeg" {
		return "", 0, rest.Invalid("query.format: use png or jpeg")
	}
	if q.Has("max") {
		if side, err = strconv.Atoi(q.Get("max")); err != nil || side < minSide || side > maxSide {
			return "", 0, rest.Invalid(fmt.Sprintf("query.max: use a whole number from %d to %d", minSide, maxSide))
		}
	}
	return format, side, nil
}

// encode writes an image with fast compression, because it is sent once over a network.
func encode(body *bytes.Buffer, picture image.Image, format string) error {
	if format == "jpeg" {
		return jpeg.Encode(body, picture, &jpeg.Options{Quality: 85})
	}
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(body, picture)
}

// shrink scales an image so that its longer side has at most side pixels.
func shrink(picture image.Image, side int) image.Image {
	size := picture.Bounds().Size()
	long := max(size.X, size.Y)
	if side == 0 || long <= side {
		return picture
	}
	small := image.NewRGBA(image.Rect(0, 0, max(1, size.X*side/long), max(1, size.Y*side/long)))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	return small
}

// treeBody is the elements of a screen, as a report keeps them in tree-NN.json.
type treeBody = screen.Tree

func (s *screens) tree(w http.ResponseWriter, r *http.Request) error {
	var data []byte
	err := s.use(r, func(ctx context.Context, session *action.Performer) error {
		tree, err := session.Device.Tree(ctx)
		if err == nil {
			data, err = json.Marshal(tree)
		}
		return err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return rest.WriteBody(w, []byte(s.mask.Text(string(data))))
}

const liveDoc = `The screen as it changes: multipart/x-mixed-replace with one JPEG per part, which an img element of a
page shows directly. A part is sent when the screen has changed, and the same one again after 15 seconds without a
change. X-Screen is the size of a screenshot (WIDTHxHEIGHT), in the pixels of which trees and taps are measured; the
image may be smaller. All clients that watch a device share one stream of it; one that reads slowly gets fewer images,
never older ones. A device that another client has leased can be watched. The response ends when the device is
released.`

// liveBoundary separates two images.
const liveBoundary = "taproot-frame"

// live streams the screen until the client or the device disconnects.
func (s *screens) live(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if err := checkDeviceID(id); err != nil {
		return err
	}
	ctx, free := drivers.Bound(r.Context(), s.streams)
	defer free()
	opening, cancel := s.deadline(ctx)
	defer cancel()
	view, err := s.devices.View(opening, id)
	if err != nil {
		return rest.AsDeviceError(err)
	}
	defer func() {
		if err := view.Close(); err != nil {
			s.log.Info("cannot end a live view", "device", id, "error", err)
		}
	}()
	w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary="+liveBoundary)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	if _, err := fmt.Fprintf(w, "--%s\r\n", liveBoundary); err != nil {
		return nil // the client does not read any more
	}
	return writeFrames(ctx, w, view)
}

// writeFrames writes images. The boundary follows each at once: a browser shows an image when it has received its end.
func writeFrames(ctx context.Context, w http.ResponseWriter, view *live.View) error {
	flush := http.NewResponseController(w)
	var last drivers.Frame
	for {
		waiting, cancel := context.WithTimeout(ctx, rest.Heartbeat)
		f, err := view.Next(waiting)
		cancel()
		switch {
		case err == nil:
			last = f
		case ctx.Err() != nil || errors.Is(err, live.ErrGone):
			return nil
		}
		if last.JPEG != nil { // also when it is the same: only writing shows that a connection is lost
			_, err = fmt.Fprintf(w,
				"Content-Type: image/jpeg\r\nContent-Length: %d\r\nX-Screen: %dx%d\r\nX-Time: %s\r\n\r\n%s\r\n--%s\r\n",
				len(last.JPEG), last.Size.X, last.Size.Y, last.At.UTC().Format(time.RFC3339Nano), last.JPEG, liveBoundary)
			if err != nil {
				return nil
			}
		}
		if flush.Flush() != nil {
			return nil
		}
	}
}
