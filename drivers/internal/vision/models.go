package vision

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// Mode says whether a model may be asked.
type Mode string

// The modes.
const (
	Live   Mode = "live"   // what was answered before is taken from there, everything else is asked
	Replay Mode = "replay" // nothing is asked: what was not answered before is an error
	Off    Mode = "off"    // nothing is asked and nothing is taken from before
)

// ParseMode reads a mode; "" is Live.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(cmp.Or(s, string(Live))); m {
	case Live, Replay, Off:
		return m, nil
	}
	return "", fmt.Errorf("%q is not a way to query a model: use live, replay or off", s)
}

// DefaultModel is asked when TAPROOT_AI_MODEL names none.
const DefaultModel = "gpt-4.1-mini"

// Options are what Models need. The zero value works.
type Options struct {
	// Getenv reads OPENAI_API_KEY, OPENAI_BASE_URL, TAPROOT_AI_MODEL, TAPROOT_AI, TAPROOT_AI_TIMEOUT, TAPROOT_AI_HEADERS,
	// TAPROOT_OCR_LANGS; nil: this process's.
	Getenv func(string) string
	// Mode of asking; TAPROOT_AI=off overrides it.
	Mode Mode
	// Recall returns what a model responded to the same question before; nil: nothing is known.
	Recall func(key string) []drivers.Reply
	// Client carries the requests; nil: one of its own.
	Client *http.Client
	// Timeout of one question with its repetitions; zero: a minute. TAPROOT_AI_TIMEOUT overrides it, and a step with more
	// time than that waits as long as the step may.
	Timeout time.Duration
}

// Models read text with tesseract and ask a model through any endpoint that speaks as OpenAI's does. Safe for
// concurrent use.
type Models struct {
	o      Options
	reader *Reader

	mu    sync.Mutex
	known map[string][]drivers.Reply // good responses of this process, by key
	left  omissions                  // parameters that the endpoint refused
}

var _ drivers.Vision = (*Models)(nil)

// New makes Models. Nothing is searched and no model is queried before they are used.
func New(o Options) *Models {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	return &Models{o: o, reader: NewReader(o.Getenv), known: map[string][]drivers.Reply{}}
}

// OCR reads the text in an image.
func (e *Models) OCR(ctx context.Context, img image.Image) ([]drivers.TextLine, error) {
	return e.reader.Read(ctx, img)
}

// need is an error of the machine: whatever needs a model cannot be done here.
func need(format string, args ...any) error {
	return fmt.Errorf("visual assertions need an AI model, and "+format, args...)
}

// mode is how a model may be asked now.
func (e *Models) mode() (Mode, error) {
	env, err := ParseMode(e.o.Getenv("TAPROOT_AI"))
	if err != nil {
		return "", fmt.Errorf("TAPROOT_AI: %w", err)
	}
	mode := cmp.Or(e.o.Mode, env)
	if env == Off || mode == Off {
		return Off, need("TAPROOT_AI=off or --ai off forbids to ask one")
	}
	return mode, nil
}

func (e *Models) model() string { return cmp.Or(e.o.Getenv("TAPROOT_AI_MODEL"), DefaultModel) }
