package cli_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// What is wrong with a server is reported in one sentence that names the remote or its host and port, without a page of
// HTML, an error of a parser, or the key.
func TestRemoteBadServers(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct {
		status     int
		kind, text string // of all responses but that to /status; "drop": there is none
		want       []string
	}{
		"HTML": {200, "text/html", "<html><h1>Welcome</h1></html>",
			[]string{"the remote cloud", "HOST", "status 200 and a web page instead of WebDriver"}},
		"502": {502, "text/html", "<html>Bad Gateway</html>",
			[]string{"the remote cloud", "HOST", "status 502 and a web page instead of WebDriver"}},
		"nothing":  {0, "", "drop", []string{"the remote cloud", "HOST", "closed the connection without an answer"}},
		"no text":  {500, "", "", []string{"the remote cloud", "HOST", "status 500 and nothing instead of WebDriver"}},
		"not JSON": {200, "application/json", `{"value": `, []string{"the remote cloud", "HOST", "JSON of another kind"}},
		"redirect": {302, "", "", []string{"the remote cloud", "HOST", "status 302"}},
		"no id": {200, "application/json", `{"value": {"capabilities": {}}}`,
			[]string{"the remote cloud", "HOST", "the answer names no session"}},
		"wrong key": {401, "text/html", "<html>k3y-of-ada</html>",
			[]string{"the remote cloud", "HOST", "the user or the key is not accepted", "user and key under remotes"}},
		"key of BrowserStack": {401, "text/plain", "Authorization required: k3y-of-ada\n",
			[]string{"the remote cloud", "not accepted: Authorization required: ***"}},
		"key of Sauce Labs": {401, "application/json",
			`{"value": {"message": "Sauce Labs Authentication Error.\nYou used username 'ada'", "error": "unauthorized"}}`,
			[]string{"the remote cloud", "not accepted: Sauce Labs Authentication Error. You used username 'ada'"}},
		"key of TestingBot": {403, "application/json", `{"error": "Invalid credentials"}`,
			[]string{"the remote cloud", "not accepted: Invalid credentials"}},
		"nothing matches": {500, "application/json",
			`{"value": {"error": "session not created", "message": "no node\n has platformVersion 99", "stacktrace": "at x"}}`,
			[]string{"the remote cloud", "no node has platformVersion 99",
				"(capabilities under remotes: appium:platformVersion: 99)"}},
		"an unknown option": {400, "application/json",
			`{"value": {"error": "invalid argument", "message": "osVersion XP is not offered"}}`,
			[]string{"osVersion XP is not offered", "(capabilities under remotes: bstack:options.osVersion: XP)"}},
		"no reason": {500, "application/json", `{"value": {"error": "session not created", "message": ""}}`,
			[]string{"the remote cloud", "session not created", "browserName: firefox", "appium:platformVersion: 99"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/status" {
					_, _ = io.WriteString(w, `{"value": {"ready": true}}`)
					return
				}
				if is.text == "drop" {
					conn, _, _ := w.(http.Hijacker).Hijack()
					_ = conn.Close()
					return
				}
				w.Header().Set("Content-Type", is.kind)
				w.Header().Set("Location", "http://127.0.0.1:1/")
				w.WriteHeader(is.status)
				_, _ = io.WriteString(w, is.text)
			}))
			t.Cleanup(server.Close)
			badRemote(t, server.URL, is.want)
		})
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + closed.Addr().String()
	_ = closed.Close()
	badRemote(t, address, []string{"the remote cloud", "HOST", "nothing listens there"})
	badRemote(t, "http://nosuchhost.invalid:4444", []string{"the remote cloud", "nosuchhost.invalid:4444"})
}

// badRemote uses a server, with the key in its URL.
func badRemote(t *testing.T, address string, want []string) {
	t.Helper()
	l := newLab(t, 0)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l.write("taproot.yaml", "remotes:\n  cloud: {url: 'http://ada:${CLOUD_KEY}@"+u.Host+"', capabilities: {browserName: "+
		"firefox, 'appium:platformVersion': '99', 'bstack:options': {osVersion: XP, secret: hush-hush}}}\n")
	end := l.start("taproot", "doctor", "--remote", "cloud").wait()
	end.exits(t, 2)
	has(t, "an unset variable", end.stderr, "${CLOUD_KEY} is not defined")
	l.env = append(l.env, "CLOUD_KEY=k3y-of-ada")
	end = l.start("taproot", "doctor", "--remote", "cloud").wait()
	end.exits(t, 1)
	for _, text := range want {
		has(t, address, end.stdout, strings.ReplaceAll(text, "HOST", u.Host))
	}
	for _, text := range []string{"k3y-of-ada", "hush-hush", "<h", "invalid character", "unmarshal", "stacktrace"} {
		if strings.Contains(end.stdout+end.stderr, text) {
			t.Errorf("%s is shown: %s%s", text, end.stdout, end.stderr)
		}
	}
	l.lacks(t, "k3y-of-ada")
}
