package service_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/server/internal/service"
)

func TestMain(m *testing.M) {
	code := m.Run()
	storetest.Stop()
	os.Exit(code)
}

const (
	secret   = "a secret of the tests, with more than 32 characters"
	password = "four words make this good"
)

// box stores the e-mails that were sent.
type box struct {
	mu      sync.Mutex
	letters []string
}

func (b *box) Send(_ context.Context, to, subject, text string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.letters = append(b.letters, to+"\n"+subject+"\n"+text)
	return nil
}

var tokenIn = regexp.MustCompile(`token=(\S+)`)

// token waits for an e-mail, removes it from the box, and returns the token in it.
func (b *box) token(t *testing.T, to, about string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if l, is := b.take(func(l string) bool { return strings.HasPrefix(l, to+"\n") && strings.Contains(l, about) }); is {
			if m := tokenIn.FindStringSubmatch(l); m != nil {
				return m[1]
			}
			return ""
		}
	}
	t.Fatalf("no e-mail to %s about %s", to, about)
	return ""
}

// take removes and returns the newest e-mail that fits, so that the next call waits for a new one.
func (b *box) take(fits func(string) bool) (letter string, is bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, l := range slices.Backward(b.letters) {
		if fits(l) {
			b.letters = slices.Delete(b.letters, i, i+1)
			return l, true
		}
	}
	return "", false
}

// clock is a time that the test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type lab struct {
	*service.Service
	clock *clock
	box   *box
}

func open(t *testing.T, address string, change ...func(*service.Options)) lab {
	t.Helper()
	l := lab{clock: &clock{now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}, box: &box{}}
	o := service.Options{Database: address, Secret: secret, Mail: l.box, Now: l.clock.Now,
		PublicURL: "https://taproot.example.com", CheapHashes: testing.Short()}
	for _, c := range change {
		c(&o)
	}
	s, err := service.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	l.Service = s
	return l
}

var from = service.From{Address: "192.0.2.1", Agent: "test"}

// person makes an account and logs in.
func (l lab) person(t *testing.T, email string) *service.Person {
	t.Helper()
	if _, err := l.Operator().CreateAccount(t.Context(), email, password, false); err != nil {
		t.Fatal(err)
	}
	return l.in(t, email)
}

func (l lab) in(t *testing.T, email string) *service.Person {
	t.Helper()
	p, err := l.LogIn(t.Context(), service.LogIn{Email: email, Password: password, From: from})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func project(t *testing.T, p *service.Person) *service.Project {
	t.Helper()
	project, err := p.Project(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func key(t *testing.T, p *service.Project, scopes ...string) service.MadeKey {
	t.Helper()
	k, err := p.CreateKey(t.Context(), service.NewKey{Name: "CI", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func header(credential string) http.Header { return http.Header{"X-Api-Key": {credential}} }
func bearer(credential string) http.Header {
	return http.Header{"Authorization": {"Bearer " + credential}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, not %v", what, err, want)
	}
}
