package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// needsLogin writes a test that saves a secret token, and two that need it. site counts who signs in.
func (l *lab) needsLogin(site *signIns) {
	l.t.Helper()
	l.write("login.yaml", fmt.Sprintf(`id: login
platform: android
secrets: [token]
steps:
  - http: {url: "%s/login", expect: {status: 200}, as: answer}
  - set: {expr: {token: answer.json.token}}
  - set: {user: ada, visits: 01}
`, site.URL))
	for _, name := range []string{"cart", "orders"} {
		l.write(name+".yaml", fmt.Sprintf(`id: %s
platform: android
tags: [shop]
needs: [login]
steps:
  - http:
      url: "%s/%s?user=${needs.login.user}&visits=${needs.login.visits}"
      headers: {Authorization: "Bearer ${needs.login.token}"}
      expect: {status: 200}
  - log: "the token is ${needs.login.token}"
`, name, site.URL, name))
	}
}

const adaToken = "t0ken-of-ada-8412"

// signIns is a site with pages that need the token of its sign-in.
type signIns struct {
	*httptest.Server
	logins chan struct{}
	broken bool
}

func newSignIns(t *testing.T) *signIns {
	s := &signIns{logins: make(chan struct{}, 100)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/login" && !s.broken:
			s.logins <- struct{}{}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"token": %q}`, adaToken)
		case r.URL.Path == "/member":
			cookie, err := r.Cookie("session")
			if err == nil && cookie.Value == adaToken {
				fmt.Fprint(w, "<title>Members</title><h1>Welcome back, Ada</h1>")
				return
			}
			http.SetCookie(w, &http.Cookie{Name: "session", Value: adaToken, Path: "/"})
			fmt.Fprint(w, "<title>Sign in</title><h1>Hello, stranger</h1>")
		case r.Header.Get("Authorization") != "Bearer "+adaToken || r.FormValue("user") != "ada" ||
			r.FormValue("visits") != "01":
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// signedIn is the number of sign-ins since the last call.
func (s *signIns) signedIn() (n int) {
	for {
		select {
		case <-s.logins:
			n++
		default:
			return n
		}
	}
}

// noSecret checks that no file of the reports has the token, and that no file of the run's values is left.
func (l *lab) noSecret() {
	l.t.Helper()
	err := filepath.WalkDir(l.reports, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), adaToken) {
			l.t.Errorf("%s shows the token", path)
		}
		return err
	})
	if err != nil {
		l.t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(l.reports), "run", "taproot", "needs", "*"))
	if err != nil || len(left) > 0 {
		l.t.Errorf("values are left: %v, %v", left, err)
	}
}

// results are the results of the newest run, by pack.
func (l *lab) results() map[string]event.Result {
	l.t.Helper()
	runs := l.runs()
	return resultsOf(l.t, runs[len(runs)-1])
}

// resultsOf returns the results of the cases of a run, by their packs.
func resultsOf(t *testing.T, dir string) map[string]event.Result {
	t.Helper()
	run, err := history.LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]event.Result{}
	for _, c := range run.Cases {
		results[c.Pack] = c.CaseResult.Result
	}
	return results
}

// A needed test runs once, first, and its values reach those that need it, masked; when it does not pass, they are
// skipped, and a rerun runs all of them.
func TestNeeds(t *testing.T) {
	t.Parallel()
	site := newSignIns(t)
	l := newLab(t, 2)
	l.needsLogin(site)
	for _, args := range [][]string{{"run", "cart", "orders"}, {"run", "--tag", "shop"}, {"run", ".", "--randomize"},
		{"run", ".", "--shard", "2/2"}} {
		l.taproot(args...).exits(t, 0)
		if n := site.signedIn(); n != 1 {
			t.Errorf("%v: %d sign-ins", args, n)
		}
	}
	l.taproot("run", "cart", "--repeat", "2").exits(t, 0)
	if n := site.signedIn(); n != 2 {
		t.Errorf("--repeat 2: %d sign-ins", n)
	}
	l.noSecret()
	site.broken = true
	e := l.taproot("run", ".")
	e.exits(t, 1)
	has(t, "stdout", e.stdout, "not run, because login, which it needs, did not pass (fail:")
	if got := fmt.Sprint(l.results()); got != "map[cart:skipped login:fail orders:skipped]" {
		t.Error(got)
	}
	site.broken = false
	l.taproot("run", ".", "--rerun-failed").exits(t, 0)
	if got := fmt.Sprint(l.results()); got != "map[cart:pass login:pass orders:pass]" {
		t.Error(got)
	}
	l.write("orders.yaml", strings.Replace(read(t, l.dir, "orders.yaml"), "login]", "logn]", 1))
	e = l.taproot("validate", "orders.yaml")
	e.exits(t, 2)
	has(t, "validate", e.stdout+e.stderr, `orders.yaml:4:9: no test has the id "logn"`, `did you mean "login"?`)
	l.quiet()
}

// Two processes of Ginkgo run a needed test once, also when a label filter leaves it out.
func TestNeedsUnderGinkgo(t *testing.T) {
	t.Parallel()
	site := newSignIns(t)
	for _, labels := range []string{"android", "shop"} {
		l, program := goLab(t, 2)
		l.dir = t.TempDir()
		l.needsLogin(site)
		l.ginkgo(program, labels).exits(t, 0)
		if n := site.signedIn(); n != 1 {
			t.Errorf("%s: %d sign-ins", labels, n)
		}
		if got := fmt.Sprint(l.results()); got != "map[cart:pass login:pass orders:pass]" {
			t.Errorf("%s: %s", labels, got)
		}
		l.noSecret()
		site.broken = true
		l.ginkgo(program, labels).exits(t, 1-len(strings.TrimPrefix(labels, "android"))/4)
		if got := fmt.Sprint(l.results()); got != "map[cart:skipped login:fail orders:skipped]" {
			t.Errorf("%s: %s", labels, got)
		}
		site.broken = false
	}
}

// On a farm, values and browser states reach the hosts; the hub stores neither.
func TestNeedsOnAFarm(t *testing.T) {
	t.Parallel()
	site := newSignIns(t)
	f := newFarm(t)
	host := f.join("--token", f.token("--pool", "lab"), "--allow-private")
	defer f.leave(host)
	eventually(t, "the phones are there", func() bool { return f.device("SIM1") == "free" && f.device("SIM2") == "free" })
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key)
	l.needsLogin(site)
	l.taproot("run", ".", "--hub", f.serve.url).exits(t, 0)
	if n := site.signedIn(); n != 1 {
		t.Errorf("%d sign-ins", n)
	}
	l.noSecret()
}

// Shards that each run a needed test are merged into one run with one of its results.
func TestNeedsInShards(t *testing.T) {
	t.Parallel()
	site := newSignIns(t)
	l := newLab(t, 1)
	l.needsLogin(site)
	l.taproot("run", ".", "--shard", "1/2").exits(t, 0)
	site.broken = true
	l.taproot("run", ".", "--shard", "2/2").exits(t, 1)
	runs := l.runs()
	l.taproot("report", "merge", runs[0], runs[1])
	merged := slices.DeleteFunc(l.runs(), func(run string) bool { return slices.Contains(runs, run) })
	if len(merged) != 1 {
		t.Fatalf("the merged run is one of %q", merged)
	}
	if got := fmt.Sprint(resultsOf(t, merged[0])); got != "map[cart:pass login:fail orders:skipped]" {
		t.Error(got)
	}
}

// A browser state that a needed test saves is that of the pages of those that need it, and in no report.
func TestNeededBrowserState(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	site := newSignIns(t)
	l := newLab(t, 0)
	l.write("login.yaml", fmt.Sprintf("id: login\nplatform: web\nsteps:\n  - openBrowser: \"%s/member\"\n"+
		"  - assert: Hello, stranger\n  - webStorage: {save: members}\n", site.URL))
	l.write("account.yaml", fmt.Sprintf("id: account\nplatform: web\nneeds: login\nsteps:\n"+
		"  - openBrowser: {url: \"%s/member\", storage: members}\n  - assert: Welcome back, Ada\n", site.URL))
	l.write("other.yaml", fmt.Sprintf("id: other\nplatform: web\nsteps:\n"+
		"  - openBrowser: {url: \"%s/member\", storage: members}\n", site.URL))
	l.taproot("run", "account", "--no-trace", "--no-dom").exits(t, 0)
	l.noSecret()
	if _, err := os.Stat(filepath.Join(l.dir, "members")); err == nil {
		t.Error("the state is in the project")
	}
	e := l.taproot("run", "other")
	e.exits(t, 1)
	has(t, "stdout", e.stdout, `no test of this run has saved the browser state "members"`, "under needs")
}
