package drivers

import (
	"context"
	"image"
	"io"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// Gestures is a Device with a touch screen, or a mouse in place of one. A gesture is made once and never repeated.
// A point that is not on the screen returns an error that wraps ErrNotActionable, and no gesture.
type Gestures interface {
	// LongPress holds one finger at p for d.
	LongPress(ctx context.Context, p image.Point, d time.Duration) error
	// DoubleTap taps twice, near enough in time for the system to see one double tap.
	DoubleTap(ctx context.Context, p image.Point) error
	// Swipe moves one finger from a to b within d. A fast one leaves the content moving. A browser with a mouse drags it,
	// or touches, as the element at a listens to; where nothing does, it is an ErrNotActionable.
	Swipe(ctx context.Context, a, b image.Point, d time.Duration) error
	// Drag holds one finger at a until the element is picked up, moves it to b within d, and lifts it there.
	Drag(ctx context.Context, a, b image.Point, d time.Duration) error
}

// Scroller is a Device that moves the content of a box by itself, and reports how far.
type Scroller interface {
	// Wheel moves what is under at by a distance, as a mouse wheel or a slow finger does, within d.
	Wheel(ctx context.Context, at, by image.Point, d time.Duration) error
	// ScrollBox brings into view what is in the direction way (one of its coordinates is 1 or -1, the other 0) of the
	// box that n is, holds or is in, by so much of the box's size. It may continue as on says.
	ScrollBox(ctx context.Context, n *screen.Node, way image.Point, part float64, on ScrollOn) (Scrolled, error)
}

// ScrollOn says how a device may scroll on without another read: until a part of one of the texts may be in the
// box, as long as each movement leaves something in view that was there before, within a time. Without a text it moves
// once. Whole: the texts are whole words of what is in the box, so that "Row 50" is not "Row 5".
type ScrollOn struct {
	Texts []string
	Whole bool
	Time  time.Duration
}

// Scrolled is what came of a movement.
type Scrolled struct {
	Moved int // pixels, in the direction that was asked for
	// movements that were made one after the other, each of which left something in view; 0: one, of which it is unknown
	Followed int
	Unknown  bool            // the page moves the content in its own way: Moved is not known
	Rested   bool            // the content has shown the same for a moment since it was moved
	Before   int             // how far the content had been moved from its beginning
	Box      image.Rectangle // on the screen, as far as it is known
}

// Keys is a Device that has keys.
type Keys interface {
	// Press presses keys together, in order, and lets them go: the last one is the key, those before it are held. Names
	// are those of KeyNames, or single characters, which type themselves. One that this device lacks, or a combination
	// that it cannot press, returns an error that wraps ErrUnsupported. "home" alone is the home button of a phone; with
	// others it is the key on a keyboard.
	Press(ctx context.Context, keys []string) error
}

// KeyNames lists the names of keys that Press knows in addition to single characters: what a keyboard, a phone's frame
// or a remote control says.
func KeyNames() []string {
	return []string{"enter", "tab", "space", "backspace", "delete", "escape", "up", "down", "left", "right", "home", "end",
		"pageUp",
		"pageDown", "back", "appSwitch", "menu", "power", "lock", "volumeUp", "volumeDown", "search", "select", "playPause",
		"mediaStop", "mediaNext",
		"mediaPrevious", "rewind", "fastForward", "navigateUp", "navigateDown", "buttonA", "buttonB", "tvInput", "hdmi1",
		"hdmi2", "hdmi3", "shift", "control", "alt", "meta",
		"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"}
}

// Editor is a Device that can take text away from the field with the focus.
type Editor interface {
	// Erase removes the last n characters of the field that has the focus; n < 0 removes everything.
	Erase(ctx context.Context, n int) error
}

// KeyboardHider is a Device on which the on-screen keyboard can be hidden.
type KeyboardHider interface {
	// HideKeyboard hides it without leaving the screen; hidden already is fine.
	HideKeyboard(ctx context.Context) error
}

// AppManager is a Device on which apps can be managed. An app that is not there returns an error that wraps ErrNoApp.
type AppManager interface {
	Apps
	// LaunchWith is Launch with more to say.
	LaunchWith(ctx context.Context, app string, how LaunchOptions) error
	// Stop ends an app; one that does not run is fine.
	Stop(ctx context.Context, app string) error
	// ClearApp removes an app's data, and returns once that is done.
	ClearApp(ctx context.Context, app string) error
	// Install installs a package file (an APK), over an older one too.
	Install(ctx context.Context, path string) error
	// Uninstall removes an app.
	Uninstall(ctx context.Context, app string) error
	// SetPermissions grants or revokes an app's permissions, by short name ("camera") or the system's own.
	SetPermissions(ctx context.Context, app string, allow map[string]bool) error
	// ListApps names the apps that were installed on top of the system's, sorted.
	ListApps(ctx context.Context) ([]string, error)
	// OpenLink opens a link with the app that the system, or the argument, chooses.
	OpenLink(ctx context.Context, link, app string) error
}

// KeychainClearer is a Device with a store of secrets that outlive an app's data, and that can be emptied.
type KeychainClearer interface {
	// ClearKeychain empties it for all apps.
	ClearKeychain(ctx context.Context) error
}

// AllPermissions is the name by which SetPermissions means every permission that an app requests. What the system does
// not let be changed is left as it is.
const AllPermissions = "all"

// ProcessKiller is an AppManager that can end the process of an app in the background, as a system short of memory
// does: the app keeps its place among the recent ones, and what it saved. One that is in the foreground stays.
type ProcessKiller interface {
	Kill(ctx context.Context, app string) error
}

// Rotator is a System with a screen that can be held in four ways.
type Rotator interface {
	// SetRotation holds the screen upright (0), on its left side (1: the top of the device points left), upside down (2),
	// or on its right (3).
	SetRotation(ctx context.Context, quarters int) error
}

// LaunchOptions say how an app is started.
type LaunchOptions struct {
	Force       bool // stop it first
	Clear       bool // remove its data first
	Permissions map[string]bool
	Arguments   map[string]string // extras of the intent
	Env         map[string]string // environment variables; iOS alone
}

// Navigator is a Device that is a browser with an address bar.
type Navigator interface {
	// Navigate goes to url in the page that is open, or back, forward or reload.
	Navigate(ctx context.Context, url string, timeout time.Duration) error
	// Location returns the URL and the title of the page.
	Location(ctx context.Context) (url, title string, err error)
}

// System is a Device with settings that can be changed for the length of a test. What they were before is restored by
// Device.Close, or when the device is opened next, should this process be killed before. What a device cannot do
// returns an error that wraps ErrUnsupported.
type System interface {
	// Rotate turns the screen. An app that keeps its own orientation stays as it is, which is not an error.
	Rotate(ctx context.Context, landscape bool) error
	// DarkMode turns the dark theme on or off.
	DarkMode(ctx context.Context, on bool) error
	// Airplane turns airplane mode on or off.
	Airplane(ctx context.Context, on bool) error
	// Locale sets the language of one app ("fr-FR"); "" means that of the system.
	Locale(ctx context.Context, app, locale string) error
	// Notifications opens the list of notifications.
	Notifications(ctx context.Context) error
	// Shell runs a command in the device's own shell and returns what it wrote, to stderr too, and its exit code. What it
	// changes is not restored.
	Shell(ctx context.Context, command string) (output string, code int, err error)
}

// SystemReader is a System that reports its settings. What a device cannot report returns an error that wraps
// ErrUnsupported.
type SystemReader interface {
	// IsDark reports whether the dark theme is on.
	IsDark(ctx context.Context) (bool, error)
	// IsAirplane reports whether airplane mode is on.
	IsAirplane(ctx context.Context) (bool, error)
}

// Identifier is a Device that reports which version of which app is tested on it.
type Identifier interface {
	// Identify is of the app that was launched last, or of the page that is open; nil when there is none. It does nothing
	// to either.
	Identify(ctx context.Context) (*Identity, error)
}

// Identity is what is known of a tested app. What is not known is empty.
type Identity struct {
	ID      string // package, bundle or the origin of the page
	Title   string // of the page
	Version string // versionName of the package; what the page's meta element version, build, revision or commit says
}

// CrashWatcher is a Device that knows whether the app that was launched last has died since.
type CrashWatcher interface {
	// Crashed returns the first crash of that app, or of a process of its own, since its launch, nil when there is none.
	// An error means that it is not known: "not checked", never "no crash". To ask is cheap enough for whenever something
	// is not found, not for every poll, and at the end of a test, also after the log that StartLog copies was stopped.
	Crashed(ctx context.Context) (*Crash, error)
}

// ObstacleReporter is a CrashWatcher that reports what keeps an app from being used that is not the app's fault.
type ObstacleReporter interface {
	// Obstacle says in one sentence what of the system is over the app that was launched last: its complaint about
	// another app, say. "" when there is nothing.
	Obstacle(ctx context.Context) (string, error)
}

// DisplayReporter is a device with a display that may go off while it is tested.
type DisplayReporter interface {
	// DisplayOn returns an error that says that the display is off, nil while it is on.
	DisplayOn(ctx context.Context) error
}

// CrashHinter is a CrashWatcher that reads the log as it goes by, so that the device need not be queried in vain.
type CrashHinter interface {
	// CrashSuspected reports at once whether the log has had a crash since the app was launched. It sends no request.
	CrashSuspected() bool
}

// The kinds of Crash.
const (
	CrashException = "exception" // it was not caught
	CrashNative    = "signal"    // of native code, such as SIGSEGV
	CrashANR       = "anr"       // the app does not respond
	CrashDied      = "died"      // its process ended while it was in the foreground, and the log does not say why
)

// Crash is how an app died.
type Crash struct {
	App    string `json:"app"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"` // one line: the exception and its message, the reason of the ANR
	Report string `json:"report"` // from the system's log, without times and process ids
}

// Shaker is a Device with apps that can be made to feel that it is shaken.
type Shaker interface {
	// Shake returns once the movement has ended. A device that only a person can shake returns an error that wraps
	// ErrUnsupported.
	Shake(ctx context.Context) error
}

// Biometrics is a Device that can simulate a finger or a face at its sensor. One that only a person can do that
// for returns an error that wraps ErrUnsupported.
type Biometrics interface {
	// Enroll says whether the device knows a finger or face.
	Enroll(ctx context.Context, known bool) error
	// Present presents to the sensor the finger or face that is known, or another one.
	Present(ctx context.Context, known bool) error
}

// Pusher is a Device with apps that can get push notifications without a server.
type Pusher interface {
	// Push sends an app a notification: a JSON object as a server would send it. A device that only a server can send to
	// returns an error that wraps ErrUnsupported.
	Push(ctx context.Context, app string, payload []byte) error
}

// StatusBar is what a status bar shows in the place of what is so; nil and "": what is so.
type StatusBar struct {
	Time                    string
	Battery, Wifi, Cellular *int // per cent, and bars
}

// StatusBarSetter is a Device with a status bar that can be set. Device.Close ends that.
type StatusBarSetter interface {
	// SetStatusBar changes what is given; nil: it shows what is so again. A device that cannot returns an error that wraps
	// ErrUnsupported.
	SetStatusBar(ctx context.Context, show *StatusBar) error
}

// Adjuster is a Device with elements that are set to a value instead of being typed into: picker wheels, and
// sliders.
type Adjuster interface {
	// Adjustable reports whether an element is of that kind.
	Adjustable(n *screen.Node) bool
	// Adjust sets such an element, and returns what it shows then. A value that it does not take returns an error that
	// wraps ErrNotActionable.
	Adjust(ctx context.Context, n *screen.Node, to string) (shown string, err error)
}

// FilePuller is a Device with files that can be copied.
type FilePuller interface {
	// PullFile copies the file at an absolute path to w, which keeps a part of it when that fails. A file that is not
	// there, is none, or is not in the storage that apps and people share returns an error that wraps ErrNoFile.
	PullFile(ctx context.Context, path string, w io.Writer) error
}

// MediaAdder is a Device with a gallery of images and videos.
type MediaAdder interface {
	// AddMedia copies an image or video into the gallery and returns once apps can find it there. Device.Close takes it
	// away again.
	AddMedia(ctx context.Context, path string) error
}

// Pincher is a Device that feels two fingers.
type Pincher interface {
	// Pinch puts two fingers down at the same distance from centre, on a line through it, and moves them from the distance
	// `from` to the distance `to` within d. A finger outside of the screen is an ErrNotActionable, and no gesture.
	Pinch(ctx context.Context, centre image.Point, from, to int, d time.Duration) error
}

// Services is a Driver of devices that can be lent to other tools, in the protocol of the platform's own tool (adb).
// What they do there is theirs to answer for: the caller holds the device's lease.
type Services interface {
	// OpenService opens one of the device's services, such as "shell:ls". It ends with ctx.
	OpenService(ctx context.Context, id, name string) (io.ReadWriteCloser, error)
	// Features are those that the device offers to the tool.
	Features(ctx context.Context, id string) ([]string, error)
}

// Alert is a question of the system, or of a page, that covers everything else until it is answered.
type Alert struct {
	Text    string   // what it says
	Buttons []string // as they are shown, where the device reports it
	Accept  string   // the one of Buttons that accepts; "" where it is unknown
	Dismiss string   // the one that says no; the only one of an alert that has one
	Field   bool     // it has a field for a text, as far as the device reports it
}

// Alerter is a Device with alerts that can be answered. On a page they are the dialogs of alert, confirm and prompt.
type Alerter interface {
	// Alert returns the open alert, nil when there is none.
	Alert(ctx context.Context) (*Alert, error)
	// AnswerAlert presses a button of the one that is open, by the name that Alert returns; text goes into its field
	// first, where it has one and text is not empty. No open alert, and one without that button, is an ErrNotFound.
	AnswerAlert(ctx context.Context, button, text string) error
}

// Coordinates is a position on earth, in degrees.
type Coordinates struct {
	Latitude, Longitude float64
	Accuracy            float64 // radius in metres; 0: the driver's own, as exact as it can
}

// LocationSetter is a Device with a location that can be set. The made-up position holds until the next one, or until
// Device.Close, which restores the real one.
type LocationSetter interface {
	// SetLocation makes the device believe that it is there. Where only some devices can (an emulator, a phone with a
	// helper app), the others give an error that wraps ErrUnsupported and says what is missing.
	SetLocation(ctx context.Context, at Coordinates) error
}

// Warner is a Device that can be kept from doing what it was asked for although the call continues: animations that
// stay on, permissions that stay as they are.
type Warner interface {
	// TakeWarnings returns what came up since the last call, each as a sentence that says what to do.
	TakeWarnings() []string
}

// TakeWarnings returns the warnings of a device that has any.
func TakeWarnings(d Device) []string {
	if w, ok := d.(Warner); ok {
		return w.TakeWarnings()
	}
	return nil
}

// AnimationControl is a Device that can be kept from doing things by itself: screens come to rest sooner, nothing is
// tapped in flight, and none goes dark while a test waits.
type AnimationControl interface {
	// StopAnimations switches the system's animations off and keeps the display on until Device.Close, or until the device
	// is opened next, should this process be killed before.
	StopAnimations(ctx context.Context) error
}

// Meter is a Device that reports what an app costs it.
type Meter interface {
	// Measure looks at the app that was launched last; nil when there is none that runs. Unlike a Device's other methods
	// it may be called while another call is under way, and it does nothing to the app.
	Measure(ctx context.Context) (*Measurement, error)
}

// WatchedInstaller is an AppManager that reports how far an installation has come.
type WatchedInstaller interface {
	// InstallWatched is Install that calls progress with the bytes that the device has taken. It does so from one
	// goroutine at a time, and not after it has returned.
	InstallWatched(ctx context.Context, path string, progress func(done, total int64)) error
}

// Measurement is what an app costs at one moment. What the device does not report is nil.
type Measurement struct {
	App        string        `json:"app"`
	At         time.Time     `json:"-"`
	MemoryKB   *int64        `json:"memory_kb,omitempty"` // proportional set size
	CPU        time.Duration `json:"-"`                   // that the process has used since it started; 0: unknown
	Process    int           `json:"-"`                   // its id: CPU and frames of another one start from 0
	Frames     *int64        `json:"frames,omitempty"`    // drawn since the app started
	JankyCount *int64        `json:"janky_frames,omitempty"`
}
