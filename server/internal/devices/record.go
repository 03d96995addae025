package devices

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// records describes devices as their callers may see them.
type records struct {
	*desk
	recordings *recordings
}

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

func (s *records) listDevices(ctx context.Context, _ *struct{}) (*deviceList, error) {
	infos, err := s.devices.List(ctx)
	if err != nil && len(infos) == 0 && s.o.Farm == nil {
		return nil, &rest.DeviceError{Err: err}
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
		out.Body = append(out.Body, s.deviceRecord(info, open, rest.CallerOf(ctx)))
	}
	out.Body = s.withFarm(out.Body, rest.CallerOf(ctx))
	return out, nil
}

func (s *records) getDevice(ctx context.Context, in *deviceInput) (*oneDevice, error) {
	info, err := s.device(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	record := s.deviceRecord(info, s.opened(), rest.CallerOf(ctx))
	if s.o.Farm != nil {
		record.FarmDevice = localUse(record)
	}
	return &oneDevice{record}, nil
}

// deviceRecord returns what a caller may see of a device.
func (s *records) deviceRecord(info drivers.Info, open map[string]live.Status, c rest.Caller) Device {
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

// FarmDevice is what a hub knows of a device in addition to its record.
type FarmDevice struct {
	Host   string            `json:"host,omitempty" doc:"Of a farm: the host that has it; none: this machine."`
	Pool   string            `json:"pool,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Use    string            `json:"use,omitempty" enum:"free,busy,leased,blocked" doc:"Of a farm: its state now."`
	Why    string            `json:"why,omitempty" doc:"It is blocked."`
	Holder string            `json:"holder,omitempty" doc:"Who of your project holds it."`
	Since  *time.Time        `json:"since,omitempty" doc:"It is busy or leased since then."`
}

// withFarm adds the devices of hosts to those of this machine.
func (s *records) withFarm(own []Device, c rest.Caller) []Device {
	if s.o.Farm == nil {
		return own
	}
	for i := range own {
		own[i].FarmDevice = localUse(own[i])
	}
	for _, d := range s.o.Farm.Devices(s.o.Project) {
		out := Device{}
		if text, ok := d.Records[s.o.Project]; ok && rest.Unmarshal(text, &out) != nil {
			// the record comes from a host and is invalid
			out = Device{}
		}
		out.Info, out.LeasedSince = d.Info, d.LeasedSince
		out.Reservations = s.remoteReservations(d.Reserved, c)
		out.setName(d.Name)
		out.FarmDevice = remoteUse(d)
		own = append(own, out)
	}
	slices.SortStableFunc(own, func(a, b Device) int { return strings.Compare(a.ID, b.ID) })
	return own
}

// setName sets the name under which the device of a host appears on this hub.
func (d *Device) setName(name string) {
	d.ID = name
	if d.Lease != nil {
		d.Lease.Device = name
	}
	if d.Recording != nil {
		d.Recording.Device = name
	}
}

// remoteUse returns the state of a host's device that the hub received last.
func remoteUse(d hub.Device) FarmDevice {
	out := FarmDevice{Host: d.Host, Pool: d.Pool, Labels: d.Labels, Use: d.Use, Why: d.Why, Holder: d.Holder}
	if !d.Since.IsZero() {
		out.Since = &d.Since
	}
	return out
}

// remoteReservations returns what a project may see of the reservations of a host's device.
func (s *records) remoteReservations(list []wire.Lease, c rest.Caller) (out []ReservationInfo) {
	for _, l := range list {
		r := ReservationInfo{From: l.Since, Until: l.Until}
		if l.Project == s.o.Project {
			r.Holder, r.Why = l.Holder, l.Why
			if c.MayTakeBack(l.By) {
				r.ID = l.ID
			}
		}
		out = append(out, r)
	}
	return out
}

func localUse(d Device) FarmDevice {
	now := time.Now()
	switch {
	case d.Problem != "":
		return FarmDevice{Use: hub.Blocked, Why: d.Problem}
	case d.Lease != nil:
		return FarmDevice{Use: hub.Leased, Holder: d.Lease.Holder, Since: &d.Lease.Since}
	case len(d.Reservations) > 0 && !d.Reservations[0].From.After(now):
		return FarmDevice{Use: hub.Leased, Holder: d.Reservations[0].Holder, Since: &d.Reservations[0].From}
	case d.LeasedSince != nil:
		return FarmDevice{Use: hub.Busy, Since: d.LeasedSince}
	}
	return FarmDevice{Use: hub.Free}
}

// AddTo adds to the devices what a project sees of them, and its pages.
func (s *records) AddTo(list []wire.Device, project string) []wire.Device {
	open := s.opened()
	for i := range list {
		d := &list[i]
		record := s.deviceRecord(d.Info, open, rest.Caller{})
		if l := record.Lease; l != nil {
			d.Leases = append(d.Leases, wire.Lease{Project: project, Holder: l.Holder, Since: l.Since, Until: l.Until})
		}
		if d.Only == "" && (record.Open || record.Lease != nil || record.Recording != nil) {
			record.addRecord(d, project)
		}
	}
	for _, status := range open {
		if status.Info.Platform != dsl.Web {
			continue
		}
		d := wire.Device{Info: status.Info, Only: project}
		s.deviceRecord(status.Info, open, rest.Caller{}).addRecord(&d, project)
		list = append(list, d)
	}
	return list
}

// addRecord adds the record that a project sees.
func (d Device) addRecord(to *wire.Device, project string) {
	text, err := json.Marshal(d)
	if err != nil {
		return // the device then has no record
	}
	if to.Records == nil {
		to.Records = map[string]json.RawMessage{}
	}
	to.Records[project] = text
}

// CompleteRecord adds what the hub knows to the record of a device that a host sent. The state in the record overrides
// the state that the hub received before.
func (s *records) CompleteRecord(at hub.Target, text []byte) ([]byte, error) {
	var out Device
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	all := s.o.Farm.Devices(s.o.Project)
	i := slices.IndexFunc(all, func(d hub.Device) bool { return d.Host == at.Host && d.Info.ID == at.Device })
	if i < 0 {
		return text, nil // the device was disconnected meanwhile
	}
	known := remoteUse(all[i])
	switch free := out.Lease == nil && out.LeasedSince == nil; {
	case known.Use == hub.Blocked:
	case out.Lease != nil:
		known.Use, known.Holder, known.Since = hub.Leased, out.Lease.Holder, &out.Lease.Since
	case !free && known.Use == hub.Free:
		known.Use, known.Since = hub.Busy, out.LeasedSince
	case free && (known.Use == hub.Busy || known.Use == hub.Leased && len(out.Reservations) == 0):
		known.Use, known.Holder, known.Since = hub.Free, "", nil
	}
	out.FarmDevice = known
	out.setName(all[i].Name)
	var body bytes.Buffer
	err := rest.Marshal(&body, out)
	return body.Bytes(), err
}

// List lists the devices that a caller may see, usable or not.
func (s *records) List(ctx context.Context) ([]Device, error) {
	list, err := s.listDevices(ctx, nil)
	if err != nil {
		return nil, err
	}
	return list.Body, nil
}
