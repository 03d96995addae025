package androidsim

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Keys are the key codes that were pressed since the phone was made, those that were pressed together in one list. Text
// that was typed is not among them.
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

// Extra is an argument that an activity was started with, and the option that passed it ("--ez").
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

// Crash makes an app that runs die of an exception, as com.example.login does by itself when crash@example.com signs
// in.
func (p *Phone) Crash(pkg, exception string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.crash(pkg, exception)
}

// CrashProcess makes a process of an app, such as com.example.list:remote, die of an exception. The app itself runs on.
func (p *Phone) CrashProcess(process, exception string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.crashProcess(process, exception)
}

// CrashNative makes an app that runs die of a signal.
func (p *Phone) CrashNative(pkg string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.crashNative(pkg)
}

// Freeze makes an app that runs hang until the system shows a dialog about it.
func (p *Phone) Freeze(pkg string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.freeze(pkg)
}

// LogText is all that the phone's log has, as logcat shows it.
func (p *Phone) LogText() string {
	lines, _, _ := p.log.from(0)
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.format("threadtime"))
	}
	return b.String()
}

// Complain makes the system ask about an app, under the title that its window has: "Application Not Responding:
// com.android.systemui".
func (p *Phone) Complain(title string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ui.complaint = title
}

// Busy is how long the phone has worked on anything that a host requested. A log or a recording that continues counts
// as well.
func (p *Phone) Busy() time.Duration {
	p.busy.Lock()
	defer p.busy.Unlock()
	if p.busy.services > 0 {
		return p.busy.total + time.Since(p.busy.since)
	}
	return p.busy.total
}

// busyTime adds up the times in which at least one service is at work.
type busyTime struct {
	sync.Mutex
	services int
	since    time.Time
	total    time.Duration
}

// counted wraps a service so that its time counts as the phone's.
func (p *Phone) counted(run serviceFunc) serviceFunc {
	return func(ctx context.Context, s session) {
		defer p.busy.work()()
		run(ctx, s)
	}
}

// work counts one thing that the phone does, until the function that it returns is called.
func (b *busyTime) work() (done func()) {
	b.Lock()
	defer b.Unlock()
	if b.services++; b.services == 1 {
		b.since = time.Now()
	}
	return func() {
		b.Lock()
		defer b.Unlock()
		if b.services--; b.services == 0 {
			b.total += time.Since(b.since)
		}
	}
}
