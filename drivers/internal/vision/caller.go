package vision

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	// maxTries is how often one question is sent.
	maxTries = 4
	// maxReply bounds what an endpoint may send, in bytes.
	maxReply = 4 << 20
)

// zeroTemperature goes out as 0: the client leaves a plain zero out, and then the endpoint takes 1.
const zeroTemperature = math.SmallestNonzeroFloat32

// caller sends the requests of the client, and sends them again when the endpoint is too busy for them or broken, as
// late as it requires. Its errors hold no part of the request.
type caller struct {
	client   *http.Client
	endpoint *endpoint
}

// errFinal starts the errors of responses that would be the same at the next attempt.
var errFinal = errors.New("the endpoint's answer")

// Do sends a request.
func (c *caller) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	body = bytes.Replace(body, []byte(`"temperature":1e-45`), []byte(`"temperature":0`), 1)
	pause := backoff.ExponentialBackOff{InitialInterval: 500 * time.Millisecond, RandomizationFactor: 0.3, Multiplier: 2,
		MaxInterval: 8 * time.Second}
	pause.Reset()
	for try := 1; ; try++ {
		answer, err := c.once(r, body)
		if err == nil && !busy(answer) || try == maxTries || r.Context().Err() != nil || errors.Is(err, errFinal) {
			return answer, err
		}
		wait := pause.NextBackOff()
		if err == nil {
			if asked, ok := retryAfter(answer.Header, time.Now()); ok {
				wait = asked
			}
			if left, limited := r.Context().Deadline(); limited && time.Until(left) < wait {
				return nil, fmt.Errorf("the endpoint answered %s and wants to be asked again in %s, which is too late",
					answer.Status, wait.Round(time.Second))
			}
		}
		if err := drivers.Pause(r.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// once sends the request once and reads the answer whole.
func (c *caller) once(r *http.Request, body []byte) (*http.Response, error) {
	again := r.Clone(r.Context())
	again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	again.GetBody = nil
	c.endpoint.prepare(again)
	answer, err := c.client.Do(again)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxReply+1))
	if closed := answer.Body.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer broke off: %w", err)
	case len(data) > maxReply:
		return nil, fmt.Errorf("%w is too long", errFinal)
	}
	if data, err = normalize(answer, data); err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(data))
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		return nil, fmt.Errorf("%w is %s: OPENAI_BASE_URL must name the place itself", errFinal, answer.Status)
	}
	return answer, nil
}

// statusOverloaded is what Anthropic and its like answer when they are too busy.
const statusOverloaded = 529

// busy reports whether sending the request again makes sense. An account without money responds with 429 every time.
func busy(a *http.Response) bool {
	switch a.StatusCode {
	case http.StatusTooManyRequests:
		data, err := io.ReadAll(a.Body)
		a.Body = io.NopCloser(bytes.NewReader(data))
		return err == nil && !bytes.Contains(data, []byte("insufficient_quota"))
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded:
		return true
	}
	return a.StatusCode >= 520 && a.StatusCode <= 524 // Cloudflare could not reach the endpoint
}

// retryAfter reads how long the endpoint wants to be left alone: seconds, a date, or milliseconds.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond)), true
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 && s < 1e9 {
		return time.Duration(s * float64(time.Second)), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}
