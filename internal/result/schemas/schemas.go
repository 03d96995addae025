// Package schemas has a JSON Schema for each file that Taproot writes next to the results of tests: a name goes in, and
// the schema comes out.
package schemas

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// others are the files of which the types belong to packages above this one.
//
//go:embed others.json
var others []byte

// kind is one kind of file.
type kind struct {
	name, file string
	of         reflect.Type // nil: the schema is written by hand
	format     string
	text       string
	alone      bool // the format is in another line: it does not have to be there
}

func kinds() []kind {
	return []kind{
		{"summary", event.SummaryFile, reflect.TypeFor[pack.Summary](), format.Summary,
			"The result of one case: a test on a platform with a row of its data.", false},
		{"run", "run.json", nil, format.Run, "", false},
		{"events", event.EventsFile, reflect.TypeFor[event.Event](), format.Events,
			"One line of the file: an event of a case. The first line has the format.", true},
		{"plan", "plan.json", reflect.TypeFor[history.PlanFile](), format.Plan,
			"The cases that a run starts.", false},
		{"choice", "choice.json", reflect.TypeFor[history.ChoiceFile](), format.Choice,
			"Which cases a run was asked to run, how often and in which order. Without the file: all, once, in the order " +
				"of the files.", false},
		{"environment", "environment.json", reflect.TypeFor[history.EnvironmentFile](), format.Environment,
			"Where a run ran. Unknown values are left out.", false},
		{"manifest", "manifest.json", reflect.TypeFor[pack.Manifest](), format.Manifest,
			"The files of a report pack when it was complete, with their hashes.", false},
		{"history", "history.jsonl", reflect.TypeFor[history.HistoryEntry](), format.History,
			"One line of the file: the result of one case in one run.", false},
		{"weak", finding.WeakFile, reflect.TypeFor[finding.Weakness](), format.Weak,
			"The assertions of a run that cannot fail, and the tests that do not test their last action.", true},
		{"repairs", finding.RepairFile, reflect.TypeFor[finding.Repairs](), format.Repairs,
			"The repairs that a run offers for steps that did not find their element.", true},
		{"uploads", "uploads.json", reflect.TypeFor[pack.UploadsFile](), format.Uploads,
			"The report packs of a run that were sent to a server.", false},
		{"metrics", event.MetricsPath, reflect.TypeFor[event.Metrics](), format.Metrics,
			"The app's use of the device during a case, and what requests to AI models cost.", false},
		{"frames", "artifacts/frames.ndjson", nil, "taproot.frames/1", "", false},
		{"notify", "notify.json", nil, format.Notify, "", false},
		{"upload", "upload.json", nil, format.Upload, "", false},
		{"request", "request.json", nil, format.Request, "", false},
	}
}

// Names are the names of the schemas.
func Names() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// Of returns the schema of a name.
func Of(name string) (schema json.RawMessage, known bool) { return of(name, false) }

// Strict is Of with a schema that allows no further keys, for tests of what Taproot writes.
func Strict(name string) (schema json.RawMessage, known bool) { return of(name, true) }

func of(name string, strict bool) (json.RawMessage, bool) {
	for _, k := range kinds() {
		switch {
		case k.name != name:
		case k.name == "run":
			return json.RawMessage(history.RunSchema), true
		case k.of == nil:
			var all map[string]json.RawMessage
			if json.Unmarshal(others, &all) != nil {
				return nil, false
			}
			return all[name], all[name] != nil
		default:
			data, err := json.Marshal(format.SchemaOf(k.of, format.Options{Title: k.file, Description: k.text,
				Format: k.format, Required: !k.alone, Strict: strict, Enums: enums}))
			return data, err == nil
		}
	}
	return nil, false
}

// enums are the texts of few values.
var enums = format.Enums{
	reflect.TypeFor[event.Result](): {"pass", "fail", "error", "skipped", "expected", "interrupted", "unreached",
		"warned"},
	reflect.TypeFor[event.Kind](): texts(event.CaseStarted, event.StepStarted, event.Attached, event.Logged,
		event.StepEnded, event.Surrounded, event.Identified, event.CaseEnded, event.Recorded, event.Unkept),
	reflect.TypeFor[event.Platform](): texts(event.Android, event.IOS, event.Web, event.Both),
	reflect.TypeFor[event.IncidentKind](): texts(event.IncidentCrash, event.IncidentException, event.IncidentRequest,
		event.IncidentConsole, event.IncidentLog),
}

func texts[T ~string](values ...T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

// List describes the schemas for people: one line for each, with its name, its file and its format.
func List() string {
	var b strings.Builder
	for _, k := range kinds() {
		b.WriteString("  " + k.name + strings.Repeat(" ", max(1, 13-len(k.name))) + k.file +
			strings.Repeat(" ", max(1, 26-len(k.file))) + k.format + "\n")
	}
	return b.String()
}
