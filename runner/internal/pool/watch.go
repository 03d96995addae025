package pool

import (
	"slices"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// watch listens for the devices of a platform from the first time that a case has to wait for one: a phone that is
// attached then is leased at once. Changes that the driver does not report are found by polling.
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
		_ = w.Watch(p.life, func(infos []drivers.Info) { p.noticed(platform, infos) }) // the next listing returns the error
	})
}

// noticed takes a new list, and wakes the waiting cases.
func (p *Pool) noticed(platform dsl.Platform, infos []drivers.Info) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed[platform] = listing{infos: infos, at: time.Now()}
	close(p.wake)
	p.wake = make(chan struct{})
}
