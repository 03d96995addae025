package mcpserver

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSecrets checks that an exposed variable is typed and never shown, and that other variables have no value.
func TestSecrets(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.env["HOME_SECRET"] = "not for you"
	conf := l.config(t)
	const secret = "s3cr3t-value"
	conf.Exposed = map[string]string{"PASS": secret}
	s := connect(t, conf)
	s.ok("launch", `{"package": "com.example.login", "force": true}`)
	s.refused("input", `{"text": "${HOME_SECRET}"}`, "HOME_SECRET", "not defined")
	s.refused("tap", `{"label": "${HOME}"}`, "not defined")
	s.ok("tap", `{"label": "E-mail"}`) // a field that shows its value
	var said []string
	said = append(said, s.ok("input", `{"text": "${PASS}"}`), s.ok("snapshot", `{}`), s.ok("snapshot", `{"find": "mail"}`),
		s.ok("logs", `{}`),
		words(s.ask("assert", `{"label": "${PASS}x", "timeoutMs": 100}`)),
		words(s.ask("tap", `{"label": "`+secret+`z", "timeoutMs": 100}`)),
		words(s.ask("snapshot", `{"find": "`+secret+`"}`)), words(s.ask("run_test", `{"test": "`+secret+`"}`)),
		s.ok("get_report", `{"as": "yaml"}`))
	for _, text := range said {
		if strings.Contains(text, secret) {
			t.Errorf("the secret is in\n%s", text)
		}
	}
	if !strings.Contains(said[1], "•••") || !strings.HasSuffix(said[0], "step: - input: ${PASS}") {
		t.Errorf("input says %s\nsnapshot says\n%s", said[0], said[1])
	}
	r := s.ask("screenshot", `{"max_px": 1200}`)
	img, err := png.Decode(bytes.NewReader(r.Content[0].(*mcp.ImageContent).Data))
	if err != nil {
		t.Fatal(err)
	}
	colours := map[string]bool{} // of the field, which is painted over
	for x := 40; x < 320; x += 3 {
		colours[fmt.Sprint(img.At(x, 128))] = true
	}
	if len(colours) != 1 {
		t.Errorf("the field with the secret shows %d colours", len(colours))
	}
	s.refused("record", `{"action": "start"}`, "secrets")
	if _, err := newClientSession(Config{Runner: conf.Runner, Exposed: map[string]string{"PIN": "1"}}); err == nil {
		t.Error("a secret of one character is accepted")
	}
}

// TestPathsStayInside checks that files are read only below the working folder, whatever form the path has.
func TestPathsStayInside(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	conf := l.config(t)
	s := connect(t, conf)
	dir := conf.Runner.Dir
	out := t.TempDir()
	const test = "id: stray\nplatform: android\nsteps:\n  - launch: com.example.list\n"
	for name, text := range map[string]string{"outside.yaml": test, "app.apk": "PK\x03\x04\npackage=com.stray\n",
		"block.yaml": "steps:\n  - sleep: 1\n", "rows.csv": "A\n1\n"} {
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rel, err := filepath.Rel(dir, out)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"inside.yaml": "id: inside\nplatform: android\nsteps:\n  - launch: com.example.list\n",
		"refers.yaml": "id: refers\nplatform: android\nsteps:\n  - run: " + rel + "/block.yaml\n",
		"rows.yaml":   "id: rows\nplatform: android\ndata: " + rel + "/rows.csv\nsteps:\n  - launch: com.example.list\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(filepath.Join(out, "outside.yaml"), filepath.Join(dir, "link.yaml")),
		os.Symlink(out, filepath.Join(dir, "folder")),
		os.Symlink(filepath.Join(out, "app.apk"), filepath.Join(dir, "link.apk"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{out + "/outside.yaml", rel + "/outside.yaml", "link.yaml", "folder/outside.yaml",
		"folder", "/etc/passwd", "../../../../etc/passwd", "a\x00b", "/", ".."} {
		for _, tool := range []string{`list_tests {"path": %s}`, `validate_test {"path": %s}`, `run_test {"test": %s}`} {
			name, args, _ := strings.Cut(tool, " ")
			if text := s.refused(name, fmt.Sprintf(args, quotedJSON(path))); strings.Contains(text, "stray") ||
				strings.Contains(text, "root:") {
				t.Errorf("%s %q says %s", name, path, text)
			}
		}
	}
	for _, path := range []string{"refers.yaml", "rows.yaml"} {
		s.refused("validate_test", `{"path": "`+path+`"}`, "outside of the working folder")
		s.refused("run_test", `{"test": "`+path+`"}`, "outside of the working folder")
	}
	s.refused("validate_test", `{"yaml": "id: x\nplatform: android\nsteps:\n  - run: `+rel+`/block.yaml\n"}`, "outside")
	for _, path := range []string{out + "/app.apk", rel + "/app.apk", "link.apk"} {
		s.refused("install", `{"path": "`+path+`"}`)
	}
	for _, pkg := range l.phones[0].Packages() {
		if pkg == "com.stray" {
			t.Error("an app from outside was installed")
		}
	}
	s.refused("get_report", `{"run": "../../../etc"}`, "not the id of a run")
	if err := os.Remove(filepath.Join(dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	s.ok("validate_test", `{"path": "inside.yaml"}`)
	s.ok("validate_test", `{"path": "`+filepath.Join(dir, "inside.yaml")+`"}`)
}

// TestSchemes checks that only links with an allowed scheme are opened.
func TestSchemes(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	conf := l.config(t)
	conf.Schemes = []string{"shop"}
	s := connect(t, conf)
	for _, link := range []string{"file:///etc/hosts", "javascript:alert(1)", "content://contacts",
		"intent://x#Intent;end", "tel:112", "FILE:///etc", "data:text/html,x", "market://x"} {
		s.refused("open_link", `{"url": "`+link+`"}`, "may not be opened", "--allow-scheme")
	}
	if text := s.refused("open_link", `{"url": "${X:-file}:///etc/hosts"}`); !strings.Contains(text,
		"may not be opened") && !strings.Contains(text, "link") {
		t.Errorf("a scheme in a variable: %s", text)
	}
	for _, link := range []string{"file:///etc/passwd", "FILE:///etc/passwd", "chrome://version",
		"view-source:file:///etc/passwd"} {
		s.refused("open_browser", `{"url": "`+link+`"}`)
		s.refused("web_navigate", `{"url": "`+link+`", "device": "web-1"}`)
	}
	if answer := words(s.ask("open_link", `{"url": "shop://item/5"}`)); strings.Contains(answer, "may not be opened") {
		t.Errorf("a scheme that is allowed: %s", answer)
	}
}
