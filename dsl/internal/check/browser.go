package check

import (
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// Browser finds what a browser refuses of a test, before anything runs: it goes by BrowserTable. A page that names
// a browser of its own is judged by that one. The error is a source.Errors.
func Browser(t *vocabulary.Test, browser string) error {
	c := browserCheck{test: t, own: browser, in: browser}
	for _, steps := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		c.steps(steps)
	}
	return c.errs.Err()
}

// NamedBrowser is the one browser that all pages name which a test opens; "" when they do not agree.
func NamedBrowser(t *vocabulary.Test) string {
	named, first := "", true
	for _, steps := range t.Lists() {
		for step := range steps.All {
			if _, opens := step.Def.Args.(vocabulary.OpenBrowser); !opens || step.Says != nil {
				continue
			}
			f, _ := step.Args.Get("browser")
			if first {
				named, first = f.Value.Text, false
			}
			if f.Value.Text != named {
				return ""
			}
		}
	}
	if !slices.Contains([]string{vocabulary.Chromium, vocabulary.Firefox, vocabulary.WebKit}, named) {
		return ""
	}
	return named
}

// browserCheck goes through the steps as a run would.
type browserCheck struct {
	test *vocabulary.Test
	own  string // that the test runs in
	in   string // that the page is open in
	errs source.Errors

	named bool // the test names it for one of its devices
}

func (c *browserCheck) steps(steps vocabulary.Steps) {
	for step := range steps.All {
		c.step(step)
		if step.Block != nil {
			c.steps(step.Block.Steps)
		}
	}
}

func (c *browserCheck) step(step *vocabulary.Step) {
	if step.Says != nil {
		return
	}
	if _, opens := step.Def.Args.(vocabulary.OpenBrowser); opens {
		c.opens(step)
		return
	}
	c.refuse(step, step.Def.Name, step.Pos, len(step.Def.Name))
	for _, f := range step.Args.Fields {
		word := step.Def.Name + "." + f.Key
		c.refuse(step, word, f.Pos, len(f.Key))
		if !strings.Contains(f.Value.Text, "${") {
			c.refuse(step, word+"="+f.Value.Text, f.Pos, len(f.Key))
		}
	}
}

// opens checks the options of a step that opens a page.
func (c *browserCheck) opens(step *vocabulary.Step) {
	named, given := step.Args.Get("browser")
	c.in = c.own
	switch {
	case given && (len(c.test.Browsers) > 0 || c.named):
		c.errs = append(c.errs, &source.Error{Pos: named.Pos, Source: step.File, Width: len("browser"),
			Msg: `the test names its browsers at its top, and the page names one of its own`, Hint: "remove one of the two"})
	case given && strings.Contains(named.Value.Text, "${"):
		c.in = "" // only the run knows
		return
	case given && c.own != vocabulary.RemoteBrowser:
		c.in = named.Value.Text
	}
	if _, connected := step.Args.Get("connect"); connected && c.in == "" {
		return
	}
	for _, f := range step.Args.Fields {
		word := "openBrowser." + f.Key
		if why := vocabulary.Refusal(c.in, word); why == "" && !strings.Contains(f.Value.Text, "${") {
			word += "=" + f.Value.Text
		}
		c.refuse(step, word, f.Pos, len(f.Key))
		for _, item := range f.Value.Items {
			if !strings.Contains(item.Text, "${") {
				c.refuse(step, "openBrowser."+f.Key+"="+item.Text, item.Pos, len(item.Text))
			}
		}
	}
}

func (c *browserCheck) refuse(step *vocabulary.Step, word string, at source.Pos, width int) {
	why := vocabulary.BrowserDoes(c.in, word).Refused
	if why == "" {
		return
	}
	says, _, _ := strings.Cut(vocabulary.Refusal(c.in, word), ": "+why)
	e := &source.Error{Pos: at, Source: step.File, Width: width, Msg: says, Hint: why}
	if !slices.ContainsFunc(c.errs, func(o *source.Error) bool { return o.Error() == e.Error() }) {
		c.errs = append(c.errs, e)
	}
}
