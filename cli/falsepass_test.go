package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// truth is a test with one correct result, and its expected effects on the app.
type truth struct {
	name  string
	steps string // YAML, below the launch of the list app or the opening of the page
	page  string // of webtest; empty: the list app on a phone
	step  int    // the one that must fail; 0: the test passes
	words []string
	taps  []string // on the phone: the labels that were hit; on a page: its log
}

const signIn = "  - webType: {selector: '#email', text: ada@example.com}\n  - webType: {selector: '#password', text: " +
	"lovelace}\n  - tap: Sign in\n"

var truths = []truth{
	{name: "android-paid-is-not-unpaid",
		steps: "  - tap: Payments\n  - assert: Unpaid\n  - assert: {label: Paid, timeoutMs: 1200}\n",
		step:  4, words: []string{`"Paid"`, `"Unpaid"`}, taps: []string{"Payments"}},
	{name: "android-pay-comes-late",
		steps: "  - tap: Payments\n  - assert: Payment history\n  - tap: Pay\n  - assert: {label: Paid, match: exact}\n",
		taps:  []string{"Payments", "Pay"}},
	{name: "android-twice-is-there", steps: "  - tap: Twice\n  - assert: Pairs\n  - assert: Twice\n",
		taps: []string{"Twice"}},
	{name: "android-twice-is-not-tapped",
		steps: "  - tap: Twice\n  - assert: Pairs\n  - tap: {label: Twice, timeoutMs: 1500}\n",
		step:  4, words: []string{"2 elements", "1.", "2."}, taps: []string{"Twice"}},
	{name: "android-moving-is-hit-once",
		steps: "  - tap: {label: Moving, match: exact}\n  - tap: {id: moving}\n  - assert: Moving tapped\n",
		taps:  []string{"Moving", "Moving"}},
	{name: "android-covered-is-not-tapped",
		steps: "  - tap: Overlay\n  - assert: Cookie banner\n  - tap: {label: Behind, timeoutMs: 1500}\n",
		step:  4, words: []string{"Behind", "Cookie banner"}, taps: []string{"Overlay"}},
	{name: "android-label-in-a-row", steps: "  - tap: Grüße\n  - assert: 'Tapped: Grüße'\n", taps: []string{"Grüße"}},

	{name: "web-paid-is-not-unpaid", page: "login.html", steps: signIn +
		"  - assert: Unpaid\n  - assert: {label: Paid, timeoutMs: 1200}\n",
		step: 6, words: []string{`"Paid"`, `"Unpaid"`}, taps: []string{"signed in"}},
	{name: "web-pay-comes-late", page: "late.html",
		steps: "  - assert: Payment history\n  - tap: Pay\n  - assert: clicked Pay\n",
		taps:  []string{"clicked Pay"}},
	{name: "web-twice-is-there", page: "twice.html", steps: "  - assert: 'Total: 5 €'\n  - assert: Delete\n"},
	{name: "web-twice-is-not-tapped", page: "twice.html", steps: "  - tap: {label: Delete, timeoutMs: 1500}\n",
		step: 2, words: []string{"2 elements", "1.", "2."}},
	{name: "web-moving-is-hit-once", page: "moving.html", steps: "  - tap: Go\n  - assert: Go 1 settled\n",
		taps: []string{"Go 1 settled"}},
	{name: "web-covered-is-not-tapped", page: "overlay.html", steps: "  - tap: {label: Buy now, timeoutMs: 1500}\n",
		step: 2, words: []string{"Buy now", "cookie"}},
	{name: "web-label-in-a-card", page: "nested.html", steps: "  - tap: Premium plan\n  - assert: clicked card\n",
		taps: []string{"clicked card"}},
}

func (tr truth) yaml(site string) string {
	if tr.page == "" {
		return "id: " + tr.name + "\nplatform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n" +
			tr.steps
	}
	return fmt.Sprintf("id: %s\nplatform: web\nsteps:\n  - openBrowser: {url: '%s/%s?%s'}\n%s", tr.name, site, tr.page,
		tr.name, tr.steps)
}

// No false pass and no wrong tap, on a phone and on a page: a passed assertion is true, and a tap hits the intended
// element.
func TestTruth(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	site := newWitness(t)
	l := newLab(t, 2)
	truths := truths
	// the engine is the same; drivers/web covers more pages than these, runner/tests/truth more screens
	if testing.Short() {
		truths = slices.DeleteFunc(slices.Clone(truths), func(tr truth) bool {
			return tr.page != "" && !slices.Contains([]string{"web-paid-is-not-unpaid", "web-covered-is-not-tapped"}, tr.name) ||
				slices.Contains([]string{"android-twice-is-there", "android-label-in-a-row"}, tr.name)
		})
	}
	for _, tr := range truths {
		l.write(tr.name+".yaml", tr.yaml(site.url))
	}
	l.taproot("run", ".", "--no-video").exits(t, 1)
	packs := map[string]*packOf{}
	for _, dir := range l.packs() {
		p := checkPack(t, dir)
		packs[p.ID] = p
	}
	for _, tr := range truths {
		t.Run(tr.name, func(t *testing.T) {
			p := packs[tr.name]
			if p == nil {
				t.Fatal("no pack")
			}
			if pass := tr.step == 0; pass != (p.Result == "pass") || !pass && p.Result != "fail" || p.failedStep() != tr.step {
				t.Errorf("%s in step %d, want a failure in step %d (0: none)\n%s", p.Result, p.failedStep(), tr.step, p.markdown)
			}
			has(t, "run.md", p.markdown, tr.words...)
			taps := site.log(tr.name)
			if tr.page == "" {
				taps = l.taps(p)
			}
			if !slices.Equal(taps, tr.taps) {
				t.Errorf("touched %q, want %q", taps, tr.taps)
			}
			if clicks, want := site.clicks(tr.name), len(tr.taps); tr.page != "" && clicks != want {
				t.Errorf("the page was clicked %d times, want %d", clicks, want)
			}
		})
	}
	l.quiet()
}

// taps lists the elements that were hit on the phone of a case while the case ran.
func (l *lab) taps(p *packOf) []string {
	l.t.Helper()
	var labels []string
	from, to := p.interval()
	for _, phone := range l.phones {
		if phone.Serial() != p.device() {
			continue
		}
		for _, tap := range phone.Taps() {
			if !tap.At.Before(from) && !tap.At.After(to) {
				labels = append(labels, tap.Label)
			}
		}
	}
	return labels
}

// interval returns when the case ran.
func (p *packOf) interval() (from, to time.Time) {
	for _, e := range p.events {
		switch e.Kind {
		case event.CaseStarted:
			from = e.Time
		case event.CaseEnded:
			to = e.Time
		}
	}
	return from, to
}

// pageLog serves the sample pages. Each page reports to it what it logged, and every click anywhere on it.
type pageLog struct {
	url string

	mu      sync.Mutex
	logged  map[string][]string // by the page's query
	clicked map[string]int
}

func newWitness(t *testing.T) *pageLog {
	t.Helper()
	w := &pageLog{logged: map[string][]string{}, clicked: map[string]int{}}
	pages := webtest.Handler()
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("/site.js", func(rw http.ResponseWriter, r *http.Request) {
		script := httptest.NewRecorder()
		pages.ServeHTTP(script, r)
		rw.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(rw, script.Body.String(), `
const tell = (what) => { const q = new XMLHttpRequest(); q.open('POST', '/told' + location.search, false); `+
			`q.send(what); };
const pageLog = log;
log = (text) => { pageLog(text); tell('log ' + text); };
document.addEventListener('click', () => tell('click'), true);`)
	})
	mux.HandleFunc("POST /told", w.told)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

func (w *pageLog) told(_ http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if what, ok := strings.CutPrefix(string(text), "log "); ok {
		w.logged[r.URL.RawQuery] = append(w.logged[r.URL.RawQuery], what)
	} else {
		w.clicked[r.URL.RawQuery]++
	}
}

func (w *pageLog) log(page string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logged[page]
}

func (w *pageLog) clicks(page string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clicked[page]
}
