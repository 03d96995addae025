package studio

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/server/internal/auth"
)

const (
	cookieName   = "taproot_studio"
	sessionLimit = 12 * time.Hour
	linkLimit    = 10 * time.Minute
	maxSessions  = 1000
)

// sessions maps cookies and unused links to their identities. Only hashes of both are stored.
type sessions struct {
	mu    sync.Mutex
	byKey map[[sha256.Size]byte]session
}

type session struct {
	who   auth.Identity
	until time.Time
	next  string // of a link: the page that it opens
}

// add creates a new key; "" when there are too many.
func (s *sessions) add(one session) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, old := range s.byKey {
		if time.Now().After(old.until) {
			delete(s.byKey, key)
		}
	}
	if len(s.byKey) >= maxSessions {
		return ""
	}
	if s.byKey == nil {
		s.byKey = map[[sha256.Size]byte]session{}
	}
	key := rand.Text()
	s.byKey[sha256.Sum256([]byte(key))] = one
	return key
}

// get finds a key; with once it is removed.
func (s *sessions) get(key string, once bool) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := sha256.Sum256([]byte(key))
	one, ok := s.byKey[sum]
	if !ok || time.Now().After(one.until) || (one.next != "") != once {
		return session{}, false
	}
	if once {
		delete(s.byKey, sum)
	}
	return one, true
}

// Link returns a path that logs in the first client that opens it within ten minutes, and redirects to the page next.
func (s *Studio) Link(who auth.Identity, next string) string {
	return "/studio/enter?token=" + s.sessions.add(session{who: who, until: time.Now().Add(linkLimit), next: next})
}

// Identify returns the identity of a request's session cookie, if the request comes from one of Studio's own pages or
// from the address bar.
func (s *Studio) Identify(r *http.Request) (auth.Identity, bool) {
	cookie, err := r.Cookie(cookieName)
	if err != nil || !ownPage(r) {
		return auth.Identity{}, false
	}
	one, ok := s.sessions.get(cookie.Value, false)
	return one.who, ok
}

// ownPage reports whether a request comes from one of Studio's own pages, or from no page. A page at another port of
// this machine belongs to the same site, so the browser sends the cookie with its requests.
func ownPage(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site == "" || site == "none" || site == "same-origin":
		return true
	default:
		return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Method == http.MethodGet && Path(r.URL.Path)
	}
}

// enterPage is the data of the login form.
type enterPage struct{ Next, Problem string }

// enter logs in a person who opens a link, or shows the form for a key.
func (s *Studio) enter(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if token == "" {
		s.show(w, http.StatusOK, "enter.html", enterPage{Next: "/studio"})
		return
	}
	one, ok := s.sessions.get(token, true)
	if !ok {
		s.show(w, http.StatusForbidden, "enter.html",
			enterPage{Problem: "This link has been used, or is too old. Start taproot studio again for a new one."})
		return
	}
	s.startSession(w, r, one.who, one.next)
}

// key logs in a person with a valid key.
func (s *Studio) key(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 32<<10)
	next := r.PostFormValue("next")
	if u, err := url.Parse(next); err != nil || u.Host != "" || u.Scheme != "" || !Path(u.Path) {
		next = "/studio"
	}
	if s.o.Identify == nil {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return
	}
	who, err := s.o.Identify(http.Header{"X-Api-Key": {strings.TrimSpace(r.PostFormValue("key"))}})
	if err != nil {
		if s.o.Guess != nil && !s.o.Guess(w, r) {
			return
		}
		s.show(w, http.StatusUnauthorized, "enter.html", enterPage{Next: next, Problem: "This key is not known."})
		return
	}
	s.startSession(w, r, who, next)
}

// startSession starts a session.
func (s *Studio) startSession(w http.ResponseWriter, r *http.Request, who auth.Identity, next string) {
	key := s.sessions.add(session{who: who, until: time.Now().Add(sessionLimit)})
	if key == "" {
		http.Error(w, "There are too many sessions.", http.StatusServiceUnavailable)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: key, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
		MaxAge: int(sessionLimit.Seconds())})
	http.Redirect(w, r, next, http.StatusSeeOther)
}
