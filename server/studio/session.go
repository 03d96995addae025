package studio

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/server/auth"
)

const (
	cookieName   = "taproot_studio"
	sessionLimit = 12 * time.Hour
	linkLimit    = 10 * time.Minute
	maxSessions  = 1000
)

// sessions knows who a cookie, or a link that was not used yet, is of. Only hashes of both are kept.
type sessions struct {
	mu    sync.Mutex
	byKey map[[sha256.Size]byte]session
}

type session struct {
	who   auth.Identity
	until time.Time
	next  string // of a link: the page that it leads to
}

// add makes a new key; "" when there are too many.
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

// get finds a key; with once it is good for this time only.
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

// Link makes a path that lets whoever opens it first in, to the page next, within ten minutes.
func (s *Studio) Link(who auth.Identity, next string) string {
	return "/studio/enter?token=" + s.sessions.add(session{who: who, until: time.Now().Add(linkLimit), next: next})
}

// Identify knows a request by its session's cookie, when it comes from one of our own pages or from the address bar.
func (s *Studio) Identify(r *http.Request) (auth.Identity, bool) {
	cookie, err := r.Cookie(cookieName)
	if err != nil || !ownPage(r) {
		return auth.Identity{}, false
	}
	one, ok := s.sessions.get(cookie.Value, false)
	return one.who, ok
}

// ownPage tells whether a request is one of our own pages', or of no page at all. A page at another port of this
// machine is of the same site, so that the browser sends it the cookie along.
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

// enterPage is the form for a key.
type enterPage struct{ Next, Problem string }

// enter lets somebody in who opens a link, or asks for a key.
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
	s.begin(w, r, one.who, one.next)
}

// key lets somebody in who knows a key.
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
	s.begin(w, r, who, next)
}

// begin begins a session.
func (s *Studio) begin(w http.ResponseWriter, r *http.Request, who auth.Identity, next string) {
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
