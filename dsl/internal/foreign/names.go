package foreign

// What arguments and actions are called today, where translations write them.
const (
	timeout    = "timeoutMs"
	duration   = "durationMs"
	times      = "count" // of tap
	gone       = "gone"  // of waitFor
	airplane   = "setAirplaneMode"
	dark       = "setDarkMode"
	orient     = "setOrientation"
	place      = "setLocation"
	endApp     = "killApp"
	tab        = "webTab"
	sleepTime  = "ms"
	installed  = "path" // of install
	openCenter = "openNotifications"
)
