package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/mailbox/mailboxtest"
)

// codeApp is an app that sends mail: POST /send?to=ADDRESS&code=DIGITS.
func codeApp(t *testing.T, server *mailboxtest.Server) string {
	t.Helper()
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		server.Deliver(t, "ada", fmt.Sprintf("To: %s\nSubject: =?utf-8?q?Ihr_Best=C3=A4tigungscode?=\nContent-Type: "+
			"text/html\n\n"+
			"<p>Your code:</p><b>%s</b>\n", r.FormValue("to"), r.FormValue("code")))
	}))
	t.Cleanup(app.Close)
	return app.URL
}

// mailTest writes a test that takes a code from the mail that an app sends, and finds an older one in the mailbox.
func (l *lab) mailTest(id, app string) {
	l.t.Helper()
	l.write(id+".yaml", fmt.Sprintf(`id: %s
platform: android
vars: {MAIL_URL: "${MAIL_URL}", APP: %q}
steps:
  - http: {url: "${APP}/send?to=%[1]s@example.com&code=042137", method: POST}
  - waitForMail: {server: "${MAIL_URL}", to: %[1]s@example.com, subject: ihr bestätigungscode,
      extract: "code:\\s+(\\d{6})", as: code}
  - assertTrue: code == "042137"
  - log: the code is ${code}
`, id, app))
}

// passwordIsNowhere checks that no file of the run, and no text, has the password of the mailbox.
func (l *lab) passwordIsNowhere(t *testing.T, texts ...string) {
	t.Helper()
	forms := []string{mailboxtest.Password, url.PathEscape(mailboxtest.Password), url.QueryEscape(mailboxtest.Password),
		strings.TrimPrefix(url.UserPassword("ada", mailboxtest.Password).String(), "ada:")}
	quoted, _ := json.Marshal(mailboxtest.Password)
	forms = append(forms, string(bytes.Trim(quoted, `"`)))
	for _, form := range forms {
		for _, text := range texts {
			if strings.Contains(text, form) {
				t.Errorf("the password is shown as %s: %s", form, text)
			}
		}
	}
	files := 0
	err := filepath.WalkDir(l.reports, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, form := range forms {
			if bytes.Contains(data, []byte(form)) {
				t.Errorf("%s has the password as %s", path, form)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

// Tests take codes from the mail of a real server, in parallel, and no report has its password.
func TestMail(t *testing.T) {
	t.Parallel()
	server := mailboxtest.New(t)
	app := codeApp(t, server)
	l := newLab(t, 2)
	l.env = append(l.env, "SSL_CERT_FILE="+server.CertFile, "MAIL_URL="+server.URL("ada"))
	for _, id := range []string{"one", "two"} {
		server.Deliver(t, "ada", "To: "+id+"@example.com\nSubject: Ihr Bestätigungscode\n\nYour code: 111111\n")
		l.mailTest(id, app)
	}
	e := l.taproot("run", ".", "-v")
	e.exits(t, 0)
	l.passwordIsNowhere(t, e.stdout, e.stderr)
	text := read(t, l.packs()[0], "run.md")
	has(t, "run.md", text, "the code is 042137", "•••@"+server.TLS, "Ihr Bestätigungscode")

	// Mistakes are reported with host and port, and without the password.
	steps := func(args string) {
		l.write("three.yaml", "id: three\nplatform: android\nvars: {MAIL_URL: \"${MAIL_URL}\"}\nsteps:\n  - "+
			"waitForMail: {"+args+"}\n")
	}
	steps(`server: "${MAIL_URL}", to: one@example.com, timeout: 300ms`)
	e = l.taproot("run", "three")
	e.exits(t, 1)
	has(t, "stdout", e.stdout, "a mail to one@example.com did not arrive at "+server.TLS+"/INBOX", "no mail "+
		"arrived since")
	l.passwordIsNowhere(t, e.stdout, e.stderr)
	for address, want := range map[string]string{
		strings.Replace(server.URL("ada"), "ada:", "eve:", 1): "sign in as eve: the user or the password " +
			"is wrong",
		strings.Replace(server.URL("ada"), server.TLS, "127.0.0.1:1", 1): "mail server 127.0.0.1:1: connect",
	} {
		e = l.taproot("run", "three", "--var", "MAIL_URL="+address)
		e.exits(t, 3)
		has(t, "stdout", e.stdout, want)
		l.passwordIsNowhere(t, e.stdout, e.stderr)
	}
	e = l.taproot("run", "three", "--var", "MAIL_URL="+strings.Replace(server.URL("ada"), "imaps", "pop3", 1))
	e.exits(t, 2)
	has(t, "stderr", e.stdout+e.stderr, "three.yaml:5:", "the URL of the mail server is wrong",
		"imaps://user:password@")
	l.passwordIsNowhere(t, e.stdout, e.stderr)
	for args, want := range map[string]string{
		`to: a@example.com`:                                           `"server"`,
		`server: "http://localhost:8025"`:                             "does not say which mail",
		`server: "http://localhost:8025", to: a, match: words`:        "add subject, or remove match",
		`server: "http://localhost:8025", to: a, extract: "("`:        "regular expression",
		`server: "http://localhost:8025", subject: "(", match: regex`: "regular expression",
		`server: localhost, to: a`:                                    "does not start with imaps://",
	} {
		steps(args)
		e = l.taproot("validate", "three.yaml")
		e.exits(t, 2)
		has(t, args, e.stdout+e.stderr, "three.yaml:5:", want)
	}
	e = l.taproot("actions", "waitForMail")
	e.exits(t, 0)
	has(t, "actions", e.stdout, "waitForMail: {server:", "extract")
}

// The processes of Ginkgo take their mail as well.
func TestMailUnderGinkgo(t *testing.T) {
	t.Parallel()
	server := mailboxtest.New(t)
	l, program := goLab(t, 2)
	l.dir = t.TempDir()
	l.env = append(l.env, "SSL_CERT_FILE="+server.CertFile, "MAIL_URL="+server.URL("ada"))
	app := codeApp(t, server)
	l.mailTest("one", app)
	l.mailTest("two", app)
	e := l.ginkgo(program, "android")
	e.exits(t, 0)
	if got := fmt.Sprint(l.results()); got != "map[one:pass two:pass]" {
		t.Error(got)
	}
	l.passwordIsNowhere(t, e.stdout, e.stderr)
}

// A server reaches the mail servers that requests of tests may reach, and no others; a host of a farm that may reach
// this network takes the mail.
func TestMailOfOthers(t *testing.T) {
	t.Parallel()
	server := mailboxtest.New(t)
	app := codeApp(t, server)
	l := newLab(t, 1)
	l.mailTest("one", app)
	s := l.serve("--allow-private=false")
	sent, _ := json.Marshal(map[string]string{"yaml": "id: sent\nplatform: android\nsteps:\n  - waitForMail: " +
		"{server: \"" +
		server.URL("ada") + "\", to: one@example.com}\n"})
	status, text := s.ask("POST", "/runs", string(sent))
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(text), &started); err != nil || status != 202 {
		t.Fatalf("%d %s", status, text)
	}
	eventually(t, "the run has ended", func() bool {
		_, text = s.ask("GET", "/runs/"+started.ID, "")
		return strings.Contains(text, "may not be reached")
	})
	has(t, "the run", text, "may not be reached: it is a loopback address")
	l.passwordIsNowhere(t, text)

	f := newFarm(t)
	f.host.env = append(f.host.env, "SSL_CERT_FILE="+server.CertFile)
	away := newLab(t, 0)
	away.env = append(away.env, "TAPROOT_API_KEY="+f.key, "MAIL_URL="+server.URL("ada"))
	away.mailTest("one", app)
	host := f.join("--token", f.token("--pool", "lab"), "--allow-private")
	defer f.leave(host)
	eventually(t, "the phones are there", func() bool { return f.device("SIM1") == "free" })
	e := away.taproot("run", "one", "--hub", f.serve.url)
	e.exits(t, 0)
	away.passwordIsNowhere(t, e.stdout, e.stderr)
}
