package server

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server/auth"
	"github.com/taproot-dev/taproot/server/studio"
)

// openStudio creates Studio. With a service it is part of the console, which has its own login.
func (s *Server) openStudio() (err error) {
	if s.o.Service != nil || s.o.ownFiles || s.o.FarmHost {
		return nil
	}
	o := studio.Options{Guess: s.countWrongKey}
	if s.o.Auth != nil {
		o.Identify = s.o.Auth.Identify
	}
	if s.o.Project != "" {
		if s.project, err = os.OpenRoot(s.o.Project); err != nil {
			return fmt.Errorf("open the project: %w", err)
		}
		o.Files = s.project
		o.PrefersID = func(file string) bool {
			folder := path.Dir(filepath.ToSlash(file))
			if _, err := s.project.Stat(folder); err != nil || !filepath.IsLocal(folder) {
				folder = "."
			}
			ids, err := plan.PrefersID(filepath.Join(s.project.Name(), filepath.FromSlash(folder)))
			if err != nil {
				s.log.Warn("cannot read how elements are named", "error", err)
			}
			return ids
		}
	}
	s.studio, err = studio.New(o)
	return err
}

// closeStudio closes the project.
func (s *Server) closeStudio() error {
	if s.project == nil {
		return nil
	}
	return s.project.Close()
}

// StudioLink returns a path that logs in the first client that opens it, with all permissions, and redirects to the
// page next. It is for the person at this machine.
func (s *Server) StudioLink(next string) (string, error) {
	if s.studio == nil {
		return "", errors.New("this server has no pages of Studio")
	}
	return s.studio.Link(auth.Local("studio"), next), nil
}

// countWrongKey counts a wrong key. It returns false after it has written a 429 to an address that has sent too many.
func (s *Server) countWrongKey(w http.ResponseWriter, r *http.Request) bool {
	if fail := count(r.Context(), s.o.Guesses, w.Header(), caller{addr: s.client(r)}, access{}); fail != nil {
		writeError(w, fail)
		return false
	}
	return true
}

// serveStudio serves a page of Studio. It rejects pages of other sites.
func (s *Server) serveStudio(w http.ResponseWriter, r *http.Request) {
	setLogRoute(r.Context(), "studio")
	c := caller{addr: s.client(r)}
	if fail := s.rejectForeignOrigin(r); fail != nil {
		writeError(w, fail)
		return
	}
	if !s.busy.enter(c.rateKey(), s.o.MaxBusy) {
		writeError(w, limited("too many requests at once; wait for some to end", time.Second))
		return
	}
	defer s.busy.leave(c.rateKey())
	s.studio.ServeHTTP(w, r)
}

// identify returns the sender of a request, by its credential or by a session of Studio.
func (s *Server) identify(r *http.Request) (auth.Identity, error) {
	who, err := s.o.Auth.Identify(r.Header)
	if errors.Is(err, auth.ErrMissing) && s.studio != nil {
		if person, ok := s.studio.Identify(r); ok {
			return person, nil
		}
	}
	return who, err
}
