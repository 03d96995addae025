package run

import (
	"context"
	"maps"
	"slices"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/ios"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// Names lists the remotes of this folder; none where its settings cannot be read.
func (s Sessions) Names() (names []string) {
	found, err := plan.Remotes(s.config.planning())
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(found))
}

// Remote is a remote of the taproot.yaml that applies to the tests, for Config.Remote. Nothing is requested from it.
func (s Sessions) Remote(name string, args ...string) (*dsl.RemoteServer, error) {
	o := s.config.planning()
	o.Args = args
	r, err := plan.FindRemote(o, name)
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// Sessions are those at remotes.
type Sessions struct{ config Config }

// Sessions are those of all processes of this machine.
func (c Config) Sessions() Sessions { return Sessions{c} }

// folder is where the records of sessions are kept.
func (s Sessions) folder() string {
	getenv := s.config.getenv()
	return filetree.StateDir(getenv, pool.LeaseDir(getenv), "sessions")
}

// EndLeft ends the sessions that killed processes have left, and returns how they are called.
func (s Sessions) EndLeft(ctx context.Context) ([]string, error) {
	return web.EndSessions(ctx, s.folder(), func() (list []dsl.RemoteServer) {
		o := s.config.planning()
		found, err := plan.Remotes(o)
		if err != nil {
			return nil // the sessions are tried without a key
		}
		for name := range found {
			if r, err := plan.FindRemote(o, name); err == nil {
				list = append(list, r)
			}
		}
		return list
	})
}

// Check opens a session at the remote, reads in it, and ends it.
func (s Sessions) Check(ctx context.Context) ([]web.RemoteCall, string) {
	d, err := s.driver()
	return web.CheckRemote(ctx, d, err)
}

func (s Sessions) driver() (drivers.Driver, error) {
	switch s.config.Remote.Platform {
	case dsl.Android:
		return android.NewRemote(*s.config.Remote, s.folder())
	case dsl.IOS:
		return ios.NewRemote(*s.config.Remote, s.folder())
	}
	return web.NewRemote(s.config.web(), *s.config.Remote, s.folder())
}

// drivers is that of the remote.
func (s Sessions) drivers() []drivers.Driver {
	d, err := s.driver()
	if err != nil {
		return nil // its URL has been checked
	}
	return []drivers.Driver{d}
}
