// Package mailboxtest provides tests with a mail server: Debian's dovecot.
package mailboxtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2/imapclient"
)

// Password of all users.
const Password = `p4ß/w%rd @1`

// Server is a dovecot of a test.
type Server struct {
	// Plain and TLS are the addresses of its ports.
	Plain, TLS string
	// CertFile has the certificate, which is its own authority; it names localhost, 127.0.0.1 and imap.test.
	CertFile string
	// Roots trusts it.
	Roots *x509.CertPool

	dir     string
	mu      sync.Mutex
	clients map[string]*imapclient.Client // of Deliver, by the user
}

// New starts a server with the users ada and bob. The test is skipped where there is no dovecot.
func New(t testing.TB) *Server {
	t.Helper()
	program, err := exec.LookPath("dovecot")
	if err != nil {
		program = "/usr/sbin/dovecot"
	}
	if _, err := os.Stat(program); err != nil || runtime.GOOS != "linux" {
		t.Skip("there is no dovecot: run make database, or apt-get install dovecot-imapd")
	}
	dir, err := os.MkdirTemp("/tmp", "taproot-imap-") // the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Server{dir: dir, clients: map[string]*imapclient.Client{}, Plain: freePort(t), TLS: freePort(t),
		CertFile: filepath.Join(dir, "cert.pem")}
	s.certify(t)
	who := owner(t, dir)
	s.write(t, "users", fmt.Sprintf("ada:{PLAIN}%s::::::\nbob:{PLAIN}%[1]s::::::\n", Password))
	s.write(t, "dovecot.conf", s.config(who))
	// The shell ends the server when its input does, which is when the test's process ends, however it does.
	run := exec.Command("/bin/sh", "-c", `"$@" & cat >/dev/null; kill -TERM $!; wait`, "sh", program, "-F", "-c",
		filepath.Join(dir, "dovecot.conf"))
	alive, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	run.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	runAs(run, who)
	out, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	run.Stdout, run.Stderr = out, out
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = alive.Close()
		for _, client := range s.clients {
			_ = client.Close()
		}
		stop(run)
	})
	s.await(t)
	return s
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// owner is who the server runs as: it does not run as root with one user for all.
func owner(t testing.TB, dir string) *user.User {
	t.Helper()
	who, err := user.Current()
	if err == nil && who.Uid == "0" {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(who.Uid)
	gid, _ := strconv.Atoi(who.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatal(err)
	}
	return who
}

func (s *Server) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) config(who *user.User) string {
	group, err := user.LookupGroupId(who.Gid)
	if err != nil {
		group = &user.Group{Name: who.Gid}
	}
	_, plain, _ := net.SplitHostPort(s.Plain)
	_, secure, _ := net.SplitHostPort(s.TLS)
	return strings.NewReplacer("DIR", s.dir, "USER", who.Username, "GROUP", group.Name, "PLAIN_PORT", plain, "TLS_PORT",
		secure, "UID", who.Uid, "GID", who.Gid).Replace(`
base_dir = DIR/run
state_dir = DIR/state
log_path = DIR/log
protocols = imap
listen = 127.0.0.1
default_internal_user = USER
default_login_user = USER
default_internal_group = GROUP
ssl = yes
ssl_cert = <DIR/cert.pem
ssl_key = <DIR/key.pem
mail_location = maildir:DIR/mail/%u
first_valid_uid = 1
auth_failure_delay = 0
passdb {
  driver = passwd-file
  args = DIR/users
}
userdb {
  driver = static
  args = uid=UID gid=GID home=DIR/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = PLAIN_PORT
  }
  inet_listener imaps {
    port = TLS_PORT
    ssl = yes
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`)
}

// certify makes the certificate and its key.
func (s *Server) certify(t testing.TB) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "imap.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		DNSNames: []string{"localhost", "imap.test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(certificate)
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	s.write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})))
}

// await waits until the server takes a password.
func (s *Server) await(t testing.TB) {
	t.Helper()
	var last error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		client, err := s.signIn("ada")
		if err == nil {
			_ = client.Close()
			return
		}
		last = err
	}
	log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	out, _ := os.ReadFile(filepath.Join(s.dir, "output"))
	t.Fatalf("dovecot did not start: %v\n%s%s", last, out, log)
}

func (s *Server) signIn(name string) (*imapclient.Client, error) {
	conn, err := tls.Dial("tcp", s.TLS, &tls.Config{RootCAs: s.Roots, ServerName: "imap.test"})
	if err != nil {
		return nil, err
	}
	client := imapclient.New(conn, nil)
	if err := client.Login(name, Password).Wait(); err != nil {
		_ = client.Close()
		return nil, err
	}
	return client, nil
}

// URL is the mailbox of a user by TLS.
func (s *Server) URL(name string) string {
	return (&url.URL{Scheme: "imaps", User: url.UserPassword(name, Password), Host: s.TLS, Path: "/INBOX"}).String()
}

// Deliver puts a mail into the mailbox of a user. Line ends become those of mail. Safe for concurrent use.
func (s *Server) Deliver(t testing.TB, name, mail string) {
	t.Helper()
	if err := s.deliver(name, mail); err != nil {
		t.Error(err)
	}
}

func (s *Server) deliver(name, mail string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.clients[name]
	if client == nil {
		var err error
		if client, err = s.signIn(name); err != nil {
			return err
		}
		s.clients[name] = client
	}
	mail = strings.ReplaceAll(strings.ReplaceAll(mail, "\r\n", "\n"), "\n", "\r\n")
	adding := client.Append("INBOX", int64(len(mail)), nil)
	if _, err := io.WriteString(adding, mail); err != nil {
		return err
	}
	if err := adding.Close(); err != nil {
		return err
	}
	_, err := adding.Wait()
	return err
}
