package server_test

import (
	"io"
	"strings"
	"testing"
	"time"
)

// wire sends raw bytes and returns all that the server responds.
func (l *lab) wire(text string) string {
	l.t.Helper()
	c := l.connect(text)
	if err := c.SetReadDeadline(time.Now().Add(3 * time.Minute)); err != nil { // a test that hangs must end
		l.t.Fatal(err)
	}
	heard, err := io.ReadAll(c)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(heard)
}

// TestAStalledUploadIsNoSuccess: an upload that stops anywhere gets 504 with JSON.
func TestAStalledUploadIsNoSuccess(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0, impatient)
	const head = "--x\r\nContent-Disposition: form-data; name=pack; filename=x\r\n\r\n"
	for name, body := range map[string]string{"before the part": "--x\r\nContent-Disp",
		"within another part": "--x\r\nContent-Disposition: form-data; name=other\r\n\r\nab",
		"before the archive":  head, "within the archive": head + "\x1f\x8b\x08\x00"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			heard := l.wire(
				"POST /reports/upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n" +
					"Content-Length: " +
					"100000\r\n\r\n" + body)
			if !strings.HasPrefix(heard, "HTTP/1.1 504 ") || !strings.Contains(heard, `"error":"timeout"`) {
				t.Errorf("%q", heard)
			}
		})
	}
}
