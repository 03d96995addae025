package shell

import (
	"time"

	"github.com/taproot-dev/taproot/runner/client"
)

// Protocol is the version of what commands and the process say to each other; the path of every request begins with it.
// A process of another version answers none but close and sessions, which never change.
const Protocol = "v1"

// Request is one command.
type Request struct {
	Build   string            `json:"build"`   // of the program that asks
	Project string            `json:"project"` // the folder whose session is meant
	Session string            `json:"session"` // its name; "" is the project's own
	Dir     string            `json:"dir"`     // in which the command was given: files are named from there
	Env     map[string]string `json:"env,omitempty"`
	Expose  []string          `json:"expose,omitempty"` // variables of Env that texts may name
	Caller  string            `json:"caller"`           // who waits for the answer, for sessions

	Op     string              `json:"op"`
	Word   string              `json:"word,omitempty"` // of the vocabulary, as in YAML
	Args   string              `json:"args,omitempty"` // of the word, as tests write them: a map
	Steps  string              `json:"steps,omitempty"`
	Device string              `json:"device,omitempty"`
	Then   string              `json:"then,omitempty"`
	View   *client.View        `json:"view,omitempty"`
	Look   *client.PictureArgs `json:"look,omitempty"`
	ID     string              `json:"id,omitempty"` // of the test that save writes
	Test   *TestRequest        `json:"test,omitempty"`
}

// The operations of requests.
const (
	OpWord       = "word"
	OpSteps      = "steps"
	OpSnapshot   = "snapshot"
	OpScreenshot = "screenshot"
	OpSave       = "save"
	OpTest       = "test"
	OpRefs       = "refs"
)

// TestRequest is a test that is to be performed in the session.
type TestRequest struct {
	Path string `json:"path"` // of its file, or its id
	// the number of a step, or a line of the file, ":12"; "": from the first one
	From string            `json:"from,omitempty"`
	Vars map[string]string `json:"vars,omitempty"`
}

// Response is what came of a command.
type Response struct {
	// as of taproot run: 0, 1 it does not hold or is not there, 2 wrong words, 3 the device
	Exit     int       `json:"exit"`
	Text     string    `json:"text"`
	Note     string    `json:"note,omitempty"` // about the session itself
	Steps    []string  `json:"steps,omitempty"`
	Value    any       `json:"value,omitempty"`
	Nearest  []string  `json:"nearest,omitempty"`
	Try      string    `json:"try,omitempty"`
	Pictures []Picture `json:"pictures,omitempty"`
	Files    []File    `json:"files,omitempty"`
}

// Picture is one in an answer.
type Picture struct {
	Kind string `json:"kind"` // its media type
	Data []byte `json:"data"`
}

// File is one that a step left.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// SessionInfo is a session as sessions lists it.
type SessionInfo struct {
	Project string       `json:"project"`
	Name    string       `json:"name,omitempty"`
	Began   time.Time    `json:"began"`
	Used    time.Time    `json:"used"`
	Holder  string       `json:"holder,omitempty"` // the command under way
	Steps   int          `json:"steps"`
	Devices []DeviceInfo `json:"devices,omitempty"`
}

// DeviceInfo is a device that a session holds.
type DeviceInfo struct {
	ID       string `json:"id"`
	Platform string `json:"platform"`
	Page     string `json:"page,omitempty"`
}

// Process is the background process as it tells of itself.
type Process struct {
	PID      int           `json:"pid"`
	Build    string        `json:"build"`
	Protocol string        `json:"protocol"`
	Sessions []SessionInfo `json:"sessions"`
}
