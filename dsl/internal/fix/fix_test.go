package fix_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/dsl/internal/check"
	"github.com/taproot-dev/taproot/dsl/internal/fix"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestFolder replaces the words of testdata/suites, and compares every byte with testdata/want. What cannot be replaced
// is in want/left.txt.
func TestFolder(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/suites/*.yaml")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	words, left := 0, ""
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		r, err := fix.File(name, src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		words += r.Changed
		for _, e := range r.Left {
			left += e.Error() + "\n\n"
		}
		testutil.Golden(t, "want/"+name, r.Text)
		again, err := fix.File(name, r.Text)
		if err != nil || !bytes.Equal(again.Text, r.Text) || again.Changed != 0 {
			t.Errorf("%s: a second time it changes %d steps: %v", name, again.Changed, err)
		}
		if before, after := commentsOf(src), commentsOf(r.Text); !slices.Equal(before, after) {
			t.Errorf("%s: the comments changed (-before +after)\n%s", name, cmp.Diff(before, after))
		}
		if len(r.Left) == 0 {
			if err := valid(name, r.Text); err != nil {
				t.Errorf("%s is not valid: %v", name, err)
			}
		}
	}
	testutil.Golden(t, "want/left.txt", []byte(left))
	if words < 60 {
		t.Errorf("only %d steps were replaced", words)
	}
}

// commentsOf returns the comments in their order: what follows a # that starts one.
func commentsOf(src []byte) []string {
	var all []string
	for line := range strings.Lines(string(src)) {
		line = strings.TrimRight(line, "\r\n")
		if i := strings.Index(line, "# "); i >= 0 && (i == 0 || line[i-1] == ' ') {
			all = append(all, line[i:])
		}
	}
	return all
}

func valid(name string, src []byte) error {
	switch name {
	case "taproot.yaml":
		_, err := check.ParseConfig(name, src, nil)
		return err
	case "blocks.yaml":
		_, err := check.ParseBlock(name, src, "", nil)
		return err
	}
	_, err := check.Parse(name, src, nil)
	return err
}

func TestWordsThatStay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"id: a\nplatform: android\nsteps:\n  - tap: tapOn\n  - log: 'click: x'\n", // the text of a step
		"services:\n  web: {image: click}\n", "- click\n- back\n", "", "# only a comment\n", "a: [1, 2]\n---\nb: c\n",
		"id: a\nplatform: android\nsteps:\n  - tapp: x\n", "id: a\nplatform: android\nsteps:\n  - press: [1,\n",
	} {
		r, err := fix.File("a.yaml", []byte(text))
		if string(r.Text) != text || r.Changed != 0 || len(r.Left) != 0 {
			t.Errorf("%q becomes %q, %v, %v", text, r.Text, r.Left, err)
		}
	}
}

// TestAliasesThatDiffer has an anchor that one of its steps would change for the other.
func TestAliasesThatDiffer(t *testing.T) {
	t.Parallel()
	const text = "id: a\nplatform: web\nsteps:\n  - openBrowser: \"https://example.com\"\n  - log: &menu \"#menu\"\n" +
		"  - click: *menu\n  - click: \"#x\"\n"
	r, err := fix.File("a.yaml", []byte(text))
	want := strings.Replace(text, "  - click: \"#x\"", "  - tap: {css: \"#x\"}", 1)
	if err != nil || string(r.Text) != want || r.Changed != 1 || len(r.Left) != 1 {
		t.Errorf("%s\n%d changed, %v left, %v", r.Text, r.Changed, r.Left, err)
	}
}

// TestGenerated replaces the words of generated tests: afterwards no certain word is left, and lines without one are
// the same.
func TestGenerated(t *testing.T) {
	t.Parallel()
	for seed := range 200 {
		g := generator{seed: uint64(seed)*2654435761 + 1}
		text, plain := g.file()
		name := fmt.Sprintf("seed %d", seed)
		r, err := fix.File(name, []byte(text))
		if err != nil {
			t.Errorf("%s\n%s\n%v", name, text, err)
			continue
		}
		if len(r.Left) > 0 {
			t.Errorf("%s: left:\n%v\nin\n%s", name, r.Left[0], text)
		}
		if _, err := check.Parse(name, r.Text, nil); err != nil {
			t.Errorf("%s is not valid:\n%s\n%v", name, r.Text, err)
		}
		lines := strings.SplitAfter(string(r.Text), "\n")
		for _, line := range plain { // in this order
			i := slices.Index(lines, line)
			if i < 0 {
				t.Errorf("%s: the line %q changed:\n%s\nbecomes\n%s", name, line, text, r.Text)
				break
			}
			lines = lines[i+1:]
		}
		if again, err := fix.File(name, r.Text); err != nil || !bytes.Equal(again.Text, r.Text) {
			t.Errorf("%s: a second time it is\n%s\n%v", name, again.Text, err)
		}
	}
}

// generator writes tests with refused words.
type generator struct {
	seed  uint64
	b     strings.Builder
	plain []string // the lines that must not change
	end   string
}

func (g *generator) pick(n int) int {
	g.seed ^= g.seed << 13
	g.seed ^= g.seed >> 7
	g.seed ^= g.seed << 17
	return int(g.seed % uint64(n))
}

func (g *generator) one(of ...string) string { return of[g.pick(len(of))] }

func (g *generator) line(text string) { g.b.WriteString(text + g.end) }

// stays writes a line that has no refused word.
func (g *generator) stays(text string) {
	g.line(text)
	g.plain = append(g.plain, text+g.end)
}

func (g *generator) file() (text string, plain []string) {
	g.end = g.one("\n", "\n", "\r\n")
	g.stays("# " + g.one("a test", "tapOn: is a word", "- click: \"x"))
	g.stays("id: generated")
	g.stays("platform: android" + g.comment())
	if g.pick(3) == 0 {
		g.stays("before:")
		g.steps("", 2)
	}
	g.stays("steps:")
	g.steps(g.one("", "  ", "    "), 3)
	return g.b.String(), g.plain
}

func (g *generator) comment() string {
	return g.one("", "", "   # a comment", " # tapOn: x", "  #\twith a tab")
}

func (g *generator) label() string {
	return g.one("Sign in", `"Quoted: text"`, "'it''s'", "Größe", `"a # b"`, "x", "${NAME:-x}", "1.50", `"{a}"`)
}

func (g *generator) steps(indent string, depth int) {
	for range 1 + g.pick(6) {
		g.step(indent, depth)
	}
}

func (g *generator) step(indent string, depth int) {
	dash := indent + "- "
	in := indent + "      "
	switch g.pick(14) {
	case 0:
		g.stays(dash + "tap: " + g.label() + g.comment())
	case 1:
		g.stays(indent + "# - tapOn: x")
		g.stays("")
		g.line(dash + g.one("back", "hideKeyboard", "scroll", "waitForAnimationToEnd") + g.comment())
	case 2:
		g.line(dash + g.one("tapOn", "'tapOn'", `"tapOn"`, "assertVisible", "inputText", "doubleTapOn") + ": " + g.label() +
			g.comment())
	case 3:
		g.line(dash + g.one("tapOn", "assertVisible", "longPressOn") + ": { " + g.one("text", "id") + ": " +
			g.one("Save", `"a, b"`, "'it''s'") + " }" + g.comment())
	case 4:
		g.line(dash + "tapOn:" + g.comment())
		g.line(in + "text: " + g.label() + g.comment())
		g.stays(in + "index: 1" + g.comment())
	case 5:
		g.line(dash + "scrollUntilVisible:" + g.comment())
		g.line(in + "element: " + g.label())
		g.line(in + "direction: " + g.one("DOWN", "UP"))
	case 6:
		g.line(dash + "scrollUntilVisible: {element: {id: a}, direction: DOWN}" + g.comment())
	case 7:
		g.line(dash + "inputText: |" + g.comment())
		g.stays(indent + "    tapOn: in a text")
		g.stays(indent + "    # and this")
	case 8:
		g.line(dash + "extendedWaitUntil: {visible: A, notVisible: B}" + g.comment())
	case 9:
		g.line(dash + "swipe: " + g.one("LEFT", "{direction: UP, duration: 400}", `{start: "1%,2%", end: "3%,4%"}`))
	case 10:
		g.stays(dash + "if: {cond: 1 > 0, then: [{tap: x}]}" + g.comment())
	default:
		if depth == 0 {
			g.line(dash + "pressKey: Enter")
			return
		}
		g.nest(dash, in, depth-1)
	}
}

// nest writes a step with steps inside of it.
func (g *generator) nest(dash, in string, depth int) {
	switch g.pick(4) {
	case 0:
		g.line(dash + "repeat:" + g.comment())
		g.stays(in + "times: 2" + g.comment())
		g.line(in + "commands:" + g.comment())
	case 1:
		g.stays(dash + "group:" + g.comment())
		g.stays(in + "steps:")
	case 2:
		g.line(dash + "runFlow:" + g.comment())
		g.line(in + "when:")
		g.line(in + "  visible: A" + g.comment())
		g.line(in + "commands:" + g.comment())
	case 3:
		g.line(dash + "if: {cond: 1 > 0, then: [{tapOn: \"a, b\"}, back, {repeat: {times: 2, commands: [{tapOn: x}]}}]}")
		return
	}
	g.steps(in+"  ", depth)
}

func FuzzFile(f *testing.F) {
	files, _ := filepath.Glob("testdata/suites/*.yaml")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := fix.File("a.yaml", []byte(text))
		if err != nil {
			if string(r.Text) != text {
				t.Fatal("a file that is not YAML changed")
			}
			return
		}
		if r.Changed == 0 && string(r.Text) != text {
			t.Fatalf("nothing was replaced, and %q becomes %q", text, r.Text)
		}
		if _, from, bad := source.Readable("a.yaml", r.Text); bad != nil {
			t.Fatal(bad)
		} else if _, err := source.Read(strings.Join(from.Lines, "\n"), from); err != nil {
			t.Fatal(err)
		}
		again, err := fix.File("a.yaml", r.Text)
		if err != nil || !bytes.Equal(again.Text, r.Text) {
			t.Fatalf("twice: %q becomes %q, then %q: %v", text, r.Text, again.Text, err)
		}
	})
}
