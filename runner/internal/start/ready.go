package start

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// probeLimit limits one request whether a server is ready.
const probeLimit = 5 * time.Second

// there says what responds at the URL or port before the server was started; "" when nothing does.
func (s *server) there(ctx context.Context) string {
	switch {
	case s.Port != 0 && connects(ctx, "localhost", strconv.Itoa(s.Port)):
		return fmt.Sprintf("port %d takes connections", s.Port)
	case s.URL != "":
		u, err := url.Parse(s.URL)
		if err == nil && connects(ctx, u.Hostname(), portOf(u)) {
			return s.URL + " responds"
		}
	}
	return ""
}

// usable reports why a server that is there is not ready.
func (s *server) usable(ctx context.Context) error {
	if s.URL == "" {
		return nil
	}
	if _, why := s.ready(ctx); why != "" {
		return fmt.Errorf("%s", why)
	}
	return nil
}

// ready returns the values of a server that is ready; otherwise why it is not, as far as that is known.
func (s *server) ready(ctx context.Context) (values map[string]any, why string) {
	switch {
	case s.Output != nil:
		match := s.out.match(s.Output)
		if match == nil {
			return nil, ""
		}
		values = map[string]any{}
		for i, name := range s.Output.SubexpNames() {
			switch {
			case i > 0 && name != "":
				values[name] = match[i]
			case i > 0 && values["port"] == nil:
				values["port"] = match[i]
			}
		}
		return values, ""
	case s.Port != 0:
		if connects(ctx, "localhost", strconv.Itoa(s.Port)) {
			return s.Values(), ""
		}
		return nil, fmt.Sprintf("port %d takes no connections", s.Port)
	}
	status, err := probe(ctx, s.URL)
	switch {
	case err != nil:
		return nil, err.Error()
	case status >= http.StatusBadRequest:
		return nil, fmt.Sprintf("%s responds with status %d", s.URL, status)
	}
	return s.Values(), ""
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// connects reports whether a port takes connections; localhost can be IPv4, IPv6 or both.
func connects(ctx context.Context, host, port string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	hosts := []string{host}
	if host == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	for _, h := range hosts {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(h, port))
		if err == nil {
			_ = conn.Close()
			return true
		}
	}
	return false
}

// probe requests a URL, and follows no redirect. Servers on a developer's machine have certificates that no authority
// signed; the request contains nothing that a wrong server could use.
func probe(ctx context.Context, address string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	transport := &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 1<<16)
	_ = resp.Body.Close()
	return resp.StatusCode, nil
}
