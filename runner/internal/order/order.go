// Package order contains the messages about runs between clients, hubs and hosts, as JSON, and the subjects of those
// between hosts and hubs.
package order

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/seats"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// Settings are the parts of the client's configuration that affect how cases run. They may contain secrets.
type Settings struct {
	Dir         string            `json:"dir"`            // the working folder, relative to the archive's root
	Vars        map[string]string `json:"vars,omitempty"` // from --var
	Env         map[string]string `json:"env,omitempty"`  // the variables of the client's environment that vars name
	Environment string            `json:"environment,omitempty"`
	Browser     string            `json:"browser,omitempty"`
	NoVideo     bool              `json:"noVideo,omitempty"`
	NoTrace     bool              `json:"noTrace,omitempty"`
	NoDOM       bool              `json:"noDom,omitempty"`
	Evidence    run.Evidence      `json:"evidence,omitzero"`
	KeepFrames  string            `json:"keepFrames,omitempty"`
	Unmasked    bool              `json:"unmasked,omitempty"`
	AllowShell  bool              `json:"allowShell,omitempty"`
	PublicOnly  bool              `json:"publicOnly,omitempty"`
	Required    bool              `json:"requireDevices,omitempty"`
	Timeout     time.Duration     `json:"timeout,omitempty"`
	AI          string            `json:"ai,omitempty"`
	Agent       string            `json:"agent,omitempty"`
	Today       string            `json:"today,omitempty"` // on the client's machine, as 2027-01-31
	Key         []byte            `json:"key,omitempty"`   // of what tests need: see Seal
	// Started are the values of the servers of the app, which run on the client's machine.
	Started map[string]map[string]any `json:"started,omitempty"`
}

// SettingsOf returns the settings of a configuration. env are the environment variables that tests read.
func SettingsOf(c run.Config, dir string, env map[string]string) Settings {
	return Settings{Dir: dir, Vars: c.Vars, Env: env, Environment: c.Environment, Browser: c.Browser, NoVideo: c.NoVideo,
		NoTrace: c.NoTrace, NoDOM: c.NoDOM, Evidence: c.Evidence, KeepFrames: string(c.KeepFrames), Unmasked: c.Unmasked,
		AllowShell: c.AllowShell, PublicOnly: c.PublicOnly, Required: c.RequireDevices, Timeout: c.Timeout, AI: string(c.AI),
		Agent: c.Agent, Started: c.Started, Today: c.Today()}
}

// WithKey adds the key of what tests need.
func (s Settings) WithKey(key []byte) Settings {
	s.Key = key
	return s
}

// Check returns an error if the working folder is outside of the archive: a host has those of other projects next to
// it. "" is the archive's root.
func (s Settings) Check() error {
	if s.Dir != "" && !filepath.IsLocal(filepath.FromSlash(s.Dir)) {
		return fmt.Errorf("the working folder %.100q is outside of the tests that were sent", s.Dir)
	}
	return nil
}

// Apply puts them into the configuration of a host. What a host forbids stays forbidden.
func (s Settings) Apply(c run.Config, dir string) run.Config {
	allowed := c.AllowShell
	c.Dir, c.Vars, c.Environment, c.Browser = dir, s.Vars, s.Environment, s.Browser
	if c.SetEvidence(s.Evidence.Video, s.Evidence.Trace, s.Evidence.Screenshots) != nil {
		c.Evidence = run.Evidence{} // of a client that is newer
	}
	c.NoVideo, c.NoTrace, c.NoDOM, c.Unmasked = s.NoVideo || c.NoVideo, s.NoTrace, s.NoDOM, s.Unmasked
	c.AllowShell, c.PublicOnly, c.RequireDevices, c.Timeout = s.AllowShell && allowed, s.PublicOnly || c.PublicOnly,
		s.Required, s.Timeout
	if c.SetKeepFrames(s.KeepFrames) != nil {
		_ = c.SetKeepFrames("") // of a client that is newer
	}
	c.AI, c.Agent, c.Started = vision.Mode(s.AI), s.Agent, s.Started
	c.LookupEnv = func(name string) (string, bool) { v, ok := s.Env[name]; return v, ok }
	return c
}

// Planning returns the options with which a host finds a case again.
func (s Settings) Planning(dir string) plan.Options {
	return plan.Options{Dir: dir, Everywhere: true, Browser: s.Browser, Vars: s.Vars, Environment: s.Environment,
		Today: s.Today,
		Env:   func(name string) (string, bool) { v, ok := s.Env[name]; return v, ok }}
}

// Attempt identifies an attempt of a case.
type Attempt struct {
	Run     string `json:"run"`
	N       int    `json:"n"`
	Attempt int    `json:"attempt"`
}

// String returns the id of its job.
func (a Attempt) String() string { return fmt.Sprintf("%s:%d:%d", a.Run, a.N, a.Attempt) }

// Job is a message of the stream to a host.
type Job struct {
	Attempt
	Device  string          `json:"device"`
	Devices []seats.Seat    `json:"devices,omitempty"` // of a case with several, in its order
	What    json.RawMessage `json:"what"`              // a plan.Ref
}

// Start is the response to a host that is about to start an attempt.
type Start struct {
	Go       bool     `json:"go"`                 // false: it was superseded or withdrawn
	Archive  string   `json:"archive,omitempty"`  // SHA-256 of the tests
	Settings Settings `json:"settings,omitempty"` // not stored anywhere on the way
}

// Events are consecutive events of an attempt. From is the number of the first, from 0.
type Events struct {
	Attempt
	From   int           `json:"from"`
	Events []event.Event `json:"events"`
}

// Report is what a host reports about an attempt that has ended.
type Report struct {
	Attempt
	Size     int64  `json:"size,omitempty"` // of the pack's archive
	SHA256   string `json:"sha256,omitempty"`
	Pack     []byte `json:"pack,omitempty"`     // the archive itself, if it is small; otherwise the hub requests it
	Error    string `json:"error,omitempty"`    // why there is no pack
	Returned bool   `json:"returned,omitempty"` // the case was not started
	Draining bool   `json:"draining,omitempty"` // because the host shuts down; not a fault of the device
}

// ReportReply is the response to a Report.
type ReportReply struct {
	Accepted bool `json:"accepted"` // false: it was superseded, and the host removes it
}

// SmallPack is the maximum size of an archive that is sent with the report, in bytes.
const SmallPack = 1 << 20

// Part requests a part of a file of a host or a hub.
type Part struct {
	Attempt
	Archive string `json:"archive,omitempty"` // of the tests, instead of the pack
	From    int64  `json:"from"`
}

// Bytes is the response to a Part; empty at the end.
type Bytes struct {
	Bytes []byte `json:"bytes"`
}

// PartSize is the maximum number of bytes in a response. In JSON they take a third more.
const PartSize = 2 << 20

// The requests and events of hosts, below hub.<host>.
const (
	StartSubject  = "runs.start"
	EventsSubject = "runs.events"
	ReportSubject = "runs.report"
	PartSubject   = "runs.part"
)

// The requests and events of hubs, below host.<host>.
const (
	CancelSubject = "runs.cancel"
	PackSubject   = "runs.pack"
)

// Result is a message between hubs: an accepted result of a run, or, without one, a hint that there are results to
// query.
type Result struct {
	Run   string `json:"run"`
	Ended *Ended `json:"ended,omitempty"`
}

// EndedSubject is the subject of Results.
const EndedSubject = "farm.ended"
