// Package host runs the programs of this machine that reach iOS devices: xcrun, go-ios and ios_webkit_debug_proxy list
// devices, and handle the apps and settings of one.
package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// Host is what the programs of this machine do with the apps of one device. An app that is not installed is an
// ErrNoApp.
type Host interface {
	// Launch starts an app, or brings it to the front.
	Launch(ctx context.Context, how Start) error
	Install(ctx context.Context, path string) error
	Uninstall(ctx context.Context, app string) error
	Apps(ctx context.Context) ([]string, error)
}

// Start is how an app is started.
type Start struct {
	App   string
	Fresh bool // it is stopped first
	Args  []string
	Env   map[string]string
}

// variables are the environment as NAME=VALUE, each with something before it.
func (s Start) variables(prefix string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		list = append(list, prefix+name+"="+s.Env[name])
	}
	return list
}

// What only some hosts can do. Each call starts a program, blocks until that has ended, and ends early with its
// context; errors that wrap drivers.ErrNoApp blame the app or what was passed, all others the device.
type (
	// Pusher delivers notifications: payload is Apple's JSON.
	Pusher interface {
		Push(ctx context.Context, app string, payload []byte) error
	}
	// BarSetter changes what the status bar shows; nil restores it.
	BarSetter interface {
		SetStatusBar(ctx context.Context, show *drivers.StatusBar) error
	}
	// Shooter takes screenshots, as PNG files.
	Shooter interface {
		Screenshot(ctx context.Context) ([]byte, error)
	}
	// Stopper ends an app; one that does not run is not an error.
	Stopper interface {
		Stop(ctx context.Context, app string) error
	}
	// Opener opens a link with the app that the system chooses.
	Opener interface {
		OpenLink(ctx context.Context, link string) error
	}
	// Clearer ends an app and empties its data folder.
	Clearer interface {
		Clear(ctx context.Context, app string) error
	}
	// Keyholder empties the keychain of all apps.
	Keyholder interface {
		ClearKeychain(ctx context.Context) error
	}
	// Granter grants an app a permission, or takes it away.
	Granter interface {
		Permit(ctx context.Context, app, service string, allow bool) error
	}
	// ReportsHolder has the reports of crashes of a device.
	ReportsHolder interface {
		// CrashReports copies the reports about an app into a folder that the function removes.
		CrashReports(ctx context.Context, app string) (files []string, remove func(), err error)
	}
	// Approver lets an app be opened by links of a scheme without a question.
	Approver interface {
		Approve(ctx context.Context, scheme, app string) error
	}
	// Gallery copies an image or video into the photos, where it stays.
	Gallery interface {
		AddMedia(ctx context.Context, path string) error
	}
	// Shaker shakes the device.
	Shaker interface {
		Shake(ctx context.Context) error
	}
	// Prover simulates a finger or face: whether the device knows it, and that it is presented.
	Prover interface {
		Enroll(ctx context.Context, known bool) error
		Present(ctx context.Context, known bool) error
	}
	// Locator sets the location; nil restores the real one.
	Locator interface {
		Locate(ctx context.Context, at *drivers.Coordinates) error
	}
	// Painter knows the appearance, light or dark.
	Painter interface {
		Appearance(ctx context.Context) (string, error)
		SetAppearance(ctx context.Context, name string) error
	}
	// Filmer starts a program that records the screen into a file until it is interrupted.
	Filmer interface {
		Film(file string) (*Process, error)
	}
	// Logger starts a program that copies the system's log to w until it is stopped.
	Logger interface {
		Log(w io.Writer) (*Process, error)
	}
)

// New returns what reaches a device in addition to its WebDriverAgent.
func New(t Tools, f Found, w wda.Agent) Host {
	switch f.Kind {
	case Simulator:
		return simHost{t, f.Info.ID}
	case Phone:
		return appleHost{t, f.Info.ID}
	case Mux:
		return muxHost{t, f.Info.ID}
	}
	return bareHost{w}
}

const (
	launchLimit  = time.Minute
	installLimit = 10 * time.Minute // by Wi-Fi
)

// noApp makes an ErrNoApp of a failure that says that an app is not there.
func noApp(app string, err error) error {
	var failed *ToolError
	if errors.As(err, &failed) && unknownApp(failed.output) {
		return fmt.Errorf("%w: %s is not installed (%w)", drivers.ErrNoApp, app, err)
	}
	return err
}

// refused makes an ErrNoApp of what the system would not take: a package, an image, a link. A program that did not end
// blames no one, and a device that is full, locked or away is not the app's fault.
func refused(err error) error {
	var failed *ToolError
	if errors.As(err, &failed) && !blamesDevice(failed.output) {
		return fmt.Errorf("%w: %w", drivers.ErrNoApp, err)
	}
	return err
}

// appleHost reaches an iPhone with Xcode's devicectl.
type appleHost struct {
	Tools
	udid string
}

func (h appleHost) Launch(ctx context.Context, how Start) error {
	c := h.devicectl("device", "process", "launch", "--device", h.udid)
	if how.Fresh {
		c.Args = append(c.Args, "--terminate-existing")
	}
	if len(how.Env) > 0 {
		env, err := json.Marshal(how.Env)
		if err != nil {
			return err
		}
		c.Args = append(c.Args, "--environment-variables", string(env))
	}
	c.Args = append(append(c.Args, how.App), how.Args...)
	c.Limit = launchLimit
	_, err := h.Run(ctx, c)
	return noApp(how.App, err)
}

func (h appleHost) Install(ctx context.Context, path string) error {
	c := h.devicectl("device", "install", "app", "--device", h.udid, path)
	c.Limit = installLimit
	_, err := h.Run(ctx, c)
	return refused(err)
}

func (h appleHost) Uninstall(ctx context.Context, app string) error {
	if err := listed(ctx, h, app); err != nil {
		return err
	}
	_, err := h.Run(ctx, h.devicectl("device", "uninstall", "app", "--device", h.udid, app))
	return noApp(app, err)
}

func (h appleHost) Apps(ctx context.Context) ([]string, error) {
	out, err := h.coreDeviceJSON(ctx, "device", "info", "apps", "--device", h.udid)
	if err != nil {
		return nil, err
	}
	return parseCoreApps(out)
}

// Log needs go-ios: Xcode has no program for it.
func (h appleHost) Log(w io.Writer) (*Process, error) {
	if h.GoIOS == "" {
		return nil, fmt.Errorf("%w: the log of an iPhone is read with go-ios (npm install -g go-ios)", drivers.ErrUnsupported)
	}
	return muxHost(h).Log(w)
}

// muxHost reaches an iPhone with go-ios.
type muxHost struct {
	Tools
	udid string
}

func (h muxHost) Launch(ctx context.Context, how Start) error {
	c := h.GoIOSCommand("launch", how.App, "--udid="+h.udid)
	if how.Fresh {
		c.Args = append(c.Args, "--kill-existing")
	}
	for _, a := range how.Args {
		c.Args = append(c.Args, "--arg="+a)
	}
	c.Args = append(c.Args, how.variables("--env=")...)
	c.Limit = launchLimit
	_, err := h.Run(ctx, c)
	return noApp(how.App, err)
}

func (h muxHost) Install(ctx context.Context, path string) error {
	c := h.GoIOSCommand("install", "--path="+path, "--udid="+h.udid)
	c.Limit = installLimit
	_, err := h.Run(ctx, c)
	return refused(err)
}

func (h muxHost) Uninstall(ctx context.Context, app string) error {
	if err := listed(ctx, h, app); err != nil {
		return err
	}
	_, err := h.Run(ctx, h.GoIOSCommand("uninstall", app, "--udid="+h.udid))
	return noApp(app, err)
}

// Apps reads lines such as "com.example.login Login 1.0".
func (h muxHost) Apps(ctx context.Context) ([]string, error) {
	out, err := h.Run(ctx, h.GoIOSCommand("apps", "--list", "--udid="+h.udid))
	if err != nil {
		return nil, err
	}
	var apps []string
	for line := range strings.Lines(string(out)) {
		if id, _, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.Contains(id, ".") {
			apps = append(apps, id)
		}
	}
	return apps, nil
}

func (h muxHost) Log(w io.Writer) (*Process, error) {
	return h.Start(h.GoIOSCommand("syslog", "--nojson", "--udid="+h.udid), w)
}

// CrashReports needs go-ios: Xcode has no program for it that says how.
func (h appleHost) CrashReports(ctx context.Context, app string) ([]string, func(), error) {
	return muxHost(h).CrashReports(ctx, app)
}

// CrashReports are named after the app's process, which is in the list of apps.
func (h muxHost) CrashReports(ctx context.Context, app string) ([]string, func(), error) {
	out, err := h.Run(ctx, h.GoIOSCommand("apps", "--list", "--udid="+h.udid))
	if err != nil {
		return nil, nil, err
	}
	name := ""
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == app {
			name = strings.Join(fields[1:len(fields)-1], " ")
		}
	}
	if name == "" || strings.ContainsAny(name, `*?[\/`) {
		return nil, nil, fmt.Errorf("%w: the name of the process of %s is unknown", drivers.ErrUnsupported, app)
	}
	dir, err := os.MkdirTemp("", "taproot-crash-")
	if err != nil {
		return nil, nil, err
	}
	c := h.GoIOSCommand("crash", "cp", name+"-*.ips", dir, "--udid="+h.udid)
	if _, err := h.Run(ctx, c); err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	files, err := filepath.Glob(filepath.Join(EscapeGlob(dir), "*.ips"))
	return files, func() { os.RemoveAll(dir) }, err
}

// listed says with an ErrNoApp that an app is not among those that were installed.
func listed(ctx context.Context, h Host, app string) error {
	apps, err := h.Apps(ctx)
	if err != nil {
		return err
	}
	for _, a := range apps {
		if a == app {
			return nil
		}
	}
	return fmt.Errorf("%w: %s is not installed", drivers.ErrNoApp, app)
}

// bareHost has a WebDriverAgent and nothing else.
type bareHost struct{ wda wda.Agent }

func (h bareHost) Launch(ctx context.Context, how Start) error {
	app := how.App
	if how.Fresh {
		if err := h.wda.In(ctx, wda.Post("stopping "+app, "/wda/apps/terminate", map[string]any{"bundleId": app}),
			nil); err != nil {
			return err
		}
	}
	body := map[string]any{"bundleId": app, "shouldWaitForQuiescence": false}
	if len(how.Args) > 0 { // null instead of a list is more than XCTest bears
		body["arguments"] = how.Args
	}
	if len(how.Env) > 0 {
		body["environment"] = how.Env
	}
	ask := wda.Post("launching "+app, "/wda/apps/launch", body)
	ask.Limit = launchLimit
	err := h.wda.In(ctx, ask, nil)
	var refused *wda.Error
	if errors.As(err, &refused) && unknownApp(refused.Message) {
		return fmt.Errorf("%w: %s is not installed (%w)", drivers.ErrNoApp, app, err)
	}
	return err
}

func (bareHost) needs(what string) error {
	return fmt.Errorf("%w: %s needs a program that reaches the device: xcrun on a Mac, or go-ios",
		drivers.ErrUnsupported, what)
}

func (h bareHost) Install(context.Context, string) error   { return h.needs("installing") }
func (h bareHost) Uninstall(context.Context, string) error { return h.needs("uninstalling") }
func (h bareHost) Apps(context.Context) ([]string, error)  { return nil, h.needs("a list of apps") }

// unknownApp reports whether a text, of simctl, devicectl, go-ios or WebDriverAgent, says that an app is not installed.
func unknownApp(text string) bool {
	text = strings.ToLower(text)
	for _, words := range []string{"(fbsapplicationlibrary) returned nil", "unknown to frontboard", "is not installed",
		"not installed",
		"no such app", "bserrorcodedescription = notfound", "bserrorcodedescription=notfound"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// blamesDevice reports whether a text of one of the programs says that the device or this machine is what fails, not
// what it was given.
func blamesDevice(text string) bool {
	text = strings.ToLower(text)
	for _, words := range []string{"current state:", "invalid device", "no space left", "not enough space",
		"insufficient storage", "is locked", "unlocked", "passcode",
		"device was not found", "not found. is it attached", "pairrecord", "not paired", "disconnected", "usbmuxd", "tunnel",
		"timed out", "connection was",
		"connection re"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// muxLocator sets the location of an iPhone with go-ios.
type muxLocator struct {
	Tools
	udid string
}

func (l muxLocator) Locate(ctx context.Context, at *drivers.Coordinates) error {
	c := l.GoIOSCommand("resetlocation", "--udid="+l.udid)
	if at != nil {
		c = l.GoIOSCommand("setlocation", "--lat="+strconv.FormatFloat(at.Latitude, 'f', 7, 64),
			"--lon="+strconv.FormatFloat(at.Longitude, 'f', 7, 64), "--udid="+l.udid)
	}
	c.Logged = true
	_, err := l.Run(ctx, c)
	return err
}

// Reports returns what copies the reports of crashes from a device, which takes go-ios; nil: nothing does.
func (t Tools) Reports(h Host) ReportsHolder {
	if r, ok := h.(ReportsHolder); ok && t.GoIOS != "" {
		return r
	}
	return nil
}

// Locator sets the location of an iPhone with go-ios; nil where there is none.
func (t Tools) Locator(udid string) Locator {
	if t.GoIOS == "" {
		return nil
	}
	return muxLocator{t, udid}
}
