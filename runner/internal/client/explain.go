package client

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/live"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// ErrTooLong ends a call that exceeds its server's time limit.
var ErrTooLong = errors.New("the call took longer than this server lets any")

// Explain converts any error of a call to a refusal, with calls as the client writes them.
func (s *Client) Explain(ctx context.Context, err error) *Refusal {
	r := s.explain(ctx, err)
	r.Try, r.What = s.Say(r.Try), s.Say(r.What)
	return r
}

func (s *Client) explain(ctx context.Context, err error) *Refusal {
	var own *Refusal
	if errors.As(err, &own) {
		return own
	}
	r := &Refusal{What: err.Error(), Err: err}
	var held *live.HeldError
	var busy *pool.BusyError
	var unknown *pool.UnknownDeviceError
	var none *pool.NoDeviceError
	var invalid *live.InvalidError
	switch {
	case errors.Is(context.Cause(ctx), ErrTooLong):
		r.What, r.Try = ErrTooLong.Error()+"; the action on the device has been stopped",
			"a shorter timeout, or fewer steps at once"
	case ctx.Err() != nil:
		r.What, r.Try = "the call was cancelled; the action on the device has been stopped", ""
	case errors.As(err, &busy) && busy.Holder.PID == os.Getpid() && busy.Holder.What != s.Process:
		r.Try = "a run of this session has it: `getReport` waits for its end, `getReport stop` ends it"
	case errors.As(err, &held), errors.As(err, &busy):
		r.Try = "wait until it is free, or use another device (`listDevices`)"
	case errors.As(err, &unknown), errors.As(err, &none):
		r.Try = "`listDevices` lists the devices"
	case errors.As(err, &invalid):
	case errors.Is(err, drivers.ErrDeviceLost) && strings.Contains(err.Error(), "browser"):
		r.Try = "`openBrowser` starts it again; its page is lost"
	case errors.Is(err, drivers.ErrPage):
		r.Try = "`openBrowser` opens a page"
	case errors.Is(err, drivers.ErrDeviceLost):
		r.Try = "check the device and its cable, then `listDevices`"
	}
	return r
}

// RefusalOf converts a problem of a step to a refusal.
func (c *Call) RefusalOf(p *event.Problem) *Refusal {
	r := &Refusal{What: p.Message, Kind: p.Kind, Failed: p.Assertion, Fence: &c.Fence}
	for _, near := range p.Candidates {
		if len(r.Near) < Nearest && !strings.Contains(p.Message, near) {
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
		r.Try = "`snapshot` shows what is on the screen; `scrollTo` looks further down; `waitFor` takes a longer timeout"
	case event.Ambiguous:
		r.Try = "name one by ref (see `snapshot`), by index or inside; `relation` takes what else is proposed here"
		if c.TakesRef() {
			r.Try = "name one by ref (see `snapshot`), or by a selector that fits no other"
		}
	case event.NoApp:
		r.Try = "`listApps` shows what is installed"
	case event.AppCrashed:
		r.Try = "`logs` shows why; `launch` starts it again"
	case event.Unsupported:
		r.Try = "`deviceInfo` describes the device"
	default:
		switch {
		case !c.touches(): // the message must be enough
		case strings.Contains(p.Message, "Malformed value"):
			r.Try = "write it as the field takes it: a date as 2026-11-24 (yyyy-mm-dd), a time as 14:30, a month as 2026-11, " +
				"a week as 2026-W48"
		case strings.Contains(p.Message, `type "checkbox"`), strings.Contains(p.Message, `type "radio"`):
			r.Try = "text \"true\" checks it, \"false\" unchecks it; `webClick` toggles it"
		case strings.Contains(p.Message, "cannot be filled"), strings.Contains(p.Message, "not an <input>"):
			r.Try = "`tap` or `webClick` uses it: it is not a text field"
		case p.Kind == event.NotActionable && strings.Contains(p.Message, "listens to a finger"):
			r.Try = "`scrollTo` moves the content; `drag` moves an element"
		case p.Kind == event.NotActionable:
			r.Try = "close what covers it, or `waitFor enabled`"
		default:
			r.Try = "`screenshot` or `snapshot` shows the state of the screen"
		}
	}
	return r
}
