package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Link is a connection to NATS, for packages that do not import NATS themselves.
type Link = nats.Conn

// answer is the response that Serve sends.
type answer struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
	Proof []byte          `json:"proof,omitempty"` // of a ProvenError
}

// RefusedError is the error that the other side responded with. Its message is unchanged.
type RefusedError struct {
	Message string
	Proof   []byte // of a ProvenError
}

func (e *RefusedError) Error() string { return e.Message }

// Publish publishes a value as JSON. It does not wait for a subscriber, so success does not mean that one received it.
func Publish(nc *nats.Conn, subject string, value any) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = nc.Publish(subject, text)
	}
	if err != nil {
		return fmt.Errorf("wire: publish to %s: %w", subject, err)
	}
	return nil
}

// Ask publishes a value as JSON and waits for the response of the process that serves the subject. It returns ErrNoHost
// when no process serves it, and a RefusedError when the other side responds with an error.
func Ask(ctx context.Context, nc *nats.Conn, subject string, value, into any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("wire: request to %s: %w", subject, err)
	}
	m, err := nc.RequestWithContext(ctx, subject, text)
	if errors.Is(err, nats.ErrNoResponders) {
		return ErrNoHost
	}
	if err != nil {
		return fmt.Errorf("wire: request to %s: %w", subject, err)
	}
	var got answer
	if err := json.Unmarshal(m.Data, &got); err != nil {
		return fmt.Errorf("wire: response to %s: %w", subject, err)
	}
	if got.Error != "" {
		return &RefusedError{got.Error, got.Proof}
	}
	if into == nil || len(got.Value) == 0 {
		return nil
	}
	if err := json.Unmarshal(got.Value, into); err != nil {
		return fmt.Errorf("wire: response to %s: %w", subject, err)
	}
	return nil
}

// Serve calls do for each message of a subject, one after the other, and sends its result to the requester. The subject
// may contain wildcards. Each message goes to one of the subscribers of a group; without a group ("") it goes to all of
// them. stop ends the subscription.
func Serve(nc *nats.Conn, subject, group string, do func(subject string, body []byte) (any, error)) (stop func(),
	err error) {
	sub, err := nc.QueueSubscribe(subject, group, func(m *nats.Msg) {
		value, err := do(m.Subject, m.Data)
		_ = respond(m, value, err) // the requester repeats a request without a response
	})
	if err != nil {
		return nil, fmt.Errorf("wire: serve %s: %w", subject, err)
	}
	settle(nc)
	return func() { _ = sub.Unsubscribe(); settle(nc) }, nil
}

// EachLoss calls do whenever the connection is lost, until ctx ends. A response that was pending may never arrive then,
// because the process that was to send it may be unreachable too.
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

// settle waits until the server has processed the subscriptions. Without a connection it returns at once: the server
// receives them when the connection is back.
func settle(nc *nats.Conn) {
	if nc.IsConnected() {
		_ = nc.FlushTimeout(5 * time.Second)
	}
}

// respond sends the result of a request: a value or an error.
func respond(m *nats.Msg, value any, err error) error {
	if m.Reply == "" {
		return errors.New("wire: the message has no reply subject")
	}
	var out answer
	if err == nil && value != nil {
		out.Value, err = json.Marshal(value)
	}
	if err != nil {
		out = answer{Error: err.Error()}
		var proven *ProvenError
		if errors.As(err, &proven) {
			out.Proof = proven.Proof
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	if err = m.Respond(text); !errors.Is(err, nats.ErrMaxPayload) {
		return err
	}
	if text, err = json.Marshal(answer{Error: fmt.Sprintf("the response has %d bytes, more than a message may have",
		len(text))}); err != nil {
		return err
	}
	return m.Respond(text)
}
