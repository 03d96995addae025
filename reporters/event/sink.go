package event

import (
	"context"
	"image"
)

// Sink takes the events and files of one case as they happen. An error means that the report can no longer be kept: the
// case must end as an error. Safe for concurrent use.
type Sink interface {
	// Emit keeps an event; it stamps Time when that is zero.
	Emit(e Event) error
	// Screenshot keeps a picture as screenshots/NN-label.png (NN is the step) and tells of it with an Attached event,
	// whose time is that of the call. It may go on writing the picture after it returned: the image must not change any
	// more, and an error may come from a later call. CaseEnded waits for all pictures.
	Screenshot(ctx context.Context, shot Shot) error
	// Mask holds the secrets that nothing of the report may show.
	Mask() *Mask
	// Dir is the folder of the pack, for what a device writes by itself (films, logs): under Dir()/.work until it is
	// added.
	Dir() string
	// Add moves a finished file into the pack under its name ("logcat.txt", "artifacts/x.json") and tells of it.
	Add(a Attachment, step int, from string) error
}

// Shot is a picture of the screen.
type Shot struct {
	Image   image.Image
	Step    int
	Label   string // becomes part of the file's name
	Failure bool   // taken because an assertion did not hold
}
