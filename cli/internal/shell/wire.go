package shell

import (
	"time"

	"github.com/taproot-dev/taproot/runner/client"
)

// Protocol is the version of the protocol between commands and the process; the path of every request starts with it. A
// process of another version handles only close and sessions, which never change.
const Protocol = "v1"

// Request is one command.
type Request struct {
	Build   string            `json:"build"`   // of the program that sends it
	Project string            `json:"project"` // the project's folder, which identifies the session
	Session string            `json:"session"` // its name; "": the default session of the project
	Dir     string            `json:"dir"`     // of the command: relative paths start there
	Env     map[string]string `json:"env,omitempty"`
	Expose  []string          `json:"expose,omitempty"` // variables of Env that may be used as ${NAME}
	Caller  string            `json:"caller"`           // the waiting command, for the list of sessions

	Op     string                 `json:"op"`
	Word   string                 `json:"word,omitempty"` // action, as in YAML
	Args   string                 `json:"args,omitempty"` // of the action, as in tests: a map
	Steps  string                 `json:"steps,omitempty"`
	Device string                 `json:"device,omitempty"`
	Then   string                 `json:"then,omitempty"`
	View   *client.View           `json:"view,omitempty"`
	Look   *client.ScreenshotArgs `json:"look,omitempty"`
	ID     string                 `json:"id,omitempty"` // of the test that save writes
	Test   *TestRequest           `json:"test,omitempty"`
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

// TestRequest is a test that runs in the session.
type TestRequest struct {
	Path string `json:"path"` // of its file, or its ID
	// The number of a step, or a line of the file, ":12"; "": the first step.
	From string            `json:"from,omitempty"`
	Vars map[string]string `json:"vars,omitempty"`
}

// Response is the result of a command.
type Response struct {
	// As of taproot run: 0; 1: an assertion fails or an element is missing; 2: invalid input; 3: the device failed.
	Exit    int      `json:"exit"`
	Text    string   `json:"text"`
	Note    string   `json:"note,omitempty"` // about the session itself
	Steps   []string `json:"steps,omitempty"`
	Value   any      `json:"value,omitempty"`
	Nearest []string `json:"nearest,omitempty"`
	Try     string   `json:"try,omitempty"`
	Images  []Image  `json:"screenshots,omitempty"`
	Files   []File   `json:"files,omitempty"`
}

// Image is an image in a response.
type Image struct {
	Kind string `json:"kind"` // its media type
	Data []byte `json:"data"`
}

// File is a file that a step created.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// SessionInfo is a session in the list of sessions.
type SessionInfo struct {
	Project string       `json:"project"`
	Name    string       `json:"name,omitempty"`
	Began   time.Time    `json:"began"`
	Used    time.Time    `json:"used"`
	Holder  string       `json:"holder,omitempty"` // the current command
	Steps   int          `json:"steps"`
	Devices []DeviceInfo `json:"devices,omitempty"`
}

// DeviceInfo is a device of a session.
type DeviceInfo struct {
	ID       string `json:"id"`
	Platform string `json:"platform"`
	Page     string `json:"page,omitempty"`
}

// Process describes the background process.
type Process struct {
	PID      int           `json:"pid"`
	Build    string        `json:"build"`
	Protocol string        `json:"protocol"`
	Sessions []SessionInfo `json:"sessions"`
}
