package classic

import (
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

// What cannot be requested in place of a browser is an error of the test, and not a response that failed.
func TestRequestsThatCannotBeSentInPlaceOfABrowser(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	for name, c := range map[string]struct {
		sent      Sent
		elsewhere bool
		want      string // in the error
	}{
		"localhost of another machine": {Sent{URL: "http://localhost:8080/a"}, true, "of the machine of the browser"},
		"a name of it":                 {Sent{URL: "http://shop.localhost/a"}, true, "of the machine of the browser"},
		"its address":                  {Sent{URL: "http://[::1]:8080/a"}, true, "of the machine of the browser"},
		"a body that is not text": {Sent{URL: "http://shop.example/", Method: "POST", Post: "x",
			Headers: map[string]string{"Content-Type": "image/png"}}, false, "does not report the whole body"},
		"a body that is not reported": {Sent{URL: "http://shop.example/", Method: "POST", PostUnknown: true,
			Headers: map[string]string{"Content-Type": form}}, false, "the whole body of a request with " + form},
	} {
		b := &Browser{traits: Traits{Name: "the browser", Elsewhere: c.elsewhere}}
		page := &Page{context: &Context{browser: b}}
		s := &stopped{traffic: &Traffic{page: page}, request: &Request{sent: c.sent, headers: lowered(c.sent.Headers)}}
		_, err := s.fetching(t.Context(), nil)
		if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
