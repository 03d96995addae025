package device

import (
	"cmp"
	"fmt"
	"image"
	"time"
)

// Options describe a device; the zero value is a booted simulator of an iPhone 16 with iOS 18.1.
type Options struct {
	UDID    string
	Name    string
	Version string
	// Phone makes an iPhone of it, which Xcode and go-ios know; Simulator false alone is a simulator.
	Phone bool
	// State is that of simctl: Booted, Shutdown, Booting, Shutting Down.
	State string
	// Untrusted, NoDeveloperMode, NoTunnel and Away are what can be wrong with an iPhone.
	Untrusted, NoDeveloperMode, NoTunnel, Away bool
	// Width and Height are in points, Scale is pixels of a point: default: 390x844 and 2.
	Width, Height, Scale int
	// Part is the part of the screen, in points, of the foreground app where two share it, on an upright iPad; the
	// zero value is all of it.
	Part image.Rectangle
	// LoginLoading is how long com.example.login shows its loading screen; LoginSpinner how long signing in takes.
	LoginLoading, LoginSpinner time.Duration
	// OldAgent is a WebDriverAgent without traits, placeholders, and responses that describe an element, with the paths
	// that it had before version 6, no WebDriver actions, the id of a new session next to the value, and a status that
	// does not say "ready".
	OldAgent bool
	// NoStatusBar is a screen without a status bar, as an app can have it.
	NoStatusBar bool
	// NoPlaces is a WebDriverAgent that refuses predicates about the places of elements.
	NoPlaces bool
	// PortraitPictures makes screenshots that do not turn with the app.
	PortraitPictures bool
	// FilmPort is where an iPhone's WebDriverAgent sends its images, on all of this machine's addresses; "" is any.
	FilmPort string
	// OwnPort makes a simulator's WebDriverAgent take a port of its own choice, which it reports, as it does when it gets
	// no environment.
	OwnPort bool
	// AlertsApart: an alert of the system does not take the place of the app in what a session returns that is bound to
	// none.
	AlertsApart bool
	// SystemBehind: the home screen's app does not count as in the foreground while an alert of it is over an app.
	SystemBehind bool
	// DevModeUnknown: go-ios cannot ask the iPhone for its developer mode; it says false and ends with 0. NoImage: nor can
	// it download the developer image, and ends with 0, too.
	DevModeUnknown, NoImage bool
	// AlertsSlide is how long an alert slides in, during which touches of it are lost.
	AlertsSlide time.Duration
	// TurnsLate is how long after the call the screen turns, which WebDriverAgent calls a failure meanwhile.
	TurnsLate time.Duration
	// RunnerInstalled is a simulator on which WebDriverAgent's runner is an app.
	RunnerInstalled bool
	// Passcode keeps a locked screen locked.
	Passcode bool
	// HideKey: the keyboard has a key that hides it, as on an iPad.
	HideKey bool
	// PortTaken: something else on the iPhone listens on port 8100 already.
	PortTaken bool
	// Automatic: the appearance of an iPhone goes by the time of day.
	Automatic bool
	// NoHardKeys is an iOS before 17: no keys of a plugged-in keyboard.
	NoHardKeys bool
}

func (o Options) withDefaults(i int) Options {
	if o.Phone {
		o.UDID = cmp.Or(o.UDID, fmt.Sprintf("00008110-00%04dC2D1C801E", i))
		o.Name = cmp.Or(o.Name, "iPhone 15")
	}
	o.UDID = cmp.Or(o.UDID, fmt.Sprintf("5A1F3D0E-6B1C-4C7E-9A39-0000000000%02d", i))
	o.Name = cmp.Or(o.Name, "iPhone 16")
	o.Version = cmp.Or(o.Version, "18.1")
	o.State = cmp.Or(o.State, "Booted")
	o.FilmPort = cmp.Or(o.FilmPort, "0")
	o.Width, o.Height, o.Scale = cmp.Or(o.Width, 390), cmp.Or(o.Height, 844), cmp.Or(o.Scale, 2)
	o.LoginLoading = cmp.Or(o.LoginLoading, 300*time.Millisecond)
	o.LoginSpinner = cmp.Or(o.LoginSpinner, 300*time.Millisecond)
	return o
}
