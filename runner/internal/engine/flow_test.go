package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// TestFlow runs control steps against the fake device, which shows "Go" and "Ready". reports is the report of each leaf
// step: action, argument, result.
func TestFlow(t *testing.T) {
	t.Parallel()
	const missing = "assert: {label: Missing, timeoutMs: 0}"
	for _, test := range []struct {
		name  string
		steps string
		want  event.Result
		told  string
	}{
		{"if takes the branch that holds", `
  - if: {cond: visible("Go"), then: [{tap: Go}], else: [{assert: Nothing}]}
  - assert: Ready`, event.Pass, "tap Go pass; assert Ready pass; assert Nothing skipped"},
		{"if takes the other branch", `
  - if: {cond: not visible("Go"), then: [{tap: Go}], else: [{assert: Ready}]}`, event.Pass,
			"assert Ready pass; tap Go skipped"},
		{"a condition that cannot be evaluated ends the test with error", `
  - set: {N: 5}
  - if: {cond: N, then: [{tap: Go}]}`, event.Error, `set {N: 5} pass; if {cond: N} error; tap Go unreached`},
		{"when leaves a step out", `
  - tap: {label: Go, when: platform == "web"}
  - assert: Ready`, event.Pass, `tap {label: Go, when: "platform == \"web\""} skipped; assert Ready pass`},
		{"repeat so many times", `
  - repeat: {times: 3, steps: [{tap: Go}]}`, event.Pass, "tap Go pass; tap Go pass; tap Go pass"},
		{"repeat while", `
  - set: {N: 0, M: 1}
  - repeat: {while: N < 2, steps: [{set: {N: "${M}"}}, {set: {M: 5}}]}`, event.Pass,
			"set {N: 0, M: 1} pass; set {N: 1} pass; set {M: 5} pass; set {N: 5} pass; set {M: 5} pass"},
		{"repeat that never ends is a failure", `
  - repeat: {while: visible("Go"), steps: [{log: again}]}`, event.Fail, strings.Repeat("log again pass; ", 100) +
			`repeat {while: "visible(\"Go\")"} fail`},
		{"repeat that never ends is a warning when it is optional", `
  - repeat: {while: visible("Go"), optional: true, steps: [{log: again}]}`, event.Pass,
			strings.Repeat("log again pass; ", 100) + `repeat {while: "visible(\"Go\")", optional: true} warned`},
		{"forEach gives the variable back", `
  - set: {M: 1}
  - forEach: {in: [Go, Ready], var: M, steps: [{assert: "${M}"}]}
  - log: ${M}`, event.Pass, "set {M: 1} pass; assert Go pass; assert Ready pass; log 1 pass"},
		{"optional is a warning", `
  - assert: {label: Missing, timeoutMs: 0, optional: true}
  - tap: Go`, event.Pass, "assert {label: Missing, timeoutMs: 0, optional: true} warned; tap Go pass"},
		{"soft goes on and fails at the end", `
  - assert: {label: Missing, timeoutMs: 0, soft: true}
  - tap: Go`, event.Fail, "assert {label: Missing, timeoutMs: 0, soft: true} fail; tap Go pass"},
		{"a soft failure ends a try of retry behind its last step, and the last try is that of the test", `
  - retry: {times: 2, steps: [{assert: {label: Missing, timeoutMs: 0, soft: true}}, {log: on}]}
  - tap: Go`, event.Fail,
			"assert {label: Missing, timeoutMs: 0, soft: true} warned; log on pass; assert {label: Missing, timeoutMs: 0, " +
				"soft: true} fail; log on pass; tap Go pass"},
		{"a soft failure is taken care of by try", `
  - try: {steps: [{assert: {label: Missing, timeoutMs: 0, soft: true}}, {log: on}], onFailure: [{log: mended}]}`,
			event.Pass,
			"assert {label: Missing, timeoutMs: 0, soft: true} warned; log on pass; log mended pass"},
		{"a soft failure in an optional group is a warning", `
  - group: {optional: true, steps: [{assert: {label: Missing, timeoutMs: 0, soft: true}}, {log: on}]}
  - tap: Go`, event.Pass, "assert {label: Missing, timeoutMs: 0, soft: true} warned; log on pass; tap Go pass"},
		{"a group that takes longer than it may fails", `
  - group: {name: Slow, timeoutMs: 300, steps: [{sleep: 5s}, {log: never}]}
  - tap: Go`, event.Fail,
			"sleep 5s interrupted; group {name: Slow, timeoutMs: 300} fail; log never unreached; tap Go unreached"},
		{"an optional group that takes longer than it may is a warning", `
  - group: {timeoutMs: 300, optional: true, steps: [{sleep: 5s}]}
  - tap: Go`, event.Pass, "sleep 5s interrupted; group {timeoutMs: 300, optional: true} warned; tap Go pass"},
		{"a try deals with steps that take longer than they may", `
  - try: {timeoutMs: 300, steps: [{sleep: 5s}], onFailure: [{log: mended}], always: [{log: done}]}
  - tap: Go`, event.Pass,
			"sleep 5s interrupted; try {timeoutMs: 300} warned; log mended pass; log done pass; tap Go pass"},
		{"no try deals with a limit around it, and always comes", `
  - group: {timeoutMs: 300, steps: [{try: {steps: [{sleep: 5s}], onFailure: [{log: mended}], always: [{log: ` +
			`done}]}}, {log: never}]}`, event.Fail,
			"sleep 5s interrupted; log done pass; group {timeoutMs: 300} fail; log mended unreached; log never unreached"},
		{"a budget holds for steps that hold others", `
  - group: {budgetMs: 100, steps: [{sleep: 300}]}
  - tap: Go`, event.Fail, "sleep 300 pass; group {budgetMs: 100} fail; tap Go unreached"},
		{"retries of a group begin it anew", `
  - group: {retries: 1, steps: [{log: on}, {` + missing + `}]}`, event.Fail,
			"log on pass; assert {label: Missing, timeoutMs: 0} warned; log on pass; assert {label: Missing, timeoutMs: 0} " +
				"fail"},
		{"always comes also behind an error", `
  - try: {steps: [{assertVisual: a cat}], onFailure: [{log: mended}], always: [{log: done}]}
  - tap: Go`, event.Error, "assertVisual a cat error; log done pass; log mended unreached; tap Go unreached"},
		{"retry that never succeeds fails, and its first tries are warnings", `
  - retry: {times: 2, steps: [{` + missing + `}]}
  - tap: Go`, event.Fail,
			"assert {label: Missing, timeoutMs: 0} warned; assert {label: Missing, timeoutMs: 0} fail; tap Go unreached"},
		{"try goes on behind a failure that it takes care of", `
  - try: {steps: [{` + missing + `}], onFailure: [{log: mended}], always: [{log: done}]}
  - tap: Go`, event.Pass, "assert {label: Missing, timeoutMs: 0} warned; log mended pass; log done pass; tap Go pass"},
		{"try without onFailure fails behind always", `
  - try: {steps: [{` + missing + `}], always: [{log: done}]}
  - tap: Go`, event.Fail, "assert {label: Missing, timeoutMs: 0} fail; log done pass; tap Go unreached"},
		{"group is its steps", `
  - group: {name: Both, steps: [{assert: Go}, {assert: Ready}]}`, event.Pass, "assert Go pass; assert Ready pass"},
		{"as saves a value with its type", `
  - extract: {label: Ready, as: word}
  - assertTrue: word == "Ready"
  - assertTrue: {expr: word == "Steady", timeoutMs: 0}`, event.Fail,
			`extract {label: Ready, as: word} pass; assertTrue word == "Ready" pass; assertTrue {expr: "word == \"Steady\"", ` +
				`timeoutMs: 0} fail`},
		{"assertNot holds on what is not there", `
  - assertNot: Missing`, event.Pass, "assertNot Missing pass"},
		{"assertNot fails on what stays", `
  - assertNot: {label: Ready, timeoutMs: 100}`, event.Fail, "assertNot {label: Ready, timeoutMs: 100} fail"},
		{"retries of a step are told as notes", `
  - assert: {label: Missing, timeoutMs: 0, retries: 2}`, event.Fail,
			"assert {label: Missing, timeoutMs: 0, retries: 2} fail"},
		{"screenshot false takes no picture", `
  - tap: {label: Go, screenshot: false}`, event.Pass, "tap {label: Go, screenshot: false} pass"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run(t, test.steps, &device{}, func(t *testing.T, s *sink, r *event.CaseResult) {
				var told []string
				for _, step := range r.Steps {
					told = append(told, fmt.Sprintf("%s %s %s", step.Action, step.Args, step.Result))
				}
				if r.Result != test.want || strings.Join(told, "; ") != test.told {
					t.Errorf("result %s (%v)\ntold %s\nwant %s", r.Result, r.Problem, strings.Join(told, "; "), test.told)
				}
			})
		})
	}
}

// TestRoundsAreNamed: the name of a round contains its item, shortened and without secrets.
func TestRoundsAreNamed(t *testing.T) {
	t.Parallel()
	steps := `
  - forEach: {in: ["Rye \n bread", 7, {name: Ada}, "${KEY}", "a › b", ""], steps: [{log: on}]}
vars: {KEY: hunter2hunter2hunter2hunter2hunter2hunter2hunter2}
secrets: [KEY]
`
	run(t, steps, &device{}, func(t *testing.T, s *sink, r *event.CaseResult) {
		want := []string{"forEach 1/6: Rye bread", "forEach 2/6: 7", "forEach 3/6", "forEach 4/6: •••", "forEach 5/6: a > b",
			"forEach 6/6"}
		for i, step := range r.Steps {
			if i >= len(want) || step.In != want[i] {
				t.Errorf("round %d is %q", i+1, step.In)
			}
		}
	})
}

// TestAfterComesHoweverTheTestWent runs the hooks behind each result: an error, too, leaves things behind that have to
// be tidied up.
func TestAfterComesHoweverTheTestWent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		step string
		want event.Result
		told string
	}{
		{"tap: Go", event.Pass, "tap pass; log pass in after"},
		{"assert: {label: Missing, timeoutMs: 0}", event.Fail, "assert fail; log pass in onFailure; log pass in after"},
		{"assert: {label: Missing, timeoutMs: 0, soft: true}", event.Fail,
			"assert fail; log pass in onFailure; log pass in after"},
		{"assertVisual: a cat", event.Error, "assertVisual error; log pass in after"},
	} {
		t.Run(test.step, func(t *testing.T) {
			hooks := "  - " + test.step + "\nonFailure:\n  - log: failed\nafter:\n  - log: after\n"
			run(t, hooks, &device{}, func(t *testing.T, s *sink, r *event.CaseResult) {
				var told []string
				for _, step := range r.Steps {
					if step.Result == event.Unreached {
						continue
					}
					told = append(told, fmt.Sprintf("%s %s", step.Action, step.Result))
					if step.In != "" {
						told[len(told)-1] += " in " + step.In
					}
				}
				if r.Result != test.want || strings.Join(told, "; ") != test.told {
					t.Errorf("result %s (%v)\ntold %s\nwant %s", r.Result, r.Problem, strings.Join(told, "; "), test.told)
				}
			})
		})
	}
}

// TestNumbersOfAnswersStayExact requests what an answer names: the server sees the digits that it wrote.
func TestNumbersOfAnswersStayExact(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI())
		fmt.Fprint(w, `{"id": 1234567890123456789, "price": 1.10, "sim": 89490200001234567890, "rows": [{"n": 7.0}]}`)
	}))
	defer server.Close()
	steps := strings.ReplaceAll(`
  - http: {url: "SITE/start", as: a}
  - http: {url: "SITE/items/${a.json.id}?price=${a.json.price}&sim=${a.json.sim}"}
  - http: {url: "SITE/post", method: POST, json: {id: "${a.json.id}", pin: 01234, rows: "${a.json.rows}"}}
  - assertTrue: a.json.id == 1234567890123456789 and a.json.id != 1234567890123456788 and a.json.id % 2 == 1
  - set: {expr: {next: a.json.sim + 1}}
  - forEach: {in: 'a.json.rows', var: row, steps: [{http: "SITE/n/${row.n}/${next}"}]}
  - forEach: {in: [01234, 1.10, 0x1F], var: n, steps: [{http: "SITE/each/${n}"}]}`, "SITE", server.URL)
	res, _ := packOf(t, testCase(t, steps), &device{}, 5*time.Second)
	if res.Result != event.Pass {
		t.Fatalf("%s: %+v", res.Result, res.Problem)
	}
	want := "/start /items/1234567890123456789?price=1.10&sim=89490200001234567890 /post /n/7.0/89490200001234567891 " +
		"/each/01234 /each/1.10 /each/0x1F"
	if got := strings.Join(asked, " "); got != want {
		t.Errorf("it asked for\n%s, want\n%s", got, want)
	}
}

// TestWrongExpressionsAreErrors wants the result error for what the test does wrong, and fail where the app lacks a
// value.
func TestWrongExpressionsAreErrors(t *testing.T) {
	const setUp = "\n  - set: {vars: {a: {half: 4.5, name: ada, none: null}}}\n"
	for steps, want := range map[string]event.Result{
		"  - assertTrue: a.half % 2 == 0":                               event.Error,
		"  - assertTrue: a.name > 2":                                    event.Error,
		"  - set: {expr: {x: 'a.name - 1'}}":                            event.Error,
		"  - if: {cond: a.half % 2 == 1, then: [{tap: Go}]}":            event.Error,
		"  - if: {cond: a.name, then: [{tap: Go}]}":                     event.Error,
		"  - repeat: {while: a.name < 3, times: 2, steps: [{tap: Go}]}": event.Error,
		"  - tap: {label: Go, when: a.half % 2 == 1}":                   event.Error,
		"  - assertTrue: a.none > 2":                                    event.Fail,
		"  - assertTrue: a.other.thing == 2":                            event.Fail,
		"  - assertTrue: a.half == 4":                                   event.Fail,
	} {
		res, _ := packOf(t, testCase(t, setUp+steps), &device{}, time.Second)
		if res.Result != want || res.Problem == nil || strings.Contains(res.Problem.Message, "float64") {
			t.Errorf("%s: %s, want %s: %+v", strings.TrimSpace(steps), res.Result, want, res.Problem)
		}
	}
}
