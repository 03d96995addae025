package system

import (
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"
	"time"
)

// Witness reports to a test what has happened on a phone. Its methods may be called from any goroutine.
type Witness struct{ Sys *System }

// Tap is one gesture and the element that took it.
type Tap struct {
	At      time.Time
	Kind    string // tap, long, swipe, drag
	Point   image.Point
	Package string
	Label   string // text, or content description, or the first label inside the element; empty when nothing took it
	ID      string
	Class   string
}

// Extra is an argument that an activity was started with, and the option that passed it ("--ez").
type Extra struct{ Kind, Value string }

// Taps are the gestures since the phone was made.
func (w *Witness) Taps() []Tap {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return append([]Tap(nil), w.Sys.Panel.taps...)
}

// Keys are the key codes that were pressed since the phone was made, those that were pressed together in one list. Text
// that was typed is not among them.
func (w *Witness) Keys() [][]int {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return append([][]int(nil), w.Sys.UI.keys...)
}

// FingerDown says whether a finger is down that single motion events have put there.
func (w *Witness) FingerDown() bool {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return w.Sys.Panel.held != nil
}

// Foreground is the component that has the focus, such as com.example.login/.MainActivity.
func (w *Witness) Foreground() string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return w.Sys.UI.Top().Component()
}

// BarKeys are the buttons of the navigation bar that were touched.
func (w *Witness) BarKeys() []string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return append([]string(nil), w.Sys.UI.barKeys...)
}

// Running says whether an app has a process.
func (w *Witness) Running(pkg string) bool {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return w.Sys.UI.Apps[pkg] != nil
}

// Extras are the arguments of an app's activity that was opened last.
func (w *Witness) Extras(pkg string) map[string]Extra {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	if a := w.Sys.Packages[pkg]; a != nil {
		return maps.Clone(a.extras)
	}
	return nil
}

// Packages are the names of all apps on the phone.
func (w *Witness) Packages() []string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return slices.Sorted(maps.Keys(w.Sys.Packages))
}

// Installed returns the version name of a package, and whether it is there.
func (w *Witness) Installed(name string) (version string, ok bool) {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	one := w.Sys.Packages[name]
	if one == nil {
		return "", false
	}
	return one.Version, true
}

// Splits returns the names of an app's parts other than its base, sorted.
func (w *Witness) Splits(pkg string) []string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	if one := w.Sys.Packages[pkg]; one != nil {
		return slices.Clone(one.Splits)
	}
	return nil
}

// Granted says whether an app has a permission.
func (w *Witness) Granted(pkg, permission string) bool {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return w.Sys.Packages[pkg] != nil && w.Sys.Packages[pkg].Granted[permission]
}

// Locales are an app's own languages.
func (w *Witness) Locales(pkg string) string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	if a := w.Sys.Packages[pkg]; a != nil {
		return a.Locales
	}
	return ""
}

// Setting is a row of the phone's settings, "null" when there is none.
func (w *Witness) Setting(space, key string) string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	if v, ok := w.Sys.Settings[space][key]; ok {
		return v
	}
	return "null"
}

// AllSettings is every row of Android's settings, one to a line.
func (w *Witness) AllSettings() string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	var b strings.Builder
	for _, space := range slices.Sorted(maps.Keys(w.Sys.Settings)) {
		for _, key := range slices.Sorted(maps.Keys(w.Sys.Settings[space])) {
			fmt.Fprintf(&b, "%s %s=%s\n", space, key, w.Sys.Settings[space][key])
		}
	}
	return b.String()
}

// Night is the mode of the dark theme: yes, no or auto.
func (w *Witness) Night() string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return w.Sys.Night
}

// Locked says whether the keyguard is shown, or would be if the display were on.
func (w *Witness) Locked() bool {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return w.Sys.UI.Guard.Locked
}

// Location is where the phone has been made to believe that it is; ok is false while it believes its receiver.
func (w *Witness) Location() (latitude, longitude float64, ok bool) {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	at, ok := w.Sys.Location.Places["gps"]
	return at[0], at[1], ok && len(w.Sys.Location.Providers) > 0
}

// Gallery lists the files that apps find in the media index.
func (w *Witness) Gallery() []string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return slices.Sorted(maps.Keys(w.Sys.Media))
}

// Fingers are those that have touched the sensor, in order.
func (w *Witness) Fingers() []int {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return slices.Clone(w.Sys.Sensors.fingerprints)
}

// Acceleration is what the sensor says now, and how often it turned round: a hand that shakes turns it several times.
func (w *Witness) Acceleration() (now []float64, turns int) {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return slices.Clone(w.Sys.Sensors.Acceleration[:]), w.Sys.Sensors.turns
}

// Clipboard is what was copied last.
func (w *Witness) Clipboard() string {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return w.Sys.UI.Clipboard
}

// ToastStands reports whether a toast is on the screen.
func (w *Witness) ToastStands() bool {
	w.Sys.Mu.Lock()
	defer w.Sys.Mu.Unlock()
	return w.Sys.UI.Toast.Text != "" && time.Now().Before(w.Sys.UI.Toast.Until)
}
