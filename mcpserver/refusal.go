package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
)

// nearest is how many elements a refusal names.
const nearest = 3

// refusal is an answer that says no: what is wrong, what is near, what to try.
type refusal struct {
	what    string
	near    []string // elements, best first
	try     string
	missing bool  // an element was not found
	err     error // what it is for a program, may be nil
}

func (r *refusal) Error() string {
	var b strings.Builder
	b.WriteString(r.what)
	if len(r.near) > 0 {
		b.WriteString("\nnearest: " + strings.Join(r.near, "\n         "))
	}
	if r.try != "" {
		b.WriteString("\ntry: " + r.try)
	}
	return b.String()
}

func (r *refusal) Unwrap() error { return r.err }

// staleRef refuses a reference that no longer means anything.
func staleRef(ref, words string) error {
	what := fmt.Sprintf("%s is stale: no snapshot of this session gave it, or the screen has changed a lot since", ref)
	if words != "" {
		what = fmt.Sprintf("%s is stale: %s is gone from the screen or has changed, so nothing was touched", ref, words)
	}
	return &refusal{what: what, try: "call snapshot again and use the new ref, or use its label"}
}

// explain makes any error of a call a refusal.
func explain(ctx context.Context, err error) *refusal {
	var own *refusal
	if errors.As(err, &own) {
		return own
	}
	r := &refusal{what: err.Error(), err: err}
	var held *live.HeldError
	var busy *pool.BusyError
	var unknown *pool.UnknownDeviceError
	var none *pool.NoDeviceError
	var invalid *live.InvalidError
	switch {
	case ctx.Err() != nil:
		r.what, r.try = "the call was cancelled; what was under way on the device has been stopped", ""
	case errors.As(err, &busy) && busy.Holder.PID == os.Getpid() && busy.Holder.What != holder:
		r.try = "a run of this session has it: get_report waits for its end, get_report {stop: true} ends it"
	case errors.As(err, &held), errors.As(err, &busy):
		r.try = "wait until it is free, or use another device (list_devices)"
	case errors.As(err, &unknown), errors.As(err, &none):
		r.try = "list_devices shows what there is"
	case errors.As(err, &invalid):
	case errors.Is(err, drivers.ErrPage):
		r.try = "open_browser opens a page"
	case errors.Is(err, drivers.ErrDeviceLost):
		r.try = "look after the device and its cable, then list_devices"
	}
	return r
}

// failed makes a problem of a step a refusal.
func (c *call) failed(p *event.Problem) *refusal {
	r := &refusal{what: p.Message}
	for _, near := range p.Candidates {
		if len(r.near) < nearest && !strings.Contains(p.Message, near) {
			r.near = append(r.near, near)
		}
	}
	add := func(name, value string) {
		if value != "" && !strings.Contains(p.Message, value) {
			r.what += "\n" + name + ": " + value
		}
	}
	if p.Assertion {
		add("expected", p.Expected)
	}
	add("actual", p.Actual)
	switch p.Kind {
	case event.NotFound:
		r.missing = true
		r.try = "snapshot shows what is on the screen; scroll_to looks further down; wait_for takes a longer timeoutMs"
	case event.Ambiguous:
		r.try = "name one by ref (see snapshot), index or inside"
		if c.tool.takesRef() {
			r.try = "name one by ref (see snapshot), or by a selector that fits no other"
		}
	case event.NoApp:
		r.try = "list_apps shows what is installed"
	case event.AppCrashed:
		r.try = "logs shows why; launch starts it again"
	case event.Unsupported:
		r.try = "device_info tells what the device is"
	default:
		switch {
		case !c.tool.touches(): // the message has to do
		case p.Kind == event.NotActionable:
			r.try = "close what lies over it, or wait_for {enabled: …}"
		default:
			r.try = "screenshot or snapshot shows the state of the screen"
		}
	}
	return r
}
