package remote

import (
	"context"
	"encoding/json"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// The limits after which servers end a session without commands are 60 s (Appium) or more, unless the capabilities
// have another one.
const (
	idleMost    = 25 * time.Second
	idleLeast   = 100 * time.Millisecond
	idlePart    = 3 // of the limit
	aliveRepeat = 3 // looks at the session in each such time
)

// idleLimit is how long a session with these capabilities is left without a command.
func idleLimit(capabilities map[string]any) time.Duration {
	limit := idleMost
	for _, name := range []string{"appium:newCommandTimeout", "newCommandTimeout"} {
		text, err := json.Marshal(capabilities[name])
		var seconds float64
		if err == nil && json.Unmarshal(text, &seconds) == nil && seconds > 0 {
			limit = min(limit, time.Duration(seconds*float64(time.Second))/idlePart)
		}
	}
	return max(limit, idleLeast)
}

// keepAlive sends a command whenever the session had none for a while, until it ends.
func (e *Lease) keepAlive(limit time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	look := time.NewTicker(limit / aliveRepeat)
	defer look.Stop()
	for {
		select {
		case <-e.over:
			return
		case <-look.C:
		}
		if e.Idle() < limit {
			continue
		}
		done := make(chan error, 1)
		go func() { done <- e.KeepAlive(ctx) }()
		select {
		case <-e.over:
			cancel()
			<-done
			return
		case err := <-done:
			if webdriver.Is(err, webdriver.InvalidSession) {
				e.lost.Store(true)
				return
			}
		}
	}
}
