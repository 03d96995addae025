package truth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// check is one use of a page. Checks are in the comment at the page's head, each as its result with a remark, its
// steps, and what the page's own model must hold in the end: the names of what was clicked, and values.
type check struct {
	page, name string
	result     event.Result
	steps      string
	count      int
	clicks     string
	values     [][2]string
	wrong      string // what came of it instead
}

func readChecks(t *testing.T, dir string) (list []*check) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages in %s: %v", dir, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, head, _ := strings.Cut(string(text), "<!--\n")
		head, _, found := strings.Cut(head, "-->")
		if !found {
			t.Fatalf("%s has no checks at its head", file)
		}
		list = append(list, checksOf(t, filepath.Base(file), head)...)
	}
	return list
}

func checksOf(t *testing.T, page, head string) (list []*check) {
	t.Helper()
	for n, line := range strings.Split(strings.TrimSpace(head), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		if word == "pass" || word == "fail" {
			list = append(list, &check{page: page, name: fmt.Sprintf("%s:%d %s", page, n+3, line), result: event.Result(word)})
			continue
		}
		if len(list) == 0 {
			t.Fatalf("%s: %q belongs to no check", page, line)
		}
		c := list[len(list)-1]
		switch word {
		case "-":
			c.steps += "  " + line + "\n"
			c.count++
		case "clicks":
			c.clicks = rest
		case "model":
			name, value, _ := strings.Cut(rest, " ")
			c.values = append(c.values, [2]string{name, strings.Trim(value, `"`)})
		default:
			t.Fatalf("%s: %q is no line of a check", page, line)
		}
	}
	return list
}

// slowSite serves the pages. What is requested with ?hold=N is delayed for N milliseconds.
func slowSite() *httptest.Server {
	files := http.FileServer(http.Dir("testdata/pages"))
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hold, err := strconv.Atoi(r.URL.Query().Get("hold")); err == nil {
			select {
			case <-time.After(time.Duration(hold) * time.Millisecond):
			case <-r.Context().Done():
			}
		}
		files.ServeHTTP(w, r)
	}))
}

// named reports whether a name contains one of some texts, which are separated by commas.
func named(name, some string) bool {
	return slices.ContainsFunc(strings.Split(some, ","), func(part string) bool { return strings.Contains(name, part) })
}

// TestPages holds results against what pages know of themselves. Every fourth check is made, in the short mode every
// six hundredth, unless TRUTH_PAGES is all, or a part of the names of those that are, or several, separated by commas.
// TRUTH_BROWSER is another browser than Chromium.
func TestPages(t *testing.T) {
	site := slowSite()
	defer site.Close()
	var chosen []*check
	only, part := os.Getenv("TRUTH_PAGES"), 4
	if testing.Short() {
		part = 600
	}
	for i, c := range readChecks(t, "testdata/pages") {
		if only == "" && i%part == 0 || only == "all" || only != "" && named(c.name, only) {
			chosen = append(chosen, c)
		}
	}
	holdAll(t, chosen, site.URL)
	counts := map[string]int{}
	for _, c := range chosen {
		if c.wrong == "" {
			continue
		}
		kind, _, _ := strings.Cut(c.wrong, ":")
		counts[kind]++
	}
	t.Logf("%d checks of pages: %d false passes, %d false fails, %d errors, %d wrong deeds, %d other reasons", len(chosen),
		counts["false pass"], counts["false fail"], counts["error"], counts["wrong deed"], counts["other reason"])
}

// holdAll makes checks, several at once, each in a browser context of its own.
func holdAll(t *testing.T, checks []*check, site string) {
	t.Helper()
	lanes := min(len(checks), 2*runtime.NumCPU())
	driver := web.New(web.Options{Slots: lanes, Browser: os.Getenv("TRUTH_BROWSER")})
	defer driver.Close()
	next := make(chan *check, len(checks))
	for _, c := range checks {
		next <- c
	}
	close(next)
	var all sync.WaitGroup
	for i := range lanes {
		all.Go(func() {
			for c := range next {
				dev, err := driver.Open(t.Context(), fmt.Sprintf("web-%d", i+1))
				if err != nil {
					t.Error(err)
					return
				}
				c.hold(t, dev, site)
				_ = dev.Close()
				if c.wrong != "" {
					t.Errorf("%s\n%s    %s", c.name, c.steps, c.wrong)
				}
			}
		})
	}
	all.Wait()
}

// hold makes the check. What a busy machine can bring about is tried once more with more time; a false pass and a wrong
// deed count at once.
func (c *check) hold(t *testing.T, dev drivers.Device, site string) {
	for _, patience := range []time.Duration{1500 * time.Millisecond, 20 * time.Second} {
		c.wrong = c.try(t, dev, site, patience)
		if kind, _, _ := strings.Cut(c.wrong, ":"); kind == "" || kind == "false pass" || kind == "wrong deed" {
			return
		}
	}
}

func (c *check) try(t *testing.T, dev drivers.Device, site string, patience time.Duration) string {
	text := fmt.Sprintf("id: page\nplatform: web\nsteps:\n  - openBrowser: {url: '%s/%s', timeoutMs: 30000}\n%s", site,
		c.page, c.steps)
	tests, err := dsl.Parse("page.yaml", []byte(text))
	if err != nil {
		return fmt.Sprintf("error: %v", err)
	}
	s := newSink(t, "page-"+strings.Map(fileName, strings.TrimSuffix(c.page, ".html")))
	options := engine.Options{NoVideo: true, NoTrace: true, Timeout: patience}
	result, err := engine.Run(t.Context(), plan.Case{Test: tests[0], Platform: dsl.Web, Pack: "page"}, dev, s, options)
	if err != nil {
		t.Error(err)
	}
	r := s.CaseResult()
	message := ""
	if r.Problem != nil {
		message = fmt.Sprintf("step %d: %s", r.ProblemStep, r.Problem.Message)
	}
	switch {
	case result == event.Pass && c.result == event.Fail:
		return "false pass: " + c.deeds(t, dev)
	case result == event.Fail && c.result == event.Pass:
		return "false fail: " + message
	case result == event.Error:
		return "error: " + message
	case result == event.Fail && r.ProblemStep != c.count+1:
		return "other reason: " + message
	}
	if deeds := c.deeds(t, dev); deeds != "" {
		return "wrong deed: " + deeds
	}
	return ""
}

// deeds says in what the page's model differs from what must be there.
func (c *check) deeds(t *testing.T, dev drivers.Device) string {
	pages := dev.(drivers.WebPages)
	ask := func(script string) any {
		value, err := pages.Eval(t.Context(), script, time.Minute)
		if err != nil {
			return err.Error()
		}
		return value
	}
	var wrong []string
	if c.clicks != "" || len(c.values) == 0 {
		if have := ask("model.clicks.join(' ')"); have != c.clicks {
			wrong = append(wrong, fmt.Sprintf("clicked %q, not %q", have, c.clicks))
		}
	}
	for _, v := range c.values {
		if have := ask(fmt.Sprintf("model.of(%q)", v[0])); have != v[1] {
			wrong = append(wrong, fmt.Sprintf("%s is %q, not %q", v[0], have, v[1]))
		}
	}
	return strings.Join(wrong, "; ")
}
