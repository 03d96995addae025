package cli_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/sim/ios/appium"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/appiumtest"
)

func newIPhone(t *testing.T) *iossim.Device {
	t.Helper()
	lab, err := iossim.New(t.TempDir(), iossim.Options{Devices: []iossim.DeviceOptions{{Phone: true}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	return lab.Device(0)
}

// TestSuitesOnRemoteIPhone runs suites/ios on a simulated iPhone behind an Appium server of our own.
func TestSuitesOnRemoteIPhone(t *testing.T) {
	t.Parallel()
	phone := newIPhone(t)
	server := appium.New(phone.StartAgent())
	t.Cleanup(server.Close)
	iPhoneRuns(t, server.URL, phone, "")
}

// TestLostSessionOfIPhone: a session that is lost is an error, and the test is run once more in a new one.
func TestLostSessionOfIPhone(t *testing.T) {
	t.Parallel()
	server := appium.New(newIPhone(t).StartAgent())
	t.Cleanup(server.Close)
	l := newLab(t, 0)
	l.write("taproot.yaml", fmt.Sprintf("evidence: {video: off}\nremotes:\n  lab:\n    url: %q\n    platform: ios\n",
		server.URL))
	l.write("tap.yaml", "id: tap\nplatform: ios\nsteps:\n  - launch: {package: com.example.login, force: true}\n"+
		"  - tap: {label: E-mail, timeout: 60s}\n")
	lose := func() { server.Fault, server.Faulty, server.Once = appium.Gone, "mobile: tap", true }
	server.Set(lose)
	end := l.start("taproot", "run", "--remote", "lab", "tap.yaml").wait()
	end.exits(t, 3)
	has(t, "a lost session", end.stdout+end.stderr, "ERROR tap", "the remote lab has ended the session")
	server.Set(lose)
	opened := server.Count("POST /session")
	end = l.start("taproot", "run", "--remote", "lab", "--retries", "1", "tap.yaml").wait()
	end.exits(t, 0)
	if n := server.Count("POST /session") - opened; n != 2 || server.Left() != 0 {
		t.Errorf("%d sessions, %d left", n, server.Left())
	}
}

// TestSuitesOnIPhoneAtAppium runs suites/ios on a simulated iPhone behind the Appium server of its makers with their
// driver, counts the calls of steps, and interrupts and kills runs.
func TestSuitesOnIPhoneAtAppium(t *testing.T) {
	testutil.Leave(t, "TestSuitesOnRemoteIPhone, with a server of our own")
	phone := newIPhone(t)
	server := appiumtest.Start(t, appiumtest.Options{IOS: true})
	iPhoneRuns(t, server.URL, phone, fmt.Sprintf(", 'appium:webDriverAgentUrl': %q, 'appium:platformVersion': '18.1', "+
		"'appium:deviceName': iPhone", phone.StartAgent()))
}

// iPhoneRuns runs what is to be seen of a remote with an iPhone.
func iPhoneRuns(t *testing.T, url string, phone *iossim.Device, capabilities string) {
	proxy := newCountingProxy(t, url)
	proxy.latency = 40 * time.Millisecond // as of a server that is not on this machine
	l := newLab(t, 0)
	l.write("taproot.yaml", fmt.Sprintf("evidence: {video: off}\nremotes:\n  lab:\n    url: %q\n    platform: ios\n"+
		"    capabilities: {'appium:udid': %q%s}\n", proxy.URL, phone.UDID(), capabilities))
	end := l.start("taproot", "doctor", "--remote", "lab").wait()
	end.exits(t, 0)
	has(t, "doctor", end.stdout, "read the screen", "end the session", "Apple iPhone, iOS 18.1")
	end = l.start("taproot", "devices", "--remote", "lab").wait()
	end.exits(t, 0)
	has(t, "devices", end.stdout, "lab-1", "ios")
	iPhoneCalls(t, l, proxy)
	l.write("push.yaml", "id: push\nplatform: ios\nsteps:\n  - tap: E-mail\n"+
		"  - push: {package: com.example.list, body: Hello}\n")
	end = l.start("taproot", "run", "--remote", "lab", "push.yaml").wait()
	end.exits(t, 3)
	has(t, "what takes a simulator", end.stdout+end.stderr, "push", `"mobile: pushNotification" for simulators alone`)
	for _, call := range proxy.took() {
		if call == "mobile: tap" {
			t.Error("the phone was touched before the missing command was reported")
		}
	}
	l.write("bar.yaml", "id: bar\nplatform: ios\nsteps:\n  - setStatusBar: {time: \"9:41\"}\n")
	end = l.start("taproot", "run", "--remote", "lab", "bar.yaml").wait()
	end.exits(t, 2)
	has(t, "what no driver does", end.stdout+end.stderr, "setStatusBar does not work on the remote lab")

	wholeSuite(t, l, filepath.Join("..", "suites", "ios"))
	endings(t, l, proxy)
}

// iPhoneCalls counts the calls of steps: on a still screen an assertion takes two, and a tap four, with the screenshots
// of the report. The cursor of a field blinks now and then between two screenshots: the median counts.
func iPhoneCalls(t *testing.T, l *lab, proxy *countingProxy) {
	start := "platform: ios\nsteps:\n  - launch: {package: com.example.login, force: true}\n" +
		"  - waitStable: {timeout: 60s}\n  - assert: Sign in\n"
	l.write("many.yaml", "id: many\n"+start+strings.Repeat("  - assert: Sign in\n", 10))
	calls := func(name, steps string) []string {
		l.write(name+".yaml", "id: "+name+"\n"+start+steps)
		proxy.took()
		l.start("taproot", "run", "--remote", "lab", name+".yaml").wait().exits(t, 0)
		return proxy.took()
	}
	between := func(mark string, calls []string) (each []int) {
		last := -1
		for i, call := range calls {
			if call != mark {
				continue
			}
			if last >= 0 {
				each = append(each, i-last)
			}
			last = i
		}
		slices.Sort(each)
		return each
	}
	reads := between("mobile: source", calls("reads", strings.Repeat("  - assert: Sign in\n", 11)))
	if len(reads) < 10 || reads[len(reads)/2] > 2 {
		t.Errorf("the assertions took %v calls", reads)
	}
	taps := between("mobile: tap", calls("taps", strings.Repeat("  - tap: E-mail\n", 11)))
	if len(taps) != 10 || taps[len(taps)/2] > 4 {
		t.Errorf("the taps took %v calls", taps)
	}
	t.Logf("calls: %v of assertions, %v of taps", reads, taps)
}
