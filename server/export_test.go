package server

import "net/http"

// HTTP is what reads requests from connections when the server serves.
func (s *Server) HTTP() *http.Server { return s.http() }
