package journal

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	maxHAR  = 5000     // requests that a HAR keeps; those that come later are counted
	maxPost = 64 << 10 // bytes of a request's body
)

// HAR gathers what pages request from the network, as an HTTP Archive 1.2. Bodies of responses are not in it, nor what
// would sign a person in: cookies and credentials are named without their values.
type HAR struct {
	mu      sync.Mutex
	entries []*HAREntry
	open    map[playwright.Request]*HAREntry // without an end so far
	pages   []harPage
	Dropped int
}

type harPage struct {
	Started string         `json:"startedDateTime"`
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Timings map[string]any `json:"pageTimings"`
}

type HAREntry struct {
	Page     string         `json:"pageref,omitempty"`
	Started  string         `json:"startedDateTime"`
	Time     float64        `json:"time"`
	Request  HARRequest     `json:"request"`
	Response harResponse    `json:"response"`
	Cache    struct{}       `json:"cache"`
	Timings  map[string]any `json:"timings"`
	Kind     string         `json:"_resourceType,omitempty"`

	began time.Time
}

type HARRequest struct {
	Method      string     `json:"method"`
	URL         string     `json:"url"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []any      `json:"cookies"`
	Headers     []harField `json:"headers"`
	Query       []harField `json:"queryString"`
	Post        *harPost   `json:"postData,omitempty"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int        `json:"bodySize"`
}

type harPost struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []any      `json:"cookies"`
	Headers     []harField `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int        `json:"bodySize"`
	Failure     string     `json:"_error,omitempty"`
}

type harContent struct {
	Size     int    `json:"size"`
	MimeType string `json:"mimeType"`
}

type harField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func NewHAR() *HAR { return &HAR{open: map[playwright.Request]*HAREntry{}} }

// Page starts a new page, to which the requests that follow belong.
func (h *HAR) Page(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages = append(h.pages, harPage{Started: harTime(time.Now()), ID: fmt.Sprintf("page_%d", len(h.pages)+1),
		Title:   address,
		Timings: map[string]any{}})
}

func harTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// asked notes a request.
func (h *HAR) asked(r playwright.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.entries) >= maxHAR {
		h.Dropped++
		return
	}
	now := time.Now()
	e := &HAREntry{began: now, Started: harTime(now), Kind: r.ResourceType(), Timings: map[string]any{"send": 0, "wait": 0,
		"receive": 0},
		Request: HARRequest{Method: r.Method(), URL: r.URL(), HTTPVersion: "", Cookies: []any{},
			Headers: harHeaders(r.Headers()),
			Query:   harQuery(r.URL()), HeadersSize: -1, BodySize: 0},
		Response: harResponse{Cookies: []any{}, Headers: []harField{}, Content: harContent{MimeType: "x-unknown"},
			HeadersSize: -1, BodySize: -1},
	}
	if len(h.pages) > 0 {
		e.Page = h.pages[len(h.pages)-1].ID
	}
	if text, err := r.PostData(); err == nil && text != "" {
		e.Request.BodySize = len(text)
		e.Request.Post = &harPost{MimeType: r.Headers()["content-type"], Text: text[:min(len(text), 2*maxPost)]}
	}
	h.entries = append(h.entries, e)
	h.open[r] = e
}

// answered notes the head of an answer.
func (h *HAR) answered(r playwright.Response) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.open[r.Request()]
	if e == nil {
		return
	}
	headers := r.Headers()
	e.Response.Status, e.Response.StatusText = r.Status(), r.StatusText()
	e.Response.Headers = harHeaders(headers)
	e.Response.RedirectURL = headers["location"]
	if kind := headers["content-type"]; kind != "" {
		e.Response.Content.MimeType = kind
	}
	if size, err := strconv.Atoi(headers["content-length"]); err == nil && size >= 0 {
		e.Response.Content.Size, e.Response.BodySize = size, size
	}
	e.Timings["wait"] = harMillis(time.Since(e.began))
	e.Time = harMillis(time.Since(e.began))
}

// ended notes that a request has ended, with the reason when it failed.
func (h *HAR) ended(r playwright.Request, failure string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.open[r]
	if e == nil {
		return
	}
	delete(h.open, r)
	e.Response.Failure = failure
	e.Time = harMillis(time.Since(e.began))
	wait, _ := e.Timings["wait"].(float64)
	e.Timings["receive"] = max(e.Time-wait, 0)
}

func harMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// harHeaders lists headers by name, without what would sign a person in.
func harHeaders(headers map[string]string) []harField {
	list := make([]harField, 0, len(headers))
	for name, value := range headers {
		switch http.CanonicalHeaderKey(name) {
		case "Cookie", "Set-Cookie", "Authorization", "Proxy-Authorization", "X-Api-Key":
			value = "(removed)"
		}
		list = append(list, harField{name, value})
	}
	slices.SortFunc(list, func(a, b harField) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func harQuery(address string) []harField {
	list := []harField{}
	u, err := url.Parse(address)
	if err != nil {
		return list
	}
	for name, values := range u.Query() {
		for _, value := range values {
			list = append(list, harField{name, value})
		}
	}
	slices.SortStableFunc(list, func(a, b harField) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Write writes the archive, every text masked.
func (h *HAR) Write(w io.Writer, mask func(string) string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	comment := ""
	if h.Dropped > 0 {
		comment = fmt.Sprintf("%d more requests are left out", h.Dropped)
	}
	if h.entries == nil {
		h.entries = []*HAREntry{}
	}
	if h.pages == nil {
		h.pages = []harPage{}
	}
	for _, e := range h.entries {
		e.mask(mask)
	}
	for i := range h.pages {
		h.pages[i].Title = phrase.LimitRunes(mask(h.pages[i].Title), 99)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(map[string]any{
		"log": map[string]any{"version": "1.2", "creator": map[string]any{"name": "Taproot", "version": "1"},
			"pages": h.pages, "entries": h.entries, "comment": comment}})
}

// mask takes secrets out of all that a page or a server could have put there.
func (e *HAREntry) mask(mask func(string) string) {
	for _, text := range []*string{&e.Request.URL, &e.Response.RedirectURL, &e.Response.StatusText, &e.Response.Failure,
		&e.Response.Content.MimeType} {
		*text = mask(*text)
	}
	if e.Request.Post != nil {
		text := mask(e.Request.Post.Text) // before it is cut: half a secret would not be found
		e.Request.Post.Text = strings.ToValidUTF8(text[:min(len(text), maxPost)], "�")
		e.Request.Post.MimeType = mask(e.Request.Post.MimeType)
	}
	for _, list := range [][]harField{e.Request.Headers, e.Request.Query, e.Response.Headers} {
		for i := range list {
			list[i].Name, list[i].Value = mask(list[i].Name), mask(list[i].Value)
		}
	}
}
