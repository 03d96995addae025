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
	WorkDir        = ".work" // what is not finished; nothing outside it is ever half a file
)

// PageFile is the page of a pack for people, which package html makes.
const PageFile = "report.html"
