package web

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

func TestTheNetworksAnswerIsModified(t *testing.T) {
	t.Parallel()
	d := visit(t, "requests.html")
	modifiesTheRequest(t, d)
	loads := func(want string, goods ...string) {
		t.Helper()
		must(t, d.ClickOn(t.Context(), target("#load"), drivers.WebClick{}))
		mustShow(t, d, "#log", want)
		n := len(goods)
		if seen := look(t, d, "#goods li", drivers.WebCondition{Count: &n}, patience); !seen.Met || n > 0 &&
			!reflect.DeepEqual(seen.Texts, goods) {
			t.Errorf("the page shows %v, not %v", seen.Texts, goods)
		}
	}
	must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/goods*", Modify: &drivers.WebModify{Status: 203,
		Headers: map[string]string{"X-Kind": "changed"}, Replace: map[string]string{"Apple": "Quince", "Pear": "Plum"}}}))
	loads("203 changed application/json", "Quince", "Plum")
	must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/goods*", Times: 1, Modify: &drivers.WebModify{
		Merge: []any{"Only"}}}))
	loads("200 - application/json", "Only")
	loads("203 changed application/json", "Quince", "Plum") // once is once
	must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/goods*", Method: "POST", Block: true}))
	loads("203 changed application/json", "Quince", "Plum")
	must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/requests.html", Modify: &drivers.WebModify{
		Merge: map[string]any{"a": 1}}}))
	wantError(t, d.Navigate(t.Context(), "reload", patience), drivers.ErrPage)
	if errs := d.slot.session.console.consoleErrors(); !strings.Contains(strings.Join(errs, " "), "not JSON") {
		t.Errorf("no error says that it could not be modified: %v", errs)
	}
}

func modifiesTheRequest(t *testing.T, d *Device) {
	t.Helper()
	must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/echo", Request: map[string]string{"X-Api-Version": "2",
		"User-Agent": ""}}))
	got, err := d.Eval(t.Context(), "fetch('api/echo', {headers: {'x-own': 'yes'}}).then(r => r.json())", patience)
	must(t, err)
	headers, _ := got.(map[string]any)
	if headers["X-Api-Version"] != "2" || headers["X-Own"] != "yes" {
		t.Errorf("the server got %v", headers)
	}
}

func TestMergePatch(t *testing.T) {
	// The examples of RFC 7386, appendix A.
	for _, c := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`}, {`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`}, {`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`}, {`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`}, {`{"a":"b"}`, `["c"]`, `["c"]`}, {`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`}, {`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"n":12345678901234567890}`, `{}`, `{"n":12345678901234567890}`},
	} {
		var patch any
		must(t, json.Unmarshal([]byte(c[1]), &patch))
		got, err := (&route{modify: &drivers.WebModify{Merge: patch}}).changed([]byte(c[0]))
		if err != nil || string(got) != c[2] {
			t.Errorf("%s with %s is %s, %v; not %s", c[0], c[1], got, err, c[2])
		}
	}
}
