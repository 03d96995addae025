package androidtest

import (
	"maps"
	"slices"
)

// Keys are the key codes that were pressed since the phone was made, those that were pressed together in one list. Text that was
// typed is not among them.
func (p *Phone) Keys() [][]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([][]int(nil), p.keys...)
}

// Shells is how many command lines the host has sent to the phone's shell.
func (p *Phone) Shells() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shells
}

// FingerDown says whether a finger is down that single motion events have put there.
func (p *Phone) FingerDown() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ui.finger != nil
}

// pressed notes keys. Phone.mu is held.
func (p *Phone) pressed(keys []int) { p.keys = append(p.keys, keys) }

// Setting is a row of the phone's settings, "null" when there is none.
func (p *Phone) Setting(space, key string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v, ok := p.settings[space][key]; ok {
		return v
	}
	return "null"
}

// Night is the mode of the dark theme: yes, no or auto.
func (p *Phone) Night() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.night
}

// Packages are the names of all apps on the phone.
func (p *Phone) Packages() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.packages))
}

// Granted says whether an app has a permission.
func (p *Phone) Granted(pkg, permission string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.packages[pkg] != nil && p.packages[pkg].granted[permission]
}

// Locales are an app's own languages.
func (p *Phone) Locales(pkg string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.packages[pkg]; a != nil {
		return a.locales
	}
	return ""
}

// Running says whether an app has a process.
func (p *Phone) Running(pkg string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ui.apps[pkg] != nil
}

// Extra is an argument that an activity was started with, and the option that gave it ("--ez").
type Extra struct{ Kind, Value string }

// Extras are the arguments of an app's activity that was opened last.
func (p *Phone) Extras(pkg string) map[string]Extra {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a := p.packages[pkg]; a != nil {
		return maps.Clone(a.extras)
	}
	return nil
}

// Crash makes an app that runs die of an exception, as com.example.login does by itself when crash@example.com signs in.
func (p *Phone) Crash(pkg, exception string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.crash(pkg, exception)
}
