package network

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
)

// withHeaders returns headers with others in place of or in addition to them; an empty value removes one. Names are in
// lower case.
func withHeaders(have, change map[string]string) map[string]string {
	out := make(map[string]string, len(have)+len(change))
	for name, value := range have {
		out[strings.ToLower(name)] = value
	}
	for name, value := range change {
		if value == "" {
			delete(out, strings.ToLower(name))
			continue
		}
		out[strings.ToLower(name)] = value
	}
	return out
}

// modified fetches the network's response and returns what the page gets in its place. Redirects are passed on to the
// page, which follows them by itself.
func (r *Route) modified(request playwright.Route) (playwright.RouteFulfillOptions, error) {
	var out playwright.RouteFulfillOptions
	fetch := playwright.RouteFetchOptions{MaxRedirects: playwright.Int(0)}
	if r.request != nil {
		fetch.Headers = withHeaders(request.Request().Headers(), r.request)
	}
	answer, err := request.Fetch(fetch)
	if err != nil {
		return out, fmt.Errorf("the network did not respond: %s", browser.Plain(err))
	}
	defer func() { _ = answer.Dispose() }() // it goes with the context otherwise
	out.Status = playwright.Int(answer.Status())
	if r.modify.Status != 0 {
		out.Status = playwright.Int(r.modify.Status)
	}
	out.Headers = withHeaders(answer.Headers(), r.modify.Headers)
	// The body was unpacked, and may become longer or shorter.
	delete(out.Headers, "content-encoding")
	delete(out.Headers, "content-length")
	body, err := answer.Body()
	if err != nil {
		return out, fmt.Errorf("the network's answer broke off: %s", browser.Plain(err))
	}
	if body, err = r.changed(body); err != nil {
		return out, err
	}
	out.Body = body
	return out, nil
}

// changed returns the body with the route's changes.
func (r *Route) changed(body []byte) ([]byte, error) {
	if len(r.modify.Replace) > 0 {
		pairs := make([]string, 0, 2*len(r.modify.Replace))
		for old, fresh := range r.modify.Replace {
			pairs = append(pairs, old, fresh)
		}
		body = []byte(replacer(pairs).Replace(string(body)))
	}
	if r.modify.Merge == nil {
		return body, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // 12345678901234567890 stays what it is
	var have any
	if err := decoder.Decode(&have); err != nil {
		return nil, fmt.Errorf("the response is not JSON that could be merged into: %s",
			screen.Quote(string(body[:min(len(body), 200)])))
	}
	return json.Marshal(merged(have, r.modify.Merge))
}

// replacer replaces the longest text first where several fit.
func replacer(pairs []string) *strings.Replacer {
	type pair struct{ old, fresh string }
	list := make([]pair, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, pair{pairs[i], pairs[i+1]})
	}
	slices.SortFunc(list, func(a, b pair) int {
		if n := len(b.old) - len(a.old); n != 0 {
			return n
		}
		return strings.Compare(a.old, b.old)
	})
	flat := make([]string, 0, len(pairs))
	for _, p := range list {
		flat = append(flat, p.old, p.fresh)
	}
	return strings.NewReplacer(flat...)
}

// merged is a JSON merge patch, RFC 7386.
func merged(have, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := have.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for key, value := range changes {
		if value == nil {
			delete(object, key)
			continue
		}
		object[key] = merged(object[key], value)
	}
	return object
}
