package truth_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// TestNoAssertionIsMoreLenient: on made-up pages and phone screens, no assertion in any spelling passes where assert of
// the same text fails, and of assert and assertNot of the same arguments exactly one holds. LENIENT_SEED says which
// screen is the first, LENIENT_RUNS how many.
func TestNoAssertionIsMoreLenient(t *testing.T) {
	usual := 60
	if testing.Short() {
		usual = 2
	}
	seed, runs := number("LENIENT_SEED", 1), number("LENIENT_RUNS", usual)
	t.Run("pages", func(t *testing.T) {
		t.Parallel()
		lenientPages(t, seed, 2*runs)
	})
	t.Run("phones", func(t *testing.T) {
		t.Parallel()
		passed := 0
		for n := range runs {
			q := newQuestioned(t, uint64(seed+n), n%2 == 0)
			l := &lenience{t: t, name: fmt.Sprintf("LENIENT_SEED=%d", seed+n), dev: q.dev, platform: dsl.Android}
			r := rand.New(rand.NewPCG(uint64(seed+n), 63))
			for range 4 {
				s := q.texts[r.IntN(len(q.texts))]
				l.check(r, partOf(r, s.name), phonePick(r))
			}
			passed += l.passed
		}
		t.Logf("%d assertions have passed", passed)
		if passed == 0 {
			t.Error("no assertion has passed")
		}
	})
}

// lenience compares the assertions of one screen.
type lenience struct {
	t        *testing.T
	name     string
	dev      drivers.Device
	platform dsl.Platform
	passed   int
}

// check asserts a text of what a selector picks, in every spelling.
func (l *lenience) check(r *rand.Rand, text string, pick dsl.Selector) {
	l.t.Helper()
	mode := []dsl.MatchMode{"", "", "exact", "words", "prefix", "contains", "regex"}[r.IntN(7)]
	shown := pick
	shown.Text, shown.Match = text, mode
	same := dsl.Assert{Selector: dsl.Selector{Label: text, Match: mode}}
	for _, args := range l.spellings(text, mode, pick) {
		if result, _ := l.ask(args, 50*time.Millisecond); result != yes {
			continue
		}
		l.passed++
		if result, why := l.ask(same, 5*time.Second); result != yes {
			l.t.Errorf("%s: %+v passes, and assert of %q (match: %q) does not: %s", l.name, args, text, mode, why)
		}
	}
	is, why := l.ask(dsl.Assert{Selector: shown}, time.Second)
	not, whyNot := l.ask(dsl.AssertNot{Selector: shown}, 3*time.Second)
	if (is == yes) == (not == yes) {
		l.t.Errorf("%s: assert %+v is %s (%s), assertNot is %s (%s)", l.name, shown, answerWords[is], why, answerWords[not],
			whyNot)
	}
}

// spellings are the assertions of a text.
func (l *lenience) spellings(text string, mode dsl.MatchMode, pick dsl.Selector) []any {
	shown, matched := pick, pick
	shown.Text, shown.Match, matched.Match = text, mode, mode
	one := 1
	list := []any{dsl.Assert{Selector: shown}, dsl.Assert{Selector: shown, Count: &one},
		dsl.Assert{Selector: dsl.Selector{Text: text, Match: mode}}, dsl.AssertElement{Selector: matched, Text: &text},
		dsl.WaitFor{Visible: &shown}}
	if mode == "" {
		list = append(list, dsl.WaitFor{Text: text})
	}
	if l.platform == dsl.Web {
		list = append(list, dsl.WebAssert{Selector: pick.CSS, Text: &text, Match: mode})
	}
	return append(list, shown)
}

// ask performs an action; a selector is what a matcher in Go looks for.
func (l *lenience) ask(args any, timeout time.Duration) (answer, string) {
	s := &action.Performer{Device: l.dev, Platform: l.platform, Timeout: timeout}
	s.Detail = &event.Detail{}
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	defer cancel()
	var err error
	if sel, looks := args.(dsl.Selector); looks {
		found, _, bad := action.Look(ctx, s, sel)
		if err = bad; bad == nil && len(found) == 0 {
			return no, "nothing matches"
		}
	} else {
		err = action.Perform(ctx, s, args)
	}
	switch f := new(action.Failure); {
	case err == nil:
		return yes, ""
	case errors.As(err, &f) || drivers.AppIsWrong(err):
		return no, err.Error()
	}
	return unsure, err.Error()
}

// partOf is a text, or a part of it.
func partOf(r *rand.Rand, text string) string {
	words := strings.Fields(text)
	switch r.IntN(4) {
	case 0:
		return words[r.IntN(len(words))]
	case 1:
		return strings.ToUpper(text)
	}
	return text
}

func phonePick(r *rand.Rand) dsl.Selector {
	switch r.IntN(5) {
	case 0:
		return dsl.Selector{XPath: "//*"}
	case 1:
		return dsl.Selector{Type: "LinearLayout"}
	case 2:
		return dsl.Selector{Type: "FrameLayout"}
	case 3:
		return dsl.Selector{Type: "EditText"}
	}
	return dsl.Selector{Type: "TextView"}
}

func lenientPages(t *testing.T, seed, runs int) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, lenientPage(rand.New(rand.NewPCG(uint64(n), 63))))
	}))
	defer site.Close()
	driver := web.New(web.Options{Slots: 1})
	defer driver.Close()
	dev, err := driver.Open(t.Context(), "web-1")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	passed := 0
	for n := seed; n < seed+runs; n++ {
		url := fmt.Sprintf("%s/%d", site.URL, n)
		if err := dev.(drivers.Browser).OpenPage(t.Context(), url, drivers.PageOptions{}); err != nil {
			t.Fatal(err)
		}
		l := &lenience{t: t, name: fmt.Sprintf("LENIENT_SEED=%d", n), dev: dev, platform: dsl.Web}
		r := rand.New(rand.NewPCG(uint64(n), 64))
		for range 5 {
			l.check(r, kindred()[r.IntN(len(kindred()))], dsl.Selector{CSS: pagePick(r)})
		}
		passed += l.passed
	}
	t.Logf("%d assertions have passed", passed)
	if passed == 0 {
		t.Error("no assertion has passed")
	}
}

// kindred are texts of which some are parts of others.
func kindred() []string {
	return []string{"Paid", "Not paid", "Unpaid", "Paid later", "PAID", "later", "Total 5", "5"}
}

func pagePick(r *rand.Rand) string {
	picks := []string{"p", "div", "b", "span", "input", "button", ".x", "#e0", "#e1", "#e2", "#e3", "body", "li", "label",
		"td", "p, b", "div >> nth=0", "text=Paid", "section :visible"}
	return picks[r.IntN(len(picks))]
}

// lenientPage makes up a page: kindred texts in boxes, in lines, hidden, scrolled away, covered and in fields.
func lenientPage(r *rand.Rand) string {
	text := func() string { return kindred()[r.IntN(len(kindred()))] }
	id := 0
	var element func(depth int) string
	some := func(depth int) string {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString(element(depth + 1))
		}
		return b.String()
	}
	element = func(depth int) string {
		style := ""
		if r.IntN(4) == 0 {
			style = []string{"hidden", `style="display:none"`, `style="visibility:hidden"`, `style="opacity:0"`,
				`style="position:absolute;top:3000px"`, `style="position:absolute;left:-999px"`,
				`style="height:0;overflow:hidden"`, `style="color:transparent"`}[r.IntN(8)]
		}
		at := fmt.Sprintf(`id=e%d %s`, id, style)
		if r.IntN(3) == 0 {
			at += " class=x"
		}
		id++
		said := text()
		if depth < 3 && r.IntN(3) == 0 {
			return fmt.Sprintf("<div %s>%s</div>", at, some(depth))
		}
		switch r.IntN(12) {
		case 0:
			return fmt.Sprintf("<p %s>%s <b>%s</b></p>", at, said, text())
		case 1:
			return fmt.Sprintf("<p %s>%s<br>%s</p>", at, said, text())
		case 2:
			return fmt.Sprintf("<input %s value=%q>", at, said)
		case 3:
			return fmt.Sprintf("<input %s placeholder=%q>", at, said)
		case 4:
			return fmt.Sprintf("<button %s aria-label=%q>%s</button>", at, said, text())
		case 5:
			return fmt.Sprintf("<label %s>%s <input type=checkbox></label>", at, said)
		case 6:
			return fmt.Sprintf("<ul><li %s>%s<li>%s</ul>", at, said, text())
		case 7:
			return fmt.Sprintf("<div %s>%s<p>%s</p></div>", at, said, text())
		case 8:
			return fmt.Sprintf("<iframe %s srcdoc=%q width=200 height=60></iframe>", at,
				html.EscapeString("<p>"+said+"</p>"))
		case 9:
			return fmt.Sprintf("<table><tr><td %s>%s<td>%s</table>", at, said, text())
		case 10:
			return fmt.Sprintf("<select %s><option>%s<option>%s</select>", at, said, text())
		}
		return fmt.Sprintf("<p %s>%s</p>", at, said)
	}
	body := some(0) + some(0)
	if r.IntN(4) == 0 {
		body += `<div style="position:fixed;left:0;top:0;width:60%;height:30%;background:#fff"></div>`
	}
	return "<!doctype html><meta charset=utf-8><title>Paid</title><section>" + body + "</section>"
}
