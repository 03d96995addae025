package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/service"
)

// FarmDevice is what a hub knows of a device beside its record.
type FarmDevice struct {
	Host   string            `json:"host,omitempty" doc:"Of a farm: the host that has it; none: this machine."`
	Pool   string            `json:"pool,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Use    string            `json:"use,omitempty" enum:"free,busy,leased,blocked" doc:"Of a farm: what it is good for now."`
	Why    string            `json:"why,omitempty" doc:"It is blocked."`
	Holder string            `json:"holder,omitempty" doc:"Who of your project holds it."`
	Since  *time.Time        `json:"since,omitempty" doc:"It is busy or leased since then."`
}

// FarmState is what the hub of a farm knows.
type FarmState struct {
	Hosts   []hub.Host `json:"hosts" nullable:"false"`
	Devices []Device   `json:"devices" nullable:"false"`
	Queue   []FarmLine `json:"queue" nullable:"false" doc:"Cases of your project that wait for a device."`
	Running []FarmCase `json:"running" nullable:"false" doc:"Cases of your project that are under way on hosts; at most 200."`
	Share   *FarmShare `json:"share,omitempty"`
}

// FarmCase is a case that is under way on a host.
type FarmCase struct {
	Run     string    `json:"run"`
	Test    string    `json:"test" doc:"Its id."`
	Attempt int       `json:"attempt" doc:"From 1: a case whose host was lost begins again."`
	Device  string    `json:"device"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
}

// FarmShare is what a project gets of the farm, and has.
type FarmShare struct {
	Weight  int `json:"weight" doc:"Of two projects that wait, one of weight 2 begins twice as many cases as one of weight 1."`
	Limit   int `json:"limit" doc:"Of its cases under way at once; 0: none."`
	Running int `json:"running"`
	Waiting int `json:"waiting"`
}

// FarmLine is cases with the same needs.
type FarmLine struct {
	Needs   string `json:"needs" example:"android, model Pixel *"`
	Waiting int    `json:"waiting"`
	Why     string `json:"why" doc:"Why the first of them waits."`
}

type joinInput struct{ Body wire.Join }
type rejoinInput struct{ Body wire.Rejoin }
type joinAnswer struct{ Body wire.Joined }
type farmAnswer struct{ Body FarmState }

const joinDoc = `For taproot host: a token, once, for the credential by which the host connects. Hosts of another protocol are refused.`

const rejoinDoc = `For taproot host: a host that has joined gets its next credential for a signature by its key, however long it was away, unless it was revoked.`

// farmRoutes are those of a hub.
func (s *Server) farmRoutes() {
	register(s, op{Post: "/farm/join", ID: "join-farm", Tag: "farm", Summary: "Let a host in", Doc: joinDoc, Status: http.StatusOK, Free: true,
		Codes: []int{http.StatusUnauthorized, http.StatusConflict, http.StatusServiceUnavailable}}, s.joinFarm)
	register(s, op{Post: "/farm/rejoin", ID: "rejoin-farm", Tag: "farm", Summary: "Let a host come back", Doc: rejoinDoc, Status: http.StatusOK, Free: true,
		Codes: []int{http.StatusUnauthorized, http.StatusConflict, http.StatusServiceUnavailable}}, s.rejoinFarm)
	register(s, op{Get: "/farm", ID: "farm-state", Tag: "farm", Scope: readDevices, Summary: "Show the hosts and devices of the farm that the project may use"}, s.farmState)
}

const codeVersion = "version_mismatch"

func (s *Server) joinFarm(ctx context.Context, in *joinInput) (*joinAnswer, error) {
	c := callerOf(ctx)
	out, err := s.o.Farm.Join(ctx, in.Body)
	return s.joined(ctx, service.Entry{Actor: "host " + cut(in.Body.Name, 64), Action: "farm.join", Target: out.Host, Address: c.addr}, out, err)
}

func (s *Server) rejoinFarm(ctx context.Context, in *rejoinInput) (*joinAnswer, error) {
	c := callerOf(ctx)
	out, err := s.o.Farm.Rejoin(ctx, in.Body)
	return s.joined(ctx, service.Entry{Actor: "host " + cut(in.Body.Host, 64), Action: "farm.rejoin", Target: out.Host, Address: c.addr}, out, err)
}

// joined answers a host, and notes that it came, or was refused.
func (s *Server) joined(ctx context.Context, e service.Entry, out wire.Joined, err error) (*joinAnswer, error) {
	var version *wire.VersionError
	refused := errors.Is(err, hub.ErrToken) || errors.Is(err, hub.ErrRejoin)
	switch {
	case s.o.Service == nil:
	case err == nil:
		if bad := s.o.Service.Note(ctx, e); bad != nil {
			s.log.WarnContext(ctx, "the log of the service", "error", bad)
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
		return nil, fault(http.StatusUnauthorized, codeInvalidToken, err.Error())
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
	out := &farmAnswer{FarmState{Hosts: s.o.Farm.Hosts(s.o.projectID, false), Devices: list.Body, Queue: []FarmLine{}, Running: []FarmCase{}}}
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
		if text, ok := d.Records[s.o.projectID]; ok && unmarshal(text, &out) != nil { // a host says what it likes
			out = Device{}
		}
		out.Info, out.Busy = d.Info, d.Busy
		out.ID = d.Name
		if out.Lease != nil {
			out.Lease.Device = d.Name
		}
		out.Reservations = s.reservedThere(d.Reserved, c)
		out.FarmDevice = FarmDevice{Host: d.Host, Pool: d.Pool, Labels: d.Labels, Use: d.Use, Why: d.Why, Holder: d.Holder}
		if !d.Since.IsZero() {
			out.Since = &d.Since
		}
		own = append(own, out)
	}
	slices.SortStableFunc(own, func(a, b Device) int { return strings.Compare(a.ID, b.ID) })
	return own
}

// reservedThere is what a project is told of the reservations of a host's device.
func (s *Server) reservedThere(list []wire.Lease, c caller) (out []ReservationInfo) {
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
	case d.Busy != nil:
		return FarmDevice{Use: hub.Busy, Since: d.Busy}
	}
	return FarmDevice{Use: hub.Free}
}

// lookLocal tells the hub which devices this machine has, until streams end.
func (s *Server) lookLocal() {
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

const devicePath = " /devices/{id}"

// forward answers a request for a device of a host. handled is false when the device is this machine's, or nobody's.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, a access) (handled bool, err error) {
	if host := r.Header.Get(hostHeader); host != "" && isPagePath(a.pattern) {
		return true, s.forwardPage(w, r, a, host)
	}
	if s.o.Farm == nil || !strings.Contains(a.pattern, devicePath) {
		return false, nil
	}
	id, rest := deviceOf(r.URL)
	if _, open := s.opened()[id]; open {
		return false, nil
	}
	at, ok, err := s.o.Farm.Find(s.o.projectID, id)
	if errors.Is(err, hub.ErrAmbiguous) {
		return true, fault(http.StatusNotFound, codeNoDevice, err.Error())
	}
	if !ok && err == nil && s.o.Farm.Kept(s.o.projectID, id) {
		s.refused(callerOf(r.Context()), "device.use", cut(id, 50)+", for "+r.Method+" "+a.pattern)
	}
	if !ok || err != nil {
		return false, err
	}
	way := s.o.Farm.Transport(at.Host)
	if way == nil {
		return true, &pool.UnknownDeviceError{ID: cut(id, 50)}
	}
	if a.upload {
		r.Body = &movingBody{moving{r.Body, func() { s.await(w) }}, r.Body}
	}
	s.proxy(w, at.Host, func(u *url.URL) {
		u.Path, u.RawPath = "/devices/"+at.Device, "/devices/"+url.PathEscape(at.Device)+rest
		if plain, err := url.PathUnescape(rest); err == nil {
			u.Path += plain
		}
	}, way).ServeHTTP(w, r)
	return true, nil
}

// hostHeader names the host on which a page is opened, or is open; without it, that is this machine.
const hostHeader = "X-Host"

func isPagePath(pattern string) bool {
	_, path, _ := strings.Cut(pattern, " ")
	return path == "/web" || strings.HasPrefix(path, "/web/")
}

// forwardPage answers a request about pages of a host.
func (s *Server) forwardPage(w http.ResponseWriter, r *http.Request, a access, host string) error {
	var way http.RoundTripper
	if s.o.Farm != nil {
		for _, one := range s.o.Farm.Hosts(s.o.projectID, false) {
			if one.ID == host {
				way = s.o.Farm.Transport(host)
			}
		}
	}
	if way == nil {
		if s.o.Farm != nil && s.o.Farm.Transport(host) != nil {
			s.refused(callerOf(r.Context()), "device.use", cut(host, 64)+", for "+a.pattern)
		}
		return fault(http.StatusNotFound, codeNotFound, fmt.Sprintf("there is no host %.64q; GET /farm lists those of a farm", host))
	}
	s.proxy(w, host, func(*url.URL) {}, way).ServeHTTP(w, r)
	return nil
}

// refused notes in the log of the service, for its operators alone: that a device of others exists is nothing for the project that asked.
func (s *Server) refused(c caller, action, target string) {
	if s.o.refused != nil {
		s.o.refused(service.Entry{Actor: "project " + s.o.projectID + ", " + c.Name, Action: action, Target: target, Address: c.addr})
	}
}

// movingBody is an upload that must move on while it is passed on.
type movingBody struct {
	moving
	of interface{ Close() error }
}

func (b *movingBody) Close() error { return b.of.Close() }

// deviceOf takes the id out of a path /devices/{id}…; rest is what follows, escaped as it came.
func deviceOf(u *url.URL) (id, rest string) {
	text := strings.TrimPrefix(u.EscapedPath(), "/devices/")
	text, rest, more := strings.Cut(text, "/")
	if more {
		rest = "/" + rest
	}
	id, err := url.PathUnescape(text)
	if err != nil {
		return text, rest
	}
	return id, rest
}

// proxy sends requests to a host. What came to the hub alone is left out: credentials, and what a browser says of its page.
func (s *Server) proxy(w http.ResponseWriter, host string, path func(*url.URL), way http.RoundTripper) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{Transport: way, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		Rewrite: func(p *httputil.ProxyRequest) {
			ctx := p.In.Context()
			for _, name := range []string{hostHeader, "Authorization", "X-Api-Key", "X-Project", "Cookie", "Origin", "Referer", callerHeader, "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User"} {
				p.Out.Header.Del(name)
			}
			p.Out.Header.Set(callerHeader, s.introduce(callerOf(ctx)))
			p.Out.Header.Set("X-Request-Id", requestID(ctx))
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = "http", host, host
			path(p.Out.URL)
		},
		ModifyResponse: func(res *http.Response) error {
			for name := range res.Header {
				if slices.Contains(ownHeaders, name) {
					res.Header.Del(name)
				} else {
					w.Header().Del(name) // the answer's own goes before what the hub says of all
				}
			}
			if out, ok := w.(*counting); ok && res.StatusCode == http.StatusSwitchingProtocols {
				out.status = res.StatusCode // it is not written, but sent on as it is
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			s.log.InfoContext(r.Context(), "a request for a device of a host", "host", host, "error", err)
			fail := fault(http.StatusBadGateway, codeDevice, fmt.Sprintf("the host %s of the device does not answer: %v", host, err))
			if cause := context.Cause(r.Context()); cause != nil {
				fail = s.problem(r.Context(), cause)
			}
			writeError(w, fail)
		}}
}

// ownHeaders are those that the hub says of every answer itself.
var ownHeaders = []string{"X-Request-Id", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy", "Strict-Transport-Security", "Vary",
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Ratelimit", "Ratelimit-Limit", "Ratelimit-Policy", "Ratelimit-Remaining", "Ratelimit-Reset"}
