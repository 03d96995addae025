package mailbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/mailbox/mailboxtest"
	"github.com/taproot-dev/taproot/internal/mailurl"
)

func open(t *testing.T, url string, o Options) (Box, error) {
	t.Helper()
	s, err := mailurl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return Open(ctx, s, o)
}

// TestDovecot checks all parts with a real server: what is new, what is read, and what stays as it was.
func TestDovecot(t *testing.T) {
	server := mailboxtest.New(t)
	o := Options{Roots: server.Roots}
	ctx := t.Context()
	server.Deliver(t, "ada", "Subject: old\nTo: ada@example.com\n\nold code 1\n")
	box, err := open(t, server.URL("ada"), o)
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	mark, err := box.Mark(ctx)
	if err != nil || !mark.Exact() {
		t.Fatal(mark, err)
	}
	if got, err := box.New(ctx, mark); err != nil || len(got) != 0 {
		t.Fatalf("at once: %v, %v", got, err)
	}
	for name, c := range mails {
		if name == "nothing" || name == "header alone" {
			continue // a server takes no such mail
		}
		server.Deliver(t, "ada", c.raw)
		got, err := box.New(ctx, mark)
		if err != nil || len(got) != 1 || got[0].Subject != c.subject {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		content, err := box.Content(ctx, got[0])
		if err != nil || strings.TrimSpace(content.Text) != strings.TrimSpace(c.text) || content.HTML != c.html {
			t.Errorf("%s: %+v, %v", name, content, err)
		}
	}
	again, err := open(t, server.URL("ada"), o)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got, err := again.New(ctx, mark); err != nil || len(got) != len(mails)-2 {
		t.Errorf("by another connection: %d, %v", len(got), err)
	}
	// by time, and by time after the mailbox was made again
	for i, after := range []Mark{{After: time.Now().Add(-time.Hour)},
		{After: time.Now().Add(-time.Hour), known: true, validity: 1, next: 1000}, {After: time.Now().Add(time.Hour)}} {
		name := []string{"time", "other UIDs", "later"}[i]
		box, err := open(t, server.URL("ada"), o)
		if err != nil {
			t.Fatal(err)
		}
		want := len(mails) - 1 + i
		if name == "later" {
			want = 0
		}
		if got, err := box.New(ctx, after); err != nil || len(got) != want {
			t.Errorf("%s: %d, %v, want %d", name, len(got), err, want)
		}
		server.Deliver(t, "ada", "Subject: one more\n\nx\n")
		if got, err := box.New(ctx, after); err != nil || want > 0 && len(got) != 1 {
			t.Errorf("%s: then %d, %v", name, len(got), err)
		}
		_ = box.Close()
	}
	if bob, err := open(t, server.URL("bob"), o); err != nil {
		t.Error(err)
	} else if got, err := bob.New(ctx, Mark{}); err != nil || len(got) != 0 {
		t.Errorf("of an empty mailbox: %v, %v", got, err)
	}
	mistakes(t, server)
}

// mistakes checks what is reported about a server that cannot be used.
func mistakes(t *testing.T, server *mailboxtest.Server) {
	t.Helper()
	url := server.URL("ada")
	_, at, _ := strings.Cut(url, "@")
	elsewhere := Options{Roots: server.Roots, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server.Plain)
	}}
	secret := strings.TrimPrefix(url[:strings.LastIndex(url, "@")], "imaps://ada:")
	for _, c := range []struct {
		url  string
		o    Options
		want []string
	}{
		{"imaps://ada:wrong-one@" + at, Options{Roots: server.Roots}, []string{server.TLS, "sign in as ada",
			"password is wrong"}},
		{url, Options{}, []string{server.TLS, "unknown authority", "SSL_CERT_FILE"}},
		{strings.TrimSuffix(url, "INBOX") + "Nowhere", Options{Roots: server.Roots}, []string{"open the mailbox " +
			"Nowhere"}},
		{"imaps://ada:x@" + server.Plain, Options{}, []string{server.Plain, "does not speak TLS", "imap://"}},
		{"imap://ada:" + secret + "@other.test:143", elsewhere, []string{"encrypt the connection", "not other.test"}},
		{"imaps://ada:x@no-such-host.invalid", Options{}, []string{"no-such-host.invalid:993", "no host of this name"}},
		{"imaps://ada:x@127.0.0.1:1", Options{}, []string{"127.0.0.1:1", "connection refused"}},
	} {
		box, err := open(t, c.url, c.o)
		if err == nil {
			t.Errorf("%s: opened", c.url)
			_ = box.Close()
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v does not say %s", c.url, err, want)
			}
		}
		if text := err.Error(); strings.Contains(text, mailboxtest.Password) || strings.Contains(text, secret) ||
			strings.Contains(text, "wrong-one") {
			t.Errorf("%s: %v shows the password", c.url, err)
		}
	}
	for _, url := range []string{"imap://ada:" + secret + "@imap.test:143",
		"imap://ada:" + secret + "@imap.test?tls=off"} {
		box, err := open(t, url, elsewhere)
		if strings.Contains(url, "off") { // dovecot takes no password without encryption, but from this machine
			if err == nil {
				_ = box.Close()
			}
			continue
		}
		if err != nil {
			t.Errorf("with STARTTLS: %v", err)
			continue
		}
		_ = box.Close()
	}
	if box, err := open(t, "imap://ada:"+secret+"@"+server.Plain, Options{}); err != nil {
		t.Errorf("on this machine: %v", err)
	} else {
		_ = box.Close()
	}
}

// script is a server that responds to each line of a client with a text, in turn.
func script(t *testing.T, greeting string, answers ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.WriteString(conn, greeting)
				lines := bufio.NewScanner(conn)
				for _, answer := range answers {
					if !lines.Scan() {
						return
					}
					tag, _, _ := strings.Cut(lines.Text(), " ")
					if answer == "hang" {
						_, _ = io.Copy(io.Discard, conn)
						return
					}
					_, _ = io.WriteString(conn, strings.ReplaceAll(answer, "TAG", tag))
				}
			}()
		}
	}()
	return l.Addr().String()
}

// TestHostileServers checks what is reported about servers that hang, close, send nonsense or too much.
func TestHostileServers(t *testing.T) {
	const (
		hello    = "* OK [CAPABILITY IMAP4rev1] hello\r\n"
		in       = "TAG OK [CAPABILITY IMAP4rev1] in\r\n"
		selected = "* 1 EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n* OK [UIDNEXT 2] x\r\nTAG OK selected\r\n"
	)
	for name, c := range map[string]struct {
		greeting string
		answers  []string
		want     string
	}{
		"silent":  {"", []string{"hang"}, "did not answer in time"},
		"closes":  {"", nil, "closed the connection"},
		"HTTP":    {"HTTP/1.1 400 Bad Request\r\n\r\n", []string{"hang"}, "not IMAP"},
		"refuses": {"* BYE lovelace is busy\r\n", []string{"hang"}, "••• is busy"},
		"no password here": {"* OK [CAPABILITY IMAP4rev1 LOGINDISABLED] x\r\n", []string{"hang"}, "takes no " +
			"password"},
		"repeats a password":   {hello, []string{"TAG NO lovelace is wrong\r\n"}, "••• is wrong"},
		"hangs at login":       {hello, []string{"hang"}, "did not answer in time"},
		"cut":                  {hello, []string{"TAG O"}, "closed the connection"},
		"nonsense":             {hello, []string{"\x00\xff)(\r\n", "hang"}, "not IMAP"},
		"hangs at select":      {hello, []string{in, "* 1 EXI", "hang"}, "did not answer in time"},
		"no mailbox":           {hello, []string{in, "TAG NO no such mailbox\r\n"}, "no such mailbox"},
		"closes while waiting": {hello, []string{in, selected}, "closed the connection"},
		"a huge literal": {hello, []string{in, selected, "TAG OK\r\n",
			"* 1 FETCH (UID 2 BODY[HEADER]<0> {99999999999}\r\nSubject: x", "hang"}, "did not answer in time"},
		"endless line": {"* OK " + strings.Repeat("x", 70<<20), []string{"hang"}, "sent more than 64 MiB"},
		"deep lists": {hello, []string{in, selected, "TAG OK\r\n", "* 1 FETCH " + strings.Repeat("(",
			100_000) + "\r\n", "hang"},
			"not IMAP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := mailurl.Parse("imap://ada:lovelace@" + script(t, c.greeting, c.answers...))
			if err != nil {
				t.Fatal(err)
			}
			limit := 20 * time.Second
			if strings.Contains(c.want, "in time") {
				limit = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			box, err := Open(ctx, s, Options{})
			if err == nil {
				_, err = box.New(ctx, Mark{known: true, validity: 1, next: 1})
				_ = box.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), s.Address) ||
				strings.Contains(err.Error(), "lovelace") {
				t.Errorf("%v, want %s and %s", err, c.want, s.Address)
			}
		})
	}
}

// TestOddServers checks what servers may do: no UIDNEXT, a sign-in that is not needed, an answer with the last mail.
func TestOddServers(t *testing.T) {
	header := "Subject: new\r\n\r\n"
	fetch := func(uid int) string {
		return fmt.Sprintf("* 1 FETCH (UID %d INTERNALDATE \"01-Jan-2027 00:00:00 +0000\" BODY[HEADER]<0> "+
			"{%d}\r\n%s)\r\n", uid,
			len(header), header)
	}
	address := script(t, "* PREAUTH [CAPABILITY IMAP4rev1] hello\r\n", "* 1 EXISTS\r\nTAG OK selected\r\n",
		"* 1 FETCH (UID 7)\r\nTAG OK\r\n", "TAG OK\r\n", fetch(7)+"TAG OK\r\n", "TAG OK\r\n",
		fetch(7)+fetch(9)+"TAG OK\r\n")
	box, err := open(t, "imap://ada:x@"+address, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	mark, _ := box.Mark(t.Context())
	if got, err := box.New(t.Context(), mark); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := box.New(t.Context(),
		mark); err != nil || len(got) != 1 || got[0].ID != "9" || got[0].Subject != "new" {
		t.Errorf("%v, %v", got, err)
	}
}

// TestSTARTTLSIsNotStripped checks that no password is sent when a server does not encrypt.
func TestSTARTTLSIsNotStripped(t *testing.T) {
	for name, answer := range map[string]string{"refused": "TAG BAD no\r\n", "injected": "TAG OK begin\r\nT2 OK " +
		"in\r\n"} {
		t.Run(name, func(t *testing.T) {
			address := script(t, "* OK [CAPABILITY IMAP4rev1] hello\r\n", answer, "hang")
			s := mailurl.Server{Address: address, Security: mailurl.StartTLS, User: "ada", Password: "lovelace",
				Mailbox: "INBOX"}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := Open(ctx, s, Options{})
			if err == nil || !strings.Contains(err.Error(), "encrypt the connection") {
				t.Errorf("%v", err)
			}
		})
	}
}
