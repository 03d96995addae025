package system

import (
	"image"

	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// User does what a person with the phone does, or what befalls it. Its methods may be called from any goroutine.
type User struct{ Sys *System }

// Sleep switches the display off, as the power key does. A phone that has a lock is locked then.
func (u *User) Sleep() {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.Sleep(false)
}

// Doze is Sleep on a phone that shows the time while it sleeps.
func (u *User) Doze() {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.Sleep(true)
}

// LockNow locks a phone and leaves its display on: the keyguard covers everything.
func (u *User) LockNow() {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.Sleep(false)
	u.Sys.UI.Guard.Off = false
}

// Unlock removes the keyguard, as a user does who knows the PIN.
func (u *User) Unlock() {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.Guard.open()
}

// HeadsUp shows a notification over the foreground app, until it is tapped or swiped away.
func (u *User) HeadsUp(title, text string) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.overlay(func(m ui.Metrics, gone func()) *ui.Window { return ui.HeadsUp(m, title, text, gone) })
}

// Bubble puts the bubble of a chat app over a place of the screen, until it is tapped.
func (u *User) Bubble(at image.Rectangle) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.overlay(func(m ui.Metrics, gone func()) *ui.Window { return ui.Bubble(at, gone) })
}

// IncomingCall starts a call: a banner with buttons is over the app until one of them is tapped.
func (u *User) IncomingCall(name string) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.overlay(func(m ui.Metrics, gone func()) *ui.Window { return ui.CallBanner(m, name, func(string) { gone() }) })
}

// Crash makes an app that runs die of an exception, as com.example.login does by itself when crash@example.com signs
// in.
func (u *User) Crash(pkg, exception string) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.Crash(pkg, exception)
}

// CrashProcess makes a process of an app, such as com.example.list:remote, die of an exception. The app itself runs on.
func (u *User) CrashProcess(process, exception string) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.CrashProcess(process, exception)
}

// CrashNative makes an app that runs die of a signal.
func (u *User) CrashNative(pkg string) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.CrashNative(pkg)
}

// Freeze makes an app that runs hang until the system shows a dialog about it.
func (u *User) Freeze(pkg string) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.Freeze(pkg)
}

// Complain makes the system ask about an app, under the title that its window has: "Application Not Responding:
// com.android.systemui".
func (u *User) Complain(title string) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.Complaint = title
}

// Change lets a test change what its scenes look at, between two looks.
func (u *User) Change(do func()) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	do()
}

// AddLauncher adds a further activity to an app that launchers show.
func (u *User) AddLauncher(pkg, class string) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	a := u.Sys.Packages[pkg]
	a.Launchers = append(a.Launchers, class)
	a.Activities[class] = ""
}

// RemoveApp takes a package away, as its user does.
func (u *User) RemoveApp(name string) {
	u.Sys.Mu.Lock()
	defer u.Sys.Mu.Unlock()
	u.Sys.UI.Stop(name)
	delete(u.Sys.Packages, name)
}
