// Package blobtest is an S3-compatible server for tests. It checks signatures and sums, returns lists in small pages,
// and can be made to fail.
package blobtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The credentials and settings of a client.
const (
	Bucket = "packs"
	Region = "eu-test-1"
	KeyID  = "AKIDTEST"
	Secret = "secret/with+signs="

	pageLength = 3
	maxSkew    = 15 * time.Minute
	wrongSum   = "XAmzContentSHA256Mismatch"
)

// Server is a server with one bucket. Its fields may be changed while no request is running.
type Server struct {
	URL string // the endpoint

	mu       sync.Mutex
	files    map[string][]byte
	busy     int // number of further requests with the response 503
	cut      int // number of further bodies that end too early
	down     bool
	requests map[string]int // by method
}

// Start starts a server that ends with the test.
func Start(t testing.TB) *Server {
	s := &Server{files: map[string][]byte{}, requests: map[string]int{}}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.URL = h.URL
	return s
}

// Address returns an address for blob.Open.
func (s *Server) Address(folder string) string {
	return "s3://" + Bucket + folder + "?" + url.Values{"endpoint": {s.URL}, "region": {Region}}.Encode()
}

// Env returns the environment variables that a client needs.
func (s *Server) Env() map[string]string {
	return map[string]string{"AWS_ACCESS_KEY_ID": KeyID, "AWS_SECRET_ACCESS_KEY": Secret}
}

// Getenv reads Env.
func (s *Server) Getenv(name string) string { return s.Env()[name] }

// Busy makes the next n requests fail temporarily.
func (s *Server) Busy(n int) { s.change(func() { s.busy = n }) }

// Cut truncates the next n bodies.
func (s *Server) Cut(n int) { s.change(func() { s.cut = n }) }

// Down sets whether every request fails.
func (s *Server) Down(down bool) { s.change(func() { s.down = down }) }

// Names lists the stored files.
func (s *Server) Names() (names []string) {
	s.change(func() { names = slices.Sorted(maps.Keys(s.files)) })
	return names
}

// Asked counts the requests of a method.
func (s *Server) Asked(method string) (n int) {
	s.change(func() { n = s.requests[method] })
	return n
}

func (s *Server) change(how func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how()
}

// fault sends an error in the format of S3.
func fault(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, "%s<Error><Code>%s</Code><Message>it is %s</Message></Error>", xml.Header, code, code)
}

// ServeHTTP handles a request as AWS documents it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests[r.Method]++
	busy := s.busy > 0 || s.down
	s.busy = max(s.busy-1, 0)
	s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return // the client has disconnected: nothing is stored
	case busy:
		fault(w, http.StatusServiceUnavailable, "SlowDown")
		return
	}
	if code := refusal(r, body); code != "" {
		status := http.StatusForbidden
		if code == wrongSum {
			status = http.StatusBadRequest
		}
		fault(w, status, code)
		return
	}
	bucket, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if bucket != Bucket {
		fault(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	s.answer(w, r, name, body)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, name string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && name == "" && r.URL.Query().Get("list-type") == "2":
		s.list(w, r.URL.Query())
	case r.Method == http.MethodPut && name != "":
		s.files[name] = body
	case r.Method == http.MethodDelete && name != "":
		delete(s.files, name)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet && s.files[name] != nil:
		data := s.files[name]
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		if s.cut > 0 {
			s.cut--
			data = data[:len(data)/2]
		}
		_, _ = w.Write(data) // fails if the client has disconnected
	case r.Method == http.MethodGet:
		fault(w, http.StatusNotFound, "NoSuchKey")
	default:
		fault(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	}
}

// list returns a page. A token is the end of the previous page, encoded, so that the client must send it back
// unchanged.
func (s *Server) list(w http.ResponseWriter, q url.Values) {
	var after string
	if token := q.Get("continuation-token"); token != "" {
		data, err := hex.DecodeString(strings.TrimPrefix(token, "t/+="))
		if err != nil || !strings.HasPrefix(token, "t/+=") {
			fault(w, http.StatusBadRequest, "InvalidArgument")
			return
		}
		after = string(data)
	}
	var out struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		More     bool     `xml:"IsTruncated"`
		Next     string   `xml:"NextContinuationToken,omitempty"`
		Contents []struct{ Key string }
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if !strings.HasPrefix(name, q.Get("prefix")) || name <= after {
			continue
		}
		if len(out.Contents) == pageLength {
			out.More, out.Next = true, "t/+="+hex.EncodeToString([]byte(out.Contents[pageLength-1].Key))
			break
		}
		out.Contents = append(out.Contents, struct{ Key string }{name})
	}
	data, err := xml.Marshal(out)
	if err != nil {
		fault(w, http.StatusInternalServerError, "InternalError")
		return
	}
	_, _ = w.Write(data) // fails if the client has disconnected
}

// refusal returns the error code for an invalid signature, time or sum of a request, or "".
func refusal(r *http.Request, body []byte) string {
	parts := map[string]string{}
	scheme, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		parts[name] = value
	}
	scope := strings.Split(parts["Credential"], "/")
	moment, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	switch {
	case scheme != "AWS4-HMAC-SHA256" || len(scope) != 5:
		return "AccessDenied"
	case scope[0] != KeyID:
		return "InvalidAccessKeyId"
	case err != nil || time.Since(moment).Abs() > maxSkew:
		return "RequestTimeTooSkewed"
	case scope[1] != moment.Format("20060102") || scope[2] != Region || scope[3] != "s3" || scope[4] != "aws4_request":
		return "AuthorizationHeaderMalformed"
	case parts["Signature"] != signature(r, parts["SignedHeaders"], scope):
		return "SignatureDoesNotMatch"
	case r.Method == http.MethodPut && r.ContentLength < 0:
		return "MissingContentLength"
	}
	if sum := sha256.Sum256(body); r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sum[:]) {
		return wrongSum
	}
	return ""
}

// signature computes the signature of a request by AWS's documentation of version 4. It returns "" if a required header
// is not signed.
func signature(r *http.Request, signed string, scope []string) string {
	names := strings.Split(signed, ";")
	for name := range r.Header {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-amz-") && !slices.Contains(names, lower) {
			return ""
		}
	}
	if !slices.IsSorted(names) || !slices.Contains(names, "host") {
		return ""
	}
	var query []string
	for name, values := range r.URL.Query() {
		for _, v := range values {
			query = append(query, escape(name)+"="+escape(v))
		}
	}
	slices.Sort(query)
	path := strings.Split(r.URL.Path, "/")
	for i := range path {
		path[i] = escape(path[i])
	}
	text := []string{r.Method, strings.Join(path, "/"), strings.Join(query, "&")}
	for _, name := range names {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		text = append(text, name+":"+strings.Join(strings.Fields(value), " "))
	}
	text = append(text, "", signed, r.Header.Get("X-Amz-Content-Sha256"))
	sum := sha256.Sum256([]byte(strings.Join(text, "\n")))
	key := []byte("AWS4" + Secret)
	for _, part := range scope[1:] {
		key = mac(key, part)
	}
	return hex.EncodeToString(
		mac(key, strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), strings.Join(scope[1:], "/"),
			hex.EncodeToString(sum[:])}, "\n")))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// escape leaves a-z, A-Z, 0-9 and -._~ unchanged.
func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
