package drivers

import (
	"context"
	"image"
	"time"
)

// Gestures is a Device with a touch screen, or a mouse that stands for one. A gesture is made once and never repeated.
type Gestures interface {
	// LongPress holds one finger at p for d.
	LongPress(ctx context.Context, p image.Point, d time.Duration) error
	// DoubleTap taps twice, near enough in time for the system to see one double tap.
	DoubleTap(ctx context.Context, p image.Point) error
	// Swipe moves one finger from a to b within d. A fast one leaves the content moving. A browser scrolls what is under a by the
	// same distance.
	Swipe(ctx context.Context, a, b image.Point, d time.Duration) error
	// Drag holds one finger at a until the element is picked up, moves it to b within d, and lifts it there.
	Drag(ctx context.Context, a, b image.Point, d time.Duration) error
}

// Keys is a Device that has keys.
type Keys interface {
	// Press presses keys together, in order, and lets them go: the last one is the key, those before it are held. Names are those
	// of KeyNames. One that this device lacks gives an error that wraps ErrUnsupported.
	Press(ctx context.Context, keys []string) error
}

// KeyNames lists the names of keys that Press knows beside single characters: what a keyboard, a phone's frame or a remote control
// says.
func KeyNames() []string {
	return []string{"enter", "tab", "space", "backspace", "delete", "escape", "up", "down", "left", "right", "home", "end", "pageUp",
		"pageDown", "back", "appSwitch", "menu", "power", "volumeUp", "volumeDown", "search", "shift", "control", "alt", "meta",
		"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12"}
}

// Editor is a Device that can take text away from the field with the focus.
type Editor interface {
	// Erase removes the last n characters of the field that has the focus; n < 0 removes everything.
	Erase(ctx context.Context, n int) error
}

// Hider is a Device whose on-screen keyboard can be hidden.
type Hider interface {
	// HideKeyboard hides it without leaving the screen; hidden already is fine.
	HideKeyboard(ctx context.Context) error
}

// AppManager is a Device on which apps can be managed. An app that is not there gives an error that wraps ErrNoApp.
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

// LaunchOptions say how an app is started.
type LaunchOptions struct {
	Force       bool // stop it first
	Clear       bool // remove its data first
	Permissions map[string]bool
	Arguments   map[string]string // extras of the intent
}

// Navigator is a Device that is a browser with an address bar.
type Navigator interface {
	// Navigate goes to url in the page that is open, or back, forward or reload.
	Navigate(ctx context.Context, url string, timeout time.Duration) error
	// Location gives the address and the title of the page.
	Location(ctx context.Context) (url, title string, err error)
}
