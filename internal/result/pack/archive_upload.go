package pack

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/taproot-dev/taproot/internal/result/markdown"
)

// UploadOptions say what to upload and where to.
type UploadOptions struct {
	URL      string                  // base URL of the service: https://reports.example.com
	Key      string                  // API key; never printed
	Pack     string                  // directory of the pack
	Progress func(sent, total int64) // bytes of this attempt; may be nil
	Client   *http.Client            // default: one of its own
	Attempts uint                    // default: 5
	Wait     time.Duration           // before the second attempt, longer before each further one; default: 1 s
	Spool    string                  // folder for the archive while it is sent; default: that of the system
}

// Uploaded is a pack that the service has.
type Uploaded struct {
	Pack     string `json:"pack"`   // its folder
	SHA256   string `json:"sha256"` // of the archive
	Host     string `json:"host"`
	Bytes    int64  `json:"bytes"`
	Attempts int    `json:"attempts"`
}

const (
	maxAnswer  = 64 << 10
	longestTry = 30 * time.Minute
	maxWait    = 5 * time.Minute // that a service may ask for
)

// Upload sends the archive of a pack to {URL}/api/reports/upload. An archive of the same pack is the same bytes, and
// its hash is sent as Idempotency-Key: a repeated upload stores nothing twice.
func Upload(ctx context.Context, o UploadOptions) (*Uploaded, error) {
	name := filepath.Base(o.Pack)
	u := &uploader{o: o, name: name}
	done, err := u.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("upload %s: %w", name, err)
	}
	return done, nil
}

// UploadHost is the host of a base URL, as in Uploaded.
func UploadHost(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Host
}

type uploader struct {
	o      UploadOptions
	name   string
	target *url.URL
	file   *os.File
	size   int64
	hash   string
	tries  int
}

func (u *uploader) run(ctx context.Context) (done *Uploaded, err error) {
	if err := u.settle(); err != nil {
		return nil, err
	}
	u.file, err = os.CreateTemp(u.o.Spool, "taproot-*.tar.gz")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, u.file.Close(), os.Remove(u.file.Name())) }()
	h := sha256.New()
	if err := Archive(u.o.Pack, io.MultiWriter(u.file, h)); err != nil {
		return nil, err
	}
	if u.size, err = u.file.Seek(0, io.SeekCurrent); err != nil {
		return nil, err
	}
	u.hash = hex.EncodeToString(h.Sum(nil))
	if err := u.retry(ctx); err != nil {
		return nil, err
	}
	return &Uploaded{Pack: u.name, SHA256: u.hash, Host: u.target.Host, Bytes: u.size, Attempts: u.tries}, nil
}

func (u *uploader) settle() error {
	base, err := url.Parse(u.o.URL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return errors.New("the URL of the service is invalid: write TAPROOT_URL=https://host")
	}
	if u.o.Key == "" {
		return errors.New("there is no API key: set TAPROOT_API_KEY")
	}
	if strings.ContainsFunc(u.o.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the API key contains characters that are not allowed: check TAPROOT_API_KEY")
	}
	u.target = base.JoinPath("api", "reports", "upload")
	u.target.User, u.target.Fragment, u.target.RawQuery = nil, "", ""
	if u.o.Attempts == 0 {
		u.o.Attempts = 5
	}
	if u.o.Wait == 0 {
		u.o.Wait = time.Second
	}
	client := http.Client{Timeout: longestTry}
	if u.o.Client != nil {
		client = *u.o.Client
	}
	// Follow no redirect: the key is sent to the configured service only.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	u.o.Client = &client
	return nil
}

func (u *uploader) retry(ctx context.Context) error {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval = u.o.Wait
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		u.tries++
		return struct{}{}, u.once(ctx)
	}, backoff.WithBackOff(wait), backoff.WithMaxTries(u.o.Attempts), backoff.WithMaxElapsedTime(2*longestTry))
	var after *backoff.RetryAfterError
	if errors.As(err, &after) {
		return fmt.Errorf("the service requests a wait of %s; try again later", after.Duration)
	}
	return err
}

// once sends the archive once. A permanent error is not tried again.
func (u *uploader) once(ctx context.Context) error {
	head, tail, kind, err := frame(u.name + ".tar.gz")
	if err != nil {
		return backoff.Permanent(err)
	}
	body := io.MultiReader(bytes.NewReader(head), &counted{r: io.NewSectionReader(u.file, 0, u.size), total: u.size,
		report: u.o.Progress}, bytes.NewReader(tail))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.target.String(), body)
	if err != nil {
		return backoff.Permanent(errors.New("the URL of the service is invalid"))
	}
	req.ContentLength = int64(len(head)) + u.size + int64(len(tail))
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Authorization", "Bearer "+u.o.Key)
	req.Header.Set("Idempotency-Key", u.hash)
	answer, err := u.o.Client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return backoff.Permanent(ctx.Err())
		}
		return errors.New(NetworkReason(err))
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err = errors.Join(err, answer.Body.Close()); err != nil && answer.StatusCode < 300 {
		return errors.New("the response of the service was cut")
	}
	return u.judge(answer, text)
}

func (u *uploader) judge(answer *http.Response, text []byte) error {
	code := answer.StatusCode
	if code >= 200 && code < 300 {
		return kept(code, text)
	}
	err := fmt.Errorf("the service responded with %d: %s", code, u.message(text, code))
	switch {
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		if n, bad := strconv.Atoi(answer.Header.Get("Retry-After")); bad == nil && n > 0 {
			if time.Duration(n)*time.Second > maxWait {
				return backoff.Permanent(err)
			}
			return backoff.RetryAfter(n)
		}
		return err
	case code >= 500:
		return err
	}
	return backoff.Permanent(err)
}

// kept checks that the service itself confirms the upload: proxies and log-in pages respond with 200, too, but keep
// nothing.
func kept(code int, text []byte) error {
	var answer struct{ Run, Pack string }
	if json.Unmarshal(text, &answer) == nil && answer.Run != "" && answer.Pack != "" {
		return nil
	}
	err := fmt.Errorf(
		"the service responded with %d, but did not confirm the upload: is TAPROOT_URL the URL of the service?", code)
	if len(bytes.TrimSpace(text)) == 0 { // the upload stalled on its way; a repeated one is harmless
		return err
	}
	return backoff.Permanent(err)
}

// message is the service's message, without what must not be printed.
func (u *uploader) message(text []byte, code int) string {
	var answer struct{ Error, Message string }
	words := ""
	if json.Unmarshal(text, &answer) == nil {
		words = strings.TrimSpace(answer.Error + " " + answer.Message)
	}
	if words == "" {
		words = http.StatusText(code)
	}
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden:
		words += " (check TAPROOT_API_KEY)"
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		words += " (it redirects; set TAPROOT_URL to the final URL)"
	}
	return markdown.Printable(strings.ReplaceAll(words, u.o.Key, "***"), 300)
}

// frame returns what precedes and follows the bytes of the file in a multipart body.
func frame(file string) (head, tail []byte, kind string, err error) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	if _, err := m.CreateFormFile("pack", file); err != nil {
		return nil, nil, "", err
	}
	n := b.Len()
	if err := m.Close(); err != nil {
		return nil, nil, "", err
	}
	return b.Bytes()[:n:n], b.Bytes()[n:], m.FormDataContentType(), nil
}

// counted reports how much of a reader was read.
type counted struct {
	r           io.Reader
	sent, total int64
	report      func(sent, total int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.sent += int64(n)
	if c.report != nil && n > 0 {
		c.report(c.sent, c.total)
	}
	return n, err
}

// NetworkReason says why a request has no response, without its URL, which may contain a secret.
func NetworkReason(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	var wait interface{ Timeout() bool }
	switch {
	case errors.As(err, &dns):
		return "the host was not found"
	case errors.As(err, &wait) && wait.Timeout() || errors.Is(err, context.DeadlineExceeded):
		return "no response in time"
	case errors.Is(err, context.Canceled):
		return "it was interrupted"
	case strings.Contains(err.Error(), "x509:") || strings.Contains(err.Error(), "tls:"):
		return "the certificate of the host is not trusted"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "the host closed the connection"
	case errors.As(err, &op):
		var number interface{ Is(error) bool }
		if errors.As(op.Err, &number) {
			return "the connection failed: " + innermost(op.Err).Error()
		}
	}
	return "the connection failed"
}

// innermost returns the system's own error of a chain: "connection refused".
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
