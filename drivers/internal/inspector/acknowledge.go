package inspector

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// promptly is the time between two acknowledgements while a command waits, readily while a page may be stopped.
	promptly = 2 * time.Millisecond
	readily  = 8 * time.Millisecond
)

// Acknowledger makes WebKitGTK answer in 3 ms instead of 45 ms. The browser passes each message through a TCP
// connection within itself, and responds to a command twice: that the page has it, and what the page says. The system
// holds the second one back until the first is acknowledged, which takes the receiver 40 ms, unless it has something to
// send: then the acknowledgement goes with it. So messages are sent to a page that does not exist, to which nothing
// responds.
type Acknowledger struct {
	conn *websocket.Conn
	end  context.CancelFunc
	done chan struct{}

	mu       sync.Mutex
	waiting  int           // commands
	watching int           // pages that may be stopped
	wake     chan struct{} // has room for one
}

// NewAcknowledger connects to the WebSocket of a page that does not exist.
func NewAcknowledger(ctx context.Context, address string) (*Acknowledger, error) {
	conn, _, err := websocket.Dial(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	life = conn.CloseRead(life)
	a := &Acknowledger{conn: conn, end: end, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	go a.run(life)
	return a, nil
}

// Close ends it. It may be nil, as may be that of the other methods.
func (a *Acknowledger) Close() {
	if a == nil {
		return
	}
	a.end()
	<-a.done
}

// Await acknowledges promptly until the function that it returns is called.
func (a *Acknowledger) Await() (done func()) { return a.count(func(by int) { a.waiting += by }) }

// Watch acknowledges readily until the function that it returns is called.
func (a *Acknowledger) Watch() (done func()) { return a.count(func(by int) { a.watching += by }) }

func (a *Acknowledger) count(change func(by int)) (done func()) {
	if a == nil {
		return func() {}
	}
	add := func(by int) {
		a.mu.Lock()
		change(by)
		a.mu.Unlock()
		select {
		case a.wake <- struct{}{}:
		default:
		}
	}
	add(1)
	return sync.OnceFunc(func() { add(-1) })
}

// pause returns how long it is until the next acknowledgement, 0 while none is needed.
func (a *Acknowledger) pause() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.waiting > 0:
		return promptly
	case a.watching > 0:
		return readily
	}
	return 0
}

func (a *Acknowledger) run(life context.Context) {
	defer close(a.done)
	defer a.conn.CloseNow() //nolint:errcheck // it has ended
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		var next <-chan time.Time
		if pause := a.pause(); pause > 0 {
			timer.Reset(pause)
			next = timer.C
		}
		select {
		case <-life.Done():
			return
		case <-a.wake:
		case <-next:
			if a.conn.Write(life, websocket.MessageText, []byte("{}")) != nil {
				return // responses come later, as without it
			}
		}
	}
}
