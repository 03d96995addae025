package comment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const (
	attempts  = 5
	perTry    = 30 * time.Second
	firstWait = time.Second
	// mostWait is the longest pause that a server may require.
	mostWait  = 2 * time.Minute
	maxAnswer = 32 << 20
)

// client sends requests with a token, which no error shows.
type client struct {
	http   *http.Client
	token  string
	header map[string]string
	wait   time.Duration // before the second attempt, twice that before the third
	now    func() time.Time
}

func newClient(token string, header map[string]string) *client {
	// Follow no redirect: the token is for the configured server only.
	return &client{http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, token: token, header: header, wait: firstWait, now: time.Now}
}

// answer is a response with a status of success.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request, and repeats it when the server requires a pause, is overloaded, or was not reached. A request
// that may have arrived is repeated only if it can be: creating a comment twice leaves two.
func (c *client) do(ctx context.Context, method string, at *url.URL, body any) (*answer, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	wait := c.wait
	for try := 1; ; try++ {
		a, asked, err := c.once(ctx, method, at, data)
		if err == nil {
			return a, nil
		}
		var again *temporary
		if !errors.As(err, &again) || try == attempts || method == http.MethodPost && again.arrived {
			return nil, err
		}
		if asked > mostWait {
			return nil, c.wrong(fmt.Sprintf("%v; the server requires a pause of %s, longer than %s", err, asked, mostWait))
		}
		if !sleep(ctx, max(wait, asked)) {
			return nil, err
		}
		wait *= 2
	}
}

// temporary is an error that another attempt may fix.
type temporary struct {
	error
	arrived bool // the server may have done what was requested
}

func (c *client) once(ctx context.Context, method string, at *url.URL, data []byte) (*answer, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, perTry)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(data))
	if err != nil {
		return nil, 0, errors.New("the URL cannot be used")
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	if data != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "taproot")
	res, err := c.http.Do(req)
	if err != nil {
		var op *net.OpError
		return nil, 0, &temporary{c.wrong(at.Host + ": " + pack.NetworkReason(err)),
			!errors.As(err, &op) || op.Op != "dial"}
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, 0, &temporary{c.wrong(at.Host + ": the response was cut"), true}
	}
	if res.StatusCode/100 == 2 {
		return &answer{status: res.StatusCode, header: res.Header, body: body}, 0, nil
	}
	asked := c.askedToWait(res)
	err = c.refused(method, at, res, body)
	switch {
	case res.StatusCode == http.StatusTooManyRequests || asked > 0:
		return nil, asked, &temporary{err, false}
	case res.StatusCode >= 500:
		return nil, asked, &temporary{err, true}
	}
	return nil, 0, err
}

// askedToWait is the pause that the server requires: Retry-After in seconds or as a date, or the end of GitHub's limit.
func (c *client) askedToWait(res *http.Response) time.Duration {
	if after := res.Header.Get("Retry-After"); after != "" {
		if n, err := strconv.Atoi(after); err == nil {
			return time.Duration(max(n, 1)) * time.Second
		}
		if at, err := http.ParseTime(after); err == nil {
			return max(at.Sub(c.now()), time.Second)
		}
	}
	limited := res.StatusCode == http.StatusForbidden || res.StatusCode == http.StatusTooManyRequests
	if reset, err := strconv.ParseInt(res.Header.Get("X-RateLimit-Reset"), 10, 64); limited && err == nil &&
		res.Header.Get("X-RateLimit-Remaining") == "0" {
		return max(time.Unix(reset, 0).Sub(c.now()), time.Second)
	}
	return 0
}

// refused explains a response.
func (c *client) refused(method string, at *url.URL, res *http.Response, body []byte) error {
	var said struct {
		Message json.RawMessage `json:"message"`
		Error   json.RawMessage `json:"error"`
	}
	text := string(body)
	if json.Unmarshal(body, &said) == nil && len(said.Message)+len(said.Error) > 0 {
		text = strings.Trim(string(said.Message)+" "+string(said.Error), `" `)
	}
	hint := ""
	switch res.StatusCode {
	case http.StatusUnauthorized:
		hint = "; the token is not valid"
	case http.StatusForbidden:
		hint = "; the token may not write comments: on GitHub it needs the permission pull-requests: write, which jobs " +
			"of forks do not have, on GitLab the scope api"
	case http.StatusNotFound:
		hint = "; the request does not exist, or the token may not see it"
	}
	return c.wrong(fmt.Sprintf("%s %s: %s: %s%s", method, at.Host, res.Status, markdown.Visible(text, 200), hint))
}

// wrong is an error without the token.
func (c *client) wrong(text string) error {
	for _, secret := range []string{c.token, url.QueryEscape(c.token), url.PathEscape(c.token)} {
		text = strings.ReplaceAll(text, secret, "•••")
	}
	return errors.New(text)
}

var nextLink = lazyregexp.New(`<([^<>]+)>\s*;[^,]*\brel="?next"?`)

// next is the URL of the following page of a list; nil: there is none. A page on another server would get the token.
func (a *answer) next(of *url.URL) *url.URL {
	m := nextLink.FindStringSubmatch(strings.Join(a.header.Values("Link"), ", "))
	if m == nil {
		return nil
	}
	u, err := of.Parse(m[1])
	if err != nil || u.Host != of.Host || u.Scheme != of.Scheme {
		return nil
	}
	return u
}

// isGitLabBot reports whether a user of GitLab belongs to the access token of a project or a group.
func isGitLabBot(name string) bool {
	return (strings.HasPrefix(name, "project_") || strings.HasPrefix(name, "group_")) && strings.Contains(name, "_bot")
}

// sleep waits; false: the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
