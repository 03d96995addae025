// Package spec describes a simulated phone: its options, what differs between API levels, and its faults.
package spec

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// The packages that a phone comes with.
const (
	LauncherPackage    = "com.google.android.apps.nexuslauncher"
	LoginPackage       = "com.example.login"
	ListPackage        = "com.example.list"
	IMEPackage         = "com.google.android.inputmethod.latin"
	ADBKeyboardPackage = "com.android.adbkeyboard"
)

// Options describe a phone; the zero value is a fast Pixel-like phone with API level 34.
type Options struct {
	Console bool   // it is an emulator with a console on this machine, named by its port: see Start
	Serial  string // the serial that Server shows; over TCP the address is the serial
	// the port that it is plugged into, "1-4.2", which the adb server lists; "" as of phones over the network
	USB     string
	Unnamed bool   // it reports no serial to adb
	Model   string // ro.product.model
	Maker   string // ro.product.manufacturer, default: Google
	API     int    // 24, 28, 30, 34 or 36; others behave like the nearest lower one
	Width   int    // physical size in pixels, default: 1080x2400
	Height  int
	Density int // dots per inch, default: 420

	// LoginLoading is how long com.example.login shows its loading screen; LoginSpinner how long signing in takes.
	LoginLoading time.Duration
	LoginSpinner time.Duration
	// Moving is how long the element of the list's page "Moving" moves; LatePay when "Pay" shows up on "Payments".
	Moving  time.Duration
	LatePay time.Duration
	// IdleQuiet and IdleTimeout are what uiautomator waits for: this much quiet, for at most so long (1 s in 10 s on
	// phones).
	IdleQuiet   time.Duration
	IdleTimeout time.Duration
	// Transition is how long no window has the focus after another activity came to the front.
	Transition time.Duration
	// ClearKill is how long after "Success" the kill of pm clear lands (1.0 to 1.5 s on phones).
	ClearKill time.Duration

	Latency Latency

	// Unauthorized phones ask for a key and accept none.
	Unauthorized bool
	// DoubleTap is how long after a tap a second one makes a double tap (300 ms on phones); 40 ms must lie between them.
	DoubleTap time.Duration

	// InputForbidden makes every injected event fail as on phones that want "USB debugging (Security settings)".
	InputForbidden bool
	// Root is a phone with adbd running as root, as an emulator's does after adb root.
	Root bool
	// ButtonBar is a phone with buttons in its navigation bar; it is drawn over apps, which reach to the edges since
	// Android 15.
	ButtonBar bool
	// NoUinput takes the program away with which the shell makes input devices.
	NoUinput bool
	// DeafToEscape makes a keyboard that only the back key hides.
	DeafToEscape bool
	// EscapeGoesBack is a phone on which the escape key leaves the screen although the keyboard is open.
	EscapeGoesBack bool
	// Lock is how the phone is locked once its display was off, and when it boots; PIN opens a lock of that kind.
	Lock Lock
	PIN  string // default: 2580
	// Asleep boots the phone with its display off; Unwakeable is one with a display that only a person can switch on.
	Asleep     bool
	Unwakeable bool
	// TellsWhenOff is a phone on which automation services receive windows although the display is off.
	TellsWhenOff bool
	// WorkProfile is a phone with two users: am start needs the user.
	WorkProfile bool
	// Dump is how uiautomator writes trees, where phones of one API level differ.
	Dump DumpStyle
	// Bandwidth is how many bytes a second the phone sends to adb; 0: as many as there are. USB 2 has 30 million, a Wi-Fi
	// one or two.
	Bandwidth int
	// Splash is how long the page "Splash" is under an opaque image, CrashAfter when the page "Crash" does what a
	// button says.
	Splash     time.Duration
	CrashAfter time.Duration
	// ShortToast and LongToast are how long a toast lives: 2 s and 3.5 s on phones.
	ShortToast time.Duration
	LongToast  time.Duration
	// NoCmd takes the feature "cmd" away, as on phones that cannot install from a stream.
	NoCmd bool
	// ADBKeyboard installs the keyboard that takes text by broadcast.
	ADBKeyboard bool
	// Displays is the number of displays; with more than one, screencap writes its warning ahead of the image.
	Displays int
	// Folded closes a phone with several displays: Android's display is the one outside, the first one is the dark one
	// inside.
	Folded bool
	// WholeGlass is a phone on which screencap knows nothing of an overridden size.
	WholeGlass bool
	// AgentIdle is how long the agent keeps a silent connection: 60 s on phones.
	AgentIdle time.Duration
	// RefusesInstalls is a phone that requires consent before it installs anything over USB, and gets no response.
	RefusesInstalls bool
	// InstallPrompt is one with a question that stays on its screen, because it gets no response.
	InstallPrompt bool
	// PlainAm is a maker's am that knows no options of am instrument but -w and -e.
	PlainAm bool
	// NoToastWindows is a phone with a window manager that does not list the windows of toasts.
	NoToastWindows bool
	// WindowAnimation is how long windows move when the agent touches: it waits for them before the finger goes down and
	// after it went up, up to 5 s each.
	WindowAnimation time.Duration
	// Secure is how a screenshot comes out on a screen with a window that forbids screenshots.
	Secure SecureStyle
	// Guard is what the maker of the phone keeps from adb's shell, until a switch in the developer options is on.
	Guard GuardStyle
	// NoEncoder makes screenrecord fail as on devices without a video encoder.
	NoEncoder bool
}

// GuardStyle is how a phone keeps adb's shell from settings, permissions and apps' data.
type GuardStyle string

// The styles: as Android itself does, with a SecurityException (ColorOS with permission monitoring, MIUI without "USB
// debugging (Security settings)"), and by doing nothing without a word.
const (
	GuardNone     GuardStyle = ""
	GuardRefuses  GuardStyle = "refuses"
	GuardIsSilent GuardStyle = "silent"
)

// Lock is a kind of keyguard.
type Lock string

// The kinds of keyguard: none, one that a swipe takes away, and one that requires a PIN.
const (
	Unlocked  Lock = ""
	SwipeLock Lock = "swipe"
	PINLock   Lock = "pin"
)

// SecureStyle is what screencap makes of a screen on which a window forbids screenshots (FLAG_SECURE).
type SecureStyle string

// The styles: what Android's own source does at that API level (it refuses up to Android 14, and paints the window
// black from 15 on), an image in which the window is black, none at all with exit code 1, and the twelve zero bytes of
// a Samsung with Android 8, with exit code 0.
const (
	SecureByAPI   SecureStyle = ""
	SecureBlack   SecureStyle = "black"
	SecureRefused SecureStyle = "refused"
	SecureZeros   SecureStyle = "zeros"
)

// EffectiveSecure is how a protected screenshot comes out, after the API level where Secure leaves it to that.
func (o Options) EffectiveSecure() SecureStyle {
	switch {
	case o.Secure != SecureByAPI:
		return o.Secure
	case o.API >= 35:
		return SecureBlack
	}
	return SecureRefused
}

// DumpStyle is how uiautomator writes trees; the zero value is what Android's own source does at that API level.
type DumpStyle struct {
	// Attributes beyond those of Android 7: "" are hint and drawing-order from API 34 on, "none" none, "all" these two,
	// display-id and visible-to-user.
	Attributes string
	// Windows is what --windows does: "" writes child windows inside their parents from API 30 on and is passed over
	// below, "both" writes them at the top level, too, "flat" only there, "none" passes the option over.
	Windows string
}

// WritesWindows reports whether --windows does anything.
func (d DumpStyle) WritesWindows(api int) bool {
	return d.Windows != "none" && (d.Windows != "" || api >= 30)
}

// WritesHints reports whether hint and drawing-order are written.
func (d DumpStyle) WritesHints(api int) bool {
	return d.Attributes == "all" || d.Attributes == "" && api >= 34
}

// Latency is what commands cost on top of the work itself; zero costs nothing.
type Latency struct {
	Dump      time.Duration
	Screencap time.Duration
	Input     time.Duration
	Start     time.Duration // am start
	// The agent: until it listens, a tree, a touch or a text, and a query for one element.
	AgentStart, AgentSource, AgentInput, AgentFind time.Duration
}

// RealLatency returns the costs measured on an emulator with Android 14.
func RealLatency() Latency {
	return Latency{
		Dump:      2200 * time.Millisecond,
		Screencap: 250 * time.Millisecond,
		Input:     50 * time.Millisecond,
		Start:     350 * time.Millisecond,

		AgentStart: 1500 * time.Millisecond, AgentSource: 150 * time.Millisecond, AgentInput: 43 * time.Millisecond,
		AgentFind: 5 * time.Millisecond,
	}
}

// WithDefaults fills in what is not set.
func (o Options) WithDefaults() Options {
	o.Serial = cmp.Or(o.Serial, "R5CT10SIMUL")
	o.API = cmp.Or(o.API, 34)
	o.Maker = cmp.Or(o.Maker, "Google")
	o.Width = cmp.Or(o.Width, 1080)
	o.Height = cmp.Or(o.Height, 2400)
	o.Density = cmp.Or(o.Density, 420)
	o.LoginLoading = cmp.Or(o.LoginLoading, 800*time.Millisecond)
	o.LoginSpinner = cmp.Or(o.LoginSpinner, 600*time.Millisecond)
	o.Moving = cmp.Or(o.Moving, 900*time.Millisecond)
	o.LatePay = cmp.Or(o.LatePay, 700*time.Millisecond)
	o.IdleQuiet = cmp.Or(o.IdleQuiet, 20*time.Millisecond)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 400*time.Millisecond)
	o.Transition = cmp.Or(o.Transition, 40*time.Millisecond)
	o.ClearKill = cmp.Or(o.ClearKill, 300*time.Millisecond)
	o.DoubleTap = cmp.Or(o.DoubleTap, 300*time.Millisecond)
	o.Displays = cmp.Or(o.Displays, 1)
	o.PIN = cmp.Or(o.PIN, "2580")
	o.Splash = cmp.Or(o.Splash, 1500*time.Millisecond)
	o.CrashAfter = cmp.Or(o.CrashAfter, 400*time.Millisecond)
	o.ShortToast = cmp.Or(o.ShortToast, 2*time.Second)
	o.AgentIdle = cmp.Or(o.AgentIdle, time.Minute)
	o.LongToast = cmp.Or(o.LongToast, 3500*time.Millisecond)
	return o
}

// Profile holds what differs between API levels.
type Profile struct {
	API      int
	Release  string
	Features []string
	Model    string
	Product  string
	NotFound string // what the shell says of an unknown command
}

func profileFor(api int) Profile {
	p := Profile{API: 24, Release: "7.0", Model: "Nexus 5X", Product: "bullhead", NotFound: "not found"}
	p.Features = []string{"cmd", "shell_v2", "stat_v2"}
	switch {
	case api >= 36:
		p = Profile{API: 36, Release: "16", Model: "Pixel 9", Product: "tokay"}
	case api >= 34:
		p = Profile{API: 34, Release: "14", Model: "Pixel 7", Product: "panther"}
	case api >= 30:
		p = Profile{API: 30, Release: "11", Model: "Pixel 4a", Product: "sunfish"}
	case api >= 28:
		p = Profile{API: 28, Release: "9", Model: "Pixel 2", Product: "walleye", NotFound: "not found"}
		p.Features = []string{"cmd", "shell_v2", "stat_v2"}
	}
	if p.API >= 30 {
		p.NotFound = "inaccessible or not found"
		// abb needs the binder bridge; the simulated device refuses it, so it must not offer it either.
		p.Features = []string{"shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "apex",
			"fixed_push_symlink_timestamp"}
	}
	return p
}

// Profile is that of the API level, with what the options change.
func (o Options) Profile() Profile {
	p := profileFor(o.API)
	p.Model = cmp.Or(o.Model, p.Model)
	if o.NoCmd {
		p.Features = slices.DeleteFunc(p.Features, func(f string) bool { return f == "cmd" })
	}
	return p
}

// Fingerprint is ro.build.fingerprint.
func (p Profile) Fingerprint() string {
	return fmt.Sprintf("google/%s/%s:%s/SIM.%d/1:user/release-keys", p.Product, p.Product, p.Release, p.API)
}
