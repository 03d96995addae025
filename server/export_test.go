package server

import (
	"net"
	"net/http"

	"github.com/taproot-dev/taproot/server/internal/devices"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

// Types of responses, for tests.
type (
	LeaseGrant      = devices.LeaseGrant
	LeaseState      = devices.LeaseState
	ReservationInfo = devices.ReservationInfo
)

// HTTP returns the HTTP server.
func (s *Server) HTTP() *http.Server { return s.http() }

// Strict returns the listener of Serve.
func Strict(l net.Listener) net.Listener { return rest.StrictListener{Listener: l} }

// Kebab returns the spelling of an action in paths.
func Kebab(name string) string { return devices.Kebab(name) }
