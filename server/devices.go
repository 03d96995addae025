package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
)

// Device is the record of a device.
type Device struct {
	drivers.Info
	Open        bool       `json:"open" doc:"The server has it open for calls."`
	Lease       *LeaseInfo `json:"lease,omitempty" doc:"Who holds it by a lease of this server."`
	LeasedSince *time.Time `json:"leasedSince,omitempty" doc:"Leased since then: by a call, a run or another process."`

	Reservations []ReservationInfo `json:"reservations,omitempty" doc:"For when it is reserved, the first one first."`

	Recording *Recording `json:"recording,omitempty" doc:"The current or last recording of its screen."`
	FarmDevice
}

type deviceList struct{ Body []Device }
type oneDevice struct{ Body Device }
type deviceInput struct {
	ID string `path:"id" doc:"Serial of the phone, or id of the page, as GET /devices lists it." example:"emulator-5554"`
}

func (s *Server) listDevices(ctx context.Context, _ *struct{}) (*deviceList, error) {
	infos, err := s.devices.List(ctx)
	if err != nil && len(infos) == 0 && s.o.Farm == nil {
		return nil, &deviceError{err}
	}
	if err != nil {
		s.log.WarnContext(ctx, "some devices cannot be listed", "error", err)
	}
	open := s.opened()
	out := &deviceList{Body: []Device{}}
	for _, info := range infos {
		if _, is := open[info.ID]; !is && info.Platform == dsl.Web { // a page that could be opened is not a device yet
			continue
		}
		out.Body = append(out.Body, s.deviceRecord(info, open, callerOf(ctx)))
	}
	out.Body = s.withFarm(out.Body, callerOf(ctx))
	return out, nil
}

func (s *Server) getDevice(ctx context.Context, in *deviceInput) (*oneDevice, error) {
	info, err := s.device(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	record := s.deviceRecord(info, s.opened(), callerOf(ctx))
	if s.o.Farm != nil {
		record.FarmDevice = localUse(record)
	}
	return &oneDevice{record}, nil
}

// maxID bounds the length of a device ID.
const maxID = 256

// device returns the record of an existing device.
func (s *Server) device(ctx context.Context, id string) (drivers.Info, error) {
	if err := checkDeviceID(id); err != nil {
		return drivers.Info{}, err
	}
	info, err := s.devices.Info(ctx, id)
	if err != nil {
		return drivers.Info{}, asDeviceError(err)
	}
	return info, nil
}

func checkDeviceID(id string) error {
	if id == "" || len(id) > maxID || strings.ContainsFunc(id, isControl) {
		return &pool.UnknownDeviceError{ID: cut(id, 50)}
	}
	return nil
}

func (s *Server) opened() map[string]live.Status {
	open := map[string]live.Status{}
	for _, status := range s.devices.Open() {
		open[status.Info.ID] = status
	}
	return open
}

// deviceRecord returns what a caller may see of a device.
func (s *Server) deviceRecord(info drivers.Info, open map[string]live.Status, c caller) Device {
	_, is := open[info.ID]
	d := Device{Info: info, Open: is}
	if h, held := s.devices.Held(info.ID); held {
		l := s.leaseOf(info.ID, h)
		d.Lease = &l
	}
	if h, busy := s.pool.Busy(info.ID); busy {
		since := h.Since.UTC()
		d.LeasedSince = &since
	}
	if info.Platform != dsl.Web {
		d.Reservations = s.reservations(info.ID, c)
	}
	if rec := s.recordings.of(info.ID); rec != nil {
		now := rec.now()
		d.Recording = &now
	}
	return d
}

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
func (s *Server) screenshot(w http.ResponseWriter, r *http.Request) error {
	format, side, err := screenshotOptions(r)
	if err != nil {
		return err
	}
	var picture image.Image
	err = s.use(r, func(ctx context.Context, session *action.Session) (err error) {
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
	return writeBody(w, body.Bytes())
}

func screenshotOptions(r *http.Request) (format string, side int, err error) {
	q := r.URL.Query()
	format = "png"
	if q.Has("format") {
		format = q.Get("format")
	}
	if format != "png" && format != "jpeg" {
		return "", 0, invalid("query.format: use png or jpeg")
	}
	if q.Has("max") {
		if side, err = strconv.Atoi(q.Get("max")); err != nil || side < minSide || side > maxSide {
			return "", 0, invalid(fmt.Sprintf("query.max: use a whole number from %d to %d", minSide, maxSide))
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

func (s *Server) tree(w http.ResponseWriter, r *http.Request) error {
	var data []byte
	err := s.use(r, func(ctx context.Context, session *action.Session) error {
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
	return writeBody(w, []byte(s.mask.Text(string(data))))
}

// use leases the device to the request for one call.
func (s *Server) use(r *http.Request, use func(context.Context, *action.Session) error) error {
	id := r.PathValue("id")
	if err := checkDeviceID(id); err != nil {
		return err
	}
	ctx, cancel := s.deadline(r.Context())
	defer cancel()
	began := time.Now()
	err := s.devices.Use(ctx, id, s.leases.holder(id, callerOf(ctx)), use)
	s.figures.observeAction(operation(r), time.Since(began), err)
	return asDeviceError(err)
}

// operation names what a request does, for metrics.
func operation(r *http.Request) string {
	_, name, _ := strings.Cut(r.Pattern, "{id}/")
	return name
}

// writeBody writes a complete response body.
func writeBody(w http.ResponseWriter, body []byte) error {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, err := w.Write(body)
	return err
}
