package device

import (
	"maps"
	"slices"
	"time"
)

// Witness reports to a test what has happened on a device.
type Witness struct{ Dev *Device }

// Noted is what happened on this device, in order.
func (d *Witness) Noted() []string {
	return d.Dev.Host.NotesOf(d.Dev.Opts.UDID)
}

// Secrets is how many the keychain holds: each start of an app leaves one.
func (d *Witness) Secrets() int {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	return d.Dev.Secrets
}

// UDID names the device.
func (d *Witness) UDID() string { return d.Dev.Opts.UDID }

// Locked reports whether the screen is locked.
func (d *Witness) Locked() bool {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	return d.Dev.Locked
}

// Front is the foreground app; "" is the home screen.
func (d *Witness) Front() string {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	return d.Dev.Front
}

// Running reports whether an app runs.
func (d *Witness) Running(bundle string) bool {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	a := d.Dev.Apps[bundle]
	return a != nil && a.PID != 0
}

// Installed lists the apps, sorted.
func (d *Witness) Installed() []string {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	return slices.Sorted(maps.Keys(d.Dev.Apps))
}

// Arguments are those that an app was started with.
func (d *Witness) Arguments(bundle string) []string {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	if a := d.Dev.Apps[bundle]; a != nil {
		return slices.Clone(a.Args)
	}
	return nil
}

// Permission is "granted", "revoked" or "".
func (d *Witness) Permission(bundle, service string) string {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	a := d.Dev.Apps[bundle]
	if a == nil {
		return ""
	}
	allowed, set := a.Permissions[service]
	switch {
	case !set:
		return ""
	case allowed:
		return "granted"
	}
	return "revoked"
}

// Place is the made-up location, "" for the real one.
func (d *Witness) Place() string {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	return d.Dev.Where
}

// Pictures are the names of those that were added.
func (d *Witness) Pictures() []string {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	return slices.Clone(d.Dev.Screenshots)
}

// Appearance is dark or light.
func (d *Witness) Appearance() string {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	return d.Dev.Appearance()
}

// Landscape reports whether the screen is in landscape.
func (d *Witness) Landscape() bool {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	return d.Dev.Wide
}

// Texts is what the screen shows.
func (d *Witness) Texts() []string {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	var texts []string
	_, windows := d.Dev.Screen()
	for _, w := range windows {
		for v := range w.All() {
			for _, text := range []string{v.Label, v.Value} {
				if text != "" && !v.Unseen {
					texts = append(texts, text)
				}
			}
		}
	}
	return texts
}

// FieldText is what the field with the focus holds.
func (d *Witness) FieldText() string {
	d.Dev.Mu.Lock()
	defer d.Dev.Mu.Unlock()
	if d.Dev.Focus == nil {
		return ""
	}
	return string(d.Dev.Focus.Text)
}

// User does what a person does with a device, or what befalls it.
type User struct{ Dev *Device }

// Show opens an alert of the system.
func (u *User) Show(title string, buttons ...string) {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	u.Dev.Question = &Question{Title: title, Buttons: buttons, Answer: func(string) {}, Opened: time.Now()}
}

// ShowBanner lets a notification hang from the top of the screen, "" takes it away.
func (u *User) ShowBanner(text string) {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	u.Dev.Banner = text
}

// ShowSheet opens a sheet of choices.
func (u *User) ShowSheet(title string, buttons ...string) {
	u.Show(title, buttons...)
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	u.Dev.Question.Sheet = true
}

// Crash ends the foreground app, and writes the report that macOS writes about a simulator's app.
func (u *User) Crash() {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	u.Dev.Crash("Fatal error: Index out of range")
}

// SetState makes a simulator Booted, Shutdown, Booting or Shutting Down.
func (u *User) SetState(state string) {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	u.Dev.State = state
}

// Lock locks the screen.
func (u *User) Lock() {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	u.Dev.Locked = true
}

// Lie turns the screen on its side, or back.
func (u *User) Lie(wide bool) {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	u.Dev.Wide = wide
}

// ShowStatusBar shows the status bar, or hides it as apps can.
func (u *User) ShowStatusBar(shown bool) {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	u.Dev.Opts.NoStatusBar = !shown
}

// ShowScene installs com.example.scene, or shows another scene in it.
func (u *User) ShowScene(s Scene) {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	if u.Dev.Apps[SceneBundle] == nil {
		u.Dev.Put(SceneBundle, "Scene")
	}
	u.Dev.scene, u.Dev.Question, u.Dev.Banner = s, nil, ""
}

// Change lets a test change what its scene looks at.
func (u *User) Change(do func()) {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	do()
}

// InstallTraps installs com.example.traps.
func (u *User) InstallTraps() {
	u.Dev.Mu.Lock()
	defer u.Dev.Mu.Unlock()
	u.Dev.Put(TrapsBundle, "Traps")
}
