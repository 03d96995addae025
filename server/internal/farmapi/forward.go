// Package farmapi is the part of the REST API for a farm: hosts join, and requests are forwarded to their devices.
package farmapi

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
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/service"
	"github.com/taproot-dev/taproot/server/internal/tenants"
)

const devicePath = " /devices/{id}"

// Forward sends a request for a device of a host to that host. handled is false when the device belongs to this
// machine, or does not exist.
func (s *API) Forward(w http.ResponseWriter, r *http.Request, a rest.Access) (handled bool, err error) {
	t := s.o.Tenants.Of(r.Context())
	if host := r.Header.Get(rest.HostHeader); host != "" && isPagePath(a.Pattern) {
		return true, s.forwardPage(w, r, a, host)
	}
	if s.o.Hub == nil || !strings.Contains(a.Pattern, devicePath) {
		return false, nil
	}
	id, below := deviceOf(r.URL)
	if t.Devices.IsOpen(id) {
		return false, nil
	}
	at, ok, err := s.o.Hub.Find(t.Project, id)
	if errors.Is(err, hub.ErrAmbiguous) {
		return true, rest.Fault(http.StatusNotFound, rest.CodeNoDevice, err.Error())
	}
	if !ok && err == nil && s.o.Hub.Kept(t.Project, id) {
		s.logRefusal(r.Context(), "device.use", rest.Cut(id, 50)+", for "+r.Method+" "+a.Pattern)
	}
	if !ok || err != nil {
		return false, err
	}
	way := s.o.Hub.Transport(at.Host)
	if way == nil {
		return true, &pool.UnknownDeviceError{ID: rest.Cut(id, 50)}
	}
	if a.Upload {
		r.Body = s.o.Uploads.Timed(w, r.Body)
	}
	proxy := s.proxy(w, at.Host, func(u *url.URL) {
		u.Path, u.RawPath = "/devices/"+at.Device, "/devices/"+url.PathEscape(at.Device)+below
		if plain, err := url.PathUnescape(below); err == nil {
			u.Path += plain
		}
	}, way)
	if id != at.Device {
		proxy.ModifyResponse = renameDevice(at.Device, id, proxy.ModifyResponse)
	}
	if a.Pattern == http.MethodGet+devicePath {
		proxy.ModifyResponse = s.addHubState(t, at, proxy.ModifyResponse)
	}
	proxy.ServeHTTP(w, r)
	return true, nil
}

// maxRecord limits the size of a device record from a host, in bytes.
const maxRecord = 1 << 20

// addHubState adds what the hub knows of a device to the host's response, after then has changed the headers.
func (s *API) addHubState(t *tenants.Tenant, at hub.Target, then func(*http.Response) error) func(
	*http.Response) error {
	return func(res *http.Response) error {
		if err := then(res); err != nil || res.StatusCode != http.StatusOK {
			return err
		}
		text, err := io.ReadAll(io.LimitReader(res.Body, maxRecord))
		if err == nil {
			text, err = t.Devices.CompleteRecord(at, text)
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

func isPagePath(pattern string) bool {
	_, path, _ := strings.Cut(pattern, " ")
	return path == "/web" || strings.HasPrefix(path, "/web/")
}

// forwardPage forwards a request about pages to a host.
func (s *API) forwardPage(w http.ResponseWriter, r *http.Request, a rest.Access, host string) error {
	t := s.o.Tenants.Of(r.Context())
	var way http.RoundTripper
	if s.o.Hub != nil {
		for _, one := range s.o.Hub.Hosts(t.Project, false) {
			if one.ID == host {
				way = s.o.Hub.Transport(host)
			}
		}
	}
	if way == nil {
		if s.o.Hub != nil && s.o.Hub.Transport(host) != nil {
			s.logRefusal(r.Context(), "device.use", rest.Cut(host, 64)+", for "+a.Pattern)
		}
		return rest.Fault(http.StatusNotFound, rest.CodeNotFound,
			fmt.Sprintf("there is no host %.64q; GET /farm lists those of a farm", host))
	}
	s.proxy(w, host, func(*url.URL) {}, way).ServeHTTP(w, r)
	return nil
}

// logRefusal logs the rejection in the log of the service, for operators only: the project must not learn that a device
// of another project exists.
func (s *API) logRefusal(ctx context.Context, action, target string) {
	c, project := rest.CallerOf(ctx), s.o.Tenants.Of(ctx).Project
	if s.o.Service != nil && project != "" {
		s.o.Service.Refused(service.Entry{Actor: "project " + project + ", " + c.Name, Action: action, Target: target,
			Address: c.Addr})
	}
}

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
func (s *API) proxy(w http.ResponseWriter, host string, path func(*url.URL),
	way http.RoundTripper) *httputil.ReverseProxy {
	final := &finalAnswers{RoundTripper: way}
	return &httputil.ReverseProxy{Transport: final, ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
		Rewrite: func(p *httputil.ProxyRequest) {
			ctx := p.In.Context()
			for _, name := range []string{rest.HostHeader, "Authorization", "X-Api-Key", "X-Project", "Cookie", "Origin",
				"Referer",
				"Expect", rest.CallerHeader, "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", "Sec-Fetch-User"} {
				p.Out.Header.Del(name)
			}
			p.Out.Header.Set(rest.CallerHeader, rest.CallerOf(ctx).Encode(s.o.Tenants.Of(ctx).Project))
			p.Out.Header.Set("X-Request-Id", rest.RequestID(ctx))
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
			if out, ok := w.(*rest.Recorder); ok && res.StatusCode == http.StatusSwitchingProtocols {
				out.Status = res.StatusCode // the proxy sends it without WriteHeader
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			s.o.Log.InfoContext(r.Context(), "cannot forward a request to a host", "host", host, "error", err)
			fail := rest.Fault(http.StatusBadGateway, rest.CodeDevice,
				fmt.Sprintf("the host %s of the device does not respond: %v",
					host, err))
			if cause := context.Cause(r.Context()); cause != nil {
				fail = s.o.Tenants.Of(r.Context()).Devices.Problems().Of(r.Context(), cause)
			}
			rest.WriteError(w, fail)
		}}
}

// ownHeaders are the headers that the hub sets itself on every response.
var ownHeaders = []string{"X-Request-Id", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy",
	"Cross-Origin-Resource-Policy", "Strict-Transport-Security", "Vary",
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Ratelimit", "Ratelimit-Limit", "Ratelimit-Policy",
	"Ratelimit-Remaining", "Ratelimit-Reset"}

// renameDevice replaces the ID of the device in a host's response by the name that the client used, after then has
// changed the headers. Devices of two hosts may have the same ID, and the client continues with the ID that the
// response contains. Only the field or message that identifies the device is changed, never the content of its screen.
func renameDevice(from, to string, then func(*http.Response) error) func(*http.Response) error {
	return func(res *http.Response) error {
		if err := then(res); err != nil || res.Request != nil && res.Request.Method == http.MethodHead ||
			res.Header.Get("Content-Type") != "application/json" || res.Header.Get("Content-Encoding") != "" ||
			res.ContentLength > maxRecord || res.ContentLength < 0 || res.StatusCode == http.StatusSwitchingProtocols {
			return err
		}
		text, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		_ = res.Body.Close() // it was read completely
		if res.StatusCode < http.StatusBadRequest {
			text = renamedField(text, from, to)
		} else {
			text = renamedError(text, from, to)
		}
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		res.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return nil
	}
}

// renamedField replaces the field "device" of a JSON object.
func renamedField(text []byte, from, to string) []byte {
	var is struct{ Device string }
	if json.Unmarshal(text, &is) != nil || is.Device != from {
		return text
	}
	old, err := json.Marshal(from)
	name, bad := json.Marshal(to)
	if err != nil || bad != nil {
		return text
	}
	return bytes.Replace(text, append([]byte(`"device":`), old...), append([]byte(`"device":`), name...), 1)
}

// renamedError replaces the device's ID in the message of an error.
func renamedError(text []byte, from, to string) []byte {
	var e rest.Error
	if json.Unmarshal(text, &e) != nil || e.Message == "" {
		return text
	}
	name := regexp.MustCompile(`(^|[^\w@.:-])` + regexp.QuoteMeta(from) + `([^\w@-]|$)`)
	said := name.ReplaceAllString(e.Message, "${1}"+strings.ReplaceAll(to, "$", "$$")+"${2}")
	if said == e.Message {
		return text
	}
	e.Message = said
	var body bytes.Buffer
	if rest.Marshal(&body, e) != nil {
		return text
	}
	return body.Bytes()
}
