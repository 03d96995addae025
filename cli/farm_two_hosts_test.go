package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// TestFarmOfTwoHosts runs one suite on two hosts at once: a needed test runs once for both, its values and its secret
// reach tests on either host, own actions run there, and a known failure stays one.
func TestFarmOfTwoHosts(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	desk := f.join("--token", f.token("--pool", "lab"), "--allow-private")
	defer f.leave(desk)
	other := newLab(t, 2)
	data := filepath.Join(other.tmp, "host")
	shelf := other.start("taproot", "host", "--hub", f.serve.url, "--name", "shelf", "--data", data, "--token",
		f.token("--pool", "lab"), "--allow-private")
	defer func() {
		other.taproot("host", "--drain", "--data", data).exits(t, 0)
		shelf.wait()
	}()
	eventually(t, "the phones of both hosts are there", func() bool {
		return strings.Count(f.serve.with(f.key, "GET", "/api/devices", "").body, `"use":"free"`) == 4
	})
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
