package engine_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/reporters/event"
)

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
