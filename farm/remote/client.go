package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/runner/pool"
)

// request is one to the hub.
type request struct {
	method, path string
	query        url.Values
	body         any      // sent as JSON
	file         *os.File // sent as it is
	size         int64
	into         any                   // of the answer
	take         func(io.Reader) error // takes the answer instead
}

// Said is what the hub answers that is no success.
type Said struct {
	Code    int
	Message string
}

func (s *Said) Error() string { return s.Message }

// final is an error that no second try mends.
type final struct{ error }

func (f *final) Unwrap() error { return f.error }

// call asks the hub until it answers: one that is away for a while is waited for.
func (f *Farm) call(ctx context.Context, r request) error {
	began, wait := time.Now(), 100*time.Millisecond
	for {
		err := f.once(ctx, r)
		var said *Said
		var end *final
		switch {
		case err == nil || ctx.Err() != nil || errors.As(err, &end):
			return err
		case errors.As(err, &said) && said.Code < 500 && said.Code != http.StatusTooManyRequests:
			return err
		case f.id == "" && time.Since(began) > firstPatience:
			return err // nothing has begun: who waits should know
		case time.Since(began) > patience:
			return err
		}
		if err := pool.Sleep(ctx, wait, nil); err != nil {
			return err
		}
		wait = min(2*wait, 2*time.Second)
	}
}

const (
	firstPatience = 10 * time.Second
	patience      = 10 * time.Minute
	// silence is how long nothing may come from a hub: of a run's news it says at least every 5 s that it lives, and its database has 10 s for an answer.
	silence = 20 * time.Second
	// checked is how long a hub may look at an archive that it got.
	checked = 5 * time.Minute
)

// heard tells whenever something was read.
type heard struct {
	io.Reader
	tell func()
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.tell()
	return n, err
}

func (f *Farm) once(ctx context.Context, r request) error {
	u := f.base.JoinPath("api", "farm", r.path)
	u.RawQuery = r.query.Encode()
	var body io.Reader
	switch {
	case r.file != nil:
		body = io.NewSectionReader(r.file, 0, r.size)
	case r.body != nil:
		text, err := json.Marshal(r.body)
		if err != nil {
			return &final{err}
		}
		body = bytes.NewReader(text)
	}
	limit := silence
	if r.file != nil {
		limit = checked
	}
	// A hub that is stopped, or a network that is cut, says nothing at all: then the next try may reach another one.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	alarm := time.AfterFunc(limit, cancel)
	defer alarm.Stop()
	if r.file != nil {
		body = &heard{body, func() { alarm.Reset(limit) }}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, u.String(), body)
	if err != nil {
		return &final{err}
	}
	if f.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+f.o.Key)
	}
	if r.file != nil {
		req.ContentLength = r.size
		req.Header.Set("Content-Type", "application/gzip")
	} else if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	answer, err := f.o.Client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close() // its errors came while it was read
	alarm.Reset(silence)
	answer.Body = struct {
		io.Reader
		io.Closer
	}{&heard{answer.Body, func() { alarm.Reset(silence) }}, answer.Body}
	if answer.StatusCode >= 300 {
		return f.said(answer)
	}
	switch {
	case r.take != nil:
		return r.take(answer.Body)
	case r.into != nil:
		return json.NewDecoder(io.LimitReader(answer.Body, 8<<20)).Decode(r.into)
	}
	return nil
}

// said reads what the hub answers that is no success.
func (f *Farm) said(answer *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // what came of it
	var words struct{ Error, Message string }
	_ = json.Unmarshal(text, &words) // then it has none
	message := strings.TrimSpace(words.Message)
	if message == "" {
		message = fmt.Sprintf("it answered %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	}
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		message += " (check TAPROOT_API_KEY)"
	}
	if f.o.Key != "" {
		message = strings.ReplaceAll(message, f.o.Key, "***")
	}
	return &Said{answer.StatusCode, message}
}
