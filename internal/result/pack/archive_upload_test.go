package pack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const testKey = "tk_live_0123456789abcdef"

// service is the receiving end: each answer once, then 201.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	answers []func(w http.ResponseWriter)
	got     map[string]int // uploads by Idempotency-Key
	calls   int
	bad     []string
}

func newService(t *testing.T, answers ...func(w http.ResponseWriter)) *service {
	t.Helper()
	s := &service{answers: answers, got: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if r.URL.Path != "/api/reports/upload" || r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer "+
		testKey {
		s.bad = append(s.bad, r.Method+" "+r.URL.Path)
	}
	if len(s.answers) > 0 {
		answer := s.answers[0]
		s.answers = s.answers[1:]
		if answer != nil {
			answer(w)
			return
		}
	}
	file, head, err := r.FormFile("pack")
	if err != nil {
		s.bad = append(s.bad, err.Error())
		return
	}
	data, err := io.ReadAll(file)
	sum := sha256.Sum256(data)
	if key := r.Header.Get("Idempotency-Key"); err != nil || key != hex.EncodeToString(sum[:]) ||
		head.Filename != "login.tar.gz" || r.ContentLength < head.Size {
		s.bad = append(s.bad, fmt.Sprint(head.Filename, r.ContentLength, err))
	}
	s.got[hex.EncodeToString(sum[:])]++
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w,
		`{"run":"2026-03-04T05-06-07","pack":"login","digest":"00","url":"/reports/2026-03-04T05-06-07/login"}`)
}

func say(code int, body string, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// cutOff ends the connection without an answer.
func cutOff(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func upload(ctx context.Context, t *testing.T, s *service, dir string) (*Uploaded, error) {
	t.Helper()
	return Upload(ctx, UploadOptions{URL: s.URL + "/", Key: testKey, Pack: dir, Client: s.Client(), Wait: time.Millisecond,
		Spool: t.TempDir()})
}

func TestUpload(t *testing.T) {
	t.Parallel()
	dir := wholePack(t)
	for name, answers := range map[string][]func(http.ResponseWriter){
		"at once":           nil,
		"server errors":     {say(500, ""), say(503, "busy"), say(502, "<html>")},
		"rate limited":      {say(429, `{"error":"rate_limited","message":"slow down"}`, "Retry-After", "1")},
		"connection is cut": {cutOff, cutOff},
		"nothing was kept":  {say(200, ""), say(201, " \n")}, // as a proxy responds to an upload that stalled
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, answers...)
			done, err := upload(t.Context(), t, s, dir)
			if err != nil {
				t.Fatal(err)
			}
			if done.Attempts != len(answers)+1 || done.Pack != "login" || s.got[done.SHA256] != 1 || len(s.bad) != 0 {
				t.Errorf("%+v, %v, %q", done, s.got, s.bad)
			}
		})
	}
}

// What is sent twice is the same: a service that knows the hash has nothing new.
func TestUploadTwice(t *testing.T) {
	t.Parallel()
	s, dir := newService(t), wholePack(t)
	a, err := upload(t.Context(), t, s, dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := upload(t.Context(), t, s, dir)
	if err != nil || a.SHA256 != b.SHA256 || s.got[a.SHA256] != 2 || len(s.got) != 1 {
		t.Error(a, b, err, s.got)
	}
}

func TestUploadRefused(t *testing.T) {
	t.Parallel()
	dir := wholePack(t)
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		calls  int
		want   string
	}{
		"no such key": {say(401, `{"error":"invalid_token","message":"the key `+testKey+` is unknown"}`), 1,
			"401: invalid_token the key *** is unknown (check TAPROOT_API_KEY)"},
		"too large": {say(413, `{"error":"payload_too_large","message":"at most 1 GB"}`), 1,
			"413: payload_too_large at most 1 GB"},
		"no plan":     {say(402, `{"error":"payment_required","message":"cap"}`), 1, "402: payment_required cap"},
		"elsewhere":   {say(307, "", "Location", "https://evil.example/"), 1, "set TAPROOT_URL to the final URL"},
		"a long wait": {say(429, "", "Retry-After", "86400"), 1, "429: Too Many Requests"},
		"a page": {say(200, "<html>Sign in</html>"), 1,
			"200, but did not confirm the upload: is TAPROOT_URL the URL of the service?"},
		"other JSON":  {say(201, `{"ok":true}`), 1, "201, but did not confirm the upload"},
		"a list":      {say(200, `[]`), 1, "200, but did not confirm the upload"},
		"no answer":   {say(204, ""), 5, "204, but did not confirm the upload"},
		"always down": {nil, 5, "500: Internal Server Error"},
		"hostile":     {say(400, `{"error":"x\u001b[2J","message":"`+strings.Repeat("y", 9000)+`"}`), 1, "400: x␛[2J y"},
	} {
		t.Run(name, func(t *testing.T) {
			answers := []func(http.ResponseWriter){c.answer}
			if c.calls == 5 && c.answer != nil {
				answers = slices.Repeat(answers, c.calls)
			}
			if c.answer == nil {
				answers = []func(http.ResponseWriter){say(500, ""), say(500, ""), say(500, ""), say(500, ""), say(500, "")}
			}
			s := newService(t, answers...)
			_, err := upload(t.Context(), t, s, dir)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), testKey) ||
				len(err.Error()) > 500 {
				t.Errorf("%v", err)
			}
			if s.calls != c.calls {
				t.Errorf("%d calls", s.calls)
			}
		})
	}
}

func TestUploadOptions(t *testing.T) {
	t.Parallel()
	dir := wholePack(t)
	for _, o := range []UploadOptions{
		{URL: "", Key: testKey}, {URL: "reports.example", Key: testKey}, {URL: "ftp://x", Key: testKey},
		{URL: "https://x", Key: ""},
		{URL: "https://x", Key: "two\nlines"}, {URL: "https://user:pass word@x\x7f", Key: testKey},
	} {
		o.Pack = dir
		if _, err := Upload(t.Context(), o); err == nil || strings.Contains(err.Error(), "pass word") {
			t.Errorf("%q: %v", o.URL, err)
		}
	}
}

func TestUploadProgressAndCancel(t *testing.T) {
	t.Parallel()
	dir := wholePack(t)
	s := newService(t)
	var last, total int64
	spool := t.TempDir()
	done, err := Upload(t.Context(), UploadOptions{URL: s.URL, Key: testKey, Pack: dir, Client: s.Client(), Spool: spool,
		Progress: func(sent, of int64) { last, total = sent, of }})
	if err != nil || last != done.Bytes || total != done.Bytes {
		t.Error(last, total, done, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	down := newService(t, func(w http.ResponseWriter) { cancel(); say(500, "")(w) })
	if _, err := Upload(ctx, UploadOptions{URL: down.URL, Key: testKey, Pack: dir, Client: down.Client(), Wait: time.Hour,
		Spool: spool}); err == nil {
		t.Error("a cancelled upload went on")
	}
	if entries, err := os.ReadDir(spool); err != nil || len(entries) != 0 {
		t.Error("archives are left over", entries, err)
	}
}

func TestNetworkReason(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		// not a port that was closed: another process may open it a moment later
		"http://127.0.0.1:1/secret-token":     "the connection failed: connection refused",
		"http://nowhere.invalid/secret-token": "the host was not found",
	} {
		_, err := http.Post(address, "", bytes.NewReader(nil))
		if got := NetworkReason(err); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}
