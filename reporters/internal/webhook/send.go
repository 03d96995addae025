package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// Options of Send; the zero value works.
type Options struct {
	Client  *http.Client     // default: one of its own
	Now     func() time.Time // default: time.Now
	Wait    time.Duration    // before the second attempt, twice that before the third; default: 1 s
	Timeout time.Duration    // for all chats together; default: 30 s
}

// Sent is the result of one message. It contains neither URL nor secret.
type Sent struct {
	Product  Product   `json:"product"`
	From     string    `json:"from"` // the environment variable
	OK       bool      `json:"ok"`
	Attempts int       `json:"attempts"`
	Status   int       `json:"status,omitempty"` // of the last response
	Why      string    `json:"why,omitempty"`    // why it was not accepted
	At       time.Time `json:"at"`
}

const (
	maxAttempts = 3
	perTry      = 10 * time.Second
	maxAnswer   = 64 << 10
	maxWhy      = 300
)

// Send sends to all chats at once, and returns the results in the order of the targets. It repeats only messages that
// the product refused temporarily.
func Send(ctx context.Context, targets []Target, d Digest, o Options) []Sent {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == 0 {
		o.Wait = time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	client := http.Client{}
	if o.Client != nil {
		client = *o.Client
	}
	// Follow no redirect: a URL with a token in it must not be sent to another host.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.Client = &client
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	sent := make([]Sent, len(targets))
	var all sync.WaitGroup
	for i, t := range targets {
		all.Go(func() { sent[i] = t.send(ctx, d, o) })
	}
	all.Wait()
	return sent
}

func (t Target) send(ctx context.Context, d Digest, o Options) Sent {
	s := Sent{Product: t.Product, From: t.From, At: o.Now().UTC()}
	wait := o.Wait
	for {
		s.Attempts++
		res, status := t.once(ctx, d, o)
		s.OK, s.Why, s.Status = res.ok, markdown.Visible(t.hide(res.why), maxWhy), status
		if s.OK || !res.again || s.Attempts == maxAttempts {
			return s
		}
		pause := max(wait, res.wait)
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= pause {
			s.Why += fmt.Sprintf("; it would take another %s", pause)
			return s
		}
		if !pauseFor(ctx, pause) {
			return s
		}
		wait *= 2
	}
}

// pauseFor waits; false: the context ended first.
func pauseFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t Target) once(ctx context.Context, d Digest, o Options) (outcome, int) {
	ctx, cancel := context.WithTimeout(ctx, perTry)
	defer cancel()
	req, err := t.request(ctx, d, o.Now())
	if err != nil {
		return outcome{why: err.Error()}, 0
	}
	res, err := o.Client.Do(req)
	if err != nil {
		// Retry only if there was no connection: otherwise the message may have arrived.
		var op *net.OpError
		return outcome{why: pack.NetworkReason(err), again: errors.As(err, &op) && op.Op == "dial"}, 0
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return outcome{why: "the response was cut"}, res.StatusCode
	}
	return adapters(t.Product).judge(answer{status: res.StatusCode, header: res.Header, body: body}), res.StatusCode
}

// request makes a new message for each attempt: signatures expire.
func (t Target) request(ctx context.Context, d Digest, now time.Time) (*http.Request, error) {
	a := adapters(t.Product)
	body, err := encode(a.body(d, t.secret, now))
	if err != nil {
		return nil, fmt.Errorf("encode the message: %w", err)
	}
	u := *t.url
	if a.query != nil {
		q := u.Query()
		for name, values := range a.query(t.secret, now) {
			q[name] = values
		}
		u.RawQuery = q.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the URL cannot be used")
	}
	if a.header != nil {
		for name, values := range a.header(t.secret, body) {
			req.Header[name] = values
		}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "taproot")
	return req, nil
}

// Preview returns the message that Send would send to a chat, without a signature.
func Preview(p Product, d Digest, now time.Time) ([]byte, error) {
	a := adapters(p)
	if a == nil {
		return nil, fmt.Errorf("no chat product is called %q", p)
	}
	return encode(a.body(d, "", now))
}
