package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/cli/internal/process"
)

// TestOpenTakesAFile: a file that exists is opened, even if its name could be that of a host or of an app.
func TestOpenTakesAFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"form.html", "example.com", "com.example.app", "a b.html", "sub/page.html", "app.apk"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("<p>x</p>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	base := "file://" + filepath.ToSlash(dir) + "/"
	if !strings.HasPrefix(base, "file:///") { // the drive of a path
		base = "file:///" + filepath.ToSlash(dir) + "/"
	}
	for _, c := range []struct{ what, action, target, fails string }{
		{what: "./form.html", action: "openBrowser", target: base + "form.html"},
		{what: "form.html", action: "openBrowser", target: base + "form.html"},
		{what: filepath.Join(dir, "form.html"), action: "openBrowser", target: base + "form.html"},
		{what: "sub/../form.html", action: "openBrowser", target: base + "form.html"},
		{what: "./a b.html", action: "openBrowser", target: base + "a%20b.html"},
		{what: "sub/page.html", action: "openBrowser", target: base + "sub/page.html"},
		{what: "example.com", action: "openBrowser", target: base + "example.com"},
		{what: "com.example.app", action: "openBrowser", target: base + "com.example.app"},
		{what: "com.example.other", action: "launch", target: "com.example.other"},
		{what: "example.org/form.html", action: "openBrowser", target: "https://example.org/form.html"},
		{what: "localhost:8080/form.html", action: "openBrowser", target: "http://localhost:8080/form.html"},
		{what: "./gone.html", fails: "./gone.html: there is no such file"},
		{what: "../gone.html", fails: "../gone.html: there is no such file"},
		{what: "app.apk", fails: "taproot install app.apk installs it"},
	} {
		action, target, err := openedBy(dir, c.what)
		if c.fails != "" {
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %q", c.what, err, c.fails)
			}
			continue
		}
		if err != nil || action != c.action || target != c.target {
			t.Errorf("%s: %s %s, %v; want %s %s", c.what, action, target, err, c.action, c.target)
		}
	}
}

// openedBy returns the action with which taproot open opens what it is given in a folder, and the URL or the app's
// name.
func openedBy(dir, what string) (action, target string, err error) {
	if what, err = fileToOpen(&process.Env{Dir: dir}, what); err != nil {
		return "", "", err
	}
	action, v := opening(what)
	return action, v.Fields[0].Value.Text, nil
}
