package pool

import (
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

// watch listens for the devices of a platform from the first time that a case has to wait for one: a phone that is
// attached then is leased at once. Changes that the driver does not report are found by polling.
func (p *Pool) watch(platform dsl.Platform) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life.Err() != nil {
		return
	}
	for _, i := range placesOf(p.drivers, platform) {
		w, ok := p.drivers[i].(drivers.Watcher)
		if p.watching[i] || !ok {
			continue
		}
		p.watching[i] = true
		p.watchers.Go(func() {
			_ = w.Watch(p.life, func(infos []drivers.Info) { p.noticed(i, infos) }) // the next listing returns the error
		})
	}
}

// noticed takes a new list, and wakes the waiting cases.
func (p *Pool) noticed(driver int, infos []drivers.Info) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed[driver] = listing{infos: infos, at: time.Now()}
	close(p.wake)
	p.wake = make(chan struct{})
}
