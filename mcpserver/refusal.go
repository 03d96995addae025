package mcpserver

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
)

// refusal is an answer that says no.
type refusal = client.Refusal

// explain makes any error of a call a refusal.
func explain(ctx context.Context, err error) *refusal {
	var own *refusal
	if errors.As(err, &own) {
		return own
	}
	r := &refusal{What: err.Error(), Err: err}
	var held *live.HeldError
	var busy *pool.BusyError
	var unknown *pool.UnknownDeviceError
	var none *pool.NoDeviceError
	var invalid *live.InvalidError
	switch {
	case errors.Is(context.Cause(ctx), errTooLong):
		r.What, r.Try = errTooLong.Error()+"; what was under way on the device has been stopped", "a shorter timeoutMs, or fewer steps at once"
	case ctx.Err() != nil:
		r.What, r.Try = "the call was cancelled; what was under way on the device has been stopped", ""
	case errors.As(err, &busy) && busy.Holder.PID == os.Getpid() && busy.Holder.What != holder:
		r.Try = "a run of this session has it: get_report waits for its end, get_report {stop: true} ends it"
	case errors.As(err, &held), errors.As(err, &busy):
		r.Try = "wait until it is free, or use another device (list_devices)"
	case errors.As(err, &unknown), errors.As(err, &none):
		r.Try = "list_devices shows what there is"
	case errors.As(err, &invalid):
	case errors.Is(err, drivers.ErrDeviceLost) && strings.Contains(err.Error(), "browser"):
		r.Try = "open_browser starts it anew; its page is lost"
	case errors.Is(err, drivers.ErrPage):
		r.Try = "open_browser opens a page"
	case errors.Is(err, drivers.ErrDeviceLost):
		r.Try = "look after the device and its cable, then list_devices"
	}
	return r
}

// refusalOf makes a problem of a step a refusal.
func (c *call) refusalOf(p *event.Problem) *refusal {
	r := &refusal{What: p.Message, Kind: p.Kind, Fence: &c.fence}
	for _, near := range p.Candidates {
		if len(r.Near) < client.Nearest && !strings.Contains(p.Message, near) {
			r.Near = append(r.Near, near)
		}
	}
	add := func(name, value string) {
		if value != "" && !strings.Contains(p.Message, value) {
			r.What += "\n" + name + ": " + value
		}
	}
	if p.Assertion {
		add("expected", p.Expected)
	}
	add("actual", p.Actual)
	switch p.Kind {
	case event.NotFound:
		r.Missing = true
		r.Try = "snapshot shows what is on the screen; scroll_to looks further down; wait_for takes a longer timeoutMs"
	case event.Ambiguous:
		r.Try = "name one by ref (see snapshot), index or inside"
		if c.tool.takesRef() {
			r.Try = "name one by ref (see snapshot), or by a selector that fits no other"
		}
	case event.NoApp:
		r.Try = "list_apps shows what is installed"
	case event.AppCrashed:
		r.Try = "logs shows why; launch starts it again"
	case event.Unsupported:
		r.Try = "device_info tells what the device is"
	default:
		switch {
		case !c.tool.touches(): // the message has to do
		case strings.Contains(p.Message, "Malformed value"):
			r.Try = "write it as the field takes it: a date as 2026-11-24 (yyyy-mm-dd), a time as 14:30, a month as 2026-11, a week as 2026-W48"
		case strings.Contains(p.Message, `type "checkbox"`), strings.Contains(p.Message, `type "radio"`):
			r.Try = `text "true" checks it, "false" unchecks it; web_click does the other of what it is`
		case strings.Contains(p.Message, "cannot be filled"), strings.Contains(p.Message, "not an <input>"):
			r.Try = "tap or web_click uses it: it is no field of text"
		case p.Kind == event.NotActionable && strings.Contains(p.Message, "listens to a finger"):
			r.Try = "scroll_to moves the content; run_test {steps: [{drag: …}]} moves an element"
		case p.Kind == event.NotActionable:
			r.Try = "close what lies over it, or wait_for {enabled: …}"
		default:
			r.Try = "screenshot or snapshot shows the state of the screen"
		}
	}
	return r
}
