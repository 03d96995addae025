package mail_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// smtpServer is a strict server: commands in order, TLS before a password, lines that end with CRLF.
type smtpServer struct {
	t        testing.TB
	listener net.Listener
	config   *tls.Config
	roots    *x509.CertPool
	implicit bool   // TLS from the first byte
	noTLS    bool   // does not offer STARTTLS
	login    string // required user NUL password; empty: no log-in is required
	busy     int    // number of e-mails that are refused temporarily

	mu       sync.Mutex
	letters  []receivedMail
	commands []string // every command, to check what was sent without encryption
	done     sync.WaitGroup
}

type receivedMail struct {
	from, to, data string
	secure         bool
	user           string
}

func newServer(t testing.TB, change ...func(*smtpServer)) *smtpServer {
	t.Helper()
	s := &smtpServer{t: t}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sheet := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true}
	raw, err := x509.CreateCertificate(rand.Reader, sheet, sheet, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	s.roots = x509.NewCertPool()
	s.roots.AddCert(parsed)
	s.config = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: key}}}
	for _, c := range change {
		c(s)
	}
	if s.listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.done.Go(func() {
		for {
			c, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.done.Go(func() { s.talk(c) })
		}
	})
	t.Cleanup(func() {
		_ = s.listener.Close()
		s.done.Wait()
	})
	return s
}

func (s *smtpServer) address(scheme, user string) string {
	if user != "" {
		user += "@"
	}
	return scheme + "://" + user + s.listener.Addr().String()
}

func (s *smtpServer) talk(raw net.Conn) {
	defer raw.Close()
	_ = raw.SetDeadline(time.Now().Add(time.Minute))
	c, secure := raw, false
	if s.implicit {
		c, secure = tls.Server(raw, s.config), true
	}
	in := bufio.NewReader(c)
	say := func(text string) { fmt.Fprintf(c, "%s\r\n", text) }
	say("220 test ESMTP")
	var l receivedMail
	greeted, user := false, ""
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if !strings.HasSuffix(line, "\r\n") {
			s.t.Errorf("a line without CRLF: %q", line)
		}
		line = strings.TrimRight(line, "\r\n")
		if !secure {
			s.mu.Lock()
			s.commands = append(s.commands, line)
			s.mu.Unlock()
		}
		word, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(word) {
		case "EHLO":
			greeted = true
			offers := []string{"250-test", "250-8BITMIME"}
			if !secure && !s.noTLS {
				offers = append(offers, "250-STARTTLS")
			}
			if s.login != "" && (secure || s.noTLS) {
				offers = append(offers, "250-AUTH PLAIN")
			}
			say(strings.Join(append(offers, "250 SIZE 1000000"), "\r\n"))
		case "STARTTLS":
			say("220 go ahead")
			upgraded := tls.Server(raw, s.config)
			if upgraded.Handshake() != nil {
				return
			}
			c, in, secure, greeted = upgraded, bufio.NewReader(upgraded), true, false
			say = func(text string) { fmt.Fprintf(upgraded, "%s\r\n", text) }
		case "AUTH":
			_, code, _ := strings.Cut(rest, " ")
			text, _ := base64.StdEncoding.DecodeString(code)
			if _, user, _ = strings.Cut(string(text), "\x00"); user != s.login {
				say("535 5.7.8 wrong")
				return
			}
			say("235 2.7.0 welcome")
		case "NOOP", "RSET":
			say("250 fine")
		case "MAIL":
			switch {
			case !greeted:
				say("503 say EHLO")
			case s.login != "" && user != s.login:
				say("530 5.7.0 log in")
			case s.refuse():
				say("451 4.7.1 come again later")
			default:
				l = receivedMail{from: rest, secure: secure, user: user}
				say("250 fine")
			}
		case "RCPT":
			if strings.Contains(rest, "nobody@") {
				say("550 5.1.1 no such user")
				continue
			}
			l.to = rest
			say("250 fine")
		case "DATA":
			say("354 go on")
			for {
				part, err := in.ReadString('\n')
				if err != nil || part == ".\r\n" {
					break
				}
				l.data += strings.TrimPrefix(part, ".")
			}
			s.mu.Lock()
			s.letters = append(s.letters, l)
			s.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("502 what?")
		}
	}
}

// refuse reports whether an e-mail is refused, and counts down.
func (s *smtpServer) refuse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	return s.busy >= 0
}

func (s *smtpServer) got() []receivedMail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]receivedMail{}, s.letters...)
}
