package order

import (
	"encoding/json"

	"github.com/taproot-dev/taproot/dsl"
)

// Needs is what a case wants of its device. It has the fields of queue.Needs.
type Needs struct {
	Platform dsl.Platform `json:"platform"`
	Browser  string       `json:"browser,omitempty"`
	Device   string       `json:"device,omitempty"`
	Avoid    string       `json:"avoid,omitempty"`
	Need     dsl.Need     `json:"need,omitzero"`
	Pool     string       `json:"pool,omitempty"`
	Labels   []string     `json:"labels,omitempty"`
}

// Protocol is the version of what clients and hubs say to each other of runs. Those of different ones do not work
// together.
const Protocol = 1

// NewRun is the body of POST /farm/runs.
type NewRun struct {
	Protocol int      `json:"protocol"`
	Archive  string   `json:"archive"`
	Priority int      `json:"priority,omitempty"`
	Settings Settings `json:"settings"`
}

// MadeRun is the answer.
type MadeRun struct {
	ID string `json:"id"`
}

// NewCase is one of the body of POST /farm/runs/{id}/cases.
type NewCase struct {
	N     int             `json:"n"`
	Needs Needs           `json:"needs"`
	What  json.RawMessage `json:"what"`
}

// RunEvent is a line of GET /farm/runs/{id}/events. Exactly one of its parts is there, or none: then it only says that
// the hub lives.
type RunEvent struct {
	Events *Events   `json:"events,omitempty"`
	Ended  *Ended    `json:"ended,omitempty"`
	None   *NoDevice `json:"none,omitempty"`
}

// Ended says that a case has a result.
type Ended struct {
	N       int    `json:"n"`
	Attempt int    `json:"attempt"`
	Error   string `json:"error,omitempty"` // why there is no pack
}

// NoDevice says that no host has a device that a case needs.
type NoDevice struct {
	N   int    `json:"n"`
	Why string `json:"why"`
}

// CaseNumbers is the body of POST /farm/runs/{id}/cancel and /taken: cases of the run.
type CaseNumbers struct {
	N []int `json:"n"`
}

// Usable is the answer to GET /farm/usable.
type Usable struct {
	Cases int `json:"cases"` // that can be under way at once
}
