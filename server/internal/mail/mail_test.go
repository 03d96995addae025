package mail_test

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/server/internal/mail"
	"github.com/taproot-dev/taproot/server/internal/service"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

var _ service.Mailer = (*mail.Sender)(nil)

const text = "Öffne diese Seite:\n\n" +
	"https://taproot.example.com/console/reset?token=a_long-token-that-must-not-be-cut-anywhere-because-then-the-link-would-not-work=\n.\n..two dots\n"

func TestLetters(t *testing.T) {
	for name, c := range map[string]struct {
		scheme, query, user string
		change              func(*smtpServer)
	}{
		"STARTTLS": {scheme: "smtp"},
		"STARTTLS, password": {scheme: "smtp", user: "robot:pa%3Ass%40", change: func(s *smtpServer) {
			s.login = "robot\x00pa:ss@"
		}},
		"TLS, password": {scheme: "smtps", user: "robot:secret", change: func(s *smtpServer) {
			s.implicit, s.login = true, "robot\x00secret"
		}},
		"without encryption":  {scheme: "smtp", query: "?tls=none", change: func(s *smtpServer) { s.noTLS = true }},
		"refused temporarily": {scheme: "smtp", change: func(s *smtpServer) { s.busy = 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t, func(s *smtpServer) {
				if c.change != nil {
					c.change(s)
				}
			})
			s, err := mail.New(mail.Options{Address: server.address(c.scheme, c.user) + c.query,
				From: "Taproot <noreply@example.com>", Roots: server.roots})
			if err != nil {
				t.Fatal(err)
			}
			s.ShortenPauses()
			if err := s.Send(t.Context(), "ada@example.com", "Neues Paßwort", text); err != nil {
				t.Fatal(err)
			}
			list := server.got()
			if len(list) != 1 || !strings.Contains(list[0].from, "<noreply@example.com>") ||
				!strings.Contains(list[0].to, "<ada@example.com>") || list[0].secure != (c.query == "") {
				t.Fatalf("%+v", list)
			}
			check(t, list[0].data)
		})
	}
}

// check parses an e-mail as a mail client does.
func check(t *testing.T, data string) {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Neues Paßwort" {
		t.Errorf("subject %q %v", subject, err)
	}
	if m.Header.Get("Message-Id") == "" || m.Header.Get("Date") == "" ||
		m.Header.Get("Auto-Submitted") != "auto-generated" || m.Header.Get("From") == "" {
		t.Errorf("headers: %v", m.Header)
	}
	if m.Header.Get("Content-Transfer-Encoding") != "quoted-printable" {
		t.Errorf("headers: %v", m.Header)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil || string(bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))) != text {
		t.Errorf("the text arrived as %q %v", body, err)
	}
	for line := range strings.Lines(data) {
		if len(line) > 1000 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

// TestLettersRefused checks the errors for e-mails that cannot be sent, that no password is sent without encryption,
// and that a permanent refusal is not retried.
func TestLettersRefused(t *testing.T) {
	server := newServer(t)
	send := func(o mail.Options, to string) error {
		s, err := mail.New(o)
		if err != nil {
			t.Fatal(err)
		}
		s.ShortenPauses()
		return s.Send(t.Context(), to, "x", "y")
	}
	o := mail.Options{Address: server.address("smtp", ""), From: "noreply@example.com", Roots: server.roots}
	if err := send(o, "nobody@example.com"); err == nil || strings.Count(strings.Join(server.commands, "\n"),
		"STARTTLS") != 1 {
		t.Errorf("an unknown address: %v, %q", err, server.commands)
	}
	for _, to := range []string{"", "ada", "ada@example.com\r\nBcc: eve@example.com", "ada@example.com>\r\nDATA"} {
		if err := send(o, to); err == nil {
			t.Errorf("an e-mail to %q was sent", to)
		}
	}
	s, err := mail.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), "ada@example.com", "x\r\nBcc: eve@example.com", "y"); err == nil {
		for _, l := range server.got() {
			if m, err := netmail.ReadMessage(strings.NewReader(l.data)); err != nil || m.Header.Get("Bcc") != "" {
				t.Errorf("a subject wrote a header: %q %v", l.data, err)
			}
		}
	}
	if err := send(mail.Options{Address: o.Address, From: o.From}, "ada@example.com"); err == nil {
		t.Error("a server with an untrusted certificate was accepted")
	}
	open := newServer(t, func(s *smtpServer) { s.noTLS, s.login = true, "robot\x00secret" })
	if err := send(mail.Options{Address: open.address("smtp", "robot:secret"), From: o.From, Roots: open.roots},
		"ada@example.com"); err == nil || strings.Contains(strings.Join(open.commands, "\n"), "AUTH") {
		t.Errorf("a server without TLS: %v, %q", err, open.commands)
	}
	gone := newServer(t)
	address := gone.address("smtp", "robot:secret")
	_ = gone.listener.Close()
	if err := send(mail.Options{Address: address, From: o.From, Roots: gone.roots}, "ada@example.com"); err == nil ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("no server: %v", err)
	}
	if len(server.got()) > 1 {
		t.Errorf("%+v", server.got())
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct{ address, from, says string }{
		{"", "a@example.com", "must be smtp://"}, {"http://x", "a@example.com", "must be smtp://"},
		{"smtp://", "a@example.com", "must be smtp://"}, {"smtp://h/path", "a@example.com", "must be smtp://"},
		{"smtp://h:99999", "a@example.com", "port"}, {"smtp://h?tls=maybe", "a@example.com", "tls="},
		{"smtps://h?tls=none", "a@example.com", "tls="},
		{"smtp://robot:secret@h.example.com?tls=none", "a@example.com", "without encryption"},
		{"smtp://h", "", "not an e-mail address"}, {"smtp://h", "nobody", "not an e-mail address"},
		{"smtp://robot:secret%zz@h", "a@example.com", "must be smtp://"},
	} {
		_, err := mail.New(mail.Options{Address: c.address, From: c.from})
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", c.address, err)
		}
	}
	if _, err := mail.New(mail.Options{Address: "smtp://noreply%40example.com:secret@h"}); err != nil {
		t.Error(errors.Unwrap(err), err)
	}
}
