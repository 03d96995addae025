package reach

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestWhy checks that the message for each wrong URL says what to do, and whether waiting can help.
func TestWhy(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = nil
	defer secure.Close()
	nats, err := net.Listen("tcp", "127.0.0.1:0") // sends what a NATS server sends first
	if err != nil {
		t.Fatal(err)
	}
	defer nats.Close()
	go func() {
		for {
			c, err := nats.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("INFO {\"server_id\":\"N\"}\r\n"))
			_ = c.Close()
		}
	}()
	for _, c := range []struct {
		address, want string
		lasting       bool
	}{
		{strings.Replace(plain.URL, "http:", "https:", 1), "speaks http, not https: write http://127.0.0.1:", true},
		{secure.URL, "does not trust the certificate of 127.0.0.1:", true},
		{"http://" + nats.Addr().String(), "is not a web server: is the port right?", true},
		{"https://" + nats.Addr().String(), "is not a web server: is the port right?", true},
		// a port that was free a moment ago could be used by another test now
		{"http://127.0.0.1:1", "nothing listens at 127.0.0.1:1:", false},
	} {
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = (&http.Client{Transport: &http.Transport{}}).Get(c.address)
		if err == nil {
			t.Errorf("%s answers", c.address)
			continue
		}
		var why *Error
		if err = Why(u, err); !errors.As(err, &why) || !strings.Contains(err.Error(), c.want) || why.Lasting != c.lasting {
			t.Errorf("%s: %v, want %q", c.address, err, c.want)
		}
	}
	nowhere := &url.Error{Op: "Get", URL: "http://hub.invalid",
		Err: &net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}}
	if err := Why(&url.URL{Host: "hub.invalid"}, nowhere); err.Error() != "there is no machine called hub.invalid: is "+
		"the address right?" {
		t.Error(err)
	}
	// happens occasionally with the NATS server above
	first := &url.Error{Op: "Get", URL: "http://hub:4222", Err: errors.New("readLoopPeekFailLocked: %!w(<nil>)")}
	if err := Why(&url.URL{Host: "hub:4222"}, first); !strings.HasPrefix(err.Error(),
		"the server at hub:4222 is not a web server: is the port right?") {
		t.Error(err)
	}
	other := errors.New("another")
	if err := Why(&url.URL{}, other); !errors.Is(err, other) {
		t.Error(err)
	}
}

// TestElsewhere checks the message for a redirect by a proxy that requires https.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.RedirectHandler("https://hub.example.com/api/farm/join", http.StatusPermanentRedirect))
	defer s.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if got := Elsewhere(a); !strings.HasSuffix(got, " redirects to https://hub.example.com: write that URL") {
		t.Error(got)
	}
}
