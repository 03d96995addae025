package console_test

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/server/internal/service"
)

// box keeps the e-mails that were sent.
type box chan [3]string

// Send implements service.Mailer.
func (b box) Send(_ context.Context, to, subject, text string) error {
	b <- [3]string{to, subject, text}
	return nil
}

var linkIn = regexp.MustCompile(`https?://[^/\s]+(/console/\S+token=(\S+))`)

// link waits for an e-mail and returns the path and the token of the link in it.
func (b box) link(t *testing.T, to string) (path, token string) {
	t.Helper()
	select {
	case l := <-b:
		m := linkIn.FindStringSubmatch(l[2])
		if l[0] != to || m == nil {
			t.Fatalf("%q", l)
		}
		return m[1], m[2]
	case <-time.After(time.Minute):
		t.Fatal("no letter came")
		return "", ""
	}
}

// TestLetters: an address is confirmed, a password set and an invitation accepted by the links of e-mails; each link
// works once, and opening it does not use it up.
func TestLetters(t *testing.T) {
	t.Parallel()
	letters := make(box, 10)
	l := newLab(t, 0, func(o *service.Options) { o.Mail, o.OpenRegistration = letters, false })
	who := url.Values{"email": {"ada@example.com"}, "password": {password}}
	if a := l.ask("", "POST", "/console/register", who); a.status != 303 || !strings.Contains(a.header.Get("Location"),
		"pending") {
		t.Fatal(a)
	}
	if a := l.ask("", "POST", "/console/login", who); a.status != 401 {
		t.Fatal(a)
	}
	path, token := letters.link(t, "ada@example.com")
	for range 3 {
		if a := l.ask("", "GET", path, nil); a.status != 200 || !strings.Contains(a.body, token) {
			t.Fatal(a)
		}
	}
	if a := l.ask("", "POST", "/console/confirm", url.Values{"token": {token}}); a.status != 303 {
		t.Fatal(a)
	}
	if a := l.ask("", "POST", "/console/confirm", url.Values{"token": {token}}); a.status != 400 {
		t.Errorf("a link works twice: %s", a)
	}
	in := l.ask("", "POST", "/console/login", who)
	if in.status != 303 {
		t.Fatal(in)
	}
	if a := l.ask("", "POST", "/console/reset", url.Values{"email": {"nobody@example.com"}}); a.status != 303 {
		t.Errorf("an unknown address: %s", a)
	}
	if a := l.ask("", "POST", "/console/reset", url.Values{"email": {"ada@example.com"}}); a.status != 303 {
		t.Fatal(a)
	}
	_, token = letters.link(t, "ada@example.com")
	if a := l.ask("", "POST", "/console/reset", url.Values{"token": {token}, "password": {"short"}}); a.status != 400 {
		t.Error(a)
	}
	fresh := "another four words for it"
	if a := l.ask("", "POST", "/console/reset", url.Values{"token": {token}, "password": {fresh}}); a.status != 303 {
		t.Error(a)
	}
	if a := l.ask(session(in), "GET", "/console/account", nil); a.status != 303 {
		t.Errorf("a session from before the reset: %s", a)
	}
	if changed := <-letters; !strings.Contains(changed[1], "was changed") {
		t.Errorf("%q", changed)
	}
	past := l.ask("", "POST", "/console/login", url.Values{"email": {"ada@example.com"}, "password": {fresh}})
	if past.status != 303 {
		t.Fatal(past)
	}
	ada := session(past)
	home := l.ask(ada, "GET", "/console/", nil).header.Get("Location")
	if a := l.ask(ada, "POST", home+"members", url.Values{"email": {"grace@example.com"},
		"role": {"viewer"}}); a.status != 200 || !strings.Contains(a.body, "token=") {
		t.Fatal(a)
	}
	path, token = letters.link(t, "grace@example.com")
	grace := l.cookie(l.person("grace@example.com", false))
	if a := l.ask(grace, "GET", home, nil); a.status != 404 {
		t.Error(a)
	}
	if a := l.ask("", "GET", path, nil); a.status != 303 || !strings.Contains(a.header.Get("Location"),
		url.QueryEscape(path)) {
		t.Errorf("the invitation is forgotten on the way to the log-in: %s", a)
	}
	if a := l.ask(ada, "POST", "/console/invitation", url.Values{"token": {token}}); a.status != 400 {
		t.Errorf("an invitation of somebody else: %s", a)
	}
	if a := l.ask(grace, "POST", "/console/invitation", url.Values{"token": {token}}); a.status != 303 {
		t.Error(a)
	}
	if a := l.ask(grace, "GET", home, nil); a.status != 200 {
		t.Error(a)
	}
}

// session returns the session cookie of a response.
func session(a answer) string {
	value, _, _ := strings.Cut(strings.TrimPrefix(a.header.Get("Set-Cookie"), "taproot_session="), ";")
	return value
}
