// Package client keeps the state of one client of open devices, for every interface (MCP, the shell): references to
// elements, what happened since its last call, its steps as a test, and the fence around texts from pages and screens.
// The code is in runner/internal/client; this is what other folders need of it.
package client

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/client"
)

// Config is what a session works with. Live and Pool may be set later, before its first call; the zero value of Idle,
// Prepare and Link means that there is nothing to do.
type Config = client.Config

// Client is one client's use of open devices. It is safe for concurrent use.
type Client = client.Client

// New creates a session.
func New(c Config) *Client {
	return client.New(c)
}

// Call is one call of a client: an action, steps, or a read of the screen.
type Call = client.Call

// Answer is the result of a call.
type Answer = client.Answer

// Text returns an answer with a text.
func Text(s string) *Answer {
	return client.Text(s)
}

// Plainly returns the errors of arguments without positions in a file.
func Plainly(err error) error {
	return client.Plainly(err)
}

// ErrNoDevice means that there is no page and no phone for a call.
var ErrNoDevice = client.ErrNoDevice

// Unsupported returns the refusal of an action that a device does not support.
func Unsupported(device string, why string) error {
	return client.Unsupported(device, why)
}

// OpenDialog returns the open dialog of a page, or nil. On phones dialogs are elements like others.
func OpenDialog(ctx context.Context, d drivers.Device) (*drivers.Alert, error) {
	return client.OpenDialog(ctx, d)
}

// Identified is one screen read with the identities of its elements.
type Identified = client.Identified

// ErrTooLong ends a call that exceeds its server's time limit.
var ErrTooLong = client.ErrTooLong

// NewFence returns the fence of a session.
func NewFence() client.Fence {
	return client.NewFence()
}

// The results of `taproot find`.
const (
	ResultNone      = client.ResultNone
	ResultAmbiguous = client.ResultAmbiguous
)

// Found is what a selector matches on a screen.
type Found = client.Found

// List returns the visible elements of the screen in reading order, with a selector for each.
func List(t *screen.Tree) client.Listed {
	return client.List(t)
}

// Find matches a selector as an action does, and as an assertion does.
func Find(t *screen.Tree, sel dsl.Selector) Found {
	return client.Find(t, sel)
}

// Unfindable returns why a selector cannot be matched in a tree.
func Unfindable(s dsl.Selector) string {
	return client.Unfindable(s)
}

// Done is one step that passed.
type Done = client.Done

// StepLine writes one step without its dash, in the shortest form.
func StepLine(def *dsl.Def, v source.Value) string {
	return client.StepLine(def, v)
}

// ScreenshotArgs are the options of a screenshot.
type ScreenshotArgs = client.ScreenshotArgs

// Candidate is one selector for an element, and why it is good or bad.
type Candidate = client.Candidate

// Nearest is how many elements a refusal names.
const Nearest = client.Nearest

// Refusal is a negative answer: what failed, similar elements, what to try.
type Refusal = client.Refusal

// Repair is a step with another selector, which matches only one element of the screen.
type Repair = client.Repair

// Repairs returns corrections of a step that found no element, or several: with the elements that its selector matches,
// or the most similar ones, the nearest first. It does not repair selectors with variables, and those of pixels.
func Repairs(t *screen.Tree, step *dsl.Step, preferID bool) (list []Repair) {
	return client.Repairs(t, step, preferID)
}

// FollowUps returns what a call that acts can show afterwards.
func FollowUps() []string {
	return client.FollowUps()
}

// MaxText limits the characters of a snapshot.
const MaxText = client.MaxText

// NewRefs returns the references of a new session.
func NewRefs() *client.Refs {
	return client.NewRefs()
}

// View are the arguments of the tool snapshot.
type View = client.View

// Capped joins lines up to the limits and appends how many are left out.
func Capped(lines []string, limit int) string {
	return client.Capped(lines, limit)
}

// IsRef reports whether a text has the form of a reference.
func IsRef(s string) bool {
	return client.IsRef(s)
}
