package reporters

// The names in a pack.
const (
	eventsFile     = "events.ndjson"
	summaryFile    = "summary.json"
	runFile        = "run.md"
	recordingFile  = "recording.mp4"
	logcatFile     = "logcat.txt"
	screenshotsDir = "screenshots"
	artifactsDir   = "artifacts"
	workDir        = ".work" // what is not finished; nothing outside it is ever half a file
)

// PageFile is the page of a pack for people, which package html makes.
const PageFile = "report.html"
