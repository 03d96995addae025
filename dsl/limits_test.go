package dsl

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorttest"
)

// TestHostileSize reads files that are built to be slow. Each has to be refused or read at once: the test as a whole
// would take minutes if one of the limits were missing.
func TestHostileSize(t *testing.T) {
	const mib = 1 << 20
	fill := func(prefix, unit string) string { return prefix + strings.Repeat(unit, (mib-len(prefix))/len(unit)) }
	for _, c := range []struct{ name, src, want string }{
		{"10 MB", strings.Repeat("a", 10_000_000), "the file is too large: 10000000 bytes"},
		{"50,000 brackets", strings.Repeat("[", 50_000), "more than 2000 brackets are open here"},
		{"1,500 brackets", strings.Repeat("[", 1_500), "nested too deeply"},
		{"brackets, closed", strings.Repeat("[", 1_500) + strings.Repeat("]", 1_500), "nested too deeply"},
		{"braces", fill("", "{"), "more than 2000 brackets are open here"},
		{"maps in lists", strings.Repeat("[{a: ", 800), "nested too deeply"},
		{"dashes", fill("", "- "), "the file holds too many values"},
		{"some dashes", strings.Repeat("- ", 5_000), "nested too deeply"},
		{"some keys", strings.Repeat("a: ", 5_000), "nested too deeply"},
		{"questions", fill("", "? "), "the file holds too many values"},
		{"keys", fill("", "a: "), "the file holds too many values"},
		{"blank lines in a block", "a: |\n" + strings.Repeat("\n", 19_000) + " x", "more than 1000 blank lines in a row"},
		{"blank lines with spaces", "a: |\n" + strings.Repeat("  \n", 19_000) + " x", "more than 1000 blank lines in a row"},
		{"blank lines in groups", "a: |\n" + strings.Repeat("  x"+strings.Repeat("\n", 999), 19), "unknown key"},
		{"lines", fill("", "#\n"), "the file has too many lines"},
		{"a long text", fill("a: ", "x y "), "unknown key"},
		{"a long quoted text", fill(`a: "`, "x y "), "this text has no closing quote"},
		{"a long list", "a: [" + strings.Repeat("x,", 30_000) + "]", "the document would hold more than"},
		{"a longer list", fill("a: [", "x,"), "the file holds too many values"},
		{"many keys", strings.Repeat("a: x\n", 19_999), `"a" is given twice`},
		{"closing brackets", fill("", "]"), "the file holds too many values"},
		{"colons", fill("", ":"), `unknown key "::::`},
		{"anchors", fill("", "&a "), "the file holds too many values"},
		{"aliases", fill("", "*a "), "the file holds too many values"},
		{"quoted list", "a: [" + strings.Repeat(`"\\",`, 30_000) + "]", "the document would hold more than"},
		{"wrong list", "a: [" + strings.Repeat(":a,", 30_000) + "]", "the document would hold more than"},
		{"tabs", "a: [" + strings.Repeat("\tb,", 30_000) + "]", "the document would hold more than"},
		{"wrong keys", "id: a\nplatform: web\nsteps: [" + strings.Repeat("{b: },", 6_000) + "]", `unknown action "b"`},
		{"tags", fill("", "! "), "the file holds too many values"},
		{"quotes", fill("", `"`), "the file holds too many values"},
		{"apostrophes", fill("", `'`), "text"},
		{"percents", strings.Repeat("%a\n", 19_000), "YAML directives"},
		{"documents", strings.Repeat("---\n", 19_000), "the file holds no test"},
		{"escapes", fill(`a: "`, `\x`)[:mib/2*2-2] + `"`, `broken escape \x`},
		{"variables", "id: a\nplatform: web\nsteps:\n  - tap: " + strings.Repeat("$A{}${", 1_900),
			"cannot be the name of a variable"},
		{"a staircase", staircase(90) + staircase(90), `"a0" is given twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if slices.Contains([]string{"many keys", "a longer list", "questions", "aliases", "tags", "closing brackets"},
				c.name) {
				shorttest.Leave(t, "the same limits are met by keys, anchors and colons")
			}
			_, err := Parse("big.yaml", []byte(c.src))
			if err == nil {
				t.Fatal("no error")
			}
			text := err.Error()
			if !strings.Contains(text, c.want) {
				t.Errorf("%q is not in:\n%.500s", c.want, text)
			}
		})
	}
}

func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%c%d:\n", strings.Repeat(" ", i), 'a'+i%26, i)
	}
	return b.String()
}

func TestDepth(t *testing.T) {
	// Four levels stand around the selectors: the test, the steps, the step and its argument.
	nested := func(n int) string {
		return "id: a\nplatform: web\nsteps:\n  - tap: " + strings.Repeat("{label: x, below: ", n) + "y" +
			strings.Repeat("}", n) + "\n"
	}
	if _, err := Parse("x.yaml", []byte(nested(90))); err != nil {
		t.Error(err)
	}
	if _, err := Parse("x.yaml", []byte(nested(100))); err == nil || !strings.Contains(err.Error(), "nested too deeply") {
		t.Error(err)
	}
	// Brackets in texts do not nest.
	text := "id: a\nplatform: web\nsteps:\n" + strings.Repeat("  - tap: \"[[{{\"\n", 300)
	if _, err := Parse("x.yaml", []byte(text)); err != nil {
		t.Error(err)
	}
}

func TestManyErrorsAreSorted(t *testing.T) {
	var b strings.Builder
	b.WriteString("id: a\nplatform: web\nsteps:\n")
	for range 500 {
		b.WriteString("  - tapp: {lable: x}\n  - tap: {lable: x, indx: 1}\n")
	}
	_, err := Parse("x.yaml", []byte(b.String()))
	errs, ok := err.(source.Errors)
	if !ok || len(errs) != 1500 {
		t.Fatalf("%T, %d errors", err, len(errs))
	}
	for i := 1; i < len(errs); i++ {
		a, b := errs[i-1].Pos, errs[i].Pos
		if a.Line > b.Line || a.Line == b.Line && a.Col >= b.Col {
			t.Fatalf("%s comes before %s", a, b)
		}
	}
}
