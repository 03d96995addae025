package androidsim

import (
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"
	"time"
)

// witness reports to a test what has happened on a phone. Its methods may be called from any goroutine.
type witness struct{ sys *system }

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
func (p *witness) Taps() []Tap {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return append([]Tap(nil), p.sys.panel.taps...)
}

// Keys are the key codes that were pressed since the phone was made, those that were pressed together in one list. Text
// that was typed is not among them.
func (p *witness) Keys() [][]int {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return append([][]int(nil), p.sys.ui.keys...)
}

// FingerDown says whether a finger is down that single motion events have put there.
func (p *witness) FingerDown() bool {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return p.sys.panel.held != nil
}

// Foreground is the component that has the focus, such as com.example.login/.MainActivity.
func (p *witness) Foreground() string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return p.sys.ui.top().component()
}

// BarKeys are the buttons of the navigation bar that were touched.
func (p *witness) BarKeys() []string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return append([]string(nil), p.sys.ui.barKeys...)
}

// Running says whether an app has a process.
func (p *witness) Running(pkg string) bool {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return p.sys.ui.apps[pkg] != nil
}

// Extras are the arguments of an app's activity that was opened last.
func (p *witness) Extras(pkg string) map[string]Extra {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	if a := p.sys.packages[pkg]; a != nil {
		return maps.Clone(a.extras)
	}
	return nil
}

// Packages are the names of all apps on the phone.
func (p *witness) Packages() []string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return slices.Sorted(maps.Keys(p.sys.packages))
}

// Installed returns the version name of a package, and whether it is there.
func (p *witness) Installed(name string) (version string, ok bool) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	one := p.sys.packages[name]
	if one == nil {
		return "", false
	}
	return one.version, true
}

// Splits returns the names of an app's parts other than its base, sorted.
func (p *witness) Splits(pkg string) []string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	if one := p.sys.packages[pkg]; one != nil {
		return slices.Clone(one.splits)
	}
	return nil
}

// Granted says whether an app has a permission.
func (p *witness) Granted(pkg, permission string) bool {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return p.sys.packages[pkg] != nil && p.sys.packages[pkg].granted[permission]
}

// Locales are an app's own languages.
func (p *witness) Locales(pkg string) string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	if a := p.sys.packages[pkg]; a != nil {
		return a.locales
	}
	return ""
}

// Setting is a row of the phone's settings, "null" when there is none.
func (p *witness) Setting(space, key string) string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	if v, ok := p.sys.settings[space][key]; ok {
		return v
	}
	return "null"
}

// AllSettings is every row of Android's settings, one to a line.
func (p *witness) AllSettings() string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	var b strings.Builder
	for _, space := range slices.Sorted(maps.Keys(p.sys.settings)) {
		for _, key := range slices.Sorted(maps.Keys(p.sys.settings[space])) {
			fmt.Fprintf(&b, "%s %s=%s\n", space, key, p.sys.settings[space][key])
		}
	}
	return b.String()
}

// Night is the mode of the dark theme: yes, no or auto.
func (p *witness) Night() string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return p.sys.night
}

// Locked says whether the keyguard is shown, or would be if the display were on.
func (p *witness) Locked() bool {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return p.sys.ui.guard.locked
}

// Location is where the phone has been made to believe that it is; ok is false while it believes its receiver.
func (p *witness) Location() (latitude, longitude float64, ok bool) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	at, ok := p.sys.location.places["gps"]
	return at[0], at[1], ok && len(p.sys.location.providers) > 0
}

// Gallery lists the files that apps find in the media index.
func (p *witness) Gallery() []string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return slices.Sorted(maps.Keys(p.sys.media))
}

// Fingers are those that have touched the sensor, in order.
func (p *witness) Fingers() []int {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return slices.Clone(p.sys.sensors.fingerprints)
}

// Acceleration is what the sensor says now, and how often it turned round: a hand that shakes turns it several times.
func (p *witness) Acceleration() (now []float64, turns int) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return slices.Clone(p.sys.sensors.acceleration[:]), p.sys.sensors.turns
}

// Clipboard is what was copied last.
func (p *witness) Clipboard() string {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return p.sys.ui.clipboard
}

// ToastStands reports whether a toast is on the screen.
func (p *witness) ToastStands() bool {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	return p.sys.ui.toast.text != "" && time.Now().Before(p.sys.ui.toast.until)
}
