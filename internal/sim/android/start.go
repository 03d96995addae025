package androidsim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
)

// Small is a phone with a screen that is cheap to look at.
var Small = Options{Width: 540, Height: 1200, Density: 210}

// Tiny is one that shows the same on half as many pixels, for tests in which no text is read in pixels.
var Tiny = Options{Width: 360, Height: 800, Density: 140}

// Start starts phones for a test, behind an adb server of the simulator's own, and ends all of it with the test. A
// phone without a serial is called SIM1, SIM2 and so on, by its place.
func Start(t testing.TB, options ...Options) (*Server, []*Phone) {
	t.Helper()
	var phones []*Phone
	home := ""
	for i, o := range options {
		var at net.Listener
		if o.Console {
			if home == "" {
				home = consoleHome(t)
			}
			at, o.Serial = consolePort(t)
		}
		if o.Serial == "" {
			o.Serial = fmt.Sprintf("SIM%d", i+1)
		}
		p := NewPhone(o)
		t.Cleanup(p.Close)
		if at != nil {
			p.daemon.serveConsole(at, home)
		}
		phones = append(phones, p)
	}
	server, err := NewServer(phones...)
	if err != nil {
		t.Fatal(err)
	}
	server.home = home
	t.Cleanup(server.Close)
	return server, phones
}

// NewServer serves the phones on a free loopback port; Close ends it, and not the phones.
func NewServer(phones ...*Phone) (*Server, error) {
	var daemons []*daemon
	for _, p := range phones {
		daemons = append(daemons, p.daemon)
	}
	return newServer(daemons...)
}

// Getenv is the environment for what is to use this server and no other.
func (s *Server) Getenv(name string) string {
	if name == "ADB_SERVER_SOCKET" {
		return "tcp:" + s.Addr()
	}
	if name == "HOME" {
		return s.home
	}
	return ""
}

// NoADB finds no adb, for tests that must not start it.
func NoADB(context.Context) (string, error) {
	return "", errors.New("this test must not start adb")
}
