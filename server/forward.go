package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/service"
)

const devicePath = " /devices/{id}"

// forward sends a request for a device of a host to that host. handled is false when the device belongs to this
// machine, or does not exist.
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
		s.logRefusal(callerOf(r.Context()), "device.use", cut(id, 50)+", for "+r.Method+" "+a.pattern)
	}
	if !ok || err != nil {
		return false, err
	}
	way := s.o.Farm.Transport(at.Host)
	if way == nil {
		return true, &pool.UnknownDeviceError{ID: cut(id, 50)}
	}
	if a.upload {
		r.Body = &timedBody{timedReader{r.Body, func() { s.limitRead(w) }}, r.Body}
	}
	proxy := s.proxy(w, at.Host, func(u *url.URL) {
		u.Path, u.RawPath = "/devices/"+at.Device, "/devices/"+url.PathEscape(at.Device)+rest
		if plain, err := url.PathUnescape(rest); err == nil {
			u.Path += plain
		}
	}, way)
	if id != at.Device {
		proxy.ModifyResponse = renameDevice(at.Device, id, proxy.ModifyResponse)
	}
	if a.pattern == http.MethodGet+devicePath {
		proxy.ModifyResponse = s.addHubState(at, proxy.ModifyResponse)
	}
	proxy.ServeHTTP(w, r)
	return true, nil
}

// maxRecord limits the size of a device record from a host, in bytes.
const maxRecord = 1 << 20

// addHubState adds what the hub knows of a device to the host's response, after then has changed the headers.
func (s *Server) addHubState(at hub.Target, then func(*http.Response) error) func(*http.Response) error {
	return func(res *http.Response) error {
		if err := then(res); err != nil || res.StatusCode != http.StatusOK {
			return err
		}
		text, err := io.ReadAll(io.LimitReader(res.Body, maxRecord))
		if err == nil {
			text, err = s.completeRecord(at, text)
		}
		if err != nil {
			return err
		}
		_ = res.Body.Close() // it was read completely
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		res.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return nil
	}
}

// finalAnswers passes on only the final response of a host. Informational responses (100, 103) stay on the hub:
// forwarding one would send the hub's own headers with it, and the final response would lack them.
type finalAnswers struct {
	http.RoundTripper
	upgrade []string // headers of a 426 response, which the client needs, too
}

func (f *finalAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := f.RoundTripper.RoundTrip(r.WithContext(untraced{r.Context()}))
	if err == nil && res.StatusCode == http.StatusUpgradeRequired {
		f.upgrade = res.Header.Values("Upgrade")
	}
	return res, err
}

// untraced is a context without the client trace by which httputil.ReverseProxy receives informational responses.
type untraced struct{ context.Context }

// Value hides the client trace.
func (u untraced) Value(key any) any {
	v := u.Context.Value(key)
	if _, is := v.(*httptrace.ClientTrace); is {
		return nil
	}
	return v
}

// hostHeader names the host on which a page is opened or open. Without it, that is this machine.
const hostHeader = "X-Host"

func isPagePath(pattern string) bool {
	_, path, _ := strings.Cut(pattern, " ")
	return path == "/web" || strings.HasPrefix(path, "/web/")
}

// forwardPage forwards a request about pages to a host.
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
			s.logRefusal(callerOf(r.Context()), "device.use", cut(host, 64)+", for "+a.pattern)
		}
		return fault(http.StatusNotFound, codeNotFound,
			fmt.Sprintf("there is no host %.64q; GET /farm lists those of a farm", host))
	}
	s.proxy(w, host, func(*url.URL) {}, way).ServeHTTP(w, r)
	return nil
}

// logRefusal logs the rejection in the log of the service, for operators only: the project must not learn that a device
// of another project exists.
func (s *Server) logRefusal(c caller, action, target string) {
	if s.o.refused != nil {
		s.o.refused(service.Entry{Actor: "project " + s.o.projectID + ", " + c.Name, Action: action, Target: target,
			Address: c.addr})
	}
}

// timedBody is an upload of which each part must arrive in time while it is forwarded.
type timedBody struct {
	timedReader
	of interface{ Close() error }
}

func (b *timedBody) Close() error { return b.of.Close() }

// deviceOf splits a path /devices/{id}… into the ID and the rest, which stays escaped.
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

// proxy forwards requests to a host. It removes the headers that are meant for the hub only: credentials, and those in
// which a browser describes its page.
func (s *Server) proxy(w http.ResponseWriter, host string, path func(*url.URL),
	way http.RoundTripper) *httputil.ReverseProxy {
	final := &finalAnswers{RoundTripper: way}
	return &httputil.ReverseProxy{Transport: final, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		Rewrite: func(p *httputil.ProxyRequest) {
			ctx := p.In.Context()
			for _, name := range []string{hostHeader, "Authorization", "X-Api-Key", "X-Project", "Cookie", "Origin", "Referer",
				"Expect", callerHeader, "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User"} {
				p.Out.Header.Del(name)
			}
			p.Out.Header.Set(callerHeader, s.encodeCaller(callerOf(ctx)))
			p.Out.Header.Set("X-Request-Id", requestID(ctx))
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = "http", host, host
			path(p.Out.URL)
		},
		ModifyResponse: func(res *http.Response) error {
			for name := range res.Header {
				if slices.Contains(ownHeaders, name) {
					res.Header.Del(name)
				} else {
					w.Header().Del(name) // the host's header overrides the one that the hub sets for all responses
				}
			}
			if len(final.upgrade) > 0 {
				res.Header["Upgrade"], res.Header["Connection"] = final.upgrade, []string{"Upgrade"}
			}
			if out, ok := w.(*responseRecorder); ok && res.StatusCode == http.StatusSwitchingProtocols {
				out.status = res.StatusCode // the proxy sends it without WriteHeader
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			s.log.InfoContext(r.Context(), "cannot forward a request to a host", "host", host, "error", err)
			fail := fault(http.StatusBadGateway, codeDevice, fmt.Sprintf("the host %s of the device does not respond: %v",
				host, err))
			if cause := context.Cause(r.Context()); cause != nil {
				fail = s.problem(r.Context(), cause)
			}
			writeError(w, fail)
		}}
}

// ownHeaders are the headers that the hub sets itself on every response.
var ownHeaders = []string{"X-Request-Id", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy",
	"Cross-Origin-Resource-Policy", "Strict-Transport-Security", "Vary",
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Ratelimit", "Ratelimit-Limit", "Ratelimit-Policy",
	"Ratelimit-Remaining", "Ratelimit-Reset"}

// completeRecord adds what the hub knows to the record of a device that a host sent. The state in the record overrides
// the state that the hub received before.
func (s *Server) completeRecord(at hub.Target, text []byte) ([]byte, error) {
	var out Device
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	all := s.o.Farm.Devices(s.o.projectID)
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
	err := marshal(&body, out)
	return body.Bytes(), err
}
