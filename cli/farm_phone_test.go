package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/sim/ios/appium"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/appiumtest"
)

// TestFarmPhoneAtAppium uses a phone behind the Appium server of its makers as a device of a farm: by tests, single
// calls and a lease. A killed hub and a killed host leave no session.
func TestFarmPhoneAtAppium(t *testing.T) {
	testutil.Leave(t, "TestFarmOffersRemotes, with a server that opens no session")
	adb := androidsim.StartADB(t)
	phone := androidsim.NewPhone(androidsim.Small)
	t.Cleanup(phone.Close)
	serial := adb.Connect(t, phone)
	proxy := newCountingProxy(t, appiumtest.Start(t, appiumtest.Options{ADB: adb.Path, Env: adb.Env}).URL)
	f := remotesFarm(t, 0, fmt.Sprintf("  lab:\n    url: %q\n    platform: android\n"+
		"    capabilities: {'appium:udid': %q, 'appium:adbPort': %d, 'appium:suppressKillServer': true, "+
		"'appium:skipDeviceInitialization': true}\n", proxy.URL, serial, adb.Port))
	host := f.join("--token", f.token("--pool", "lab"), "--remote", "lab")
	eventually(t, "it is free", func() bool { return f.device("lab-1") == "free" })
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	login := "platform: android\nsteps:\n  - launch: {package: com.example.login, force: true}\n" +
		"  - waitStable: {timeout: 60s}\n"
	l.write("login.yaml", "id: login\n"+login+"  - assert: Sign in\n")
	l.write("shake.yaml", "id: shake\nplatform: android\nsteps:\n  - shake: {}\n")
	l.write("many.yaml", "id: many\n"+login+strings.Repeat("  - assert: Sign in\n", 100))
	end := l.taproot("run", "login.yaml", "shake.yaml", "--pool", "lab")
	end.exits(t, 0)
	has(t, "the run", end.stdout, "PASS login", "lab-1", "SKIPPED shake", "shake does not work on a remote")
	d := f.shows("lab-1")
	if d.Remote != "lab" || d.Model == "phone" || d.Model == "" {
		t.Errorf("after its first session: %+v", d)
	}
	l.write("model.yaml", "id: model\ndevice: {model: "+d.Model+", os: '>=10'}\n"+login)
	l.taproot("run", "model.yaml").exits(t, 0)

	f.phoneCalls(t)
	eventually(t, "the session is not held", func() bool { return f.device("lab-1") == "free" })

	run := l.start("taproot", "run", "many.yaml")
	eventually(t, "the test runs", func() bool { return f.device("lab-1") == "busy" && proxy.left() == 1 })
	_ = f.serve.cmd.Process.Kill()
	_ = f.serve.cmd.Wait()
	f.serve = f.hub.serve(f.args...)
	run.wait().exits(t, 0)
	eventually(t, "it is free after the test", func() bool { return f.device("lab-1") == "free" })
	run = l.start("taproot", "run", "many.yaml")
	eventually(t, "the test runs again", func() bool { return f.device("lab-1") == "busy" && proxy.left() == 1 })
	_ = host.cmd.Process.Kill()
	_ = host.cmd.Wait()
	_ = run.cmd.Process.Signal(os.Interrupt)
	run.wait().exits(t, 130)
	if n := proxy.left(); n != 1 {
		t.Errorf("%d sessions are left by the killed host", n)
	}
	host = f.join("--remote", "lab")
	eventually(t, "its session is ended", func() bool { return proxy.left() == 0 && f.device("lab-1") == "free" })
	f.leave(host)
}

// watches reads the first image of the live view.
func (f *farm) watches(t *testing.T) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", f.serve.url+"/api/devices/lab-1/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+f.key)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	a, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	first := make([]byte, 4096)
	if _, err := io.ReadFull(a.Body, first); err != nil || !bytes.Contains(first, []byte("image/jpeg")) {
		t.Errorf("the live view: %v %.300q", err, first)
	}
}

// phoneCalls uses the phone of a remote by single calls.
func (f *farm) phoneCalls(t *testing.T) {
	t.Helper()
	call := func(method, path, body string, status int, want string) {
		t.Helper()
		a := f.serve.with(f.key, method, "/api/devices/lab-1/"+path, body)
		if a.status != status || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %.300s", path, a.status, a.body)
		}
	}
	call("POST", "lease", `{"ttl": "2m"}`, 200, `"lease"`)
	eventually(t, "the lease is listed", func() bool { return f.device("lab-1") == "leased" })
	call("POST", "launch", `{"package": "com.example.login", "force": true}`, 200, "")
	call("POST", "assert", `{"label": "Sign in"}`, 200, "pass")
	call("POST", "tap", `{"label": "E-mail"}`, 200, "pass")
	call("GET", "tree", "", 200, "Sign in")
	call("GET", "screenshot", "", 200, "PNG")
	call("POST", "inspect", `{}`, 200, "Sign in")
	call("POST", "shake", `{}`, 422, "")
	f.watches(t)
	call("GET", "adb", "", 422, "which adb does not reach")
	call("DELETE", "lease", "", 204, "")
}

// A phone of a remote, of which there is one session, runs tests on a farm. A test that has lost its session runs once
// more in a new session of the same device.
func TestFarmRemoteIPhone(t *testing.T) {
	t.Parallel()
	phone := newIPhone(t)
	server := appium.New(phone.StartAgent())
	t.Cleanup(server.Close)
	f := remotesFarm(t, 0, fmt.Sprintf("  lab: {url: %q, platform: ios, capabilities: {'appium:udid': %q, "+
		"'appium:deviceName': iPhone 15}}\n", server.URL, phone.UDID()))
	host := f.join("--token", f.token("--labels", "room=3"), "--remote", "lab")
	eventually(t, "it is free", func() bool { return f.device("lab-1") == "free" })
	if d := f.shows("lab-1"); d.Platform != "ios" || d.Model != "iPhone 15" {
		t.Errorf("%+v", d)
	}
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	steps := "steps:\n  - launch: {package: com.example.list, force: true}\n  - tap: Form\n  - assert: note\n"
	l.write("first.yaml", "id: first\nplatform: ios\ndevice: {labels: [room=3], model: iPhone 15}\n"+steps)
	l.write("other.yaml", "id: other\nplatform: ios\ndevice: {labels: [room=4]}\n"+steps)
	l.write("two.yaml", "id: two\ndevices: {alice: {platform: ios}, bob: {platform: ios}}\nsteps:\n"+
		"  - on: {alice: [{assert: note}]}\n  - on: {bob: [{assert: note}]}\n")
	end := l.taproot("run", "first", "other", "two")
	end.exits(t, 0)
	has(t, "the run", end.stdout, "PASS first", "lab-1", "SKIPPED other", "label room=4 is wanted", "SKIPPED two",
		"devices of remotes are for tests with one device")
	l.write("lost.yaml", "id: lost\nplatform: ios\nretries: 1\n"+steps)
	before := server.Count("mobile: tap")
	server.Set(func() { server.Fault, server.Faulty, server.Before = appium.Gone, "mobile: tap", true })
	run := l.start("taproot", "run", "lost")
	eventually(t, "the session is lost", func() bool { return server.Count("mobile: tap") > before })
	server.Set(func() { server.Fault = "" })
	end = run.wait()
	end.exits(t, 0)
	has(t, "a lost session", end.stdout, "LOST lost (ios lab-1)", "PASS lost--attempt-2", "1 after a lost device")
	f.leave(host)
	if n := server.Left(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	f.hub.lacks(t, phone.UDID())
}
