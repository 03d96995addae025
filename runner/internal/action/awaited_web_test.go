package action_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// takenBackAfter is when the pages of these tests take a state back: later than a screen counts as quiet, and sooner
// than a second.
const takenBackAfter = "900"

// awaitedPages serves a page with a switch; each path of it takes the switch back in a way of its own.
func awaitedPages(t *testing.T) *httptest.Server {
	t.Helper()
	slow := func(w http.ResponseWriter, r *http.Request, answer string) {
		select {
		case <-time.After(900 * time.Millisecond):
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(answer))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/post", func(w http.ResponseWriter, r *http.Request) { slow(w, r, "<script>parent.back()</script>") })
	mux.HandleFunc("/plain", func(w http.ResponseWriter, r *http.Request) { slow(w, r, "no") })
	mux.HandleFunc("/socket", func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = c.CloseNow() }()
		for {
			kind, text, err := c.Read(r.Context())
			if err != nil {
				return
			}
			select {
			case <-time.After(900 * time.Millisecond):
			case <-r.Context().Done():
			}
			if c.Write(r.Context(), kind, text) != nil {
				return
			}
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(r.URL.Query().Get("body")))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// TestAStateThatIsTakenBack: what a touch sets going in any way is waited for before a state counts.
func TestAStateThatIsTakenBack(t *testing.T) {
	t.Parallel()
	s, server := browser(t), awaitedPages(t)
	const ms = takenBackAfter
	frame := `<iframe name=fr id=el style="display:none"></iframe>`
	for _, c := range testutil.Few(4, []struct{ name, body, click string }{
		{"a timer", "", "setTimeout(back," + ms + ")"},
		{"a task", "", "scheduler.postTask(back,{delay:" + ms + "})"},
		{"a limit of time", "", "AbortSignal.timeout(" + ms + ").addEventListener('abort',back)"},
		{"a timer of a frame", frame, "el.contentWindow.setTimeout(back," + ms + ")"},
		{"a timer in the page of a frame",
			`<iframe name=fr id=el style="display:none" srcdoc="<script>function go(){setTimeout(()=>parent.back(),` + ms +
				`)}</script>"></iframe>`,
			"el.contentWindow.go()"},
		{"a timer of a frame that is made", "",
			"const " +
				"f=document.createElement('iframe');f.hidden=true;document.body.append(f);f.contentWindow.setTimeout(back," +
				ms + ")"},
		{"an interval", "", "const i=setInterval(()=>{clearInterval(i);back()}," + ms + ")"},
		{"frames of an animation", "", "const t=performance.now(),f=()=>performance.now()-t>" + ms +
			"?back():requestAnimationFrame(f);requestAnimationFrame(f)"},
		{"the end of an animation", "<i id=dot>.</i>", "dot.animate([{opacity:1},{opacity:.5}],{duration:" + ms +
			"}).onfinish=back"},
		{"the end of a transition", `<i id=dot style="transition:opacity .9s" ontransitionend=back()>.</i>`,
			"dot.style.opacity=.5"},
		{"a form posted into a hidden frame", frame + `<form id=fo method=post target=fr action=/post></form>`,
			"fo.submit()"},
		{"a form sent into a hidden frame", frame + `<form id=fo method=post target=fr action=/post></form>`,
			"fo.requestSubmit()"},
		{"the load of a frame", frame, "el.onload=back;el.src='/plain'"},
		{"a frame that loads another page", frame, "el.contentWindow.location='/post'"},
		{"a message on a web socket",
			"<script>const ws=new WebSocket('ws://'+location.host+'/socket');ws.onmessage=()=>back()</script>", "ws.send('1')"},
		{"a message to a worker",
			"<script>const w=new Worker(URL.createObjectURL(new Blob(['onmessage=e=>setTimeout(()=>postMessage(1)," + ms +
				")'])));w.onmessage=()=>back()</script>", "w.postMessage(1)"},
		{"a message to a frame by a channel",
			`<iframe id=fr style="display:none" srcdoc="<script>onmessage=e=>{const p=e.ports[0];p.onmessage=()=>` +
				`setTimeout(()=>p.postMessage(1),` +
				ms + `)}</script>" onload="const c=new MessageChannel();window.po=c.port1;po.onmessage=()=>back();` +
				`fr.contentWindow.postMessage(1,'*',[c.port2])"></iframe>`,
			"po.postMessage(1)"},
		{"a message to other windows",
			`<iframe id=fr style="display:none" srcdoc="<script>const b=new BroadcastChannel('x');b.onmessage=()=>` +
				`setTimeout(()=>b.postMessage(1),` + ms +
				`)</script>"></iframe><script>const b=new BroadcastChannel('x');b.onmessage=()=>back()</script>`,
			"b.postMessage(1)"},
		{"a request of a frame",
			`<iframe id=fr style="display:none" srcdoc="<script>function go(){const x=new XMLHttpRequest();x.open('GET',` +
				`'/plain');x.onload=()=>parent.back();x.send()}</script>"></iframe>`,
			"fr.contentWindow.go()"},
		{"a picture", "", "const p=new Image();p.onerror=back;p.src='/plain'"},
		{"a script", "",
			"const p=document.createElement('script');p.onload=p.onerror=back;p.src='/plain';document.body.append(p)"},
		{"an idle moment", "", "requestIdleCallback(()=>{const e=performance.now()+" + ms +
			";while(performance.now()<e);back()})"},
	}) {
		t.Run(c.name, func(t *testing.T) {
			body := `<!doctype html><meta charset=utf-8><label><input type=checkbox id=sw>Wi-Fi</label><button id=go>Switch ` +
				`on</button>
<script>let at;function back(){sw.checked=false;document.title='back after '+(performance.now()-at)}</script>` +
				c.body + `<script>go.onclick=()=>{at=performance.now();sw.checked=true;` + c.click + `}</script>`
			on := true
			defer func(before time.Duration) { s.Timeout = before }(s.Timeout)
			for {
				goTo(t, s, server.URL+"/?body="+url.QueryEscape(body))
				s.Timeout = 20 * time.Second
				if _, err := do(t, s, tapOn("go")); err != nil {
					t.Fatal(err)
				}
				s.Timeout = 2 * time.Second
				result, err := do(t, s, dsl.Assert{Selector: dsl.Selector{Label: "Wi-Fi", Checked: &on}})
				if result == event.Fail {
					return
				}
				var after float64 // milliseconds from the touch until the state was taken back
				for n := 0; n == 0 && t.Context().Err() == nil; {
					title, e := s.Device.(drivers.WebPages).Eval(t.Context(), "document.title", time.Minute)
					if e != nil {
						t.Fatal(e)
					}
					n, _ = fmt.Sscanf(fmt.Sprint(title), "back after %f", &after)
				}
				limit := decide.Native().BusyHolds
				if after < float64(limit.Milliseconds()) {
					t.Fatalf("%s: %v; it was taken back after %.0f ms", result, err, after)
				}
				t.Logf("on this busy machine it was taken back after %.0f ms, and is waited for at most %s; again", after, limit)
			}
		})
	}
}
