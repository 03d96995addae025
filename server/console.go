package server

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/server/internal/auth"
	"github.com/taproot-dev/taproot/server/internal/console"
	"github.com/taproot-dev/taproot/server/internal/rest"
	"github.com/taproot-dev/taproot/server/internal/service"
	"github.com/taproot-dev/taproot/server/internal/studio"
)

// openConsole creates the console, if the server has accounts.
func (s *Server) openConsole() (err error) {
	if s.o.Service == nil {
		return nil
	}
	if s.screens, err = studio.New(studio.Options{}); err != nil {
		return err
	}
	s.console, err = console.New(console.Options{Service: s.o.Service, Studio: s.screenOf, API: s.actAs,
		Drop: s.tenants.Drop,
		OIDC: s.o.OIDC, Farm: s.o.Farm, Version: s.o.Version, Log: s.log,
		Client: func(r *http.Request) (address, counted string) {
			c := rest.Caller{Addr: s.admission.Client(r)}
			return c.Addr, c.RateKey()
		}})
	return err
}

// screenOf serves Studio's page of a device. The page sends its requests to the console.
func (s *Server) screenOf(w http.ResponseWriter, device, project string, acts bool) {
	s.screens.Device(w, studio.DevicePage{ID: device, Acts: acts, Home: project + "/devices", API: project + "/api"})
}

func isConsole(path string) bool { return path == "/console" || strings.HasPrefix(path, "/console/") }

// serveConsole serves a page of the console.
func (s *Server) serveConsole(w http.ResponseWriter, r *http.Request) {
	rest.SetLogRoute(r.Context(), "console")
	c := rest.Caller{Addr: s.admission.Client(r)}
	if !s.busy.Enter(c.RateKey(), s.o.MaxBusy) {
		rest.WriteError(w, rest.Limited("too many requests at once; wait for some to end", time.Second))
		return
	}
	defer s.busy.Leave(c.RateKey())
	s.console.ServeHTTP(w, r)
}

// actAs handles an API request that a page of the console sends for a logged-in person. Reading is not counted against
// the plan; changes are.
func (s *Server) actAs(w http.ResponseWriter, r *http.Request, who *service.Caller) {
	h, pattern := s.api.Route(r)
	a, known := s.api.Access(pattern)
	a.Pattern = pattern
	c := rest.Caller{Identity: auth.Identity{Name: who.Name}, Addr: s.admission.Client(r), Lease: r.Header.Get("X-Lease"),
		Member: who}
	rest.SetLogCaller(r.Context(), c)
	fail := rest.MayMember(who, a)
	switch {
	case !known:
		fail = s.api.RouteError(w, r, h)
	case fail == nil && r.Method != http.MethodGet && r.Method != http.MethodHead:
		fail = s.admission.CountMember(r.Context(), w.Header(), who, a)
	}
	s.answer(w, r, c, a, fail)
}

// hasStudio reports whether the server has pages of Studio. With a service it is part of the console, which has its own
// login.
func (s *Server) hasStudio() bool { return s.o.Service == nil && !s.o.FarmHost }

// openProject opens the folder in which Studio saves tests.
func (s *Server) openProject() (err error) {
	if s.hasStudio() && s.o.Project != "" {
		if s.project, err = os.OpenRoot(s.o.Project); err != nil {
			return fmt.Errorf("open the project: %w", err)
		}
	}
	return nil
}

// openStudio creates Studio.
func (s *Server) openStudio() (err error) {
	if !s.hasStudio() {
		return nil
	}
	o := studio.Options{Guess: s.countWrongKey}
	if s.o.Auth != nil {
		o.Identify = s.o.Auth.Identify
	}
	if s.project != nil {
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
	if s.o.Config.Reports != "" {
		o.Reports = studio.Recorded{Dir: s.o.Config.Reports, Try: s.o.Config.Replays().Try}
	}
	if s.studio, err = studio.New(o); err == nil {
		s.admission.Session = s.studio.Identify
	}
	return err
}

// closeProject closes the folder in which Studio saves tests.
func (s *Server) closeProject() error {
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
	if fail := rest.Count(r.Context(), s.o.Guesses, w.Header(), rest.Caller{Addr: s.admission.Client(r)},
		rest.Access{}); fail != nil {
		rest.WriteError(w, fail)
		return false
	}
	return true
}

// serveStudio serves a page of Studio. It rejects pages of other sites.
func (s *Server) serveStudio(w http.ResponseWriter, r *http.Request) {
	rest.SetLogRoute(r.Context(), "studio")
	c := rest.Caller{Addr: s.admission.Client(r)}
	if fail := s.admission.RejectForeignOrigin(r); fail != nil {
		rest.WriteError(w, fail)
		return
	}
	if !s.busy.Enter(c.RateKey(), s.o.MaxBusy) {
		rest.WriteError(w, rest.Limited("too many requests at once; wait for some to end", time.Second))
		return
	}
	defer s.busy.Leave(c.RateKey())
	s.studio.ServeHTTP(w, r)
}
