package otlp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Target is where traces are sent to, and how the sender is identified.
type Target struct {
	URL      string            // of the traces: …/v1/traces
	Headers  map[string]string // of each request, such as a key
	Service  string            // service.name
	Resource []Attribute       // of OTEL_RESOURCE_ATTRIBUTES
	Timeout  time.Duration     // of one request
	Parent   Parent            // of the run; the zero Parent: none

	pause time.Duration // before the second attempt; the next ones wait longer
}

// Parent is another program's span, from TRACEPARENT, which becomes the parent of the run.
type Parent struct{ Trace, Span string } // hexadecimal

// The variables of OpenTelemetry that are read.
const (
	envEndpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envTracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	envHeaders        = "OTEL_EXPORTER_OTLP_HEADERS"
	envTracesHeaders  = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
	envTimeout        = "OTEL_EXPORTER_OTLP_TIMEOUT"
	envExporter       = "OTEL_TRACES_EXPORTER"
	envDisabled       = "OTEL_SDK_DISABLED"
	envService        = "OTEL_SERVICE_NAME"
	envResource       = "OTEL_RESOURCE_ATTRIBUTES"
)

var traceParent = lazyregexp.New(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

// FromEnv reads the environment; nil: traces are not requested.
func FromEnv(getenv func(string) string) (*Target, error) {
	address := getenv(envTracesEndpoint)
	from := envTracesEndpoint
	if address == "" && getenv(envEndpoint) != "" {
		address, from = strings.TrimSuffix(getenv(envEndpoint), "/")+"/v1/traces", envEndpoint
	}
	if address == "" || strings.EqualFold(getenv(envDisabled), "true") || !slices.Contains([]string{"", "otlp"},
		getenv(envExporter)) {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf(
			"%s is not a URL: write one such as http://localhost:4318, where a collector accepts OTLP over HTTP",
			from)
	}
	t := &Target{URL: address, Service: getenv(envService), Timeout: 10 * time.Second, Headers: map[string]string{},
		pause: 500 * time.Millisecond}
	if t.Service == "" {
		t.Service = "taproot"
	}
	for _, name := range []string{envHeaders, envTracesHeaders} {
		if err := pairs(name, getenv(name), func(key, value string) { t.Headers[key] = value }); err != nil {
			return nil, err
		}
	}
	if err := pairs(envResource, getenv(envResource), func(key, value string) {
		t.Resource = append(t.Resource, text(key, value))
	}); err != nil {
		return nil, err
	}
	if v := getenv(envTimeout); v != "" {
		ms, err := strconv.Atoi(v)
		if err != nil || ms < 1 {
			return nil, fmt.Errorf("%s=%q: use a number of milliseconds", envTimeout, v)
		}
		t.Timeout = time.Duration(ms) * time.Millisecond
	}
	if m := traceParent.FindStringSubmatch(getenv("TRACEPARENT")); m != nil && strings.Trim(m[1], "0") != "" &&
		strings.Trim(m[2], "0") != "" {
		t.Parent = Parent{m[1], m[2]}
	}
	return t, nil
}

// pairs reads key=value,key=value, percent-encoded. Errors do not quote the value, which may be a key.
func pairs(name, list string, take func(key, value string)) error {
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		key, value, ok := strings.Cut(part, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !ok || key == "" || err != nil {
			return errors.New(name + " is not a list of NAME=VALUE with commas between them")
		}
		take(key, decoded)
	}
	return nil
}
