package event

import (
	"context"
	"image"
)

// Sink takes the events and files of one case as they happen. An error means that the report is incomplete from now on:
// the case must end as an error. Safe for concurrent use.
type Sink interface {
	// Emit keeps an event; it sets Time when that is zero.
	Emit(e Event) error
	// Screenshot keeps a screenshot as screenshots/NN-label.png (NN is the step) and emits an Attached event with the
	// time of the call. It may return before the file is written: the caller must not change the image any more, and an
	// error may be returned by a later call. CaseEnded waits for all screenshots.
	Screenshot(ctx context.Context, shot Shot) error
	// Mask holds the secrets that must not appear in the report.
	Mask() *Mask
	// Dir is the folder of the pack, for files that a device writes itself (recordings, logs): they are written below
	// Dir()/.work until they are added.
	Dir() string
	// Add moves a finished file into the pack under its name ("logcat.txt", "artifacts/x.json") and emits an Attached
	// event.
	Add(a Attachment, step int, from string) error
}

// Shot is a screenshot.
type Shot struct {
	Image   image.Image
	Step    int
	Label   string // becomes part of the file's name
	Failure bool   // taken because an assertion failed
	// another device of the test, of which the screenshot is; empty: it is of the step's own
	Device string
}

// The names in a pack.
const (
	EventsFile     = "events.ndjson"
	SummaryFile    = "summary.json"
	RunFile        = "run.md"
	RecordingFile  = "recording.mp4"
	LogcatFile     = "logcat.txt"
	ScreenshotsDir = "screenshots"
	ArtifactsDir   = "artifacts"
	WorkDir        = ".work" // unfinished files; all files outside of it are complete
)

// PageFile is the report page of a pack, which package html writes.
const PageFile = "report.html"
