package webkit

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// Folders for which there may be cookies are those of requests, and those that headers and scripts name.
func TestVisitedFolders(t *testing.T) {
	t.Parallel()
	v := newVisited()
	in := &inspected{visited: v, sockets: map[string]string{}}
	for method, params := range map[string]string{
		"Network.requestWillBeSent": `{"request": {"url": "https://Shop.example:8443/a/b/c.js?x=/y/"},
			"redirectResponse": {"url": "http://sso.example/in/by", "headers": {}}}`,
		"Network.responseReceived": `{"response": {"url": "https://shop.example/", "headers": {"set-cookie":
			"a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/far/off, b=2; path=/a; Secure, c=3"}}}`,
		"Page.frameNavigated": `{"frame": {"url": "https://shop.example:8443/a/", "securityOrigin": ""}}`,
	} {
		in.visits(method, json.RawMessage(params))
	}
	in.visits("Network.webSocketCreated", json.RawMessage(`{"requestId": "7", "url": "wss://live.example/x/y"}`))
	in.visits("Network.webSocketHandshakeResponseReceived", json.RawMessage(`{"requestId": "7", "response": {"headers":
		{"Set-Cookie": "d=4; Path=/z"}}}`))
	in.visits("Page.frameNavigated", json.RawMessage(`{"frame": {"url": "http://ads.example/", "parentId": "1"}}`))
	for text, is := range map[string]bool{"secretcookie https://shop.example /by/script/": true, "hello": false,
		"secretworker https://shop.example": true} {
		if v.take(text, "secret") != is {
			t.Errorf("%q is taken: %v", text, !is)
		}
	}
	var got []string
	for _, host := range v.hosts() {
		got = append(got, fmt.Sprint(host, v.foldersOf(host)))
	}
	want := []string{"live.example[/x /z]", "shop.example[/a/b /by/script /far/off /far/off, b=2]", "sso.example[/in]"}
	if !slices.Equal(got, want) {
		t.Errorf("folders: %q", got)
	}
	if got := fmt.Sprint(v.documents()); got != "[{http://ads.example https://shop.example:8443} "+
		"{https://shop.example:8443 https://shop.example:8443}]" {
		t.Errorf("documents: %s", got)
	}
	if got := fmt.Sprint(v.blind()); got != "[shop.example sso.example]" {
		t.Errorf("not reported: %s", got)
	}
}

func TestBelongs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host, domain string
		want         bool
	}{{"www.example.org", "example.org", true}, {"example.org", "example.org", true}, {"[::1]", "::1", true},
		{"badexample.org", "example.org", false}, {"example.org", "www.example.org", false}} {
		if got := belongs(c.host, c.domain); got != c.want {
			t.Errorf("%s of %s: %v", c.host, c.domain, got)
		}
	}
}
