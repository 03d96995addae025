package replay_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"go/build"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
	"github.com/taproot-dev/taproot/runner/internal/replay"
)

func open(t testing.TB, dir string) *replay.Report {
	t.Helper()
	r, err := replay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func shop() report {
	cart := treeOf(label("Cart"), button("Pay", "shop:id/pay"), button("Remove", "a"), button("Remove", "b"),
		&screen.Node{Type: "android.widget.Button", Text: "Later", Disabled: true, Clickable: true}, field("Name", "Ada"))
	paid := treeOf(label("Paid"), label("Receipt for token-7"), button("Home", "shop:id/home"))
	return report{id: "shop", steps: []step{{yaml: "launch: com.example.shop"}, {yaml: "assert: Cart", tree: cart},
		{yaml: "tap: Pay", tree: cart}, {yaml: "assert: Paid", tree: paid}, {yaml: "assertNot: Error", tree: paid},
		{yaml: "tap: Home", result: event.Unreached}},
		mask: func(text string) string { return strings.ReplaceAll(text, "token-7", decide.Masked) }}
}

// TestCheck: every step is decided again with the same result, and what has no decision is counted.
func TestCheck(t *testing.T) {
	t.Parallel()
	steps, err := open(t, shop().write(t, t.TempDir())).Check()
	if err != nil {
		t.Fatal(err)
	}
	n := replay.Count(steps)
	if n.Same != 4 || n.Undecided != 1 || n.Unreached != 1 || n.Differs+n.NotRecorded != 0 || n.Searches != 4 {
		t.Errorf("%+v\n%+v", n, steps)
	}
}

// talk is a test of a phone and a page, each with frames of its own.
func talk() report {
	phone, sent := treeOf(label("Ada"), button("Send", "send")), treeOf(label("Ada"), label("Sent"))
	page := pageOf(treeOf(label("Chat"), button("Answer", "answer")))
	heard := pageOf(treeOf(label("Chat"), label("Ada: Hello"), button("Answer", "answer")))
	return report{id: "talk", steps: []step{{yaml: "launch: a", device: "ada"},
		{yaml: "openBrowser: {url: 'https://example.com'}", device: "desk"},
		{yaml: "assert: Chat", tree: page, device: "desk"}, {yaml: "tap: Send", tree: phone, device: "ada"},
		{yaml: "assert: Sent", tree: sent, device: "ada"},
		{yaml: "assert: 'Ada: Hello'", tree: heard, device: "desk"}, {yaml: "tap: Answer", tree: heard, device: "desk"},
		{yaml: "assert: Ada", tree: sent, device: "ada"}, {yaml: "assert: Chat", tree: heard, device: "desk"}}}
}

// TestSeveralDevices: each step is decided again on the frames of its device, and asked about its screen; assertions
// are compared with what that device showed before.
func TestSeveralDevices(t *testing.T) {
	t.Parallel()
	run := t.TempDir()
	dir := talk().write(t, run)
	r := open(t, dir)
	steps, err := r.Check()
	if n := replay.Count(steps); err != nil || n.Same != 7 || n.Undecided != 2 || n.Searches != 7 {
		t.Errorf("%v %+v\n%+v", err, n, steps)
	}
	for question, want := range map[int]replay.Word{4: replay.Fails, 6: replay.Holds, 8: replay.Fails, 9: replay.Holds} {
		if a, err := r.Ask(question, "assert: 'Ada: Hello'"); err != nil || a.Word != want {
			t.Errorf("step %d: %+v %v, want %s", question, a, err, want)
		}
	}
	w, err := replay.Reports{}.Weak([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range w.Findings {
		got = append(got, fmt.Sprintf("%d %s %s", f.Step, f.Kind, f.Frame))
	}
	want := []string{"8 held-before talk/artifacts/frames.ndjson#step=4",
		"9 held-before talk/artifacts/frames-desk.ndjson#step=7"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	save(t, dir, "artifacts/frames-desk.ndjson", []byte("{}"))
	unusable(t, "damaged", dir, "artifacts/frames-desk.ndjson", "format")
}

// TestCheckTellsDifferences: a result that this version does not come to is listed.
func TestCheckTellsDifferences(t *testing.T) {
	t.Parallel()
	dir := shop().write(t, t.TempDir())
	name := filepath.Join(dir, "artifacts", "frames.ndjson")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	save(t, dir, replay.FramesFile, []byte(strings.Replace(string(data), `"kind":"gone"`, `"kind":"fail"`, 1)))
	steps, err := open(t, dir).Check()
	if err != nil || steps[4].State != replay.Differs || steps[4].Was != "fail" || steps[4].Now != "gone" {
		t.Errorf("%v %+v", err, steps)
	}
}

// TestAsk: other questions on the screens of a report.
func TestAsk(t *testing.T) {
	t.Parallel()
	r := open(t, shop().write(t, t.TempDir()))
	for _, c := range []struct {
		step     int
		question string
		want     replay.Word
		why      string
	}{
		{2, "assert: Cart", replay.Holds, "Cart"},
		{2, "assert: {label: Paid}", replay.Fails, "Pay"},
		{2, "- assertNot: Paid", replay.Holds, ""},
		{2, "assertNot: Cart", replay.Fails, "Cart"},
		{2, "assert: {label: Remove, count: 2}", replay.Holds, "2 elements"},
		{2, "assert: {label: Remove, count: 3}", replay.Fails, "2 elements"},
		{2, "assert: {label: Paid, count: 0}", replay.Holds, ""},
		{2, "assert: {label: Cart, count: 0}", replay.Fails, ""},
		{2, "assert: {label: Later, enabled: false}", replay.Holds, ""},
		{2, "assert: {label: Later, enabled: true}", replay.Fails, "is not with"},
		{2, "assertElement: {type: EditText, value: Ada}", replay.Holds, ""},
		{2, "assertElement: {type: EditText, value: Bob}", replay.Fails, ""},
		{2, "waitFor: {visible: Cart}", replay.Holds, ""},
		{2, "waitFor: {gone: Cart}", replay.Fails, ""},
		{3, "tap: Pay", replay.Holds, "Pay"},
		{3, "tap: {id: pay}", replay.Holds, "Pay"},
		{3, "tap: Remove", replay.Ambiguous, "2 elements match"},
		{3, "tap: Later", replay.Fails, "is disabled"},
		{3, "tap: Checkout", replay.Fails, "the screen shows"},
		{3, "input: {into: Name, text: x}", replay.Holds, ""},
		{3, "Pay", replay.Holds, ""},
		{3, "Remove", replay.Ambiguous, ""},
		{3, "{label: Remove, index: 1}", replay.Holds, ""},
		{3, "Total: 5", replay.Fails, ""},
		{4, "assert: Paid", replay.Holds, ""},
		{4, "assert: Receipt for token-8", replay.Unknown, "masked"},
		{4, "assertNot: Receipt for token-8", replay.Unknown, "masked"},
		{4, "assert: Sent", replay.Fails, ""},
		{4, "assert: {label: Paid, fallback: ocr}", replay.Holds, ""},
		{4, "assert: {ocr: Paid}", replay.Unknown, "pixels"},
		{1, "assert: Cart", replay.Unknown, "step 1"},
		{6, "tap: Home", replay.Unknown, "not reached"},
	} {
		a, err := r.Ask(c.step, c.question)
		if err != nil || a.Word != c.want || !strings.Contains(a.Why, c.why) {
			t.Errorf("step %d, %s: %s (%s), want %s with %q; %v", c.step, c.question, a.Word, a.Why, c.want, c.why, err)
		}
	}
	for _, bad := range []string{"", "sleep: 1s", "asert: Paid", "tap: {labl: x}", "{point: '1,2'}", "set: {a: b}"} {
		_, err := r.Ask(2, bad)
		var usage *replay.Usage
		if !errors.As(err, &usage) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := r.Ask(7, "Pay"); err == nil || !strings.Contains(err.Error(), "there is no step 7") {
		t.Errorf("step 7: %v", err)
	}
}

// TestAskAsTheStepDoes: typing prefers a field to a button of its name, whichever step the screen is of; a tap does
// not.
func TestAskAsTheStepDoes(t *testing.T) {
	t.Parallel()
	search := treeOf(label("Shop"), field("Search", ""), button("Search", "go"))
	r := open(t, report{id: "search", steps: []step{{yaml: "launch: a"}, {yaml: "assert: Shop", tree: search},
		{yaml: "input: {into: Search, text: x}", tree: search}}}.write(t, t.TempDir()))
	for _, n := range []int{2, 3} {
		for question, want := range map[string]replay.Word{"input: {into: Search, text: x}": replay.Holds,
			"tap: Search": replay.Ambiguous, "Search": replay.Ambiguous} {
			if a, err := r.Ask(n, question); err != nil || a.Word != want {
				t.Errorf("step %d, %s: %s (%s), want %s; %v", n, question, a.Word, a.Why, want, err)
			}
		}
	}
}

// TestAskOfPages: what the browser reported decides what it was asked, and nothing else.
func TestAskOfPages(t *testing.T) {
	t.Parallel()
	count, title := 3, "Shop"
	r := open(t, report{id: "page", platform: event.Web, steps: []step{
		{yaml: "openBrowser: {url: 'https://example.com/shop'}"},
		{yaml: "webAssert: {selector: li, count: 3, title: Shop}", page: &decide.PageLook{Selector: "li", Count: &count,
			Title: &title, Seen: decide.PageSeen{Count: 3, Visible: 2, URL: "https://example.com/shop", Title: "Shop"}}},
		{yaml: "assert: Cart", tree: treeOf(label("Cart"))},
	}}.write(t, t.TempDir()))
	for _, c := range []struct {
		step     int
		question string
		want     replay.Word
	}{
		{2, "webAssert: {selector: li, count: 3}", replay.Holds},
		{2, "webAssert: {selector: li, count: 2}", replay.Fails},
		{2, "webAssert: {selector: li}", replay.Holds},
		{2, "webAssert: {selector: li, visible: false}", replay.Fails},
		{2, "webAssert: {title: Shop, url: '**/shop'}", replay.Holds},
		{2, "webAssert: {url: '**/cart'}", replay.Fails},
		{2, "webAssert: {selector: p}", replay.Unknown},
		{2, "webAssert: {selector: li, text: Bread}", replay.Unknown},
		{2, "webAssert: {noConsoleErrors: true}", replay.Unknown},
		{2, "assert: Cart", replay.Unknown},
		{3, "assert: Cart", replay.Holds},
		{3, "assert: {css: h1}", replay.Unknown},
		{3, "tap: {css: h1}", replay.Unknown},
	} {
		if a, err := r.Ask(c.step, c.question); err != nil || a.Word != c.want {
			t.Errorf("step %d, %s: %s (%s), want %s; %v", c.step, c.question, a.Word, a.Why, c.want, err)
		}
	}
}

// TestUnusable: what cannot be read is an error that names the file.
func TestUnusable(t *testing.T) {
	t.Parallel()
	dir := shop().write(t, t.TempDir())
	frames, err := os.ReadFile(filepath.Join(dir, "artifacts", "frames.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, why string }{
		{"another format", strings.Replace(string(frames), "frames/1", "frames/2", 1),
			`"taproot.frames/2", and this version reads "taproot.frames/1"`},
		{"cut", string(frames[:len(frames)/2]), "line "},
		{"empty", "", "it is empty"},
		{"junk", "PK\x03\x04", "line 1"},
	} {
		save(t, dir, replay.FramesFile, []byte(c.text))
		unusable(t, c.name, dir, replay.FramesFile, c.why)
	}
	if err := os.Remove(filepath.Join(dir, "artifacts", "frames.ndjson")); err != nil {
		t.Fatal(err)
	}
	unusable(t, "missing", dir, replay.FramesFile, "it is missing")
	save(t, dir, event.EventsFile, []byte(`{"format":"taproot.events/9","event":"case_started"}`+"\n"))
	unusable(t, "events", dir, event.EventsFile, "taproot.events/9")
	none := shop()
	for i := range none.steps {
		none.steps[i].tree = nil
	}
	_, err = open(t, none.write(t, t.TempDir())).Check()
	if err == nil || !strings.Contains(err.Error(), "--keep-frames") {
		t.Errorf("no frames: %v", err)
	}
}

func unusable(t *testing.T, name, dir, file, why string) {
	t.Helper()
	r, err := replay.Open(dir)
	if err == nil {
		r.Close()
	}
	var bad *replay.Unusable
	if !errors.As(err, &bad) || bad.File != file || !strings.Contains(bad.Why, why) {
		t.Errorf("%s: %v, want %s with %q", name, err, file, why)
	}
}

// TestHostileFiles: a report pack may come from anywhere. What is not a file of frames is an error that names the file,
// and does not block.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		why string
		do  func(file string, lines []string) error
	}{
		"older format": {`the format is "taproot.frames/0", and`, func(file string, l []string) error {
			return os.WriteFile(file, []byte(strings.Replace(strings.Join(l, "\n"), "frames/1", "frames/0", 1)), 0o600)
		}},
		"no format": {`the format is ""`, func(file string, l []string) error {
			return os.WriteFile(file, []byte(strings.Join(l[1:], "\n")), 0o600)
		}},
		"a missing tree": {"a tree is missing", func(file string, l []string) error {
			return os.WriteFile(file, []byte(strings.Join(append(l[:1], l[2:]...), "\n")), 0o600)
		}},
		"a line cut off": {"line 2", func(file string, l []string) error {
			return os.WriteFile(file, []byte(l[0]+"\n"+l[1][:len(l[1])/2]), 0o600)
		}},
		"a link to another pack": {"it is not a regular file", func(file string, l []string) error {
			other := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(file))), "frames.ndjson")
			return errors.Join(os.Remove(file), os.WriteFile(other, []byte(strings.Join(l, "\n")), 0o600),
				os.Symlink(other, file))
		}},
		"a folder": {"it is not a regular file", func(file string, _ []string) error {
			return errors.Join(os.Remove(file), os.Mkdir(file, 0o700))
		}},
		"a line of 70 MB": {"too long", func(file string, _ []string) error { return os.Truncate(file, 70<<20) }},
		"a file of 2 GB":  {"at most", func(file string, _ []string) error { return os.Truncate(file, 2<<30) }},
	} {
		dir := shop().write(t, t.TempDir())
		file := filepath.Join(dir, "artifacts", "frames.ndjson")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if name == "a line of 70 MB" {
			data = data[:0]
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.do(file, strings.Split(strings.TrimSpace(string(data)), "\n")); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		unusable(t, name, dir, replay.FramesFile, c.why)
	}
}

// TestDamagedSnapshots: CSS is evaluated on the snapshot of a page; one that is damaged, or too large, decides nothing.
func TestDamagedSnapshots(t *testing.T) {
	t.Parallel()
	zipped := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	page := treeOf(&screen.Node{Type: "h1", Text: "Cart", Bounds: image.Rect(10, 10, 200, 40)})
	page.Windows[0].Type = "body"
	whole := zipped(`{"nodes": [{"p": -1, "t": "body", "b": [0, 0, 1080, 2400]},
		{"p": 0, "t": "h1", "b": [10, 10, 190, 30]}, {"p": 1, "x": "Cart"}]}`)
	for name, c := range map[string]struct {
		dom  []byte
		want replay.Word
	}{
		"whole": {whole, replay.Holds}, "cut": {whole[:len(whole)/2], replay.Unknown}, "empty": {[]byte{}, replay.Unknown},
		"not zipped":  {[]byte(`{"nodes": []}`), replay.Unknown},
		"5 MB of air": {zipped(strings.Repeat(" ", 5<<20)), replay.Unknown},
		"a circle":    {zipped(`{"nodes": [{"p": 1, "t": "h1"}, {"p": 0, "t": "h1"}]}`), replay.Unknown},
	} {
		r := open(t, report{id: "page", platform: event.Web, steps: []step{{yaml: "openBrowser: {url: 'https://a.example'}"},
			{yaml: "assert: Cart", tree: page, dom: c.dom}}}.write(t, t.TempDir()))
		a, err := r.Ask(2, "assert: {css: h1}")
		if err != nil || a.Word != c.want {
			t.Errorf("%s: %+v %v, want %s", name, a, err, c.want)
		}
	}
}

// TestBeyondTheLimit: what the size limit kept out is not recorded.
func TestBeyondTheLimit(t *testing.T) {
	t.Parallel()
	small := shop()
	small.limit = 2500
	r := open(t, small.write(t, t.TempDir()))
	steps, err := r.Check()
	if n := replay.Count(steps); err != nil || n.NotRecorded == 0 || n.Differs > 0 {
		t.Fatalf("%+v %v", n, err)
	}
	a, err := r.Ask(4, "assert: Paid")
	if err != nil || a.Word != replay.Unknown || !strings.Contains(a.Why, "size limit") {
		t.Errorf("%+v %v", a, err)
	}
}

// TestNoDeviceNetworkClock: the packages that decide again import nothing by which a device, the network or another
// program could be reached, and do not read the clock.
func TestNoDeviceNetworkClock(t *testing.T) {
	t.Parallel()
	const module = "github.com/taproot-dev/taproot/"
	seen := map[string]bool{}
	var walk func(path, from string)
	walk = func(path, from string) {
		if seen[path] {
			return
		}
		seen[path] = true
		switch path {
		case "net", "net/http", "os/exec", "os/signal", "plugin":
			t.Errorf("%s imports %s", from, path)
		}
		rest, own := strings.CutPrefix(path, module)
		if !own {
			return
		}
		if rest != "drivers/screen" && rest != "drivers/internal/screen" && strings.HasPrefix(rest, "drivers") {
			t.Errorf("%s imports %s", from, path)
		}
		dir := filepath.Join("..", "..", "..", filepath.FromSlash(rest))
		pkg, err := build.ImportDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		if rest == "runner/internal/replay" || rest == "runner/internal/decide" {
			noClock(t, dir, pkg.GoFiles)
		}
		for _, next := range pkg.Imports {
			walk(next, path)
		}
	}
	walk(module+"runner/internal/replay", "the test")
	if !seen[module+"runner/internal/decide"] {
		t.Error("decide was not reached")
	}
}

func noClock(t *testing.T, dir string, files []string) {
	t.Helper()
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"time.Now(", "time.Since(", "time.Until(", "time.Sleep(", "time.After(", "rand."} {
			if strings.Contains(string(data), word) {
				t.Errorf("%s uses %s", file, word)
			}
		}
	}
}
