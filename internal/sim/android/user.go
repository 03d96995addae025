package androidsim

import "image"

// user does what a person with the phone does, or what befalls it. Its methods may be called from any goroutine.
type user struct{ sys *system }

// Sleep switches the display off, as the power key does. A phone that has a lock is locked then.
func (p *user) Sleep() {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.sleep(false)
}

// Doze is Sleep on a phone that shows the time while it sleeps.
func (p *user) Doze() {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.sleep(true)
}

// LockNow locks a phone and leaves its display on: the keyguard covers everything.
func (p *user) LockNow() {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.sleep(false)
	p.sys.ui.guard.off = false
}

// Unlock removes the keyguard, as a user does who knows the PIN.
func (p *user) Unlock() {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.guard.open()
}

// HeadsUp shows a notification over the foreground app, until it is tapped or swiped away.
func (p *user) HeadsUp(title, text string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.overlay(func(m metrics, gone func()) *window { return headsUp(m, title, text, gone) })
}

// Bubble puts the bubble of a chat app over a place of the screen, until it is tapped.
func (p *user) Bubble(at image.Rectangle) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.overlay(func(m metrics, gone func()) *window { return bubble(at, gone) })
}

// IncomingCall starts a call: a banner with buttons is over the app until one of them is tapped.
func (p *user) IncomingCall(name string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.overlay(func(m metrics, gone func()) *window { return callBanner(m, name, func(string) { gone() }) })
}

// Crash makes an app that runs die of an exception, as com.example.login does by itself when crash@example.com signs
// in.
func (p *user) Crash(pkg, exception string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.crash(pkg, exception)
}

// CrashProcess makes a process of an app, such as com.example.list:remote, die of an exception. The app itself runs on.
func (p *user) CrashProcess(process, exception string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.crashProcess(process, exception)
}

// CrashNative makes an app that runs die of a signal.
func (p *user) CrashNative(pkg string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.crashNative(pkg)
}

// Freeze makes an app that runs hang until the system shows a dialog about it.
func (p *user) Freeze(pkg string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.freeze(pkg)
}

// Complain makes the system ask about an app, under the title that its window has: "Application Not Responding:
// com.android.systemui".
func (p *user) Complain(title string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.complaint = title
}

// Change lets a test change what its scenes look at, between two looks.
func (p *user) Change(do func()) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	do()
}

// AddLauncher adds a further activity to an app that launchers show.
func (p *user) AddLauncher(pkg, class string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	a := p.sys.packages[pkg]
	a.launchers = append(a.launchers, class)
	a.activities[class] = ""
}

// RemoveApp takes a package away, as its user does.
func (p *user) RemoveApp(name string) {
	p.sys.mu.Lock()
	defer p.sys.mu.Unlock()
	p.sys.ui.stop(name)
	delete(p.sys.packages, name)
}
