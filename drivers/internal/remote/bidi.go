package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// webSocketURL is the capability by which a session is requested that reports events.
const webSocketURL = "webSocketUrl"

// refusalLimit is how soon a server refuses a capability that it does not know: one that has opened no session later
// than that has another reason.
const refusalLimit = 30 * time.Second

// bidiOffer is whether the sessions of a server are requested with BiDi.
type bidiOffer struct{ refused atomic.Bool }

// newSession opens a session: of a browser with BiDi, unless the capabilities or the server refuse it.
func (l *Sessions) newSession(ctx context.Context, capabilities map[string]any) (*webdriver.Session, error) {
	wants, said := capabilities[webSocketURL]
	if l.server.Native || said && wants != false {
		return l.client.NewSession(ctx, capabilities, OpenLimit)
	}
	capabilities = maps.Clone(capabilities)
	delete(capabilities, webSocketURL) // false is the same as nothing, which all servers know
	if said || l.bidi.refused.Load() {
		return l.client.NewSession(ctx, capabilities, OpenLimit)
	}
	asked := map[string]any{webSocketURL: true}
	maps.Copy(asked, capabilities)
	began := time.Now()
	session, err := l.client.NewSession(ctx, asked, OpenLimit)
	var lost *webdriver.LostError
	if errors.As(err, &lost) && lost.Status == http.StatusInternalServerError { // one may be open
		return nil, fmt.Errorf("%w: if it is a Grid of Selenium 3, add webSocketUrl: false to the capabilities", err)
	}
	var answered *webdriver.Error
	if !errors.As(err, &answered) || answered.Code == webdriver.Refused || time.Since(began) > refusalLimit {
		return session, err
	}
	session, plain := l.client.NewSession(ctx, capabilities, OpenLimit)
	if plain != nil {
		return nil, plain
	}
	l.bidi.refused.Store(true)
	return session, nil
}

// connect connects to the events of a new session, where the server offers them and they can be reached.
func (e *Lease) connect(ctx context.Context) {
	if e.sessions.server.Native {
		return
	}
	b, err := webdriver.ConnectBiDi(ctx, e.Session)
	switch {
	case err != nil:
		e.WithoutBiDi = "the URL that the server offers for it cannot be reached: " + err.Error()
	case b == nil:
		e.WithoutBiDi = "the server offers none (webSocketUrl)"
	}
	e.BiDi = b
}
