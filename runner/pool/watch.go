package pool

import (
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// watch listens for the devices of a platform from the first time on that a case has to wait for one: a phone that is
// plugged in then is taken at once. What the driver cannot tell of is found by asking.
func (p *Pool) watch(platform dsl.Platform) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watching[platform] || p.life.Err() != nil {
		return
	}
	p.watching[platform] = true
	i := slices.IndexFunc(p.drivers, func(d drivers.Driver) bool { return d.Platform() == platform })
	if i < 0 {
		return
	}
	w, ok := p.drivers[i].(drivers.Watcher)
	if !ok {
		return
	}
	p.watchers.Go(func() {
		_ = w.Watch(p.life, func(infos []drivers.Info) { p.noticed(platform, infos) }) // who asks is told what is wrong
	})
}

// noticed takes a new list, and wakes those who wait.
func (p *Pool) noticed(platform dsl.Platform, infos []drivers.Info) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed[platform] = listing{infos: infos, at: time.Now()}
	close(p.wake)
	p.wake = make(chan struct{})
}
