package server

import (
	"net"
	"net/http"
)

// HTTP returns the HTTP server.
func (s *Server) HTTP() *http.Server { return s.http() }

// Strict returns the listener of Serve.
func Strict(l net.Listener) net.Listener { return strictListener{l} }

// Kebab returns the spelling of an action in paths.
func Kebab(name string) string { return kebab(name) }
