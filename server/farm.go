package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/service"
)

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

// FarmState is the state of a farm, as its hub knows it.
type FarmState struct {
	Hosts   []hub.Host `json:"hosts" nullable:"false"`
	Devices []Device   `json:"devices" nullable:"false"`
	Queue   []FarmLine `json:"queue" nullable:"false" doc:"Cases of your project that wait for a device."`
	Running []FarmCase `json:"running" nullable:"false" doc:"Cases of your project that run on hosts; at most 200."`
	Share   *FarmShare `json:"share,omitempty"`
}

// FarmCase is a case that runs on a host.
type FarmCase struct {
	Run     string    `json:"run"`
	Test    string    `json:"test" doc:"Its id."`
	Attempt int       `json:"attempt" doc:"From 1: a case starts again after its host was lost."`
	Device  string    `json:"device"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
}

// FarmShare is a project's share of the farm and its current use.
type FarmShare struct {
	Weight  int `json:"weight" doc:"Weight 2 starts twice as many cases as weight 1, when both wait."`
	Limit   int `json:"limit" doc:"Of its cases under way at once; 0: none."`
	Running int `json:"running"`
	Waiting int `json:"waiting"`
}

// FarmLine is a queue of cases with the same requirements.
type FarmLine struct {
	Needs   string `json:"needs" example:"android, model Pixel *"`
	Waiting int    `json:"waiting"`
	Why     string `json:"why" doc:"Why the first of them waits."`
}

type joinInput struct{ Body wire.Join }
type rejoinInput struct{ Body wire.Rejoin }
type joinAnswer struct{ Body wire.Joined }
type farmAnswer struct{ Body FarmState }

const joinDoc = "For taproot host: exchanges a token, once, for the credential by which the host connects. " +
	"Hosts of another protocol version are rejected."

const rejoinDoc = "For taproot host: a host that has joined gets its next credential for a signature by its key, " +
	"however long it was away, unless it was revoked."

// farmRoutes registers the routes of a hub.
func (s *Server) farmRoutes() {
	register(s, op{Post: "/farm/join", ID: "join-farm", Tag: "farm", Summary: "Let a host in", Doc: joinDoc,
		Status: http.StatusOK, Free: true,
		Codes: []int{http.StatusUnauthorized, http.StatusConflict, http.StatusServiceUnavailable}}, s.joinFarm)
	register(s, op{Post: "/farm/rejoin", ID: "rejoin-farm", Tag: "farm", Summary: "Let a host come back", Doc: rejoinDoc,
		Status: http.StatusOK, Free: true,
		Codes: []int{http.StatusUnauthorized, http.StatusConflict, http.StatusServiceUnavailable}}, s.rejoinFarm)
	register(s, op{Get: "/farm", ID: "farm-state", Tag: "farm", Scope: readDevices,
		Summary: "Show the hosts and devices of the farm that the project may use"}, s.farmState)
}

const codeVersion = "version_mismatch"

func (s *Server) joinFarm(ctx context.Context, in *joinInput) (*joinAnswer, error) {
	c := callerOf(ctx)
	out, err := s.o.Farm.Join(ctx, in.Body)
	return s.joined(ctx, service.Entry{Actor: "host " + cut(in.Body.Name, 64), Action: "farm.join", Target: out.Host,
		Address: c.addr}, out, err)
}

func (s *Server) rejoinFarm(ctx context.Context, in *rejoinInput) (*joinAnswer, error) {
	c := callerOf(ctx)
	out, err := s.o.Farm.Rejoin(ctx, in.Body)
	return s.joined(ctx, service.Entry{Actor: "host " + cut(in.Body.Host, 64), Action: "farm.rejoin", Target: out.Host,
		Address: c.addr}, out, err)
}

// joined returns the response to a host, and logs that it joined or was rejected.
func (s *Server) joined(ctx context.Context, e service.Entry, out wire.Joined, err error) (*joinAnswer, error) {
	var version *wire.VersionError
	refused := errors.Is(err, hub.ErrToken) || errors.Is(err, hub.ErrRejoin) || errors.Is(err, hub.ErrRevoked)
	switch {
	case s.o.Service == nil:
	case err == nil:
		if bad := s.o.Service.Note(ctx, e); bad != nil {
			s.log.WarnContext(ctx, "cannot write the log of the service", "error", bad)
		}
	case refused || errors.As(err, &version) || errors.Is(err, hub.ErrClock):
		e.Target = err.Error()
		s.o.Service.Refused(e)
	}
	c := callerOf(ctx)
	switch {
	case refused:
		if fail := count(ctx, s.o.Guesses, http.Header{}, c, access{}); fail != nil {
			return nil, fail
		}
		e := fault(http.StatusUnauthorized, codeInvalidToken, err.Error())
		if proof := wire.ProofOf(err); proof != "" {
			e.headers = http.Header{wire.ProofHeader: {proof}}
		}
		return nil, e
	case errors.As(err, &version):
		return nil, fault(http.StatusConflict, codeVersion, err.Error())
	case err != nil && memberProblem(err) == nil:
		return nil, invalid(err.Error())
	}
	return &joinAnswer{out}, err
}

func (s *Server) farmState(ctx context.Context, _ *struct{}) (*farmAnswer, error) {
	list, err := s.listDevices(ctx, nil)
	if err != nil {
		return nil, err
	}
	out := &farmAnswer{FarmState{Hosts: s.o.Farm.Hosts(s.o.projectID, false), Devices: list.Body, Queue: []FarmLine{},
		Running: []FarmCase{}}}
	if s.o.FarmRunning != nil {
		running, err := s.o.FarmRunning(ctx, s.o.projectID)
		if err != nil {
			return nil, err
		}
		out.Body.Running = append(out.Body.Running, running...)
	}
	if s.o.FarmQueue != nil {
		lines, share, err := s.o.FarmQueue(ctx, s.o.projectID)
		if err != nil {
			return nil, err
		}
		out.Body.Queue, out.Body.Share = append(out.Body.Queue, lines...), &share
	}
	return out, nil
}

// withFarm adds the devices of hosts to those of this machine.
func (s *Server) withFarm(own []Device, c caller) []Device {
	if s.o.Farm == nil {
		return own
	}
	for i := range own {
		own[i].FarmDevice = localUse(own[i])
	}
	for _, d := range s.o.Farm.Devices(s.o.projectID) {
		out := Device{}
		if text, ok := d.Records[s.o.projectID]; ok && unmarshal(text, &out) != nil {
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
func (s *Server) remoteReservations(list []wire.Lease, c caller) (out []ReservationInfo) {
	for _, l := range list {
		r := ReservationInfo{From: l.Since, Until: l.Until}
		if l.Project == s.o.projectID {
			r.Holder, r.Why = l.Holder, l.Why
			if c.mayTakeBack(l.By) {
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

// reportLocalDevices reports the devices of this machine to the hub, until streams end.
func (s *Server) reportLocalDevices() {
	if s.o.Farm == nil || s.o.ownFiles {
		return
	}
	s.beating.Go(func() {
		tick := time.NewTicker(2 * time.Second)
		defer tick.Stop()
		for {
			infos, err := s.devices.List(s.streams)
			if err == nil || len(infos) > 0 {
				var ids []string
				for _, info := range infos {
					ids = append(ids, info.ID)
				}
				s.o.Farm.SetLocal(ids)
			}
			select {
			case <-tick.C:
			case <-s.streams.Done():
				return
			}
		}
	})
}

// maxOthers is how many devices of hosts the error for an unknown device lists.
const maxOthers = 20

// withHosts adds the devices of hosts to the available devices that the error lists.
func (s *Server) withHosts(e *pool.UnknownDeviceError) *pool.UnknownDeviceError {
	if s.o.Farm == nil {
		return e
	}
	all := s.o.Farm.Devices(s.o.projectID)
	out := &pool.UnknownDeviceError{ID: e.ID}
	for _, d := range all[:min(len(all), maxOthers)] {
		out.Others = append(out.Others, d.Name)
	}
	out.Others = append(out.Others, e.Others...)
	if more := len(all) - maxOthers; more > 0 {
		out.Others = append(out.Others, fmt.Sprintf("and %d more (GET /devices)", more))
	}
	return out
}
