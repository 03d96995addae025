package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/cenkalti/backoff/v5"
)

// s3 is a Bucket of S3 or of a compatible server. Requests have the SHA-256 of their body and a signature of version 4.
type s3 struct {
	base   *url.URL // of the bucket
	folder string   // the prefix of all names; "", or it ends in a slash
	region string
	key    aws.Credentials
	signer *v4.Signer
	client *http.Client
}

const (
	patience   = 30 * time.Second // for the response to a request, and for each part of a body
	attempts   = 5
	maxMessage = 4 << 10
	maxPage    = 8 << 20 // bytes of a page of names
)

// emptyHash is the SHA-256 of an empty body.
var emptyHash = hex.EncodeToString(sha256.New().Sum(nil))

func openS3(address string, getenv func(string) string) (*s3, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Port() != "" {
		return nil, errors.New(
			"the address of a bucket is s3://BUCKET, s3://BUCKET/FOLDER or either with ?region=…&endpoint=https://…")
	}
	query := u.Query()
	for name := range query {
		if name != "region" && name != "endpoint" {
			return nil, fmt.Errorf("the address of a bucket may have region and endpoint, and not %q", name)
		}
	}
	b := &s3{signer: v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }),
		region: first(query.Get("region"), getenv("AWS_REGION"), "us-east-1"),
		key: aws.Credentials{AccessKeyID: getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken: getenv("AWS_SESSION_TOKEN")}}
	if b.key.AccessKeyID == "" || b.key.SecretAccessKey == "" {
		return nil, errors.New(
			"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may read, write, list and delete in the bucket")
	}
	if folder := strings.Trim(u.Path, "/"); folder != "" {
		if err := check(folder); err != nil {
			return nil, err
		}
		b.folder = folder + "/"
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout, transport.MaxIdleConnsPerHost = patience, 8
	transport.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	b.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	b.base, err = bucketURL(first(query.Get("endpoint"), getenv("AWS_ENDPOINT_URL")), u.Host, b.region)
	return b, err
}

// bucketURL returns the URL of a bucket. With an endpoint, the bucket is in the path. With AWS it is in the host name,
// unless that would not match the TLS certificate.
func bucketURL(endpoint, bucket, region string) (*url.URL, error) {
	if endpoint == "" && !strings.Contains(bucket, ".") {
		return &url.URL{Scheme: "https", Host: bucket + ".s3." + region + ".amazonaws.com"}, nil
	}
	if endpoint == "" {
		endpoint = "https://s3." + region + ".amazonaws.com"
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("the endpoint of a bucket is a URL such as https://minio.example.com, not %q", endpoint)
	}
	return u.JoinPath(bucket), nil
}

func first(texts ...string) string {
	return texts[slices.IndexFunc(append(texts, "-"), func(t string) bool { return t != "" })%len(texts)]
}

// Error is an error response of the server.
type Error struct {
	Status  int
	Code    string // such as SignatureDoesNotMatch
	Message string
}

func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("the server of the bucket responds with %d", e.Status)
	}
	return fmt.Sprintf("the server of the bucket responds with %d %s: %s", e.Status, e.Code, e.Message)
}

// passing reports whether another attempt may succeed.
func (e *Error) passing() bool {
	return e.Status >= 500 || e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout ||
		e.Code == "RequestTimeout"
}

// Put sends the sum of the file first, and the server stores only a file with that sum.
func (b *s3) Put(ctx context.Context, name string, file *os.File) error {
	if err := check(name); err != nil {
		return err
	}
	sum := sha256.New()
	_, err := file.Seek(0, io.SeekStart)
	var size int64
	if err == nil {
		size, err = io.Copy(sum, &held{ctx, file})
	}
	if err != nil {
		return fmt.Errorf("put %s: %w", name, err)
	}
	r := request{method: http.MethodPut, name: name, hash: hex.EncodeToString(sum.Sum(nil)), file: file, size: size}
	res, err := b.send(ctx, r)
	if err != nil {
		return fmt.Errorf("put %s: %w", name, err)
	}
	return res.Body.Close()
}

func (b *s3) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	res, err := b.send(ctx, request{method: http.MethodGet, name: name})
	var e *Error
	switch {
	case errors.As(err, &e) && e.Status == http.StatusNotFound && e.Code != "NoSuchBucket":
		return nil, ErrNotFound
	case err != nil:
		return nil, fmt.Errorf("get %s: %w", name, err)
	}
	return res.Body, nil
}

func (b *s3) Delete(ctx context.Context, name string) error {
	if err := check(name); err != nil {
		return err
	}
	res, err := b.send(ctx, request{method: http.MethodDelete, name: name})
	var e *Error
	switch {
	case errors.As(err, &e) && e.Status == http.StatusNotFound && e.Code != "NoSuchBucket":
		return nil
	case err != nil:
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return res.Body.Close()
}

// page is a part of a list.
type page struct {
	Contents []struct{ Key string }
	Next     string `xml:"NextContinuationToken"`
	More     bool   `xml:"IsTruncated"`
}

func (b *s3) List(ctx context.Context, prefix string) (names []string, err error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, err
	}
	query := url.Values{"list-type": {"2"}, "prefix": {b.folder + prefix}}
	for {
		p, err := b.page(ctx, query)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", prefix, err)
		}
		for _, c := range p.Contents {
			if name, ours := strings.CutPrefix(c.Key, b.folder); ours && check(name) == nil {
				names = append(names, name)
			}
		}
		if !p.More {
			slices.Sort(names)
			return names, nil
		}
		if p.Next == "" || p.Next == query.Get("continuation-token") {
			return nil, fmt.Errorf("list %s: the server of the bucket returned an incomplete list without the next page", prefix)
		}
		query.Set("continuation-token", p.Next)
	}
}

func (b *s3) page(ctx context.Context, query url.Values) (p page, err error) {
	res, err := b.send(ctx, request{method: http.MethodGet, query: query})
	if err != nil {
		return p, err
	}
	err = xml.NewDecoder(io.LimitReader(res.Body, maxPage)).Decode(&p)
	return p, errors.Join(err, res.Body.Close())
}

// request is a request to the bucket; hash is that of its body.
type request struct {
	method, name, hash string
	query              url.Values
	file               *os.File
	size               int64
}

// send repeats a request while the server is busy or unreachable. The caller closes the body of the response.
func (b *s3) send(ctx context.Context, r request) (*http.Response, error) {
	return backoff.Retry(ctx, func() (*http.Response, error) {
		res, err := b.once(ctx, r)
		var e *Error
		if errors.As(err, &e) && !e.passing() || err != nil && ctx.Err() != nil {
			return nil, backoff.Permanent(err)
		}
		return res, err
	}, backoff.WithMaxTries(attempts), backoff.WithMaxElapsedTime(patience),
		backoff.WithBackOff(&backoff.ExponentialBackOff{
			InitialInterval: 100 * time.Millisecond, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: 2 * time.Second}))
}

func (b *s3) once(ctx context.Context, r request) (*http.Response, error) {
	at := *b.base
	if r.name != "" {
		at = *b.base.JoinPath(b.folder + r.name)
	} else if at.Path == "" {
		at.Path = "/"
	}
	at.RawQuery = strings.ReplaceAll(r.query.Encode(), "+", "%20")
	q, err := http.NewRequestWithContext(ctx, r.method, at.String(), nil)
	if err != nil {
		return nil, err
	}
	if r.file != nil {
		q.ContentLength = r.size
		q.Body = io.NopCloser(io.NewSectionReader(r.file, 0, r.size))
		if r.size == 0 {
			q.Body = http.NoBody
		}
	}
	if r.hash == "" {
		r.hash = emptyHash
	}
	q.Header.Set("X-Amz-Content-Sha256", r.hash)
	if err := b.signer.SignHTTP(ctx, b.key, q, r.hash, "s3", b.region, time.Now()); err != nil {
		return nil, err
	}
	res, err := b.client.Do(q)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	e := &Error{Status: res.StatusCode}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxMessage))
	if err == nil && len(data) > 0 {
		_ = xml.Unmarshal(data, e) // fails for a body that is not XML
	}
	return nil, errors.Join(e, res.Body.Close())
}
