package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/server"
)

// watch watches a device and returns a function for the next image.
func (l *lab) watch(ctx context.Context, device string, headers ...string) func() (image.Image, http.Header) {
	l.t.Helper()
	res, err := l.client.Do(l.request("GET", "/devices/"+device+"/live", nil, headers...).WithContext(ctx))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = res.Body.Close() })
	kind, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/x-mixed-replace" {
		l.t.Fatalf("status %d, type %q", res.StatusCode, res.Header.Get("Content-Type"))
	}
	parts := multipart.NewReader(res.Body, params["boundary"])
	return func() (image.Image, http.Header) {
		l.t.Helper()
		part, err := parts.NextPart()
		if err != nil {
			l.t.Fatal(err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			l.t.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			l.t.Fatal(err)
		}
		return img, http.Header(part.Header)
	}
}

// respondingSocket is the WebSocket of a client that is present: it answers the server's pings, which the library does
// while it reads, during the whole test.
type respondingSocket struct {
	*websocket.Conn
	heard chan message
}

type message struct {
	kind websocket.MessageType
	data []byte
	err  error
}

func attend(conn *websocket.Conn) *respondingSocket {
	a := &respondingSocket{conn, make(chan message, 1000)}
	go func() {
		for {
			kind, data, err := conn.Read(context.Background())
			if a.heard <- (message{kind, data, err}); err != nil {
				return
			}
		}
	}()
	return a
}

// Read returns the next message.
func (a *respondingSocket) Read(ctx context.Context) (websocket.MessageType, []byte, error) {
	select {
	case m := <-a.heard:
		return m.kind, m.data, m.err
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
}

// dial opens the WebSocket of a device for a client that answers pings; the response is that of a rejection.
func (l *lab) dial(device string, headers ...string) (*respondingSocket, *http.Response, error) {
	conn, res, err := l.dialDeaf(device, headers...)
	if err != nil {
		return nil, res, err
	}
	return attend(conn), res, nil
}

// dialDeaf is dial for a client that reads only the first message.
func (l *lab) dialDeaf(device string, headers ...string) (*websocket.Conn, *http.Response, error) {
	device, query, _ := strings.Cut(device, "?")
	r := l.request("GET", "/devices/"+device+"/input?"+query, nil, headers...)
	conn, res, err := websocket.Dial(l.t.Context(), strings.Replace(r.URL.String(), "http", "ws", 1),
		&websocket.DialOptions{HTTPHeader: r.Header, HTTPClient: l.client, Host: r.Host})
	if err == nil {
		l.t.Cleanup(func() { _ = conn.CloseNow() })
		if _, first, err := conn.Read(l.t.Context()); err != nil || !strings.Contains(string(first), `"lease"`) {
			l.t.Errorf("the first message is %s, %v", first, err)
		}
	}
	return conn, res, err
}

// sendMessage sends a message and returns the response.
func (l *lab) sendMessage(conn *respondingSocket, message string) map[string]any {
	l.t.Helper()
	if err := conn.Write(l.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		l.t.Fatal(err)
	}
	_, data, err := conn.Read(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(data, &answer); err != nil {
		l.t.Fatal(err)
	}
	return answer
}

// TestWatchAndAct: an image is sent at once and another one after an action of the client that leased the device;
// others watch, and cannot act.
func TestWatchAndAct(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	next := l.watch(ctx, "SIM1")
	img, head := next()
	if head.Get("X-Screen") != fmt.Sprintf("%dx%d", androidsim.Tiny.Width, androidsim.Tiny.Height) ||
		head.Get("X-Time") == "" || img.Bounds().Empty() {
		t.Errorf("%v, a picture of %v", head, img.Bounds())
	}
	conn, _, err := l.dial("SIM1")
	if err != nil {
		t.Fatal(err)
	}
	if a := l.sendMessage(conn,
		`{"id": 1, "do": {"launch": {"package": "com.example.login", "force": true}}}`); a["id"] != 1.0 ||
		a["outcome"] == nil {
		t.Fatalf("%v", a)
	}
	next()
	if a := l.sendMessage(conn, `{"id": 2, "do": {"tap": {"point": "50%,50%"}}}`); a["id"] != 2.0 || a["outcome"] == nil {
		t.Errorf("%v", a)
	}
	for _, limit := range []string{`"timeoutMs": 0`, `"timeout": "0s"`} {
		a := l.sendMessage(conn, `{"id": 3, "do": {"assert": {"label": "what is not there", `+limit+`}}}`)
		if outcome, _ := a["outcome"].(map[string]any); outcome["passed"] != false {
			t.Errorf("%s: %v", limit, a)
		}
	}
	for message, want := range map[string]string{
		`{"id": 4, "do": {"tapp": {}}}`:                                          "invalid_request",
		`{"id": 5, "do": {"tap": {"lable": "x"}}}`:                               "invalid_request",
		`{"id": 6, "do": {"tap": {"label": "x", "optional": true}}}`:             "invalid_request",
		`{"id": 7, "do": {"tap": {"label": "not there", "timeoutMs": 0}}}`:       "element_not_found",
		`{"id": 8, "do": {"webClick": {"selector": "a"}}}`:                       "invalid_request",
		`{"id": 9, "do": {"openBrowser": {"url": "http://127.0.0.1/", "x": 1}}}`: "invalid_request",
	} {
		a := l.sendMessage(conn, message)
		if e, _ := a["error"].(map[string]any); e["error"] != want {
			t.Errorf("%s: %v, want %s", message, a, want)
		}
	}
	if a := l.ask("POST", "/devices/SIM1/tap", `{"point": "50%,50%"}`); a.status != 409 || a.code() != "device_busy" {
		t.Errorf("another one acts: %s", a)
	}
	if _, res, err := l.dial("SIM1"); err == nil || res.StatusCode != 409 {
		t.Errorf("another one holds: %v", err)
	}
	if a := l.ask("GET", "/devices/SIM1/lease", nil).json(t); a["leased"] != true || a["since"] == nil {
		t.Errorf("%v", a)
	}
	if err := conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Errorf("close: %v", err)
	}
	eventually(t, "the device is free again",
		func() bool { return l.ask("GET", "/devices/SIM1/lease", nil).json(t)["leased"] == false })
	if a := l.ask("POST", "/devices/SIM1/tap", `{"point": "50%,50%"}`); a.status != 200 {
		t.Errorf("another one acts: %s", a)
	}
	cancel()
	eventually(t, "the device is closed when nobody watches",
		func() bool { return l.ask("GET", "/devices/SIM1", nil).json(t)["open"] == false })
}

// TestADeadTabFreesTheDevice: it neither closes its connection nor answers pings, as on a machine in sleep mode.
func TestADeadTabFreesTheDevice(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	conn, _, err := l.dialDeaf("SIM1") // it never reads, so it answers no ping
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	eventually(t, "the device is free again",
		func() bool { return l.ask("GET", "/devices/SIM1/lease", nil).json(t)["leased"] == false })
}

// TestInputUnderALease: a client that sends a lease's ID acts under it, and does not change it.
func TestInputUnderALease(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	lease := l.ask("POST", "/devices/SIM1/lease", `{"holder": "ada"}`).json(t)
	conn, _, err := l.dial("SIM1", "X-Lease", lease["lease"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if a := l.sendMessage(conn, `{"id": 1, "do": {"tap": {"point": "50%,50%"}}}`); a["outcome"] == nil {
		t.Errorf("%v", a)
	}
	_ = conn.Close(websocket.StatusNormalClosure, "")
	if a := l.ask("GET", "/devices/SIM1/lease", nil).json(t); a["leased"] != true {
		t.Errorf("%v", a)
	}
}

// TestBadMessages: invalid messages end the connection, and free the device.
func TestBadMessages(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	for _, message := range []string{"", "tap", `{"id": 1}`, `{"id": 1, "do": {"tap": {}, "input": {}}}`, `[]`,
		strings.Repeat("x", 70<<10)} {
		conn, _, err := l.dial("SIM1")
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Write(t.Context(), websocket.MessageText, []byte(message))
		_, _, err = conn.Read(t.Context())
		var closed websocket.CloseError
		if !errors.As(err, &closed) || closed.Code != websocket.StatusPolicyViolation &&
			closed.Code != websocket.StatusMessageTooBig {
			t.Errorf("%.20q: %v", message, err)
		}
		eventually(t, "the device is free again",
			func() bool { return l.ask("GET", "/devices/SIM1/lease", nil).json(t)["leased"] == false })
	}
	if n := len(l.phones[0].Taps()); n > 0 {
		t.Errorf("%d taps were made", n)
	}
}

// TestWhyAConnectionEnds: the client gets the reason why its connection ended, also in the middle of an action.
func TestWhyAConnectionEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(l *lab, lease string)
		send string
		code websocket.StatusCode
		why  string
	}{
		"no text":          {nil, "\x00binary", websocket.StatusPolicyViolation, "send texts of JSON"},
		"too many at once": {nil, "many", websocket.StatusPolicyViolation, "more than 64 actions are waiting"},
		"the lease is given back": {func(l *lab, lease string) {
			if a := l.ask("DELETE", "/devices/SIM1/lease", nil, "X-Lease", lease); a.status != 204 {
				l.t.Error(a)
			}
		}, "", websocket.StatusTryAgainLater, "the device was released, or another client has leased it"},
		"the server ends": {func(l *lab, _ string) { _ = l.server.Close() }, "", websocket.StatusGoingAway,
			"the server is shutting down"},
		"the server ends in the middle of an action": {func(l *lab, _ string) { _ = l.server.Close() }, "slow",
			websocket.StatusGoingAway, "the server is shutting down"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 1)
			conn, lease := l.socket("SIM1")
			switch c.send {
			case "":
			case "many":
				for id := range 200 {
					// it may be closed already
					_ = conn.Write(t.Context(), websocket.MessageText,
						fmt.Appendf(nil, `{"id": %d, "do": {"tap": {"label": "not there", "timeoutMs": 60000}}}`, id))
				}
			case "slow":
				if err := conn.Write(t.Context(), websocket.MessageText,
					[]byte(`{"id": 1, "do": {"tap": {"label": "not there", "timeoutMs": 60000}}}`)); err != nil {
					t.Fatal(err)
				}
			default:
				if err := conn.Write(t.Context(), websocket.MessageBinary, []byte(c.send)); err != nil {
					t.Fatal(err)
				}
			}
			if c.end != nil {
				go c.end(l, lease)
			}
			var err error
			for err == nil {
				_, _, err = conn.Read(t.Context())
			}
			var closed websocket.CloseError
			if !errors.As(err, &closed) || closed.Code != c.code || closed.Reason != c.why {
				t.Errorf("%v, not %d %q", err, c.code, c.why)
			}
		})
	}
}

// socket opens the WebSocket of a device, and returns its lease.
func (l *lab) socket(device string) (*respondingSocket, string) {
	l.t.Helper()
	r := l.request("GET", "/devices/"+device+"/input", nil)
	conn, _, err := websocket.Dial(l.t.Context(), strings.Replace(r.URL.String(), "http", "ws", 1), &websocket.DialOptions{
		HTTPHeader: r.Header, HTTPClient: l.client, Host: r.Host})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = conn.CloseNow() })
	var first struct{ Lease string }
	if _, data, err := conn.Read(l.t.Context()); err != nil || json.Unmarshal(data, &first) != nil || first.Lease == "" {
		l.t.Fatalf("the first message is %s, %v", data, err)
	}
	return attend(conn), first.Lease
}

// TestWhoMayWatchAndAct: watching needs devices:read, acting devices:write, and pages of other sites can do neither.
func TestWhoMayWatchAndAct(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, withAuth, func(o *server.Options) { o.Origins = []string{"https://ours.example.com"} })
	reader := "Bearer " + token(t, jwt.MapClaims{"exp": inAnHour(), "sub": "ada", "scope": "devices:read"})
	writer := "Bearer " + token(t, jwt.MapClaims{"exp": inAnHour(), "sub": "bob", "scope": "devices:write"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l.watch(ctx, "SIM1", "Authorization", reader)()
	if a := l.ask("GET", "/devices/SIM1/live", nil, "Authorization", writer); a.status != 403 {
		t.Errorf("without devices:read: %s", a)
	}
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"nobody":         {nil, 401},
		"a watcher":      {[]string{"Authorization", reader}, 403},
		"another origin": {[]string{"Authorization", writer, "Origin", "https://evil.example.com"}, 403},
		"a null origin":  {[]string{"Authorization", writer, "Origin", "null"}, 403},
		"good":           {[]string{"Authorization", writer}, 101},
		"our origin":     {[]string{"Authorization", writer, "Origin", "https://ours.example.com"}, 101},
	} {
		conn, res, err := l.dial("SIM1", c.headers...)
		if res == nil || res.StatusCode != c.status {
			t.Errorf("%s: %v, %v", name, res, err)
		}
		if err == nil {
			_ = conn.Close(websocket.StatusNormalClosure, "")
			eventually(t, "the device is free again", func() bool {
				return l.ask("GET", "/devices/SIM1/lease", nil, "Authorization", reader).json(t)["leased"] == false
			})
		}
	}
	mine, _, err := l.dial("SIM1", "Authorization", writer)
	if err != nil {
		t.Fatal(err)
	}
	if a := l.ask("GET", "/devices/SIM1/lease", nil, "Authorization", reader).json(t); a["leased"] != true ||
		a["mine"] != nil {
		t.Errorf("for another one: %v", a)
	}
	carol := "Bearer " + token(t, jwt.MapClaims{"exp": inAnHour(), "sub": "carol", "scope": "devices:write"})
	if _, res, err := l.dial("SIM1?take=true", "Authorization", carol); err == nil || res.StatusCode != 409 {
		t.Errorf("another one takes it: %v", err)
	}
	again, _, err := l.dial("SIM1?take=true", "Authorization", writer)
	if err != nil {
		t.Fatalf("the same one does not get it: %v", err)
	}
	if a := l.sendMessage(again, `{"id": 1, "do": {"tap": {"point": "50%,50%"}}}`); a["outcome"] == nil {
		t.Errorf("%v", a)
	}
	var closed websocket.CloseError
	if _, _, err := mine.Read(t.Context()); !errors.As(err, &closed) ||
		!strings.Contains(closed.Reason, "another client has leased it") {
		t.Errorf("the one before is not told: %v", err)
	}
	_ = again.Close(websocket.StatusNormalClosure, "")
	if a := l.ask("GET", "/devices/SIM1/input", nil, "Authorization", writer); a.status != 426 {
		t.Errorf("no WebSocket: %s", a)
	}
}
