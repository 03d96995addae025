// Package record records a person's actions on a page as a test. The code is in runner/internal/record; this is what
// other folders need of it.
package record

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/record"
)

// Control is the element at a place of a page.
type Control = record.Control

// At returns the control at a place of a page; x and y are fractions of the screen. It returns nil when the device
// shows no page, or when there is no element. It would dismiss an open dialog: see StateOf.
func At(ctx context.Context, d drivers.Device, x float64, y float64, preferID bool) (*Control, error) {
	return record.At(ctx, d, x, y, preferID)
}

// Options configure a recording.
type Options = record.Options

// Run opens a page and records a person's actions on it, until ctx ends or the last page is closed; then it returns the
// test. With an error, the text is what was recorded until then, or empty.
func Run(ctx context.Context, o Options) (yaml string, err error) {
	return record.Run(ctx, o)
}

// StateOf returns the state of a device.
func StateOf(ctx context.Context, d drivers.Device) (s record.State, err error) {
	return record.StateOf(ctx, d)
}

// Picking returns the arguments of webTab that select a tab, the best first: its title, the path of its URL, its
// index.
func Picking(tabs []drivers.WebTab, at int) (list []source.Value) {
	return record.Picking(tabs, at)
}
