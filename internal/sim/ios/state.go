package iossim

import (
	"maps"
	"slices"
)

// SetState makes a simulator Booted, Shutdown, Booting or Shutting Down.
func (d *Device) SetState(state string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = state
}

// Lock locks the screen.
func (d *Device) Lock() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.locked = true
}

// Locked reports whether the screen is locked.
func (d *Device) Locked() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.locked
}

// Front is the foreground app; "" is the home screen.
func (d *Device) Front() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.front
}

// Running reports whether an app runs.
func (d *Device) Running(bundle string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.apps[bundle]
	return a != nil && a.pid != 0
}

// Installed lists the apps, sorted.
func (d *Device) Installed() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.apps))
}

// Arguments are those that an app was started with.
func (d *Device) Arguments(bundle string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.apps[bundle]; a != nil {
		return slices.Clone(a.args)
	}
	return nil
}

// Permission is "granted", "revoked" or "".
func (d *Device) Permission(bundle, service string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.apps[bundle]
	if a == nil {
		return ""
	}
	allowed, set := a.permissions[service]
	switch {
	case !set:
		return ""
	case allowed:
		return "granted"
	}
	return "revoked"
}

// Place is the made-up location, "" for the real one.
func (d *Device) Place() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.where
}

// Pictures are the names of those that were added.
func (d *Device) Pictures() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.screenshots)
}

// Appearance is dark or light.
func (d *Device) Appearance() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.appearance()
}

// Landscape reports whether the screen is in landscape.
func (d *Device) Landscape() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wide
}

// Texts is what the screen shows.
func (d *Device) Texts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var texts []string
	_, windows := d.screen()
	for _, w := range windows {
		for v := range w.all2() {
			for _, text := range []string{v.label, v.value} {
				if text != "" && !v.unseen {
					texts = append(texts, text)
				}
			}
		}
	}
	return texts
}

// FieldText is what the field with the focus holds.
func (d *Device) FieldText() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.focus == nil {
		return ""
	}
	return string(d.focus.text)
}

// Lie turns the screen on its side, or back.
func (d *Device) Lie(wide bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wide = wide
}

// ShowStatusBar shows the status bar, or hides it as apps can.
func (d *Device) ShowStatusBar(shown bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opts.NoStatusBar = !shown
}
