package vision

import (
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/sashabaranov/go-openai"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// omission is a parameter of a request that some endpoints refuse and that a question can do without.
type omission string

const (
	omitTemperature    omission = "temperature"
	omitSeed           omission = "seed"
	omitResponseFormat omission = "response_format"
	omitTokenLimit     omission = "max_completion_tokens" // max_tokens goes out in its place
	omitDetail         omission = "detail"                // of the image
)

// refusals lists the words by which an endpoint names each parameter in an error.
var refusals = map[omission]*lazyregexp.Regexp{
	omitTemperature:    lazyregexp.New(`(?i)\btemperature\b`),
	omitSeed:           lazyregexp.New(`(?i)\bseed\b`),
	omitResponseFormat: lazyregexp.New(`(?i)\bresponse[ _]?format\b|\bjson_schema\b|structured[ _]outputs?`),
	omitTokenLimit:     lazyregexp.New(`(?i)\bmax_completion_tokens\b`),
	omitDetail:         lazyregexp.New(`(?i)\bimage_url\.detail\b|\bdetail\b.*\bimage_url\b|'detail'`),
}

// omissions are the parameters that an endpoint has refused. Safe for concurrent use.
type omissions struct {
	mu  sync.Mutex
	all map[omission]bool
}

func (o *omissions) copy() map[omission]bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.all)
}

// learn adds what an error refuses and reports whether that was anything which the request still had.
func (o *omissions) learn(err error, without map[omission]bool) bool {
	status, text, param := refusal(err)
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return false
	}
	var found []omission
	for name := range refusals {
		if !without[name] && param != "" && (param == string(name) || strings.HasPrefix(param, string(name)+".")) {
			found = append(found, name)
		}
	}
	for name, says := range refusals {
		if len(found) == 0 && param == "" && !without[name] && says.MatchString(text) {
			found = append(found, name)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[omission]bool{}
	}
	for _, name := range found {
		o.all[name] = true
	}
	return len(found) > 0
}

// refusal returns the status of an endpoint's error, what it says, and the parameter that it names.
func refusal(err error) (status int, text, param string) {
	var api *openai.APIError
	if errors.As(err, &api) {
		if api.Param != nil {
			param = *api.Param
		}
		return api.HTTPStatusCode, api.Message, param
	}
	var bad *openai.RequestError
	if errors.As(err, &bad) {
		return bad.HTTPStatusCode, string(bad.Body), ""
	}
	return 0, "", ""
}
