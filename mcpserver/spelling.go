package mcpserver

import (
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// spellings maps spellings that are not a tool of the same name to their spelling for assistants.
var spellings = map[string]string{
	"press enter":     `press {keys: ["enter"]}`,
	"press escape":    `press {keys: ["escape"]}`,
	"input text":      "input {text}",
	"input fields":    `input {fields: {"E-mail": "ada@example.com"}}`,
	"tap point":       "tap {point}",
	"waitFor enabled": "wait_for {enabled: …}",
	"drag":            "run_test {steps: [{drag: …}]}",
	"relation":        `run_test {steps: [{tap: {label: Remove, rightOf: Ann}}]}`,
	"getReport stop":  "get_report {stop: true}",
	"reference":       referenceURI,
	"allowScheme":     "the user can allow more with taproot mcp --allow-scheme",
}

// toolSpelling returns a call as an assistant writes it, or "" if no tool does the same.
func toolSpelling(call string) string {
	if own := spellings[call]; own != "" {
		return own
	}
	if name, given := strings.CutPrefix(call, "exposeEnv "); given {
		return "the user can let you use it: taproot mcp --expose-env " + name
	}
	name := snake(call)
	for _, t := range sessionNames {
		if t == name {
			return name
		}
	}
	if def, known := dsl.Lookup(call); known && def.Interfaces&dsl.MCP != 0 {
		return name
	}
	return ""
}

// sessionNames are the tools of the session that messages of other packages mention.
var sessionNames = []string{"snapshot", "screenshot", "ocr", "logs", "list_devices", "list_apps", "device_info",
	"set_device", "get_report"}
