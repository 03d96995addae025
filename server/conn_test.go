package server_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// raw sends bytes on a new connection and returns the responses that arrive until it is closed, at most n.
func (l *lab) raw(n int, text string) (list []answer) {
	l.t.Helper()
	c, err := (&net.Dialer{}).DialContext(l.t.Context(), "tcp", l.http.Listener.Addr().String())
	if err != nil {
		l.t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		l.t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		l.t.Fatal(err)
	}
	for in := bufio.NewReader(c); len(list) < n; {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return list
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			l.t.Error(err)
		}
		list = append(list, answer{res.StatusCode, res.Header, body})
	}
	return list
}

// TestAmbiguousRequests: a request with two lengths is rejected and its connection closed, in any spelling and at any
// position in the connection. The same text in a body is not a reason.
func TestAmbiguousRequests(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	const host = "Host: 127.0.0.1\r\n"
	good := "GET /healthz HTTP/1.1\r\n" + host + "\r\n"
	chunked := "POST /tests/validate HTTP/1.1\r\n" + host +
		"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	body := `{"yaml":"id: a\nsteps:\n  - back: {}\n# POST /tests/validate HTTP/1.1\r\nContent-Length: 5\r\n"}`
	chunk := "80\r\n" + body + strings.Repeat(" ", 0x80-len(body)) + "\r\n0\r\n\r\n"
	both := "POST /tests/validate HTTP/1.1\r\n" + host +
		"Content-Type: application/json\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG"
	for name, c := range map[string]struct {
		text     string
		statuses []int
	}{
		"one after the other":    {good + good, []int{200, 200}},
		"chunks, with the words": {chunked + chunk + good, []int{200, 200}},
		"both":                   {both, []int{400}},
		"both, the other way round": {strings.Replace(strings.Replace(both, "Content-Length: 6\r\n", "", 1),
			"chunked\r\n\r\n", "chunked\r\nContent-Length: 6\r\n\r\n", 1), []int{400}},
		"both, in small letters":     {strings.ToLower(both), []int{400}},
		"both, with bare line feeds": {strings.ReplaceAll(both, "\r\n", "\n"), []int{400}},
		"both, after a good one":     {good + both, []int{200, 400}},
		"both, after chunks": {chunked + chunk + strings.Replace(both, "/tests/validate", "/runs", 1),
			[]int{200, 400}},
		// sent with it, so the two cannot be distinguished
		"both, after its like":       {chunked + chunk + both, []int{400}},
		"both, and a good one after": {both + good, []int{400}},
		"both, in HTTP/1.0":          {strings.Replace(both, "HTTP/1.1", "HTTP/1.0", 1), []int{400}},
		"two lengths": {"POST /runs HTTP/1.1\r\n" + host +
			"Content-Length: 6\r\nContent-Length: 7\r\n\r\nabcdefg", []int{400}},
		"a foreign encoding": {"POST /runs HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
			[]int{501}},
		"no HTTP":             {"hello\r\n\r\n", []int{400}},
		"no host":             {"GET / HTTP/1.1\r\n\r\n", []int{400}},
		"a name with a blank": {"GET / HTTP/1.1\r\n" + host + "Content-Length : 3\r\n\r\nabc", []int{400}},
		"headers that are too large": {"GET / HTTP/1.1\r\n" + host + "X: " + strings.Repeat("x", 100<<10) + "\r\n\r\n",
			[]int{431}},
	} {
		t.Run(name, func(t *testing.T) {
			list := l.raw(len(c.statuses)+1, c.text+closing(c.statuses))
			var got []int
			for _, a := range list {
				got = append(got, a.status)
				var e struct{ Error, Message string }
				if a.status >= 400 && (json.Unmarshal(a.body, &e) != nil || e.Error == "" || e.Message == "" ||
					a.header.Get("Content-Type") != "application/json") {
					t.Errorf("not an error of ours: %v %s", a.header, a)
				}
			}
			if len(got) < len(c.statuses) || !slices.Equal(got[:len(c.statuses)], c.statuses) || len(got) > len(c.statuses) &&
				c.statuses[len(c.statuses)-1] >= 400 {
				t.Errorf("answers %v, not %v: %v", got, c.statuses, list)
			}
		})
	}
}

// closing ends a connection that would stay open.
func closing(statuses []int) string {
	if statuses[len(statuses)-1] == 200 {
		return "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
	}
	return ""
}

// wire sends raw bytes and returns all that the server responds.
func (l *lab) wire(text string) string {
	l.t.Helper()
	c := l.connect(text)
	if err := c.SetReadDeadline(time.Now().Add(3 * time.Minute)); err != nil { // a test that hangs must end
		l.t.Fatal(err)
	}
	heard, err := io.ReadAll(c)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(heard)
}

// TestAStalledUploadIsNoSuccess: an upload that stops anywhere gets 504 with JSON.
func TestAStalledUploadIsNoSuccess(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0, impatient)
	const head = "--x\r\nContent-Disposition: form-data; name=pack; filename=x\r\n\r\n"
	for name, body := range map[string]string{"before the part": "--x\r\nContent-Disp",
		"within another part": "--x\r\nContent-Disposition: form-data; name=other\r\n\r\nab",
		"before the archive":  head, "within the archive": head + "\x1f\x8b\x08\x00"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			heard := l.wire(
				"POST /reports/upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n" +
					"Content-Length: " +
					"100000\r\n\r\n" + body)
			if !strings.HasPrefix(heard, "HTTP/1.1 504 ") || !strings.Contains(heard, `"error":"timeout"`) {
				t.Errorf("%q", heard)
			}
		})
	}
}

// FuzzBodies: any body gets a documented response, and never a 500.
func FuzzBodies(f *testing.F) {
	paths := []string{"/devices/NOBODY/tap", "/devices/NOBODY/swipe", "/devices/NOBODY/lease", "/web/route", "/web/type",
		"/tests/validate", "/tests/validate", "/devices/NOBODY/extract"}
	for i, body := range []string{`{"label": "Sign in", "below": {"id": "x"}}`, `{"from": "1,2", "to": "50%,5%"}`,
		`{"ttlSeconds": 5, "holder": "x"}`, `{"url": "**", "json": {"a": [1, null]}}`,
		`{"selector": "#x", "text": "${A}"}`,
		`{"yaml": "id: x\nplatform: web\nsteps:\n  - log: x\n", "vars": {"A": "b"}, "tests": ["x"]}`,
		`{"yaml": "id: x\nsteps: [{tap: x}]"}`, "{\"regex\": \"(\xff\"}"} {
		f.Add(i, body)
	}
	l := newLab(f, 0)
	f.Fuzz(func(t *testing.T, path int, body string) {
		own := *l
		own.t = t
		p := paths[(path%len(paths)+len(paths))%len(paths)]
		a := own.ask("POST", p, body)
		if a.status == http.StatusInternalServerError || a.status == 0 {
			t.Fatal(a)
		}
	})
}
