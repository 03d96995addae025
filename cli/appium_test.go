package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/appiumtest"
)

// countingProxy passes requests on to an Appium server, and counts those of sessions.
type countingProxy struct {
	*httptest.Server

	latency time.Duration // that it adds

	mu    sync.Mutex
	calls []string // "GET source", "mobile: tap"
	open  int
}

func newCountingProxy(t *testing.T, server string) *countingProxy {
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p := &countingProxy{}
	next := httputil.NewSingleHostReverseProxy(to)
	next.Transport = &http.Transport{DisableKeepAlives: true}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/session"), "/", 3)
		p.mu.Lock()
		switch {
		case r.URL.Path == "/session":
			p.open++
		case len(parts) == 2 && r.Method == http.MethodDelete:
			p.open--
		case len(parts) == 3:
			p.calls = append(p.calls, callName(r, parts[2]))
		}
		p.mu.Unlock()
		time.Sleep(p.latency)
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// callName is how a call is counted: by its path, or the command of the driver.
func callName(r *http.Request, path string) string {
	if path != "execute/sync" {
		return r.Method + " " + path
	}
	text, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(text))
	var body struct{ Script string }
	_ = json.Unmarshal(text, &body)
	return body.Script
}

// took returns the calls since it was called last.
func (p *countingProxy) took() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.calls
	p.calls = nil
	return all
}

func (p *countingProxy) left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

// wait returns once a session is being opened, or used.
func (p *countingProxy) wait(t *testing.T, used bool) {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		p.mu.Lock()
		reached := p.open > 0 && (!used || len(p.calls) > 0)
		p.mu.Unlock()
		if reached {
			return
		}
		if time.Now().After(limit) {
			t.Fatal("no session is opened, or none is used")
		}
	}
}

// TestSuitesAtAppium runs suites/android on a simulated phone behind the Appium server of its makers and the real adb,
// counts the calls of steps, and interrupts and kills runs.
func TestSuitesAtAppium(t *testing.T) {
	testutil.Leave(t, "TestFaultsOfRemotePhones in drivers/android, with a server of our own")
	adb := androidsim.StartADB(t)
	phone := androidsim.NewPhone(androidsim.Small)
	t.Cleanup(phone.Close)
	serial := adb.Connect(t, phone)
	proxy := newCountingProxy(t, appiumtest.Start(t, appiumtest.Options{ADB: adb.Path, Env: adb.Env}).URL)
	l := newLab(t, 0)
	l.write("taproot.yaml", fmt.Sprintf("evidence: {video: off}\nremotes:\n  lab:\n    url: %q\n    platform: android\n"+
		"    capabilities: {'appium:udid': %q, 'appium:adbPort': %d, 'appium:suppressKillServer': true, "+
		"'appium:skipDeviceInitialization': true}\n", proxy.URL, serial, adb.Port))
	suites, err := filepath.Abs(filepath.Join("..", "suites", "android"))
	if err != nil {
		t.Fatal(err)
	}
	end := l.start("taproot", "doctor", "--remote", "lab").wait()
	end.exits(t, 0)
	has(t, "doctor", end.stdout, "read the screen", "end the session", "Android 14")
	start := "platform: android\nsteps:\n  - launch: {package: com.example.login, force: true}\n" +
		"  - waitStable: {timeout: 60s}\n  - assert: Sign in\n"
	l.write("shell.yaml", "id: shell\nplatform: android\nsteps:\n  - tap: Sign in\n  - shell: id\n")
	l.write("shake.yaml", "id: shake\nplatform: android\nsteps:\n  - shake: {}\n")
	calls := func(name, steps string) []string {
		l.write(name+".yaml", "id: "+name+"\n"+start+steps)
		proxy.took()
		l.start("taproot", "run", "--remote", "lab", name+".yaml").wait().exits(t, 0)
		return proxy.took()
	}
	// On a still screen an assertion takes at most two calls, and a tap four. The cursor of a field blinks between two
	// screenshots now and then, so that the screen is not still then: the median counts.
	assertion := "  - assert: Sign in\n"
	few, many := len(calls("few", assertion)), len(calls("many", strings.Repeat(assertion, 11)))
	if more := many - few; more < 10 || more > 10*2 {
		t.Errorf("ten assertions took %d calls more: %d in place of %d", more, many, few)
	}
	var each []int // the calls from one tap to the next
	last := -1
	for i, call := range calls("taps", strings.Repeat("  - tap: E-mail\n", 11)) {
		if call == "POST actions" {
			if last >= 0 {
				each = append(each, i-last)
			}
			last = i
		}
	}
	slices.Sort(each)
	if len(each) != 10 || each[len(each)/2] > 4 {
		t.Errorf("the taps took %v calls", each)
	}
	l.write("many.yaml", "id: many\n"+start+strings.Repeat("  - assert: Sign in\n", 10))
	end = l.start("taproot", "run", "--remote", "lab", "--allow-shell", "shell.yaml").wait()
	end.exits(t, 3)
	has(t, "a server without a shell", end.stdout+end.stderr, "--allow-insecure uiautomator2:adb_shell")
	for _, call := range proxy.took() {
		if call == "POST actions" {
			t.Error("the phone was touched before the missing feature was reported")
		}
	}
	end = l.start("taproot", "run", "--remote", "lab", "shake.yaml").wait()
	end.exits(t, 2)
	has(t, "what no driver does", end.stdout+end.stderr, "shake does not work on the remote lab")

	wholeSuite(t, l, suites)
	endings(t, l, proxy)
}

// wholeSuite runs all tests of a folder of the project on the remote: each passes.
func wholeSuite(t *testing.T, l *lab, suites string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(suites, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: %d files", err, len(files))
	}
	if err := os.Mkdir(filepath.Join(l.dir, "suite"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l.write(filepath.Join("suite", filepath.Base(file)), string(text))
	}
	end := l.start("taproot", "run", "--remote", "lab", "suite").wait()
	end.exits(t, 0)
	has(t, suites, end.stdout+end.stderr, fmt.Sprintf("%d passed", len(files)))
}

// endings interrupts and kills runs of many.yaml: no session is left.
func endings(t *testing.T, l *lab, proxy *countingProxy) {
	for _, when := range []string{"while a session is opened", "in a session"} {
		proxy.took()
		run := l.start("taproot", "run", "--remote", "lab", "many.yaml")
		proxy.wait(t, when == "in a session")
		if err := run.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		run.wait().exits(t, 130)
		if n := proxy.left(); n != 0 {
			t.Errorf("interrupted %s: %d sessions are left", when, n)
		}
	}

	proxy.took()
	run := l.start("taproot", "run", "--remote", "lab", "many.yaml")
	proxy.wait(t, true)
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.wait()
	if n := proxy.left(); n != 1 {
		t.Fatalf("%d sessions are left by the killed run", n)
	}
	l.start("taproot", "devices", "--remote", "lab").wait().exits(t, 0)
	if n := proxy.left(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}
