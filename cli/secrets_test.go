package cli_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSecretsAreNowhereInTheReport checks that the value of a secret variable is in no file of the run and not on the
// terminal, neither as it is nor in base64. The value is typed, shown on the screen, in a wrong assertion, and saved by
// a step.
func TestSecretsAreNowhereInTheReport(t *testing.T) {
	t.Parallel()
	const secret = "Tr0ub4dor&3"
	l := recordingLab(t, 1)
	l.env = append(l.env, "APP_PASSWORD="+secret)
	l.write("secret.yaml", `
id: secret
platform: android
secrets: [PASSWORD, SHOWN]
vars:
  PASSWORD: ${APP_PASSWORD}
steps:
  - launch: {package: com.example.list, force: true}
  - tap: Form
  - tap: Note
  - input: ${PASSWORD}
  - hideKeyboard:
  - tap: Save
  - extract: {text: "Saved: (.+)", as: SHOWN}
  - log: it was ${SHOWN}
  - assert: {label: "Not ${PASSWORD}", timeoutMs: 500}
`)
	e := l.taproot("run", "secret.yaml")
	e.exits(t, 1)
	shows := func(text string) bool { return showsSecret(text, secret) }
	for what, text := range map[string]string{"stdout": e.stdout, "stderr": e.stderr} {
		if shows(text) {
			t.Errorf("%s shows the secret: %s", what, text)
		}
	}
	files := 0
	err := filepath.WalkDir(l.reports, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		for name, data := range unpacked(t, path) {
			if shows(string(data)) || shows(name) {
				t.Errorf("%s holds the secret", name)
			}
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Fatalf("%d files, %v", files, err)
	}
	pack := l.packs()[0]
	has(t, "run.md", read(t, pack, "run.md"), "•••", "the test has secrets")
	if l.phones[0].Count("screenrecord") != 0 {
		t.Error("the phone was filmed")
	}
}

// TestSecretsOfAPageAreNowhereInTheReport checks the same for a page that contains the secret in its URL, requests,
// console and a download; archives are opened.
func TestSecretsOfAPageAreNowhereInTheReport(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	const secret = "Tr0ub4dor&3"
	l := recordingLab(t, 0)
	l.env = append(l.env, "APP_PASSWORD="+secret)
	l.write("page.html",
		`<!doctype html><title>Page</title><input id="f"><p id="p"></p><a id="d" download="x.txt">get</a><script>
f.oninput = () => { console.log('it is ' + f.value); p.textContent = f.value; fetch('?q=' + `+
			`encodeURIComponent(f.value)).catch(() => {});
d.href = 'data:text/plain,' + encodeURIComponent('file ' + f.value); }</script>`)
	l.write("secret.yaml", `
id: secret
platform: web
secrets: [PASSWORD]
vars: {PASSWORD: "${APP_PASSWORD}"}
steps:
  - openBrowser: page.html
  - webType: {selector: "#f", text: "${PASSWORD}"}
  - webAssert: {selector: "#p", text: "${PASSWORD}"}
  - webDownload: "#d"
  - webEval: "console.error(f.value)"
  - webAssert: {selector: "#p", text: "not ${PASSWORD}", timeoutMs: 3000}
`)
	e := l.taproot("run", "secret.yaml")
	e.exits(t, 1)
	files := 0
	err := filepath.WalkDir(l.reports, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		for name, data := range unpacked(t, path) {
			if showsSecret(string(data), secret) || showsSecret(name, secret) {
				t.Errorf("%s holds the secret", name)
			}
		}
		return nil
	})
	if err != nil || files < 8 {
		t.Fatalf("%d files, %v", files, err)
	}
	if showsSecret(e.stdout+e.stderr, secret) {
		t.Errorf("the terminal shows it: %s%s", e.stdout, e.stderr)
	}
}

// showsSecret searches for a secret as it is, escaped for a URL or for JSON, and in base64 at each offset within a
// longer text.
func showsSecret(text, secret string) bool {
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(secret, "&", `\u0026`),
		strings.ReplaceAll(secret, "&", "&amp;")}
	for before := range 3 {
		code := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + secret))
		forms = append(forms, strings.TrimRight(code, "=")[min(before*4/3+1, 4):len(code)-4])
	}
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
}

// unpacked returns a file, or the files of an archive, by name.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{path: data}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return all // not an archive
	}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		inner, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[path+"!"+f.Name] = inner
	}
	return all
}

func TestBundleIsOneFileThatNeedsNoOther(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.write("one.yaml", "id: one\nplatform: android\nsteps:\n  - launch: com.example.list\n  - assert: Catalogue\n")
	l.taproot("run", "one.yaml").exits(t, 0)
	e := l.taproot("report", "bundle", "latest/one")
	e.exits(t, 0)
	page := read(t, l.dir, "one.html")
	has(t, "the page", page, "data:image/png;base64,", "Catalogue")
	if strings.Contains(page, `src="screenshots/`) {
		t.Error("the page needs the pack's pictures")
	}
}

// TestTOTPIsNowhereInTheReport checks that a page accepts the code of totp, that neither the code nor its secret is in
// any file of the run, and that nothing is recorded, although no variable of the test is a secret.
func TestTOTPIsNowhereInTheReport(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := recordingLab(t, 0)
	page := strings.Replace(read(t, repository, "suites", "pages", "two-factor.html"), "typed = code.value;",
		"typed = code.value; console.log(typed); fetch('/typed?' + typed).catch(() => {});", 1)
	l.write("page.html", page)
	l.write("block.yaml", "steps:\n  - set: {expr: {code: totp(KEY)}}\n  - input: {into: Code, text: \"${code}\"}\n")
	l.write("totp.yaml", `
id: totp
platform: web
vars: {KEY: "${KEY:-jbsw y3dp ehpk 3pxp}"}
steps:
  - openBrowser: page.html
  - run: {file: block.yaml, as: did}
  - log: the code is ${did.code}
  - assertTrue: did.code == totp(KEY) or len(did.code) == 6
  - tap: Verify
  - assert: Signed in
`)
	e := l.taproot("run", "totp.yaml", "-v")
	e.exits(t, 0)
	pack := l.packs()[0]
	text := read(t, pack, "run.md")
	has(t, "run.md", text, "the code is •••", "the test has secrets")
	requested := regexp.MustCompile(`typed\?\d{6}|\b\d{6}\b`)
	for _, name := range []string{"events.ndjson", "run.md", "console.txt", "network.har", "report.html"} {
		content := read(t, pack, name)
		if regexp.MustCompile(`(?i)jbsw ?y3dp`).MatchString(content) {
			t.Errorf("%s contains the secret", name)
		}
		if name != "report.html" && name != "events.ndjson" && requested.MatchString(content) {
			t.Errorf("%s contains a code: %s", name, requested.FindString(content))
		}
	}
	if _, err := os.Stat(filepath.Join(pack, "artifacts", "trace.zip")); err == nil {
		t.Error("the page was traced")
	}
	l.write("wrong.yaml", "id: wrong\nplatform: web\nvars: {KEY: nonsense1}\nsteps:\n  - openBrowser: page.html\n"+
		"  - set: {expr: {code: totp(KEY)}}\n")
	e = l.taproot("run", "wrong.yaml")
	e.exits(t, 3)
	has(t, "the message", e.stdout+e.stderr, "the secret of totp is not in base32")
	if strings.Contains(e.stdout+e.stderr, "nonsense1") {
		t.Errorf("the secret is in the message: %s", e.stdout)
	}
	l.write("bad.yaml", "id: bad\nplatform: web\nsteps:\n  - assertTrue: totp() == \"1\"\n")
	e = l.taproot("validate", "bad.yaml")
	e.exits(t, 2)
	has(t, "the message", e.stdout+e.stderr, "bad.yaml:4:17: totp takes one secret", "totp(TOTP_SECRET)")
}
