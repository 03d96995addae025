package server_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/server"
)

const aRun = "2026-03-04T05-06-07"

// noRead is a response size that exceeds all buffers of a connection.
func noRead() int {
	if testing.Short() {
		return 16 << 20 // for a client with a small receive buffer
	}
	return 64 << 20
}

// impatient sets a short time limit for slow clients.
func impatient(o *server.Options) { o.Patience = 5 * time.Second }

// keep puts a file into the folder of reports.
func (l *lab) keep(name string, data []byte) {
	l.t.Helper()
	path := filepath.Join(filepath.Dir(l.dir), "reports", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// noise returns data that cannot be compressed.
func noise(n int) []byte {
	data := make([]byte, n)
	_, _ = rand.Read(data) // never fails
	return data
}

// connect sends a text over a new connection.
func (l *lab) connect(text string) net.Conn {
	l.t.Helper()
	c, err := (&net.Dialer{}).DialContext(l.t.Context(), "tcp", strings.TrimPrefix(l.http.URL, "http://"))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = c.Close() }) // the server has closed it
	if _, err := io.WriteString(c, text); err != nil {
		l.t.Fatal(err)
	}
	return c
}

// TestWhoSendsTooSlowlyIsCutOff: the server does not wait for headers or bodies that do not arrive, and reports that
// where possible.
func TestWhoSendsTooSlowlyIsCutOff(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, impatient)
	const post = "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n%s"
	var all sync.WaitGroup
	for name, c := range map[string]struct{ sends, hears string }{
		"nothing at all": {"", ""},
		"half a header":  {"POST /devices/SIM1/tap HTTP/1.1\r\nHost: localhost\r\nX: ", ""},
		"half a body": {fmt.Sprintf(post, "/devices/SIM1/tap", "application/json", `{"label": `),
			`"error":"timeout"`},
		"half a body, refused": {fmt.Sprintf(post, "/devices/SIM1/tap", "text/plain", `{"label": `),
			`"error":"unsupported_media_type"`},
		"half a body of GET": {"GET /runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{", ""},
		"half an upload": {fmt.Sprintf(post, "/reports/upload", "multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=pack; filename=x\r\n\r\n\x1f\x8b"), `"error":"timeout"`},
	} {
		conn := l.connect(c.sends)
		all.Go(func() {
			if err := conn.SetReadDeadline(time.Now().Add(3 * time.Minute)); err != nil { // a test that hangs must end
				t.Error(err)
			}
			heard, err := io.ReadAll(conn)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the server still waits", name)
			} else if !strings.Contains(string(heard), c.hears) {
				t.Errorf("%s: %q, %v", name, heard, err)
			}
		})
	}
	all.Wait()
	if n := len(l.phones[0].Taps()); n != 0 {
		t.Errorf("%d taps", n)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(l.dir), "reports", ".incoming-*")); err != nil ||
		len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestWhoDoesNotReadIsCutOff: a response that the client does not read ends.
func TestWhoDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0, impatient)
	data := noise(noRead())
	l.keep(aRun+"/big.bin", data)
	l.keep(aRun+"/hello/summary.json", []byte("{}"))
	l.keep(aRun+"/hello/big.bin", data)
	paths := []string{"/big.bin", "/hello/big.bin", "/hello.tar.gz"}
	for _, path := range paths {
		conn := l.connect("")
		if testing.Short() {
			if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := io.WriteString(conn, "GET /reports/"+aRun+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range paths {
		eventually(t, path+" is given up", func() bool {
			return strings.Contains(l.log.String(), "path=/reports/"+aRun+path+
				" status=200")
		})
	}
}

// TestHalfAnArchiveIsNoArchive: an archive that is interrupted in the middle must not look like a complete response.
func TestHalfAnArchiveIsNoArchive(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	l.keep(aRun+"/hello/summary.json", []byte("{}"))
	l.keep(aRun+"/hello/a.bin", noise(1<<20))
	pack := filepath.Join(filepath.Dir(l.dir), "reports", aRun, "hello")
	if err := os.Symlink("a.bin", filepath.Join(pack, "z")); err != nil { // no archive holds links
		t.Fatal(err)
	}
	res, err := l.client.Do(l.request("GET", "/reports/"+aRun+"/hello.tar.gz", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if data, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d, %d bytes, %v: it looks whole", res.StatusCode, len(data), err)
	}
}

// TestHeadOfStreams: HEAD returns the headers of a streaming response without its content, and the connection can be
// used again.
func TestHeadOfStreams(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	id, _ := l.ask("POST", "/runs", map[string]any{"yaml": endless}).json(t)["id"].(string)
	for _, path := range []string{"/runs/" + id + "/events", "/devices/SIM1/logs"} {
		if path == "/devices/SIM1/logs" {
			if a := l.ask("DELETE", "/runs/"+id, nil); a.status != http.StatusOK { // it has the phone
				t.Fatal(a)
			}
		}
		conn := l.connect("HEAD " + path +
			" HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if err := conn.SetReadDeadline(time.Now().Add(3 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		heard, err := io.ReadAll(conn)
		if err != nil || bytes.Count(heard, []byte("HTTP/1.1 200 OK")) != 2 || !bytes.Contains(heard, []byte(`"ok"`)) {
			t.Errorf("HEAD %s: %q, %v", path, heard, err)
		}
	}
}
