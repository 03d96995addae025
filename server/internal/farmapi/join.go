package farmapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/server/internal/devices"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

// FarmState is the state of a farm, as its hub knows it.
type FarmState struct {
	Hosts   []hub.Host       `json:"hosts" nullable:"false"`
	Devices []devices.Device `json:"devices" nullable:"false"`
	Queue   []FarmLine       `json:"queue" nullable:"false" doc:"Cases of your project that wait for a device."`
	Running []FarmCase       `json:"running" nullable:"false" doc:"Cases of your project that run on hosts; at most 200."`
	Share   *FarmShare       `json:"share,omitempty"`
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

// Routes registers the routes of a hub.
func (s *API) Routes(api *rest.API) {
	rest.Register(api, rest.Op{Post: "/farm/join", ID: "join-farm", Tag: "farm", Summary: "Let a host in", Doc: joinDoc,
		Status: http.StatusOK, Free: true,
		Codes: []int{http.StatusUnauthorized, http.StatusConflict, http.StatusServiceUnavailable}}, s.joinFarm)
	rest.Register(api, rest.Op{Post: "/farm/rejoin", ID: "rejoin-farm", Tag: "farm", Summary: "Let a host come back",
		Doc:    rejoinDoc,
		Status: http.StatusOK, Free: true,
		Codes: []int{http.StatusUnauthorized, http.StatusConflict, http.StatusServiceUnavailable}}, s.rejoinFarm)
	rest.Register(api, rest.Op{Get: "/farm", ID: "farm-state", Tag: "farm", Scope: rest.ReadDevices,
		Summary: "Show the hosts and devices of the farm that the project may use"}, s.farmState)
}

func (s *API) joinFarm(ctx context.Context, in *joinInput) (*joinAnswer, error) {
	c := rest.CallerOf(ctx)
	out, err := s.o.Hub.Join(ctx, in.Body)
	return s.joined(ctx, service.Entry{Actor: "host " + rest.Cut(in.Body.Name, 64), Action: "farm.join", Target: out.Host,
		Address: c.Addr}, out, err)
}

func (s *API) rejoinFarm(ctx context.Context, in *rejoinInput) (*joinAnswer, error) {
	c := rest.CallerOf(ctx)
	out, err := s.o.Hub.Rejoin(ctx, in.Body)
	return s.joined(ctx, service.Entry{Actor: "host " + rest.Cut(in.Body.Host, 64), Action: "farm.rejoin",
		Target:  out.Host,
		Address: c.Addr}, out, err)
}

// joined returns the response to a host, and logs that it joined or was rejected.
func (s *API) joined(ctx context.Context, e service.Entry, out wire.Joined, err error) (*joinAnswer, error) {
	var version *wire.VersionError
	refused := errors.Is(err, hub.ErrToken) || errors.Is(err, hub.ErrRejoin) || errors.Is(err, hub.ErrRevoked)
	switch {
	case s.o.Service == nil:
	case err == nil:
		if bad := s.o.Service.Note(ctx, e); bad != nil {
			s.o.Log.WarnContext(ctx, "cannot write the log of the service", "error", bad)
		}
	case refused || errors.As(err, &version) || errors.Is(err, hub.ErrClock):
		e.Target = err.Error()
		s.o.Service.Refused(e)
	}
	c := rest.CallerOf(ctx)
	switch {
	case refused:
		if fail := rest.Count(ctx, s.o.Guesses, http.Header{}, c, rest.Access{}); fail != nil {
			return nil, fail
		}
		e := rest.Fault(http.StatusUnauthorized, rest.CodeInvalidToken, err.Error())
		e.Headers = wire.Proof(err)
		return nil, e
	case errors.As(err, &version):
		return nil, rest.Fault(http.StatusConflict, rest.CodeVersion, err.Error())
	case err != nil && rest.MemberProblem(err) == nil:
		return nil, rest.Invalid(err.Error())
	}
	return &joinAnswer{out}, err
}

func (s *API) farmState(ctx context.Context, _ *struct{}) (*farmAnswer, error) {
	t := s.o.Tenants.Of(ctx)
	list, err := t.Devices.List(ctx)
	if err != nil {
		return nil, err
	}
	out := &farmAnswer{FarmState{Hosts: s.o.Hub.Hosts(t.Project, false), Devices: list, Queue: []FarmLine{},
		Running: []FarmCase{}}}
	if s.o.Running != nil {
		running, err := s.o.Running(ctx, t.Project)
		if err != nil {
			return nil, err
		}
		out.Body.Running = append(out.Body.Running, running...)
	}
	if s.o.Queue != nil {
		lines, share, err := s.o.Queue(ctx, t.Project)
		if err != nil {
			return nil, err
		}
		out.Body.Queue, out.Body.Share = append(out.Body.Queue, lines...), &share
	}
	return out, nil
}
