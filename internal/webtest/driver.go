package webtest

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

// driverStart is how long a WebDriver server may take before its first response.
const driverStart = time.Minute

// Driver starts chromedriver or geckodriver for one test on the first of two free ports, and returns a proxy to it.
// Where it is not installed, the test is skipped.
func Driver(t testing.TB, name string, ports []string) http.Handler {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " is not installed: Debian has chromedriver in chromium-driver, Mozilla has geckodriver")
	}
	args := []string{"--port=" + ports[0], "--allowed-ips=127.0.0.1"}
	if name == "geckodriver" {
		args[1] = "--websocket-port=" + ports[1]
	}
	driver := exec.Command(program, args...)
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = driver.Process.Kill()
		_ = driver.Wait()
	})
	target := &url.URL{Scheme: "http", Host: "127.0.0.1:" + ports[0]}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := http.Client{Transport: transport}
	for end := time.Now().Add(driverStart); ; time.Sleep(20 * time.Millisecond) {
		answer, err := client.Get(target.String() + "/status")
		if err == nil {
			_ = answer.Body.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not respond: %v", name, err)
		}
	}
	return &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target) // geckodriver refuses other hosts
	}}
}

// ChromeOptions are those of a session of chromedriver without a window: goog:chromeOptions.
func ChromeOptions(t testing.TB) map[string]any {
	t.Helper()
	path, err := exec.LookPath("chromium") // chromedriver does not end what is behind a wrapper
	if err != nil {
		found, err := toolchain.Find(t.Context(), toolchain.System(), toolchain.Chromium)
		if err != nil {
			t.Fatal(err)
		}
		path = found.Path
	}
	return map[string]any{"binary": path, "args": []string{"--headless=new", "--no-sandbox"}}
}
