// Package mailurl reads the URLs of mail servers: imaps://user:password@host/INBOX, and http://host of Mailpit. Its
// errors do not contain the password.
package mailurl

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Form is a regular expression that every such URL matches.
const Form = `^(imaps?|https?)://[^/?#]`

// Security says how a connection is encrypted.
type Security int

// The kinds of encryption.
const (
	TLS      Security = iota // from the first byte
	StartTLS                 // after a command of the protocol; without it, no password is sent
	Plain                    // none
)

// Server is a mailbox of a mail server.
type Server struct {
	// Address is the host with the port.
	Address string
	// Security of the connection to an IMAP server.
	Security Security
	User     string
	Password string
	// Mailbox of an IMAP server.
	Mailbox string
	// Base is the URL of a Mailpit, without user and password, with a path that ends with a slash; nil: it is an IMAP
	// server.
	Base *url.URL

	written string // the password as the URL has it
}

var ports = map[string]string{"imaps": "993", "imap": "143", "https": "443", "http": "80"}

// Parse reads the URL of a mail server. Its errors do not quote the URL.
func Parse(text string) (Server, error) {
	scheme, _, _ := strings.Cut(text, "://")
	port, known := ports[scheme]
	if !known {
		return Server{}, errors.New("it does not start with imaps://, imap://, https:// or http://")
	}
	u, err := url.Parse(text)
	if err != nil { // its text would quote the URL
		return Server{}, errors.New("it is not a URL; in the user's name and the password, write @ : / ? # and % as " +
			"%40 %3A %2F %3F %23 and %25")
	}
	host := u.Hostname()
	if u.Port() != "" {
		port = u.Port()
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return Server{}, errors.New("its port is not a number from 1 to 65535")
	}
	password, _ := u.User.Password()
	s := Server{Address: joined(host, port), User: u.User.Username(), Password: password,
		written: writtenPassword(text)}
	switch {
	case host == "":
		return Server{}, errors.New("it names no host")
	case u.Fragment != "":
		return Server{}, errors.New("it has a part after #; write # in a password as %23")
	case strings.HasPrefix(scheme, "imap"):
		return s.imap(scheme, host, u)
	case u.RawQuery != "":
		return Server{}, errors.New("it has a query; only the place of Mailpit is needed, such as http://localhost:8025")
	}
	s.Base = &url.URL{Scheme: scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/") + "/"}
	return s, nil
}

func (s Server) imap(scheme, host string, u *url.URL) (Server, error) {
	if s.User == "" || s.Password == "" {
		return Server{}, fmt.Errorf("it needs a user and a password: %s://user:password@%s/INBOX", scheme, host)
	}
	s.Mailbox = strings.Trim(u.Path, "/")
	if s.Mailbox == "" {
		s.Mailbox = "INBOX"
	}
	if strings.ContainsAny(s.Mailbox+s.User+s.Password, "\r\n\x00") {
		return Server{}, errors.New("it contains a line break or a zero byte")
	}
	switch {
	case u.RawQuery == "tls=off" && scheme == "imap":
		s.Security = Plain
		return s, nil
	case u.RawQuery != "" && scheme == "imap":
		return Server{}, errors.New("its query is unknown; ?tls=off is the only one: no encryption")
	case u.RawQuery != "":
		return Server{}, errors.New("imaps:// has no query; for a server without encryption, write imap://")
	case scheme == "imap" && loopback(host):
		s.Security = Plain
	case scheme == "imap":
		s.Security = StartTLS
	}
	return s, nil
}

// loopback reports whether a host is this machine. That of package guard would bring package net to all that reads
// tests.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// writtenPassword is the password as a URL has it, with its percent signs.
func writtenPassword(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return ""
	}
	_, password, _ := strings.Cut(rest[:at], ":")
	return password
}

// String is the server as messages name it: host and port, of an IMAP server with the mailbox.
func (s Server) String() string {
	if s.Base != nil {
		return s.Base.String()
	}
	return s.Address + "/" + s.Mailbox
}

// Secrets returns the password of a URL, in each spelling that differs; none for a text that is not such a URL.
func Secrets(text string) []string {
	scheme, _, _ := strings.Cut(text, "://")
	if ports[scheme] == "" {
		return nil
	}
	written := writtenPassword(text)
	if written == "" {
		return nil
	}
	all := []string{written}
	if plain, err := url.PathUnescape(written); err == nil && plain != written {
		all = append(all, plain)
	}
	return all
}

// joined is an address of a host and a port: package net is not needed where nothing connects.
func joined(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
