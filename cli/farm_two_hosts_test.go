package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// twoHosts starts a hub with two hosts, desk (the host of the farm, in room 1) and shelf (other, in room 2), which have
// as many phones each. leave ends the hosts.
func twoHosts(t *testing.T, phones int) (f *farm, other *lab, leave func()) {
	t.Helper()
	f, other = newFarmWith(t, newLab(t, phones)), newLab(t, phones)
	desk := f.join("--token", f.token("--pool", "lab", "--labels", "room=1"), "--allow-private")
	data := filepath.Join(other.tmp, "host")
	shelf := other.start("taproot", "host", "--hub", f.serve.url, "--name", "shelf", "--data", data, "--token",
		f.token("--pool", "lab", "--labels", "room=2"), "--allow-private")
	f.hub.env = append(f.hub.env, "TAPROOT_API_KEY="+f.key)
	eventually(t, "both hosts are there", func() bool {
		return strings.Count(f.hub.taproot("farm", "status", "--hub", f.serve.url).stdout, "online") == 2
	})
	eventually(t, "the phones of both hosts are there", func() bool {
		return strings.Count(f.serve.with(f.key, "GET", "/api/devices", "").body, `"use":"free"`) >= 2*phones
	})
	return f, other, func() {
		f.leave(desk)
		other.taproot("host", "--drain", "--data", data).exits(t, 0)
		shelf.wait()
	}
}

// TestFarmOfTwoHosts runs one suite on two hosts at once: a needed test runs once for both, its values and its secret
// reach tests on either host, own actions run there, and a known failure stays one.
func TestFarmOfTwoHosts(t *testing.T) {
	t.Parallel()
	f, other, leave := twoHosts(t, 2)
	defer leave()
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key)
	l.ownActions(rateServer(t))
	site := newSignIns(t)
	l.needsLogin(site)
	for _, name := range []string{"one", "two", "three", "four"} { // long enough to need every phone
		l.write(name+".yaml", fmt.Sprintf("id: %s\nplatform: android\nneeds: [login]\nsteps:\n  - http:\n"+
			"      url: \"%s/%[1]s?user=${needs.login.user}&visits=01\"\n"+
			"      headers: {Authorization: \"Bearer ${needs.login.token}\"}\n      expect: {status: 200}\n"+
			"  - signIn: {user: \"${needs.login.user}\", as: who}\n  - assertTrue: who == \"ada:guest\"\n  - sleep: 2s\n", name,
			site.URL))
	}
	l.write("known.yaml", "id: known\nplatform: android\nfails: {because: SHOP-123}\nsteps:\n"+
		"  - launch: {package: com.example.list, force: true}\n  - assert: {label: Nowhere, timeout: 100ms}\n")
	l.taproot("run", ".", "--hub", f.serve.url, "--parallel", "4").exits(t, 0)
	if n := len(site.logins); n != 1 {
		t.Errorf("the needed test ran %d times", n)
	}
	results := l.results()
	for _, id := range []string{"login", "cart", "orders", "shop", "one", "two", "three", "four"} {
		if results[id] != event.Pass {
			t.Errorf("%s: %s", id, results[id])
		}
	}
	if results["known"] != event.Expected {
		t.Errorf("known: %s", results["known"])
	}
	for _, dir := range l.packs() {
		if strings.Contains(read(t, dir, "events.ndjson"), adaToken) {
			t.Errorf("%s shows the secret", dir)
		}
	}
	for name, host := range map[string]*lab{"desk": f.host, "shelf": other} {
		if host.phones[0].Count("am")+host.phones[1].Count("am") == 0 {
			t.Errorf("no test ran on %s", name)
		}
	}
}

// A browser state that a needed test saves on one host is that of the pages of a test on the other one, and in no
// report.
func TestBrowserStateOnTwoHosts(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	site := newSignIns(t)
	f, _, leave := twoHosts(t, 0)
	defer leave()
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key)
	l.write("login.yaml", fmt.Sprintf("id: login\nplatform: web\ndevice: {labels: [room=1]}\nsteps:\n"+
		"  - openBrowser: \"%s/member\"\n  - assert: Hello, stranger\n  - webStorage: {save: members}\n", site.URL))
	l.write("account.yaml", fmt.Sprintf("id: account\nplatform: web\ndevice: {labels: [room=2]}\nneeds: login\nsteps:\n"+
		"  - openBrowser: {url: \"%s/member\", storage: members}\n  - assert: Welcome back, Ada\n", site.URL))
	l.taproot("run", "account", "--hub", f.serve.url, "--no-trace", "--no-dom").exits(t, 0)
	if got := fmt.Sprint(l.results()); got != "map[account:pass login:pass]" {
		t.Error(got)
	}
	l.noSecret()
}

// The choices of a run hold on a farm: shards by count and by time, and no test that starts after the limit, also when
// it has waited at the hub for a device that others use.
func TestChoicesOnTwoHosts(t *testing.T) {
	testutil.Leave(t, "TestFarmOfTwoHosts")
	t.Parallel()
	f, _, leave := twoHosts(t, 1)
	defer leave()
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	l.slowTests(4, "log: quick")
	l.write("t0.yaml", "id: t0\nplatform: android\nsteps:\n  - sleep: 3s\n")
	l.taproot("run", ".").exits(t, 0)
	timed := l.runs()[0]
	for by, want := range map[string][]string{"": {"map[t0:pass t2:pass]", "map[t1:pass t3:pass]"},
		"time": {"map[t0:pass]", "map[t1:pass t2:pass t3:pass]"}} {
		for i, want := range want {
			args := []string{"run", ".", "--shard", fmt.Sprintf("%d/2", i+1)}
			if by != "" {
				args = append(args, "--shard-by", by+"="+timed)
			}
			l.taproot(args...).exits(t, 0)
			if got := fmt.Sprint(l.results()); got != want {
				t.Errorf("%v: %s", args, got)
			}
		}
	}
	busy := newLab(t, 0)
	busy.env = append(busy.env, "TAPROOT_API_KEY="+f.key, "TAPROOT_HUB="+f.serve.url)
	busy.slowTests(2, "sleep: 4m")
	others := busy.start("taproot", "run", ".")
	eventually(t, "both phones are in use", func() bool {
		return strings.Count(f.serve.with(f.key, "GET", "/api/devices", "").body, `"use":"free"`) == 0
	})
	e := l.taproot("run", ".", "--max-time", "1s")
	e.exits(t, 3)
	has(t, "stdout", e.stdout, "not run, because the run had reached its limit of 1s (--max-time)")
	if got := fmt.Sprint(l.results()); got != "map[t0:skipped t1:skipped t2:skipped t3:skipped]" {
		t.Error(got)
	}
	if err := others.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	others.wait().exits(t, 130)
	l.taproot("run", ".", "--max-time", "10m").exits(t, 0)
}
