package dsl

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestHostileSize reads files that are built to be slow. Each has to be refused or read at once: the test as a whole
// would take minutes if one of the limits were missing.
func TestHostileSize(t *testing.T) {
	const mib = 1 << 20
	fill := func(prefix, unit string) string { return prefix + strings.Repeat(unit, (mib-len(prefix))/len(unit)) }
	for _, c := range []struct{ name, src, want string }{
		{name: "10 MB", src: strings.Repeat("a", 10_000_000), want: "the file is too large: 10000000 bytes"},
		{name: "50,000 brackets", src: strings.Repeat("[", 50_000), want: "more than 2000 brackets are open here"},
		{name: "1,500 brackets", src: strings.Repeat("[", 1_500), want: "nested too deeply"},
		{name: "brackets, closed", src: strings.Repeat("[", 1_500) + strings.Repeat("]", 1_500), want: "nested too deeply"},
		{name: "braces", src: fill("", "{"), want: "more than 2000 brackets are open here"},
		{name: "maps in lists", src: strings.Repeat("[{a: ", 800), want: "nested too deeply"},
		{name: "dashes", src: fill("", "- "), want: "the file holds too many values"},
		{name: "some dashes", src: strings.Repeat("- ", 5_000), want: "nested too deeply"},
		{name: "some keys", src: strings.Repeat("a: ", 5_000), want: "nested too deeply"},
		{name: "questions", src: fill("", "? "), want: "the file holds too many values"},
		{name: "keys", src: fill("", "a: "), want: "the file holds too many values"},
		{name: "blank lines in a block", src: "a: |\n" + strings.Repeat("\n", 19_000) + " x",
			want: "more than 1000 blank lines in a row"},
		{name: "blank lines with spaces", src: "a: |\n" + strings.Repeat("  \n", 19_000) + " x",
			want: "more than 1000 blank lines in a row"},
		{name: "blank lines in groups", src: "a: |\n" + strings.Repeat("  x"+strings.Repeat("\n", 999), 19),
			want: "unknown key"},
		{name: "lines", src: fill("", "#\n"), want: "the file has too many lines"},
		{name: "a long text", src: fill("a: ", "x y "), want: "unknown key"},
		{name: "a long quoted text", src: fill(`a: "`, "x y "), want: "this text has no closing quote"},
		{name: "a long list", src: "a: [" + strings.Repeat("x,", 30_000) + "]", want: "the document would hold more than"},
		{name: "a longer list", src: fill("a: [", "x,"), want: "the file holds too many values"},
		{name: "many keys", src: strings.Repeat("a: x\n", 19_999), want: `"a" is given twice`},
		{name: "closing brackets", src: fill("", "]"), want: "the file holds too many values"},
		{name: "colons", src: fill("", ":"), want: `unknown key "::::`},
		{name: "anchors", src: fill("", "&a "), want: "the file holds too many values"},
		{name: "aliases", src: fill("", "*a "), want: "the file holds too many values"},
		{name: "quoted list", src: "a: [" + strings.Repeat(`"\\",`, 30_000) + "]", want: "the document would hold more than"},
		{name: "wrong list", src: "a: [" + strings.Repeat(":a,", 30_000) + "]", want: "the document would hold more than"},
		{name: "tabs", src: "a: [" + strings.Repeat("\tb,", 30_000) + "]", want: "the document would hold more than"},
		{name: "wrong keys", src: "id: a\nplatform: web\nsteps: [" + strings.Repeat("{b: },", 6_000) + "]",
			want: `unknown action "b"`},
		{name: "tags", src: fill("", "! "), want: "the file holds too many values"},
		{name: "quotes", src: fill("", `"`), want: "the file holds too many values"},
		{name: "apostrophes", src: fill("", `'`), want: "text"},
		{name: "percents", src: strings.Repeat("%a\n", 19_000), want: "YAML directives"},
		{name: "documents", src: strings.Repeat("---\n", 19_000), want: "the file holds no test"},
		{name: "escapes", src: fill(`a: "`, `\x`)[:mib/2*2-2] + `"`, want: `broken escape \x`},
		{name: "variables", src: "id: a\nplatform: web\nsteps:\n  - tap: " + strings.Repeat("$A{}${", 1_900),
			want: "cannot be the name of a variable"},
		{name: "a staircase", src: staircase(90) + staircase(90), want: `"a0" is given twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if slices.Contains([]string{"many keys", "a longer list", "questions", "aliases", "tags", "closing brackets"},
				c.name) {
				testutil.Leave(t, "the same limits are met by keys, anchors and colons")
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

// A step that moves on has longer than one that only waits, unless it says how long.
func TestLimitOfSteps(t *testing.T) {
	short := 300
	for _, c := range []struct {
		name  string
		args  any
		opts  StepOptions
		usual time.Duration
		want  time.Duration
	}{
		{name: "a step that waits", args: Tap{}, opts: StepOptions{}, usual: StepTimeout, want: StepTimeout},
		{name: "a step that moves", args: ScrollTo{}, opts: StepOptions{}, usual: StepTimeout, want: 30 * time.Second},
		{name: "of a patient test", args: ScrollTo{}, opts: StepOptions{}, usual: time.Minute, want: time.Minute},
		{name: "that names its time", args: ScrollTo{}, opts: StepOptions{TimeoutMs: &short}, usual: StepTimeout,
			want: 300 * time.Millisecond},
	} {
		if got := c.opts.Limit(c.args, c.usual); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
