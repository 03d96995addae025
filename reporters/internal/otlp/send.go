package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const (
	spansAtOnce = 1000 // of one request
	maxAttempts = 4
	maxAnswer   = 64 << 10
)

// Send sends a run, unless no case of it ever started. The error says which part did not arrive, without keys or the
// URL.
func (t *Target) Send(ctx context.Context, run *history.Run) error {
	if run.Started.IsZero() {
		return nil
	}
	all := spans(run, t.Parent)
	sent := 0
	for part := range slices.Chunk(all, spansAtOnce) {
		if err := t.send(ctx, part); err != nil {
			return fmt.Errorf("OpenTelemetry got %d of %d spans: %w", sent, len(all), err)
		}
		sent += len(part)
	}
	return nil
}

type request struct {
	Resources []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource struct {
		Attributes []Attribute `json:"attributes"`
	} `json:"resource"`
	Scopes []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope struct {
		Name string `json:"name"`
	} `json:"scope"`
	Spans []span `json:"spans"`
}

func (t *Target) send(ctx context.Context, list []span) error {
	of, own := resourceSpans{}, scopeSpans{Spans: list}
	own.Scope.Name = "taproot"
	of.Resource.Attributes = append([]Attribute{text("service.name", t.Service)}, t.Resource...)
	of.Scopes = []scopeSpans{own}
	body, err := json.Marshal(request{[]resourceSpans{of}})
	if err != nil {
		return err
	}
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = t.pause
	_, err = backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, t.once(ctx, body) },
		backoff.WithBackOff(pause), backoff.WithMaxTries(maxAttempts), backoff.WithMaxElapsedTime(time.Minute))
	var after *backoff.RetryAfterError
	if errors.As(err, &after) {
		err = fmt.Errorf("the collector requests a retry in %s", after.Duration)
	}
	return err
}

// once sends a request. Errors that another attempt cannot fix are permanent. Spans that arrive twice have the same
// ids.
func (t *Target) once(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(body))
	if err != nil {
		return backoff.Permanent(errors.New("the URL cannot be used"))
	}
	for name, value := range t.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	// Follow no redirect: the key is sent to the configured collector only.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return errors.New(pack.NetworkReason(err))
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return backoff.Permanent(errors.New("the response was cut"))
	}
	return judge(res, answer)
}

func judge(res *http.Response, answer []byte) error {
	switch {
	case res.StatusCode/100 == 2:
		var said struct {
			Partial struct {
				Rejected json.RawMessage `json:"rejectedSpans"`
				Message  string          `json:"errorMessage"`
			} `json:"partialSuccess"`
		}
		if json.Unmarshal(answer, &said) != nil {
			return nil // accepted, with a response in another format
		}
		if n := string(bytes.Trim(said.Partial.Rejected, `"`)); n != "" && n != "0" && n != "null" {
			return backoff.Permanent(fmt.Errorf("the collector refused %s spans: %s", markdown.Visible(n, 20),
				markdown.Visible(said.Partial.Message, 200)))
		}
		return nil
	case slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout}, res.StatusCode):
		if n, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && n >= 0 && n <= 30 {
			return backoff.RetryAfter(n)
		}
		return fmt.Errorf("the collector responded with %s", res.Status)
	}
	return backoff.Permanent(fmt.Errorf("the collector responded with %s: %s", res.Status,
		markdown.Visible(string(answer), 200)))
}
