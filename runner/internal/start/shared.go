package start

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Running is servers that run for one user of them. Stop ends its use, and with the last use the servers.
type Running interface {
	Values() map[string]map[string]any
	Died() []string
	Stop()
}

var (
	_ Running = (*Group)(nil)
	_ Running = (*use)(nil)
)

// Shared lets runs of one process that overlap use the same servers. The zero value is ready. Safe for concurrent use.
type Shared struct {
	mu     sync.Mutex
	groups map[string]*shared
}

// shared is one group with its users.
type shared struct {
	mu    sync.Mutex
	group *Group // nil: it does not run
	users int
}

// use is one user's use of a shared group.
type use struct {
	*Group
	of   *shared
	once sync.Once
}

// Start returns the running servers, or starts them. The logs are in the folder of the user that started them.
func (s *Shared) Start(ctx context.Context, servers []plan.Server, o Options) (Running, error) {
	one := s.of(servers)
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.group == nil || one.users == 0 || len(one.group.Died()) > 0 {
		one.group.Stop()
		group, err := Start(ctx, servers, o)
		if err != nil {
			one.group = nil
			return nil, err
		}
		one.group = group
	}
	one.users++
	return &use{Group: one.group, of: one}, nil
}

// of returns the group of servers that are the same in all respects.
func (s *Shared) of(servers []plan.Server) *shared {
	list := slices.Clone(servers)
	for i := range list {
		if list[i].Output != nil {
			list[i].Run = append(slices.Clone(list[i].Run), "output", list[i].Output.String())
			list[i].Output = nil
		}
	}
	key, err := json.Marshal(list)
	if err != nil {
		key = nil // cannot be: it is texts and numbers
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.groups == nil {
		s.groups = map[string]*shared{}
	}
	if s.groups[string(key)] == nil {
		s.groups[string(key)] = &shared{}
	}
	return s.groups[string(key)]
}

// Stop ends the use, and with the last one the servers.
func (u *use) Stop() {
	u.once.Do(func() {
		u.of.mu.Lock()
		defer u.of.mu.Unlock()
		if u.of.users--; u.of.users == 0 || u.of.group != u.Group {
			u.Group.Stop()
		}
		if u.of.users == 0 {
			u.of.group = nil
		}
	})
}
