package widgets_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/testdevice"
)

// check is one use of a page. Checks are in the comment at the head of the page's script, each as its result, its
// steps, and what the model holds in the end where it is not what it held at the beginning. A check that must fail must
// do so at its last step.
type check struct {
	page, name string
	result     event.Result
	steps      string
	count      int
	values     map[string]string
	wrong      string // what came of it instead
	took       time.Duration
	site       *site
}

func readChecks(t *testing.T, dir string) (list []*check) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "pages", "*.jsx"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pages in %s: %v", dir, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n*/")
		head, found := strings.CutPrefix(head, "/*\n")
		if !found {
			t.Fatalf("%s has no checks at its head", file)
		}
		list = append(list, checksOf(t, strings.TrimSuffix(filepath.Base(file), ".jsx"), head)...)
	}
	return list
}

func checksOf(t *testing.T, page, head string) (list []*check) {
	t.Helper()
	results := map[event.Result]bool{}
	for n, line := range strings.Split(head, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		if word == "pass" || word == "fail" {
			results[event.Result(word)] = true
			list = append(list, &check{page: page, name: fmt.Sprintf("%s.jsx:%d %s", page, n+2, line),
				result: event.Result(word), values: map[string]string{}})
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
		case "model":
			name, value, _ := strings.Cut(rest, " ")
			c.values[name] = value
		default:
			t.Fatalf("%s: %q is no line of a check", page, line)
		}
	}
	if len(results) != 2 {
		t.Fatalf("%s has no twins: checks that must pass, and some that must fail", page)
	}
	return list
}

// short is how many checks are made when tests are to be short.
const short = 4

// TestWidgets holds results against what the models of widgets say. WIDGETS is a part of the names of the checks that
// are to be made, or several, separated by commas. WIDGETS_BROWSER is another browser than Chromium.
func TestWidgets(t *testing.T) {
	var chosen []*check
	dirs := []string{"testdata/small", "testdata/large", "testdata/more"}
	if testing.Short() {
		dirs = dirs[:1]
	}
	pages, all := map[string]bool{}, 0
	for _, dir := range dirs {
		var served *site
		checks := readChecks(t, dir)
		for i, c := range checks {
			pages[c.page], all = true, all+1
			if only := os.Getenv("WIDGETS"); !named(c.name, only) || testing.Short() && only == "" &&
				i%(len(checks)/short) != 0 {
				continue
			}
			if served == nil {
				served = newSite(t, dir)
			}
			c.site = served
			chosen = append(chosen, c)
		}
	}
	if !testing.Short() && (len(pages) < 20 || all < 120) {
		t.Errorf("only %d checks of %d libraries", all, len(pages))
	}
	if testing.Short() && len(chosen) > short {
		chosen = chosen[:short]
	}
	if len(chosen) == 0 {
		t.Fatalf("no check is called %q", os.Getenv("WIDGETS"))
	}
	holdAll(t, chosen)
	report(t, chosen)
}

// named reports whether a name contains one of some texts, which are separated by commas.
func named(name, some string) bool {
	return slices.ContainsFunc(strings.Split(some, ","), func(part string) bool { return strings.Contains(name, part) })
}

func holdAll(t *testing.T, chosen []*check) {
	lanes := min(len(chosen), 2*runtime.NumCPU())
	driver := web.New(web.Options{Slots: lanes, Browser: os.Getenv("WIDGETS_BROWSER")})
	defer driver.Close()
	next := make(chan *check, len(chosen))
	for _, c := range chosen {
		next <- c
	}
	close(next)
	var all sync.WaitGroup
	for i := range lanes {
		all.Go(func() {
			for c := range next {
				began := time.Now()
				if err := c.hold(t, driver, fmt.Sprintf("web-%d", i+1)); err != nil {
					t.Error(err)
					return
				}
				c.took = time.Since(began)
				if c.wrong != "" {
					t.Errorf("%s\n%s    %s", c.name, c.steps, c.wrong)
				}
			}
		})
	}
	all.Wait()
}

// report prints how often results were not true, for each library and for all.
func report(t *testing.T, chosen []*check) {
	t.Helper()
	kinds := []string{"false pass", "false fail", "wrong click", "other reason", "error"}
	type figures struct {
		counts map[string]int
		checks int
		took   time.Duration
	}
	pages, sum := map[string]*figures{}, &figures{counts: map[string]int{}}
	for _, c := range chosen {
		if pages[c.page] == nil {
			pages[c.page] = &figures{counts: map[string]int{}}
		}
		kind, _, _ := strings.Cut(c.wrong, ":")
		for _, f := range []*figures{pages[c.page], sum} {
			f.checks++
			f.took += c.took
			f.counts[kind]++
		}
	}
	line := func(name string, f *figures) string {
		text := fmt.Sprintf("%-22s %3d checks, %3d right", name, f.checks, f.counts[""])
		for _, kind := range kinds {
			text += fmt.Sprintf(", %d %s", f.counts[kind], kind)
		}
		return text + fmt.Sprintf(" (%.1f s each)\n", f.took.Seconds()/float64(f.checks))
	}
	text := ""
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		text += line(name, pages[name])
	}
	t.Log("\n" + text + line(fmt.Sprintf("%d libraries", len(pages)), sum))
}

// hold makes the check. What a busy machine can bring about is tried once more with more time; a false pass and a wrong
// click count at once.
func (c *check) hold(t *testing.T, driver *web.Driver, lane string) error {
	for i, patience := range []time.Duration{1500 * time.Millisecond, 20 * time.Second} {
		dev, err := driver.Open(t.Context(), lane)
		if err != nil {
			return err
		}
		c.wrong = c.try(t, dev, patience, fmt.Sprintf("%s-%d", strings.Fields(c.name)[0], i))
		if err := dev.Close(); err != nil {
			return err
		}
		if kind, _, _ := strings.Cut(c.wrong, ":"); kind == "" || kind == "false pass" || kind == "wrong click" {
			return nil
		}
	}
	return nil
}

func (c *check) try(t *testing.T, dev drivers.Device, patience time.Duration, run string) string {
	text := fmt.Sprintf(
		"id: page\nplatform: web\nsteps:\n  - openBrowser: {url: '%s/pages/%s?run=%s', timeoutMs: 30000}\n"+
			"%s", c.site.URL, c.page, run, c.steps)
	tests, err := dsl.Parse("testdata/page.yaml", []byte(text))
	if err != nil {
		return fmt.Sprintf("error: %v", err)
	}
	s := runtest.NewSink(t.TempDir())
	again := testdevice.DecidedAgain(t)
	s.Added = func(a event.Attachment, from string) {
		again(a, from)
		if c.result == event.Pass {
			collect(t, a, from, c.page)
		}
	}
	options := engine.Options{NoVideo: true, NoTrace: true, Timeout: patience}
	result, err := engine.Run(t.Context(), plan.Case{Test: tests[0], Platform: dsl.Web, Pack: "page", Dir: "testdata"},
		dev, s, options)
	if err != nil {
		t.Error(err)
	}
	r := s.CaseResult()
	message := ""
	if r.Problem != nil {
		message = fmt.Sprintf("step %d: %s", r.ProblemStep-1, r.Problem.Message)
	}
	deeds := c.deeds(t.Context(), dev, run)
	switch {
	case result == event.Pass && c.result == event.Fail:
		return "false pass: " + deeds
	case result == event.Pass && deeds != "":
		return "wrong click: it passed; " + deeds
	case result == event.Fail && c.result == event.Pass:
		return "false fail: " + message + "; " + deeds
	case result == event.Error:
		return "error: " + message
	case result == event.Fail && r.ProblemStep != c.count+1:
		return "other reason: " + message + "; " + deeds
	case deeds != "":
		return "wrong click: " + deeds
	}
	if os.Getenv("WIDGETS") != "" && message != "" {
		t.Logf("%s\n    %s", c.name, message)
	}
	return ""
}

// collect keeps the frames of a check in the folder that TAPROOT_COLLECT_FRAMES names, the largest of each page: they
// become test data of repairs.
func collect(t *testing.T, a event.Attachment, from, page string) {
	dir := os.Getenv("TAPROOT_COLLECT_FRAMES")
	if dir == "" || filepath.Base(a.Path) != "frames.ndjson" {
		return
	}
	data, err := os.ReadFile(from)
	if err != nil {
		t.Error(err)
		return
	}
	file := filepath.Join(dir, page+".ndjson")
	if info, err := os.Stat(file); err == nil && info.Size() >= int64(len(data)) {
		return
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Error(err)
	}
}

// deeds says in what the page's model differs from what must be there: what it held at the beginning, but for what the
// check names.
func (c *check) deeds(ctx context.Context, dev drivers.Device, run string) string {
	if _, err := dev.(drivers.WebPages).Eval(ctx, "window.postModel()", time.Minute); err != nil {
		return fmt.Sprintf("the page does not post its model: %v", err)
	}
	have := c.site.posted(run)
	switch {
	case have.first == nil:
		return "the page posted no model"
	case have.first["error"] != nil:
		return fmt.Sprintf("the page failed: %v", have.first["error"])
	}
	var wrong []string
	for name := range c.values {
		if _, ok := have.last[name]; !ok {
			wrong = append(wrong, "the model has no "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have.last)) {
		want, named := c.values[name]
		if !named && !reflect.DeepEqual(have.last[name], have.first[name]) {
			wrong = append(wrong, fmt.Sprintf("%s is %s, and was %s", name, spell(have.last[name]), spell(have.first[name])))
		}
		if named && spell(have.last[name]) != want {
			wrong = append(wrong, fmt.Sprintf("%s is %s, not %s", name, spell(have.last[name]), want))
		}
	}
	return strings.Join(wrong, "; ")
}

// spell is a value of a model as checks name it: JSON.
func spell(value any) string {
	var text strings.Builder
	as := json.NewEncoder(&text)
	as.SetEscapeHTML(false)
	if err := as.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(text.String())
}
