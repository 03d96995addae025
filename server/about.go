package server

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/server/internal/apidocs"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// It is Markdown.
var apiDoc = strings.ReplaceAll(`Drives phones and browsers, and runs tests on them.

Every path is served at the root and under '/api'. With authentication on, every operation with a lock needs
'Authorization: Bearer <token or key>', or 'X-API-Key: <key>'; 'x-scope' names the scope that a token needs. Errors
always have the form '{"error": code, "message": text}'. An assertion that does not hold is a normal response: 200
'{"passed": false, …}'.`,
	"'", "`")

type about struct {
	Name    string `json:"name" example:"taproot"`
	Version string `json:"version"`
	Docs    string `json:"docs" doc:"Path of the documentation." example:"/docs"`
	OpenAPI string `json:"openapi" doc:"Path of the OpenAPI document." example:"/openapi.json"`
}

type health struct {
	Status string `json:"status" enum:"ok,ready"`
}

func (s *Server) about(w http.ResponseWriter, _ *http.Request) error {
	rest.WriteJSON(w, http.StatusOK, about{"taproot", s.o.Version, "/docs", "/openapi.json"})
	return nil
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) error {
	rest.WriteJSON(w, http.StatusOK, health{"ok"})
	return nil
}

// ready reports whether the server can write reports.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.closing.Load() {
		return rest.Fault(http.StatusServiceUnavailable, rest.CodeUnavailable, "the server is shutting down")
	}
	if err := writable(s.o.Config.Reports); err != nil {
		s.log.Warn("reports cannot be kept", "error", err)
		return rest.Fault(http.StatusServiceUnavailable, rest.CodeUnavailable, "reports cannot be kept; the log says why")
	}
	rest.WriteJSON(w, http.StatusOK, health{"ready"})
	return nil
}

func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".ready-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	if closed := f.Close(); err == nil {
		err = closed
	}
	if removed := os.Remove(filepath.Clean(f.Name())); err == nil {
		err = removed
	}
	return err
}

func (s *Server) openapi(w http.ResponseWriter, _ *http.Request) error {
	text, err := s.document()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(text)
	return err
}

// tryPage serves a page that sends requests. Its content security policy allows requests to this server only.
func (s *Server) tryPage(w http.ResponseWriter, _ *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; "+
			"media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, err := w.Write(apidocs.Try)
	return err
}

// docs renders the document as one page without scripts or files from other servers.
func (s *Server) docs(w http.ResponseWriter, _ *http.Request) error {
	text, err := s.document()
	if err != nil {
		return err
	}
	page, err := apidocs.Page(text)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	_, err = w.Write(page)
	return err
}
