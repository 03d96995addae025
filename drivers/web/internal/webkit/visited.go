package webkit

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// visited is where sites may keep something in a browser: WebKit lists cookies by URLs alone, and local storage by
// pages.
type visited struct {
	mu      sync.Mutex
	folders map[string]map[string]bool // of which cookies may be, by hosts
	origins map[within]bool            // of documents
	unseen  map[string]bool            // hosts with responses of which not all is reported
}

// within is the origin of a document, and that of the page which it is in.
type within struct{ origin, page string }

func newVisited() *visited {
	return &visited{folders: map[string]map[string]bool{}, origins: map[within]bool{}, unseen: map[string]bool{}}
}

// folder notes a path of a host for which there may be cookies.
func (v *visited) folder(host, folder string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if host = strings.ToLower(host); host == "" {
		return
	}
	if v.folders[host] == nil {
		v.folders[host] = map[string]bool{}
	}
	v.folders[host][path.Clean("/"+folder)] = true
}

// request notes a URL that was requested: a cookie that it sets belongs to the folder that it is in.
func (v *visited) request(address string) {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
		return
	}
	v.folder(u.Hostname(), path.Dir("/"+strings.TrimPrefix(u.EscapedPath(), "/")))
}

// cookiePath finds the paths in lines of Set-Cookie. Several of them are one text, with commas between them.
var cookiePath = lazyregexp.New(`(?i);\s*path\s*=\s*(/[^;]*)`)

// response notes where a response sets cookies.
func (v *visited) response(address string, headers map[string]string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	for name, lines := range headers {
		if !strings.EqualFold(name, "set-cookie") {
			continue
		}
		for _, found := range cookiePath.FindAllStringSubmatch(lines, -1) {
			v.folder(u.Hostname(), found[1])
			if first, _, more := strings.Cut(found[1], ","); more {
				v.folder(u.Hostname(), strings.TrimSpace(first))
			}
		}
	}
}

// missed notes a URL of which the response was not reported as a whole: that of a redirect has only some headers.
func (v *visited) missed(address string) {
	v.request(address)
	if u, err := url.Parse(address); err == nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.unseen[strings.ToLower(u.Hostname())] = true
	}
}

// document notes one that is in a page.
func (v *visited) document(address, page string) {
	w := within{classic.OriginOf(address), classic.OriginOf(page)}
	if w.origin == "" || w.page == "" {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.origins[w] = true
}

// hosts are those of which cookies may be, sorted.
func (v *visited) hosts() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(maps.Keys(v.folders))
}

// foldersOf are those of a host, without those that others are in.
func (v *visited) foldersOf(host string) (list []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := slices.Sorted(maps.Keys(v.folders[host]))
	for i, one := range all {
		inside := strings.TrimSuffix(one, "/") + "/"
		if !slices.ContainsFunc(all[i+1:], func(other string) bool { return strings.HasPrefix(other, inside) }) {
			list = append(list, one)
		}
	}
	return list
}

// documents are those that were open.
func (v *visited) documents() []within {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.SortedFunc(maps.Keys(v.origins), func(a, b within) int {
		return strings.Compare(a.origin+" "+a.page, b.origin+" "+b.page)
	})
}

// blind are the hosts with responses of which not all was reported, sorted.
func (v *visited) blind() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(maps.Keys(v.unseen))
}

// visits notes what a window reports. It runs on the connection's own goroutine, which alone uses top and sockets.
func (in *inspected) visits(method string, params json.RawMessage) {
	var n struct {
		RequestID, URL   string
		Request          request
		Response         response
		RedirectResponse *response
		Frame            struct{ ParentID, URL, SecurityOrigin string }
	}
	if json.Unmarshal(params, &n) != nil {
		return
	}
	switch method {
	case "Page.frameNavigated":
		if n.Frame.ParentID == "" {
			in.top = cmp.Or(classic.OriginOf(n.Frame.URL), n.Frame.SecurityOrigin)
		}
		top := in.top
		in.visited.document(n.Frame.URL, top)
		in.visited.document(n.Frame.SecurityOrigin, top)
	case "Network.requestWillBeSent":
		in.visited.request(n.Request.URL)
		if n.RedirectResponse != nil {
			in.visited.missed(n.RedirectResponse.URL)
		}
	case "Network.responseReceived":
		in.visited.request(n.Response.URL)
		in.visited.response(n.Response.URL, n.Response.Headers)
	case "Network.webSocketCreated":
		in.sockets[n.RequestID] = n.URL
		in.visited.request(n.URL)
	case "Network.webSocketHandshakeResponseReceived":
		in.visited.response(in.sockets[n.RequestID], n.Response.Headers)
	}
}

//go:embed script/cookies.js
var cookieScript string

// reports is the script that writes what is of interest here to the console, after a secret.
func reports(secret string) string {
	return fmt.Sprintf("(%s)(%q, console.debug.bind(console));\n", strings.TrimSpace(cookieScript), secret)
}

// take takes a message of the console that the script has written, and reports whether it is one.
func (v *visited) take(text, secret string) bool {
	rest, is := strings.CutPrefix(text, secret)
	if !is {
		return false
	}
	switch part := strings.SplitN(rest, " ", 3); {
	case part[0] == "worker" && len(part) == 2:
		v.missed(part[1])
	case part[0] == "cookie" && len(part) == 3:
		if u, err := url.Parse(part[1]); err == nil {
			v.folder(u.Hostname(), strings.TrimSpace(part[2]))
		}
	}
	return true
}
