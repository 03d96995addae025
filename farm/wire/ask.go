package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Link is a connection with NATS, for packages that know nothing else of it.
type Link = nats.Conn

// answer is what Serve sends back.
type answer struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
	Proof []byte          `json:"proof,omitempty"` // of a ProvenError
}

// RefusedError is what the other side said to a question, in its own words.
type RefusedError struct {
	Message string
	Proof   []byte // of a ProvenError
}

func (e *RefusedError) Error() string { return e.Message }

// Tell publishes a value as JSON. That it was sent is no word that somebody got it.
func Tell(nc *nats.Conn, subject string, value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = nc.Publish(subject, text)
	}
	if err != nil {
		return fmt.Errorf("wire: tell %s: %w", subject, err)
	}
	return nil
}

// Ask publishes a value as JSON and waits for the answer of the one who serves the subject: ErrNoHost when nobody does,
// a RefusedError when it says no.
func Ask(ctx context.Context, nc *nats.Conn, subject string, value, into any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("wire: ask %s: %w", subject, err)
	}
	m, err := nc.RequestWithContext(ctx, subject, text)
	if errors.Is(err, nats.ErrNoResponders) {
		return ErrNoHost
	}
	if err != nil {
		return fmt.Errorf("wire: ask %s: %w", subject, err)
	}
	var got answer
	if err := json.Unmarshal(m.Data, &got); err != nil {
		return fmt.Errorf("wire: the answer to %s: %w", subject, err)
	}
	if got.Error != "" {
		return &RefusedError{got.Error, got.Proof}
	}
	if into == nil || len(got.Value) == 0 {
		return nil
	}
	if err := json.Unmarshal(got.Value, into); err != nil {
		return fmt.Errorf("wire: the answer to %s: %w", subject, err)
	}
	return nil
}

// Serve calls do for each message of a subject, one after the other, and answers who asked. The subject may have
// wildcards; of several who serve with the same group each message goes to one; "": to all. stop ends it.
func Serve(nc *nats.Conn, subject, group string, do func(subject string, body []byte) (any, error)) (stop func(),
	err error) {
	sub, err := nc.QueueSubscribe(subject, group, func(m *nats.Msg) {
		value, err := do(m.Subject, m.Data)
		_ = respond(m, value, err) // who asked asks again
	})
	if err != nil {
		return nil, fmt.Errorf("wire: serve %s: %w", subject, err)
	}
	settle(nc)
	return func() { _ = sub.Unsubscribe(); settle(nc) }, nil
}

// EachLoss calls do whenever the connection is lost, until ctx ends. Who was asked may have been lost with it, and the
// answer then never comes.
func EachLoss(ctx context.Context, nc *nats.Conn, do func()) {
	changes := nc.StatusChanged(nats.RECONNECTING)
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-changes:
			if !open {
				return
			}
			do()
		}
	}
}

// settle waits until the server knows what is subscribed to, if it is there; else it learns of it when it is there
// again.
func settle(nc *nats.Conn) {
	if nc.IsConnected() {
		_ = nc.FlushTimeout(5 * time.Second)
	}
}

// respond answers a question with a value, or with why there is none.
func respond(m *nats.Msg, value any, err error) error {
	if m.Reply == "" {
		return errors.New("wire: nobody waits for an answer")
	}
	var said answer
	if err == nil && value != nil {
		said.Value, err = json.Marshal(value)
	}
	if err != nil {
		said = answer{Error: err.Error()}
		var proven *ProvenError
		if errors.As(err, &proven) {
			said.Proof = proven.Proof
		}
	}
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	if err = m.Respond(text); !errors.Is(err, nats.ErrMaxPayload) {
		return err
	}
	if text, err = json.Marshal(answer{Error: fmt.Sprintf("the answer has %d bytes, more than a message may have",
		len(text))}); err != nil {
		return err
	}
	return m.Respond(text)
}
