package agent

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

// deviceInfo describes the phone.
func (a *Run) deviceInfo(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	a.sys.Mu.Lock()
	width, height := a.sys.UI.DisplaySize()
	a.sys.Mu.Unlock()
	give(w, r.PathValue("id"), map[string]any{"androidId": "9774d56d682e549c", "manufacturer": a.sys.Opts.Maker,
		"model": a.sys.Prof.Model, "brand": a.sys.Opts.Maker, "apiVersion": strconv.Itoa(a.sys.Prof.API),
		"platformVersion": a.sys.Prof.Release, "realDisplaySize": fmt.Sprintf("%dx%d", width, height),
		"displayDensity": a.sys.Opts.Density, "locale": "en_US", "timeZone": "UTC"})
}

// orientation is how the screen is held.
func (a *Run) orientation() string {
	a.sys.Mu.Lock()
	defer a.sys.Mu.Unlock()
	if size := a.sys.UI.Size(); size.X > size.Y {
		return "LANDSCAPE"
	}
	return "PORTRAIT"
}

// turn fixes how the screen is held, as UiDevice does. An app that keeps its own orientation makes it an error.
func (a *Run) turn(w http.ResponseWriter, r *http.Request, body map[string]any) {
	wanted, _ := body["orientation"].(string)
	if wanted != "PORTRAIT" && wanted != "LANDSCAPE" {
		problem(w, http.StatusBadRequest, "invalid argument", "orientation must be PORTRAIT or LANDSCAPE")
		return
	}
	a.sys.Mu.Lock()
	width, height := a.sys.UI.DisplaySize()
	turns := "0"
	if (wanted == "LANDSCAPE") != (width > height) {
		turns = "1"
	}
	settings := a.sys.Settings["system"]
	settings["accelerometer_rotation"], settings["user_rotation"] = "0", turns
	a.sys.Mu.Unlock()
	kernel.Pause(r.Context(), 50*time.Millisecond)
	give(w, r.PathValue("id"), wanted)
}
