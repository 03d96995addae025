// Package live keeps devices open between the single calls of clients (REST, MCP). The code is in
// runner/internal/live; this is what other folders need of it.
package live

import (
	"github.com/taproot-dev/taproot/runner/internal/live"
)

// Request is one action on one device.
type Request = live.Request

// Answer is the result of a Request. Result is pass or fail; all other results are errors of Call.
type Answer = live.Answer

// File is a file that an action created for its caller.
type File = live.File

// InvalidError is a request that cannot succeed in any state of the device.
type InvalidError = live.InvalidError

// Hold is one client's lease of a device.
type Hold = live.Hold

// HeldError reports which client of this process has leased a device, and until when.
type HeldError = live.HeldError

// Options configure Devices. Pool is required; the zero value of the other fields means the default.
type Options = live.Options

// Devices are the devices that this process keeps open for its callers. It is safe for concurrent use.
type Devices = live.Devices

// ErrClosed means that the process is shutting down.
var ErrClosed = live.ErrClosed

// New creates an empty set; it opens no device. Close ends it.
func New(o Options) (*Devices, error) {
	return live.New(o)
}

// Status is the state of a device that is open or leased.
type Status = live.Status

// StepEnd is the end of a step.
type StepEnd = live.StepEnd

// StepsRequest are steps of a test, to be performed on one open device.
type StepsRequest = live.StepsRequest

// ErrGone means that a watched device has been closed.
var ErrGone = live.ErrGone

// View is one viewer of a device's screen. Only one goroutine may use it at a time.
type View = live.View
