package event

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
