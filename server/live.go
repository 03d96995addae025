package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/live"
)

const liveDoc = `The screen as it changes: multipart/x-mixed-replace with one JPEG per part, which an img element of a
page shows directly. A part is sent when the screen has changed, and the same one again after 15 seconds without a
change. X-Screen is the size of a screenshot (WIDTHxHEIGHT), in the pixels of which trees and taps are measured; the
image may be smaller. All clients that watch a device share one stream of it; one that reads slowly gets fewer images,
never older ones. A device that another client has leased can be watched. The response ends when the device is
released.`

// liveBoundary separates two images.
const liveBoundary = "taproot-frame"

// live streams the screen until the client or the device disconnects.
func (s *Server) live(w http.ResponseWriter, r *http.Request) error {
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
		return asDeviceError(err)
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
		waiting, cancel := context.WithTimeout(ctx, heartbeat)
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
