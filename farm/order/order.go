package order

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/farm/wire"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// Settings are how the cases of a run are run: what the client's configuration says of it. They may hold secrets.
type Settings struct {
	Dir         string            `json:"dir"`            // the working folder, relative to the archive's root
	Vars        map[string]string `json:"vars,omitempty"` // those of --var
	Env         map[string]string `json:"env,omitempty"`  // of the client's environment, those that vars name
	Environment string            `json:"environment,omitempty"`
	Browser     string            `json:"browser,omitempty"`
	NoVideo     bool              `json:"noVideo,omitempty"`
	NoTrace     bool              `json:"noTrace,omitempty"`
	NoDOM       bool              `json:"noDom,omitempty"`
	Unmasked    bool              `json:"unmasked,omitempty"`
	AllowShell  bool              `json:"allowShell,omitempty"`
	PublicOnly  bool              `json:"publicOnly,omitempty"`
	Required    bool              `json:"requireDevices,omitempty"`
	Timeout     time.Duration     `json:"timeout,omitempty"`
	AI          string            `json:"ai,omitempty"`
	Agent       string            `json:"agent,omitempty"`
}

// SettingsOf takes what travels out of a configuration. env are the variables that tests read.
func SettingsOf(c run.Config, dir string, env map[string]string) Settings {
	return Settings{Dir: dir, Vars: c.Vars, Env: env, Environment: c.Environment, Browser: c.Browser, NoVideo: c.NoVideo,
		NoTrace: c.NoTrace, NoDOM: c.NoDOM, Unmasked: c.Unmasked,
		AllowShell: c.AllowShell, PublicOnly: c.PublicOnly, Required: c.RequireDevices, Timeout: c.Timeout, AI: string(c.AI),
		Agent: c.Agent}
}

// Check finds out whether the working folder lies in the archive: a host has those of other projects beside it. "" is
// the archive's root.
func (s Settings) Check() error {
	if s.Dir != "" && !filepath.IsLocal(filepath.FromSlash(s.Dir)) {
		return fmt.Errorf("the working folder %.100q lies outside of the tests that were sent", s.Dir)
	}
	return nil
}

// Apply puts them into the configuration of a host. What a host forbids stays forbidden.
func (s Settings) Apply(c run.Config, dir string) run.Config {
	allowed := c.AllowShell
	c.Dir, c.Vars, c.Environment, c.Browser = dir, s.Vars, s.Environment, s.Browser
	c.NoVideo, c.NoTrace, c.NoDOM, c.Unmasked = s.NoVideo || c.NoVideo, s.NoTrace, s.NoDOM, s.Unmasked
	c.AllowShell, c.PublicOnly, c.RequireDevices, c.Timeout = s.AllowShell && allowed, s.PublicOnly || c.PublicOnly,
		s.Required, s.Timeout
	c.AI, c.Agent = vision.Mode(s.AI), s.Agent
	c.LookupEnv = func(name string) (string, bool) { v, ok := s.Env[name]; return v, ok }
	return c
}

// Planning are the options with which a host finds a case again.
func (s Settings) Planning(dir string) plan.Options {
	return plan.Options{Dir: dir, Browser: s.Browser, Vars: s.Vars, Environment: s.Environment,
		Env: func(name string) (string, bool) { v, ok := s.Env[name]; return v, ok }}
}

// Attempt names one attempt of a case.
type Attempt struct {
	Run     string `json:"run"`
	N       int    `json:"n"`
	Attempt int    `json:"attempt"`
}

// String names it in one word, by which its job is called.
func (a Attempt) String() string { return fmt.Sprintf("%s:%d:%d", a.Run, a.N, a.Attempt) }

// Job is what the stream brings to a host.
type Job struct {
	Attempt
	Device string          `json:"device"`
	What   json.RawMessage `json:"what"` // a plan.Ref
}

// Start is the answer to a host that asks whether it may begin an attempt.
type Start struct {
	Go       bool     `json:"go"`                 // else it was superseded, or nobody wants it any more
	Archive  string   `json:"archive,omitempty"`  // SHA-256 of the tests
	Settings Settings `json:"settings,omitempty"` // not kept anywhere on the way
}

// Events are some of an attempt, the first of them the From-th, from 0.
type Events struct {
	Attempt
	From   int           `json:"from"`
	Events []event.Event `json:"events"`
}

// Report is what a host says of an attempt that has ended.
type Report struct {
	Attempt
	Size     int64  `json:"size,omitempty"` // of the pack's archive
	SHA256   string `json:"sha256,omitempty"`
	Pack     []byte `json:"pack,omitempty"`     // the archive itself, when it is small; else the hub asks for it
	Error    string `json:"error,omitempty"`    // why there is no pack
	Returned bool   `json:"returned,omitempty"` // the case was not begun
	Draining bool   `json:"draining,omitempty"` // because the host ends; no fault of the device
}

// Verdict is the answer to a Report.
type Verdict struct {
	Accepted bool `json:"accepted"` // else it was superseded: the host forgets it
}

// SmallPack is the size up to which a pack's archive goes with the report, in bytes.
const SmallPack = 1 << 20

// Part asks for a part of something that a host or a hub has.
type Part struct {
	Attempt
	Archive string `json:"archive,omitempty"` // of the tests, instead of the pack
	From    int64  `json:"from"`
}

// Bytes is the answer to a Part; empty at the end.
type Bytes struct {
	Bytes []byte `json:"bytes"`
}

// PartSize is how many bytes an answer has at most: in JSON they take a third more.
const PartSize = 2 << 20

// The questions and news of hosts, below hub.<host>.
const (
	StartSubject  = "runs.start"
	EventsSubject = "runs.events"
	ReportSubject = "runs.report"
	PartSubject   = "runs.part"
)

// The questions and news of hubs, below host.<host>.
const (
	CancelSubject = "runs.cancel"
	PackSubject   = "runs.pack"
)

// ToHub is the subject of a host's message.
func ToHub(host, what string) string { return wire.ToHub(host, strings.Split(what, ".")...) }

// ToHost is the subject of a hub's message.
func ToHost(host, what string) string { return wire.ToHost(host, strings.Split(what, ".")...) }

// Result is what hubs tell each other of a run: a result that was accepted, or without one that there is something to
// look for.
type Result struct {
	Run   string `json:"run"`
	Ended *Ended `json:"ended,omitempty"`
}

// EndedSubject is where they do.
const EndedSubject = "farm.ended"
