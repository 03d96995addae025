package server

import (
	"net"
	"net/http"
)

// HTTP is what reads requests from connections when the server serves.
func (s *Server) HTTP() *http.Server { return s.http() }

// Strict is the listener of Serve.
func Strict(l net.Listener) net.Listener { return strictListener{l} }

// Kebab spells an action as paths do.
func Kebab(name string) string { return kebab(name) }
