package webdriver

import (
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestStatusOfEnvironment is run by TestEnvironment in processes of their own: an environment is read once.
func TestStatusOfEnvironment(t *testing.T) {
	address := os.Getenv("TEST_WEBDRIVER_URL")
	if address == "" {
		t.Skip("TestEnvironment runs it")
	}
	c, err := New(Options{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Status(context.Background(), 5*time.Second); err != nil {
		t.Fatal(err)
	}
}

// The proxy and the certificates are those of the environment.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"value":{"ready":true}}`))
	}))
	t.Cleanup(server.Close)
	var proxied atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		proxied.Add(1)
		to, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			return
		}
		defer to.Close()
		w.WriteHeader(http.StatusOK)
		from, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		go func() { _, _ = io.Copy(to, from) }()
		_, _ = io.Copy(from, to)
	}))
	t.Cleanup(proxy.Close)
	trusted := filepath.Join(t.TempDir(), "authority.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(trusted, block, 0o600); err != nil {
		t.Fatal(err)
	}
	const far = "https://example.com" // the certificate of httptest is for it
	for _, c := range []struct {
		name, url string
		env       []string
		fails     string // "": it is reached
		proxied   int64
	}{
		{"a proxy", far, []string{"HTTPS_PROXY=" + proxy.URL, "SSL_CERT_FILE=" + trusted}, "", 1},
		{"without it", far, []string{"HTTPS_PROXY=" + proxy.URL, "NO_PROXY=example.com", "SSL_CERT_FILE=" + trusted},
			"the WebDriver server at example.com:443", 0},
		{"an authority", server.URL, []string{"SSL_CERT_FILE=" + trusted}, "", 0},
		{"an unknown one", server.URL, nil, "its certificate is not trusted (SSL_CERT_FILE", 0},
	} {
		proxied.Store(0)
		cmd := exec.Command(os.Args[0], "-test.run=TestStatusOfEnvironment$")
		for _, pair := range os.Environ() {
			name, _, _ := strings.Cut(strings.ToUpper(pair), "=")
			if name != "HTTPS_PROXY" && name != "HTTP_PROXY" && name != "NO_PROXY" && name != "SSL_CERT_FILE" {
				cmd.Env = append(cmd.Env, pair)
			}
		}
		cmd.Env = append(append(cmd.Env, "TEST_WEBDRIVER_URL="+c.url), c.env...)
		out, err := cmd.CombinedOutput()
		if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(string(out), c.fails)) {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
		if n := proxied.Load(); n != c.proxied && !(c.proxied == 1 && n > 1) {
			t.Errorf("%s: the proxy was used %d times", c.name, n)
		}
	}
}
