package action_test

import (
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/action"
)

// hooks is a host of which a test says some methods.
type hooks struct {
	action.NoHost
	keep        func(name, from string) (string, error)
	mask        func(string) string
	onModelCall func(*drivers.ModelCall)
}

func (h hooks) Keep(name, from string) (string, error) {
	if h.keep == nil {
		return h.NoHost.Keep(name, from)
	}
	return h.keep(name, from)
}

func (h hooks) Mask(text string) string {
	if h.mask == nil {
		return text
	}
	return h.mask(text)
}

func (h hooks) OnModelCall(asked *drivers.ModelCall) {
	if h.onModelCall != nil {
		h.onModelCall(asked)
	}
}
