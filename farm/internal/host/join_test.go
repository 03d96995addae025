package host

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/farm/internal/broker"
	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/farm/internal/wire"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// TestTokens checks that a token lets one host join within a day, and that other tokens are refused.
func TestTokens(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, address string) {
		l := newLab(t, address)
		token := l.token(hub.HostPlacement{Pool: "lab", Labels: map[string]string{"room": "3"}})
		r := l.must(Options{Token: token, Name: "Desk of Ada!", Pool: "mine", Labels: map[string]string{
			"room": "9", "desk": "1"}}, phone("A"))
		if r.id != "desk-of-ada" {
			t.Error(r.id)
		}
		await(t, "its phone", func() bool { return l.uses("") == "A free" })
		if d := l.hub.Devices("")[0]; d.Pool != "lab" || d.Labels["room"] != "3" || d.Labels["desk"] != "1" ||
			d.Host != r.id {
			t.Errorf("%+v", d)
		}
		if _, err := l.db.Exec(t.Context(),
			"INSERT INTO farm_tokens (hash, pool, labels, project, created, expires) VALUES ($1, '', '{}', 'prj_gone', 0, "+
				"$2)", digest(tokenOf("gone")),
			store.Time(time.Now().Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]string{
			token:             "was used by another host (desk-of-ada, on 20",
			token + "x":       "incomplete, or contains something else: it is taph_ and 26 characters a-z or 2-7",
			token[:20]:        "incomplete",
			tokenOf("other"):  "is it one of another hub?",
			tokenOf("gone"):   "the project of the token no longer exists",
			"tap_x":           "an API key, not a host token",
			"eyJhbGciOiJIUzI": "not a host token, which starts with taph_",
		} {
			l.refuses(text, want)
		}
		if _, err := l.start(Options{}); !errors.Is(err, ErrNoToken) {
			t.Error(err)
		}
		late := l.token(hub.HostPlacement{})
		if _, err := l.db.Exec(t.Context(), "UPDATE farm_tokens SET expires = $1 WHERE used = 0",
			store.Time(time.Now().Add(-time.Second))); err != nil {
			t.Fatal(err)
		}
		l.refuses(late, "the token expired on 20")
		_, key, _ := broker.NewKey()
		var version *wire.VersionError
		fresh := l.token(hub.HostPlacement{})
		if _, err := l.hub.Join(t.Context(), wire.Join{Token: fresh, Key: key, Protocol: wire.Version + 1}); !errors.As(err,
			&version) {
			t.Errorf("another version: %v", err)
		}
		if _, err := l.hub.Join(t.Context(), wire.Join{Token: fresh, Key: "x", Protocol: wire.Version}); err == nil {
			t.Error("without a key")
		}
		first, err := l.hub.Join(t.Context(), wire.Join{Token: fresh, Key: key, Protocol: wire.Version, Name: "desk-of-ada"})
		if err != nil || first.Host != "desk-of-ada-2" {
			t.Errorf("%+v, %v", first, err)
		}
		if again, err := l.hub.Join(t.Context(), wire.Join{Token: fresh, Key: key, Protocol: wire.Version}); err != nil ||
			again.Host != first.Host {
			t.Errorf("after a lost response: %+v, %v", again, err)
		}
		for _, p := range []hub.HostPlacement{{Project: "prj_none"}, {Pool: "a b"}, {Labels: map[string]string{"a=b": "c"}}} {
			if _, err := hub.NewToken(t.Context(), l.db, p); err == nil {
				t.Errorf("%+v receives a token", p)
			}
		}
	})
}

// tokenOf returns a text in the form of a token.
func tokenOf(text string) string { return "taph_" + (text + strings.Repeat("a", 26))[:26] }

// refuses checks that the hub refuses a token, with the reason and the remedy.
func (l *lab) refuses(token, want string) {
	l.t.Helper()
	_, err := l.start(Options{Token: token})
	var refused *RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) ||
		!strings.HasSuffix(err.Error(), "with taproot admin host-token on the hub") {
		l.t.Errorf("%v, not: %s", err, want)
	}
}

// TestAMistakeCostsNoKey checks that a host that was started with a wrong token or a wrong URL keeps its identity when
// it is started correctly.
func TestAMistakeCostsNoKey(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	token := l.token(hub.HostPlacement{})
	r := l.must(Options{Token: token, Name: "a"})
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	dir, slash := r.o.Dir, l.web.URL+"/"
	var refused *RefusedError
	for what, o := range map[string]Options{"a wrong token": {Dir: dir, Token: "taph_x"}, "the token of another": {
		Dir: dir, Token: token + "x", Hub: slash}} {
		if _, err := l.start(o); !errors.As(err, &refused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	elsewhere := strings.Replace(l.web.URL, "127.0.0.1", "localhost", 1)
	if _, err := l.start(Options{Dir: dir, Hub: elsewhere}); !errors.Is(err, ErrNoToken) ||
		!strings.Contains(err.Error(), "has joined the hub at "+l.web.URL) {
		t.Errorf("another address: %v", err)
	}
	for what, o := range map[string]Options{"no token": {Dir: dir}, "the token of then": {Dir: dir, Token: token},
		"a slash at the end": {Dir: dir, Token: token, Hub: slash}} {
		again, err := l.start(o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if again.id != "a" {
			t.Errorf("%s: it is %s", what, again.id)
		}
		if err := again.stop(); err != nil {
			t.Error(err)
		}
	}
	moved, err := l.start(Options{Dir: dir, Token: l.token(hub.HostPlacement{Pool: "lab"}), Name: "b"})
	if err != nil || moved.id != "b" {
		t.Fatal(moved, err)
	}
	if err := moved.stop(); err != nil {
		t.Fatal(err)
	}
	if again, err := l.start(Options{Dir: dir}); err != nil || again.id != "b" {
		t.Errorf("after a new token: %+v, %v", again, err)
	}
}

// TestPortIsClosed checks the message when the hub responds, but its port for hosts cannot be reached: it names the
// port and the possible causes.
func TestPortIsClosed(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	l.public = "127.0.0.1:1"
	l.close()
	l.open()
	var log lockedText
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	o := Options{Hub: l.web.URL, Version: "1", Dir: t.TempDir(), Token: l.token(hub.HostPlacement{}),
		Log: slog.New(slog.NewTextHandler(&log, nil))}
	go func() { ended <- Run(ctx, o, &fake{}) }()
	await(t, "a message about the port", func() bool {
		return strings.Contains(log.String(), "port for hosts cannot be reached") &&
			strings.Contains(log.String(), "address=tls://127.0.0.1:1 ")
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestBothAtOnce checks that a host that is started before its hub joins when the hub is ready.
func TestBothAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	ports, err := drivers.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + ports[0]
	var log lockedText
	joined := make(chan error, 1)
	go func() {
		_, err := l.start(Options{Token: l.token(hub.HostPlacement{}), Hub: "http://" + address,
			Log: slog.New(slog.NewTextHandler(&log, nil))})
		joined <- err
	}()
	await(t, "a message about the hub",
		func() bool { return strings.Contains(log.String(), "nothing listens at "+address) })
	second, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: l.web.Config.Handler}
	go func() { _ = s.Serve(second) }()
	t.Cleanup(func() { _ = s.Close() })
	if err := <-joined; err != nil {
		t.Error(err)
	}
}

// lockedText is a log that can be read while it is written.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestKeyOfAnEndedProcess checks that the right key is used after a process ended between writing the membership and
// replacing the key.
func TestKeyOfAnEndedProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := Options{Dir: dir}
	if _, _, err := o.newKey(keyFile); err != nil {
		t.Fatal(err)
	}
	next, public, err := o.newKey(nextKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if seed, err := (membership{Key: public}).seed(dir); err != nil || string(seed) != string(next) {
			t.Errorf("%s, %v", seed, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, nextKeyFile)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestNoHub checks the messages for a server that is not a hub, and for a proxy that redirects to https.
func TestNoHub(t *testing.T) {
	t.Parallel()
	for want, h := range map[string]http.Handler{
		"is not a hub of a farm: was it started with taproot serve --service --farm": http.NotFoundHandler(),
		"redirects to https://hub.example.com: write that URL": http.RedirectHandler(
			"https://hub.example.com/api/farm/join", http.StatusMovedPermanently),
		"/ is not a hub of a farm": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"message": "send a credential: Authorization: Bearer <token or key>"}`))
		}),
	} {
		s := httptest.NewServer(h)
		err := Run(t.Context(), Options{Hub: s.URL + "/", Token: "taph_x", Dir: t.TempDir()}, &fake{})
		s.Close()
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := Run(t.Context(), Options{Token: "taph_x", Dir: t.TempDir()}, &fake{}); !errors.Is(err, ErrHub) ||
		!strings.Contains(err.Error(), "name it with --hub URL, or in TAPROOT_HUB") {
		t.Error(err)
	}
}

// TestKeyStaysPrivate checks that the key is readable by its owner only and is used again without a token, and that a
// used token changes nothing.
func TestKeyStaysPrivate(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	token := l.token(hub.HostPlacement{})
	r := l.must(Options{Token: token, Name: "a"})
	for _, f := range []string{keyFile, memberFile} {
		if info, err := os.Stat(filepath.Join(r.o.Dir, f)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, info, err)
		}
	}
	if _, err := l.start(Options{Dir: r.o.Dir}); err == nil || !strings.Contains(err.Error(), "another taproot host") {
		t.Errorf("two hosts with one folder: %v", err)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Dir: r.o.Dir}, {Dir: r.o.Dir, Token: token}} {
		file := filepath.Join(r.o.Dir, memberFile)
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		again := l.must(o)
		await(t, "the credential of this start", func() bool {
			now, err := os.Stat(file)
			return err == nil && !os.SameFile(before, now) // it is replaced by rename
		})
		if again.id != "a" {
			t.Error(again.id)
		}
		_ = again.stop()
	}
	for _, address := range []string{"http://hub.example.com", "hub", "ftp://hub", ""} {
		if err := Run(t.Context(), Options{Hub: address, Token: token, Dir: t.TempDir()}, &fake{}); !errors.Is(err, ErrHub) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
