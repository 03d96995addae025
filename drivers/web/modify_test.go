package web

import (
	"reflect"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

func TestTheNetworksAnswerIsModified(t *testing.T) {
	t.Parallel()
	d := visitPage(t, "requests.html")
	modifiesTheRequest(t, d)
	loads := func(want string, goods ...string) {
		t.Helper()
		Must(t, d.ClickOn(t.Context(), target("#load"), drivers.WebClick{}))
		mustShow(t, d, "#log", want)
		n := len(goods)
		if seen := look(t, d, "#goods li", drivers.WebCondition{Count: &n}, patience); !seen.Met || n > 0 &&
			!reflect.DeepEqual(seen.Texts, goods) {
			t.Errorf("the page shows %v, not %v", seen.Texts, goods)
		}
	}
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/goods*", Modify: &drivers.WebModify{Status: 203,
		Headers: map[string]string{"X-Kind": "changed"}, Replace: map[string]string{"Apple": "Quince", "Pear": "Plum"}}}))
	loads("203 changed application/json", "Quince", "Plum")
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/goods*", Times: 1, Modify: &drivers.WebModify{
		Merge: []any{"Only"}}}))
	loads("200 - application/json", "Only")
	loads("203 changed application/json", "Quince", "Plum") // once is once
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/goods*", Method: "POST", Block: true}))
	loads("203 changed application/json", "Quince", "Plum")
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/requests.html", Modify: &drivers.WebModify{
		Merge: map[string]any{"a": 1}}}))
	WantError(t, d.Navigate(t.Context(), "reload", patience), drivers.ErrPage)
	s, _ := d.slot.Opened()
	if errs := s.Console.ConsoleErrors(); !strings.Contains(strings.Join(errs, " "), "not JSON") {
		t.Errorf("no error says that it could not be modified: %v", errs)
	}
}

func modifiesTheRequest(t *testing.T, d *device) {
	t.Helper()
	Must(t, d.Route(t.Context(), drivers.WebRoute{URL: "**/api/echo", Request: map[string]string{"X-Api-Version": "2",
		"User-Agent": ""}}))
	got, err := d.Eval(t.Context(), "fetch('api/echo', {headers: {'x-own': 'yes'}}).then(r => r.json())", patience)
	Must(t, err)
	headers, _ := got.(map[string]any)
	if headers["X-Api-Version"] != "2" || headers["X-Own"] != "yes" {
		t.Errorf("the server got %v", headers)
	}
}
