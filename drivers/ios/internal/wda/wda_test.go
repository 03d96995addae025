package wda

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/taproot-dev/taproot/drivers"
)

// The meaning of responses, in the forms of WebDriverAgents of several years and of similar servers.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		status  int
		session string
		code    string // of an error
		bad     bool   // no answer of WebDriverAgent at all
	}{
		`{"value":{"sessionId":"A","capabilities":{}},"sessionId":"B"}`: {
			status: 200, session: "A"},
		`{"value":{"capabilities":{}},"sessionId":"B","status":0}`: {
			status: 200, session: "B"},
		`{"value":null,"sessionId":"B"}`: {
			status: 200, session: "B"},
		`{"value":"a text","sessionId":null}`: {status: 200},
		`{"value":{"error":"no such element","message":"none","traceback":"(\n0 x\n)"},"sessionId":null}`: {
			status: 404, code: "no such element"},
		`{"value":{"error":"stale element reference","message":"","traceback":""}}`: {
			status: 404, code: "stale element reference"},
		`{"value":{"error":"no such alert","message":"No alert is open","traceback":""}}`: {
			status: 200, code: "no such alert"},
		`{"value":{"error":"a field of somebody's own"}}`: {status: 200},
		`{"value":{"message":"half an error"}}`: {
			status: 500, bad: true},
		`{"sessionId":"A"}`: {
			status: 200, bad: true},
		`<html>I-AM-ALIVE</html>`: {
			status: 200, bad: true},
		`{"value":`: {
			status: 200, bad: true},
		``: {
			status: 200, bad: true},
	} {
		a, err := readAnswer("a call", want.status, []byte(text))
		var refused *Error
		switch {
		case want.bad:
			if !errors.Is(err, errBadAnswer) {
				t.Errorf("%s: %v", text, err)
			}
		case want.code != "":
			if !errors.As(err, &refused) || refused.Code != want.code {
				t.Errorf("%s: %v", text, err)
			}
		case err != nil || a.newSession() != want.session:
			t.Errorf("%s: session %q, %v", text, a.newSession(), err)
		}
	}
	for text, want := range map[string]bool{`{"ready":true}`: true, `{"ready":false,"state":"success"}`: false,
		`{"state":"success"}`: true, `{}`: false} {
		var s status
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.ready() != want {
			t.Errorf("%s is ready: %v, %v", text, s.ready(), err)
		}
	}
}

// dead is a transport to a WebDriverAgent that is not started again.
type dead struct{ asked int }

func (d *dead) RoundTrip(*http.Request) (*http.Response, error) {
	d.asked++
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// TestWebDriverAgentThatStaysAwayIsWaitedForOnce: a WebDriverAgent that stays away is waited for once: what follows in
// the test, and its screenshots and logs, fail at once.
func TestWebDriverAgentThatStaysAwayIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		way := &dead{}
		w := &Client{ID: "SIM", Base: "http://127.0.0.1:1", HTTP: &http.Client{Transport: way}}
		if err := w.Call(t.Context(), Get("the screen", "/source"), nil); !errors.Is(err, drivers.ErrDeviceLost) ||
			way.asked < 10 {
			t.Errorf("asked %d times: %v", way.asked, err)
		}
		asked := way.asked
		if err := w.Call(t.Context(), Get("a picture", "/screenshot"), nil); !errors.Is(err, drivers.ErrDeviceLost) ||
			way.asked != asked+1 {
			t.Errorf("then asked %d times: %v", way.asked-asked, err)
		}
	})
}

// TestOnlyOneAtAPlace: a picker wheel or slider is not taken for another one in the same place.
func TestOnlyOneAtAPlace(t *testing.T) {
	t.Parallel()
	at := func(x float64) Element {
		return Element{ID: fmt.Sprint(x), Rect: &rect{X: x, Width: 50, Height: 20}}
	}
	for _, c := range []struct {
		all  []Element
		want string
	}{
		{[]Element{at(0), at(10)}, "10"}, {[]Element{at(10), at(10)}, ""},
		{[]Element{at(11), at(10)}, "10"},
		{[]Element{at(11)}, "11"}, {[]Element{at(9), at(11)}, ""}, {nil, ""},
	} {
		e, ok := OnlyAt(c.all, image.Rect(10, 0, 60, 20), Element.Box)
		if ok != (c.want != "") || ok && e.ID != c.want {
			t.Errorf("%v: %v %v", c.all, e.ID, ok)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"value":{"error":"no such element","message":"none"},"sessionId":null}`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = readAnswer("fuzz", 200, data) })
}
