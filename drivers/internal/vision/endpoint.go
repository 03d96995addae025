package vision

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/sashabaranov/go-openai"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// endpoint is where and how models are asked, as the environment describes it.
type endpoint struct {
	base    *url.URL    // without query and without /chat/completions
	query   url.Values  // added to each request: Azure's api-version
	headers http.Header // added to each request, or put in place of a header that would go out
	key     string
}

const completionsPath = "/chat/completions"

// parseBase reads OPENAI_BASE_URL. The URL of the chat completions themselves means the same as that above it.
func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(cmp.Or(text, "https://api.openai.com/v1")))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("OPENAI_BASE_URL is not a URL: write it such as https://api.openai.com/v1")
	}
	u.Fragment = ""
	u.Path = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(u.Path, "/"), completionsPath), "/")
	u.RawPath = ""
	return u, nil
}

// base returns the URL of the endpoint, with its query.
func (e *Models) base() (*url.URL, error) { return parseBase(e.o.Getenv("OPENAI_BASE_URL")) }

// endpoint reads the settings; the error says what is missing and which variable is wrong.
func (e *Models) endpoint() (*endpoint, error) {
	key := strings.TrimSpace(e.o.Getenv("OPENAI_API_KEY"))
	if key == "" {
		return nil, need("OPENAI_API_KEY is not set: give it the key of the endpoint (any text where it wants none), " +
			"and OPENAI_BASE_URL its URL unless it is OpenAI's own")
	}
	if strings.ContainsFunc(key, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return nil, need("OPENAI_API_KEY holds a line break or a space within the key: set it again as one line")
	}
	base, err := e.base()
	if err != nil {
		return nil, err
	}
	headers, err := parseHeaders(e.o.Getenv("TAPROOT_AI_HEADERS"))
	if err != nil {
		return nil, err
	}
	p := &endpoint{base: base, query: base.Query(), headers: headers, key: key}
	base.RawQuery = ""
	if p.isAzure() && headers.Get("Api-Key") == "" && headers.Get("Authorization") == "" {
		headers.Set("Api-Key", key) // Azure takes a key there, and only tokens of its directory as a bearer
		headers["Authorization"] = nil
	}
	return p, nil
}

// isAzure reports whether the host is one of Azure's, which takes keys in a header of its own.
func (p *endpoint) isAzure() bool {
	host := strings.ToLower(p.base.Hostname())
	return slices.ContainsFunc([]string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com",
		".azure-api.net", ".openai.azure.us", ".openai.azure.cn"}, func(end string) bool {
		return strings.HasSuffix(host, end)
	})
}

// parseHeaders reads headers as OpenTelemetry writes them: "X-Team=shop,X-Title=Taproot%20tests".
func parseHeaders(text string) (http.Header, error) {
	out := http.Header{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !isHeaderName(name) || strings.ContainsFunc(plain, unicode.IsControl) {
			return nil, fmt.Errorf("TAPROOT_AI_HEADERS is not a list of headers: write Name=value,Name2=value2 "+
				"with %%2C for a comma (the entry %q)", name)
		}
		out.Set(name, plain)
	}
	return out, nil
}

func isHeaderName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
}

// timeout returns how long one question may take with its repetitions.
func (e *Models) timeout() (time.Duration, error) {
	text := strings.TrimSpace(e.o.Getenv("TAPROOT_AI_TIMEOUT"))
	if text == "" {
		return e.o.Timeout, nil
	}
	d, _, ok := phrase.ParseDuration(text)
	if !ok || d <= 0 || d > time.Hour {
		return 0, fmt.Errorf("TAPROOT_AI_TIMEOUT=%s is not a time of up to an hour: write 90s, 2m, or milliseconds", text)
	}
	return d, nil
}

// client returns a client of the endpoint.
func (p *endpoint) client(h *http.Client) *openai.Client {
	config := openai.DefaultConfig(p.key)
	config.BaseURL = p.base.String()
	config.HTTPClient = &caller{client: h, endpoint: p}
	return openai.NewClientWithConfig(config)
}

// prepare adds the endpoint's query and headers to a request.
func (p *endpoint) prepare(r *http.Request) {
	if len(p.query) > 0 {
		query := r.URL.Query()
		for name, values := range p.query {
			query[name] = values
		}
		r.URL.RawQuery = query.Encode()
	}
	for name, values := range p.headers {
		if values == nil {
			r.Header.Del(name)
			continue
		}
		r.Header[name] = values
	}
}

// conceal replaces the key, and the values of headers, in what others wrote.
func (e *Models) conceal(text string) string {
	secrets := []string{strings.TrimSpace(e.o.Getenv("OPENAI_API_KEY"))}
	if headers, err := parseHeaders(e.o.Getenv("TAPROOT_AI_HEADERS")); err == nil {
		for _, values := range headers {
			secrets = append(secrets, values...)
		}
	}
	for _, secret := range secrets {
		if len(secret) > 3 {
			text = strings.ReplaceAll(text, secret, "•••")
		}
	}
	return text
}
