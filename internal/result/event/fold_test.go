package event

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/source"
)

func TestFoldTakesTheFirstEnd(t *testing.T) {
	res := Fold([]Event{{Kind: CaseEnded, Result: Fail, Problem: &Problem{Message: "no"}},
		{Kind: CaseEnded, Result: Pass}})
	if res.Result != Fail || res.Problem == nil {
		t.Errorf("%+v", res)
	}
}

func TestFoldUnknownResultsAreErrors(t *testing.T) {
	for _, v := range []Result{"", "passed", Unreached} {
		if res := Fold([]Event{{Kind: CaseEnded, Result: v}}); res.Result != Error || res.Problem == nil {
			t.Errorf("%q: %+v", v, res)
		}
	}
	res := Fold([]Event{{Kind: StepEnded, Step: 1, Result: "great"}, {Kind: CaseEnded, Result: Error}})
	if res.Steps[0].Result != Error || res.Count().Passed != 0 {
		t.Errorf("%+v", res.Steps)
	}
}

func TestFoldWithoutEnd(t *testing.T) {
	c := &Case{ID: "x", Pack: "x", Steps: []Step{{N: 1, Action: "tap"}, {N: 2, Action: "assert"}}}
	start := Event{Kind: CaseStarted, Case: c}
	for want, events := range map[string][]Event{
		"before the first step": {start},
		"in step 1 (tap)":       {start, {Kind: StepStarted, Step: 1}},
		"after step 1":          {start, {Kind: StepStarted, Step: 1}, {Kind: StepEnded, Step: 1, Result: Pass}},
		"in step 2 (assert)": {start, {Kind: StepStarted, Step: 1}, {Kind: StepEnded, Step: 1, Result: Pass},
			{Kind: StepStarted, Step: 2}},
	} {
		res := Fold(events)
		if res.Result != Interrupted || !strings.Contains(res.Problem.Message, want) {
			t.Errorf("%s: %s, %v", want, res.Result, res.Problem)
		}
	}
	if res := Fold(nil); res.Result != Interrupted {
		t.Errorf("of nothing: %s", res.Result)
	}
}

// What the engine saw before it was interrupted is not lost, and the step is named.
func TestFoldInterruptedByTheUser(t *testing.T) {
	c := &Case{ID: "x", Steps: []Step{{N: 1, Action: "tap"}}}
	res := Fold([]Event{{Kind: CaseStarted, Case: c}, {Kind: StepStarted, Step: 1},
		{Kind: StepEnded, Step: 1, Result: Interrupted, Problem: &Problem{Message: "stopped"}},
		{Kind: CaseEnded, Result: Interrupted}})
	if res.ProblemStep != 1 || res.Problem == nil || res.Problem.Message != "stopped" {
		t.Errorf("%d %+v", res.ProblemStep, res.Problem)
	}
}

// Hostile: a step number costs no memory, a path leads nowhere else.
func TestFoldHostile(t *testing.T) {
	events := []Event{{Kind: StepStarted, Step: 1 << 40}, {Kind: StepEnded, Step: -1, Result: Pass}, {Kind: Attached},
		{Kind: CaseStarted}}
	for _, p := range []string{"../x", "/etc/passwd", `..\x`, "", "a/../../x", "."} {
		events = append(events, Event{Kind: Attached, Attachment: &Attachment{Path: p, Kind: KindScreenshot}})
	}
	if res := Fold(events); len(res.Steps) != 1 || len(res.Attachments) != 0 {
		t.Errorf("%+v", res)
	}
}

func TestReadEvents(t *testing.T) {
	const good = `{"event":"logged","message":"x"}`
	for _, c := range []struct {
		name, text string
		n          int
		err        string
	}{
		{"empty", "", 0, ""},
		{"whole", good + "\n" + good + "\n", 2, ""},
		{"last line without its end", good + "\n" + good, 2, ""},
		{"last line cut", good + "\n" + good[:9], 1, ""},
		{"bad in the middle", good + "\n" + good[:9] + "\n" + good + "\n", 1, "events line 2: "},
		{"bad at the end", good + "\n{]\n", 1, "events line 2: "},
		{"not an object", "7\n", 0, "events line 1: "},
		{"empty line", good + "\n\n" + good + "\n", 1, "events line 2: "},
		{"too long", good + "\n" + strings.Repeat("x", maxLine+1) + "\n", 1, "events line 2: longer than"},
		{"too long and cut", good + "\n" + strings.Repeat("x", 2*maxLine), 1, "events line 2: longer than"},
	} {
		events, err := ReadEvents(strings.NewReader(c.text))
		if len(events) != c.n || (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("%s: %d events, %v", c.name, len(events), err)
		}
	}
}

// An event that would not be readable again is shortened, not lost.
func TestEncodeLongEvents(t *testing.T) {
	long := strings.Repeat("é", 3<<20)
	c := &Case{ID: "x"}
	for n := range 9000 {
		c.Steps = append(c.Steps, Step{N: n + 1, Args: strings.Repeat("x", 1000)})
	}
	for _, e := range []Event{
		{Kind: StepEnded, Step: 1, Result: Fail, Problem: &Problem{Message: long, Actual: long, Candidates: []string{
			long, long}, Stack: long}},
		{Kind: CaseStarted, Case: c}, {Kind: Logged, Message: long},
	} {
		line, err := Encode(e)
		if err != nil || len(line) > maxLine {
			t.Fatal(len(line), err)
		}
		back, err := ReadEvents(bytes.NewReader(line))
		if err != nil || len(back) != 1 || back[0].Kind != e.Kind {
			t.Errorf("%s: %v", e.Kind, err)
		}
	}
	if e := (Event{Kind: Logged, Time: time.Unix(1, 0).UTC(), Message: strings.Repeat("x", 1<<20)}); shortened(e,
		1<<20).Message != e.Message {
		t.Error("a text within the limit was cut")
	}
}

// TestFoldKeepsAllThatIsIdentified: the method that reads the screen is not a warning, and an event that names it
// removes nothing of what is known of the app.
func TestFoldKeepsAllThatIsIdentified(t *testing.T) {
	app, reads := Event{Kind: Identified, App: &App{ID: "com.example.shop"}},
		Event{Kind: Identified, ScreenRead: "The screen was read with the agent."}
	for _, events := range [][]Event{{app, reads}, {reads, app}} {
		if r := Fold(events); r.App == nil || r.App.ID != "com.example.shop" || r.ScreenRead != reads.ScreenRead ||
			len(r.Notes) != 0 {
			t.Errorf("%+v", r)
		}
	}
}

// A failure of a marked case is expected, a pass is a failure of no step, and everything else stays.
func TestJudge(t *testing.T) {
	mark := &Fails{Because: "SHOP-1", Until: "2027-01-31", Place: source.Pos{File: "a.yaml", Line: 3, Col: 1}}
	for _, c := range []struct {
		mark  *Fails
		of    Result
		want  Result
		holds string
	}{
		{nil, Fail, Fail, "no such element"}, {nil, Pass, Pass, ""},
		{mark, Fail, Expected, "known failure (SHOP-1, until 2027-01-31): no such element"},
		{mark, Pass, Fail, "remove the mark at a.yaml:3:1"},
		{mark, Error, Error, "no such element"}, {mark, Interrupted, Interrupted, "no such element"},
	} {
		var p *Problem
		if c.of != Pass {
			p = &Problem{Message: "no such element", Kind: NotFound}
		}
		v, p := c.mark.Judge(c.of, p)
		res := Fold([]Event{{Kind: CaseStarted, Case: &Case{ID: "a", Fails: c.mark, Steps: []Step{{N: 1}, {N: 2}}}},
			{Kind: StepStarted, Step: 1}, {Kind: StepEnded, Step: 1, Result: Fail, Problem: &Problem{Message: "inner"}},
			{Kind: CaseEnded, Result: v, Problem: p}})
		text := ""
		if res.Problem != nil {
			text = res.Problem.Message
		}
		if res.Result != c.want || !strings.Contains(text, c.holds) {
			t.Errorf("%s: %s, %q", c.of, res.Result, text)
		}
		if fixed := c.mark != nil && c.of == Pass; fixed && (res.ProblemStep != 0 || len(res.Failures()) != 1) {
			t.Errorf("step %d, %v", res.ProblemStep, res.Failures())
		}
		if res.Result == Expected && (res.ProblemStep != 1 || res.Problem.Kind != NotFound) {
			t.Errorf("step %d, %+v", res.ProblemStep, res.Problem)
		}
	}
}
