// Package format names the formats of the files that Taproot writes next to the results of tests, refuses those that
// this version does not read, and makes JSON Schemas of them from the types that are written.
package format

import "fmt"

// The formats. The number changes when a reader has to change; new fields do not change it.
const (
	Summary     = "taproot.summary/1"     // summary.json of a report pack
	Events      = "taproot.events/1"      // events.ndjson; its first event has it
	Manifest    = "taproot.manifest/1"    // manifest.json of a report pack
	Metrics     = "taproot.metrics/1"     // artifacts/metrics.json of a report pack
	Run         = "taproot.run/1"         // run.json
	Plan        = "taproot.plan/1"        // plan.json of a run
	Choice      = "taproot.choice/1"      // choice.json of a run
	Environment = "taproot.environment/1" // environment.json of a run
	Uploads     = "taproot.uploads/1"     // uploads.json of a run
	Notify      = "taproot.notify/1"      // notify.json of a run
	Upload      = "taproot.upload/1"      // upload.json of a run that a server received
	Request     = "taproot.request/1"     // request.json of a run that a server performs
	Weak        = "taproot.weak/1"        // weak.json of a run
	Repairs     = "taproot.repairs/1"     // repairs.json of a run
	History     = "taproot.history/1"     // history.jsonl of a reports folder; each line has it
)

// Check refuses a file of a format that this version does not read. A file without a format is older than formats are,
// and is read as version 1.
func Check(file, got, want string) error {
	if got == "" || got == want {
		return nil
	}
	return fmt.Errorf("%s has the format %q, and this version of Taproot reads %q: read it with the version that wrote it",
		file, got, want)
}
