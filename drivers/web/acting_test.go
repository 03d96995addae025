package web

import (
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

const widgetsOfAll = `<meta charset=utf-8><link rel=icon href=data:,><button id=b>Press</button><input id=i ` +
	`value=abc><input type=checkbox id=c>
	<div contenteditable id=e>rich</div><select id=s><option>A<option>B</select><input type=file id=f>
	<div id=h style="height:50px;overflow:auto"><div style="height:900px">long</div></div>`

// strictSite has pages that forbid scripts, in several ways.
func strictSite(t *testing.T) string {
	t.Helper()
	headers := map[string][2]string{
		"/csp": {"Content-Security-Policy",
			"default-src 'none'; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'"},
		"/sandbox": {"Content-Security-Policy", "sandbox"},
		"/report": {"Content-Security-Policy-Report-Only",
			"default-src 'none'; img-src data:; style-src 'unsafe-inline'; require-trusted-types-for 'script'; trusted-types " +
				"'none'"},
		"/policy": {"Permissions-Policy", "clipboard-write=(), clipboard-read=(), accelerometer=(), gyroscope=()"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		body := widgetsOfAll
		switch strict, framed := headers[r.URL.Path], strings.TrimPrefix(r.URL.Path, "/frame/"); {
		case strict[0] != "":
			w.Header().Set(strict[0], strict[1])
			body = strings.NewReplacer(` style="height:50px;overflow:auto"`, "", ` style="height:900px"`, "").Replace(body)
		case framed == "same":
			body = `<link rel=icon href=data:,><iframe id=fr sandbox=allow-same-origin style="width:700px;height:400px" ` +
				`src="/"></iframe>`
		case framed == "other":
			body = `<link rel=icon href=data:,><iframe id=fr sandbox style="width:700px;height:400px" src="/"></iframe>`
		case framed == "script":
			body = `<link rel=icon href=data:,><iframe id=fr sandbox style="width:700px;height:400px" srcdoc="<button id=b>` +
				`Press</button><script>1</script>"></iframe>`
		}
		fmt.Fprint(w, "<!doctype html>"+body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// useAll uses whatever a page of widgetsOfAll has.
func useAll(t *testing.T, d *device, frame string) {
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "a.txt")
	Must(t, os.WriteFile(file, []byte("x"), 0o600))
	aim := func(id string) image.Point {
		n := byID(t, tree(t, d), id)
		d.Aim(n)
		return centre(n)
	}
	keptOf(t, d)
	Must(t, d.Tap(ctx, aim("b")))
	Must(t, d.DoubleTap(ctx, aim("b")))
	Must(t, d.Tap(ctx, aim("i")))
	Must(t, d.Type(ctx, "hi"))
	Must(t, d.SetClipboard(ctx, "copy"))
	Must(t, d.Paste(ctx))
	Must(t, d.Press(ctx, []string{"control", "c"}))
	Must(t, d.ClickOn(ctx, inFrame(frame, "#b"), drivers.WebClick{}))
	Must(t, d.ClickOn(ctx, inFrame(frame, "#b"), drivers.WebClick{Button: "right"}))
	Must(t, d.FillIn(ctx, inFrame(frame, "#i"), "x"))
	Must(t, d.FillIn(ctx, inFrame(frame, "#e"), "x"))
	Must(t, d.Check(ctx, inFrame(frame, "#c"), true))
	Must(t, d.SelectIn(ctx, inFrame(frame, "#s"), drivers.WebChoice{Labels: []string{"B"}}))
	Must(t, d.Hover(ctx, inFrame(frame, "#b")))
	// Firefox opens no chooser for files in such a frame.
	if s, _, _ := d.slot.Page(); frame == "" || s.Browser.Brand.Devtools {
		Must(t, d.Upload(ctx, inFrame(frame, "#f"), []string{file}))
	}
	Must(t, d.Wheel(ctx, image.Pt(100, 300), image.Pt(0, 50), 0))
	Must(t, d.Shake(ctx))
}

func TestOwnScriptsAreNotInTheConsole(t *testing.T) {
	t.Parallel()
	address := strictSite(t)
	paths := []string{"/frame/other", "/csp", "/sandbox", "/", "/frame/same", "/report", "/policy"}
	for _, path := range testutil.Few(3, paths) {
		d := open(t)
		var log strings.Builder
		stop, err := d.StartLog(t.Context(), &log)
		Must(t, err)
		Must(t, d.OpenPage(t.Context(), address+path, drivers.PageOptions{}))
		frame := ""
		if strings.HasPrefix(path, "/frame") {
			frame = "#fr"
		}
		loads(t, d)
		useAll(t, d, frame)
		if seen := look(t, d, "", drivers.WebCondition{NoConsoleErrors: true}, patience); !seen.Met {
			t.Errorf("%s: %q", path, seen.ConsoleErrors)
		}
		Must(t, stop())
		if log.Len() > 0 {
			t.Errorf("%s: %s", path, log.String())
		}
	}
}

func TestABlockedScriptOfThePageIsInTheConsole(t *testing.T) {
	t.Parallel()
	d := open(t)
	Must(t, d.OpenPage(t.Context(), strictSite(t)+"/frame/script", drivers.PageOptions{}))
	loads(t, d)
	Must(t, d.ClickOn(t.Context(), inFrame("#fr", "#b"), drivers.WebClick{}))
	if s, _, _ := d.slot.Page(); !s.Browser.Brand.Devtools {
		return // Firefox does not report it
	}
	seen := look(t, d, "", drivers.WebCondition{NoConsoleErrors: true}, time.Second)
	if seen.Met || len(seen.ConsoleErrors) != 1 || !strings.Contains(seen.ConsoleErrors[0], "Blocked script execution") {
		t.Errorf("%+v", seen)
	}
	if n := find(tree(t, d), func(n *screen.Node) bool { return n.ID == "b" }); n == nil {
		t.Error("there is no button")
	}
}
