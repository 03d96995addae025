package order

import (
	"encoding/json"

	"github.com/taproot-dev/taproot/dsl"
)

// Needs is what a case requires of its device. It has the fields of queue.Needs.
type Needs struct {
	Platform dsl.Platform `json:"platform"`
	Browser  string       `json:"browser,omitempty"`
	Device   string       `json:"device,omitempty"`
	Avoid    string       `json:"avoid,omitempty"`
	Need     dsl.Need     `json:"need,omitzero"`
	Pool     string       `json:"pool,omitempty"`
	Labels   []string     `json:"labels,omitempty"`
	Local    string       `json:"local,omitempty"`
	Devices  []dsl.Entry  `json:"devices,omitempty"`
}

// Protocol is the version of the messages about runs between clients and hubs. Different versions are incompatible.
const Protocol = 3

// NewRun is the body of POST /farm/runs.
type NewRun struct {
	Protocol int      `json:"protocol"`
	Archive  string   `json:"archive"`
	Priority int      `json:"priority,omitempty"`
	Settings Settings `json:"settings"`
}

// MadeRun is the response.
type MadeRun struct {
	ID string `json:"id"`
}

// NewCase is a case in the body of POST /farm/runs/{id}/cases.
type NewCase struct {
	N     int             `json:"n"`
	Needs Needs           `json:"needs"`
	What  json.RawMessage `json:"what"`
}

// RunEvent is a line of GET /farm/runs/{id}/events. At most one of its fields is set; a line without any only shows
// that the hub is alive.
type RunEvent struct {
	Events *Events   `json:"events,omitempty"`
	Ended  *Ended    `json:"ended,omitempty"`
	None   *NoDevice `json:"none,omitempty"`
}

// Ended means that a case has a result.
type Ended struct {
	N       int    `json:"n"`
	Attempt int    `json:"attempt"`
	Error   string `json:"error,omitempty"` // why there is no pack
}

// NoDevice means that no host has a device that a case needs.
type NoDevice struct {
	N   int    `json:"n"`
	Why string `json:"why"`
}

// CaseNumbers is the body of POST /farm/runs/{id}/cancel and /taken: cases of the run.
type CaseNumbers struct {
	N []int `json:"n"`
	// Waiting limits cancel to cases that still wait for a device; the response lists those that it has cancelled.
	Waiting bool `json:"waiting,omitempty"`
}

// Usable is the response to GET /farm/usable.
type Usable struct {
	Cases int `json:"cases"` // that can run at once
}
