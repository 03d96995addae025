package maestro_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// checkImport reports an error when the import of a flow, as a test or as a block, is not accepted by Taproot.
func checkImport(t *testing.T, name string, f *maestro.Flow) {
	t.Helper()
	platforms := []dsl.Platform{dsl.Android, dsl.IOS}
	if f.Web {
		platforms = []dsl.Platform{dsl.Web}
	}
	for _, platform := range platforms {
		for _, block := range []bool{false, true} {
			n := maestro.ToNative(f, maestro.NativeOptions{ID: "x", Block: block, Platform: platform,
				Rel: func(s string) string { return s }})
			var err error
			if block {
				_, err = dsl.ParseBlock("x.yaml", n.Text, platform)
			} else {
				_, err = dsl.Parse("x.yaml", n.Text)
			}
			if err != nil {
				t.Errorf("%s on %s, block %t:\n%s\n%v", name, platform, block, n.Text, err)
			}
		}
	}
}

// TestEveryImportOfTheCorpusIsATest imports each flow of testdata that can be read.
func TestEveryImportOfTheCorpusIsATest(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	imported := 0
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all := files{}
		for _, f := range a.Files {
			all[f.Name] = string(f.Data)
		}
		for _, file := range a.Files {
			if filepath.Ext(file.Name) != ".yaml" {
				continue
			}
			if f, err := maestro.Parse(file.Name, file.Data, all); err == nil {
				checkImport(t, name+": "+file.Name, f)
				imported++
			}
		}
	}
	if imported < 10 {
		t.Errorf("only %d flows were imported", imported)
	}
}

// TestGeneratedFlowsAreImportedAsTests imports flows of random commands with random arguments.
func TestGeneratedFlowsAreImportedAsTests(t *testing.T) {
	count := 3000
	if testing.Short() {
		count = 600
	}
	read := 0
	for seed := range count {
		g := generator{rand.New(rand.NewPCG(59, uint64(seed)))}
		text := g.flow()
		f, err := maestro.Parse("flow.yaml", []byte(text), files{"a.png": ""})
		if err != nil {
			if read == 0 && seed > 50 {
				t.Fatalf("seed %d:\n%s\n%v", seed, text, err)
			}
			continue
		}
		read++
		checkImport(t, fmt.Sprintf("seed %d:\n%s", seed, text), f)
		if t.Failed() {
			return
		}
	}
	if read < count/3 {
		t.Errorf("only %d of %d flows could be read", read, count)
	}
}

// generator makes flows as Maestro accepts them.
type generator struct{ *rand.Rand }

func (g generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// text returns one in double quotes.
func (g generator) text() string {
	return strconv.Quote(g.pick("Save", "", " ", "Pay (now)?", ".*", "${NAME}", "${NAME + '!'}", `\d+`, "5", "true",
		"null", "a: b", "# c", "- d", "{e}", "[f]", `"g"`, "it's", "Grüße 😀", "two\nlines", "%h", "@i",
		"${output.n}", "*", "~"))
}

func (g generator) boolean() string { return g.pick("true", "false") }

// selector returns a map of criteria; depth is how many more may be nested in it.
func (g generator) selector(depth int) string {
	var parts []string
	add := func(key string, value func() string) {
		if g.IntN(5) == 0 {
			parts = append(parts, key+": "+value())
		}
	}
	add("text", g.text)
	add("id", g.text)
	add("index", func() string { return g.pick("0", "1", "-1", "'2'") })
	add("width", func() string { return g.pick("0", "10", "-3") })
	add("height", func() string { return "20" })
	add("tolerance", func() string { return g.pick("0", "3") })
	for _, state := range []string{"enabled", "checked", "selected", "focused"} {
		add(state, g.boolean)
	}
	add("traits", func() string { return g.pick("text", "square long-text") })
	if depth > 0 {
		for _, relation := range []string{"below", "above", "leftOf", "rightOf", "containsChild", "childOf"} {
			add(relation, func() string { return g.element(depth - 1) })
		}
		add("containsDescendants", func() string {
			return "[" + g.element(depth-1) + ", " + g.element(depth-1) + "]"
		})
	}
	if len(parts) == 0 {
		return "{text: " + g.text() + "}"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// element returns what a command takes as its element.
func (g generator) element(depth int) string {
	if g.IntN(4) == 0 {
		return g.text()
	}
	return g.selector(depth)
}

func (g generator) commands(depth int) string {
	var all []string
	for range 1 + g.IntN(3) {
		all = append(all, "{"+g.command(depth)+"}")
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// command returns one command in flow style, without braces.
func (g generator) command(depth int) string {
	simple := []func() string{
		func() string {
			return g.pick("tapOn", "doubleTapOn", "longPressOn", "copyTextFrom") + ": " + g.element(2)
		},
		func() string { return g.pick("assertVisible", "assertNotVisible") + ": " + g.element(2) },
		func() string {
			return "extendedWaitUntil: {" + g.pick("visible", "notVisible") + ": " + g.element(1) + ", timeout: " +
				g.pick("0", "300", "20000", "-5") + "}"
		},
		func() string {
			return "scrollUntilVisible: {element: " + g.element(1) + ", direction: " + g.pick("UP", "DOWN", "LEFT", "RIGHT") +
				", speed: " + g.pick("0", "40", "150") + ", centerElement: " + g.boolean() + "}"
		},
		func() string { return g.pick("inputText", "setClipboard") + ": " + g.text() },
		func() string { return "eraseText: " + g.pick("0", "3", "100000") },
		func() string { return "swipe: {from: " + g.element(1) + ", direction: " + g.pick("UP", "LEFT") + "}" },
		func() string {
			return "swipe: {start: \"10%, 20%\", end: \"90%,20%\", duration: " + g.pick("5", "900") + "}"
		},
		func() string {
			return "assertTrue: " + g.pick("${1 == 1}", "${NAME == 'a'}", "\"yes\"", "${output.n > 2}")
		},
		func() string { return "takeScreenshot: " + g.pick("home", "shots/home") },
		func() string { return "tapOn: {point: \"50%,20%\", repeat: " + g.pick("1", "3") + "}" },
		func() string { return "evalScript: ${output.n = " + g.pick("1", "'x'", "NAME", "NAME + 1") + "}" },
		func() string { return "pressKey: " + g.pick("Enter", "home", "Backspace", "Lock") },
		func() string { return "assertScreenshot: {path: a.png, cropOn: " + g.element(1) + "}" },
		func() string { return "openLink: " + g.pick("https://example.com", "app://open", "example.com/x") },
		func() string { return "setLocation: {latitude: 52.5, longitude: -13.4}" },
		func() string { return "waitForAnimationToEnd: {timeout: " + g.pick("0", "500", "400000") + "}" },
	}
	nested := []func() string{
		func() string {
			return "runFlow: {when: {" + g.pick("visible", "notVisible") + ": " + g.element(1) + "}, commands: " +
				g.commands(depth-1) + "}"
		},
		func() string {
			return "repeat: {times: " + g.pick("0", "3", "${NAME}") + ", commands: " + g.commands(depth-1) + "}"
		},
		func() string {
			return "repeat: {while: {" + g.pick("visible", "notVisible") + ": " + g.element(1) + "}, commands: " +
				g.commands(depth-1) + "}"
		},
		func() string {
			return "retry: {maxRetries: " + g.pick("0", "2", "9") + ", commands: " + g.commands(depth-1) + "}"
		},
	}
	if depth > 0 && g.IntN(4) == 0 {
		return nested[g.IntN(len(nested))]()
	}
	return simple[g.IntN(len(simple))]()
}

func (g generator) flow() string {
	var b strings.Builder
	b.WriteString(g.pick("appId: com.example.app\n", "url: https://example.com\n"))
	if g.IntN(3) == 0 {
		fmt.Fprintf(&b, "name: %s\n", g.text())
	}
	if g.IntN(3) == 0 {
		fmt.Fprintf(&b, "tags: [%s, b]\n", g.pick("a", "'1'", "smoke-test"))
	}
	if g.IntN(2) == 0 {
		fmt.Fprintf(&b, "env:\n  NAME: %s\n", g.text())
	}
	for _, hook := range []string{"onFlowStart", "onFlowComplete"} {
		if g.IntN(5) == 0 {
			fmt.Fprintf(&b, "%s:\n  - %s\n", hook, g.command(0))
		}
	}
	b.WriteString("---\n")
	for range 1 + g.IntN(4) {
		fmt.Fprintf(&b, "- %s\n", g.command(2))
	}
	return b.String()
}
