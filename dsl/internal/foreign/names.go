package foreign

// What arguments and actions are called today, where translations write them.
const (
	timeout    = "timeout"
	duration   = "duration"
	times      = "times"      // of tap
	gone       = "notVisible" // of waitFor
	airplane   = "setAirplaneMode"
	dark       = "setDarkMode"
	orient     = "setOrientation"
	place      = "setLocation"
	endApp     = "killApp"
	tab        = "webTab"
	sleepTime  = "for"
	installed  = "file" // of install
	openCenter = "openNotifications"
)
