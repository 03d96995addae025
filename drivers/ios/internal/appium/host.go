package appium

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/native"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// maxFile caps a file that is sent: it goes through one message in base64.
const maxFile = 40 << 20

// Host does what the server does with the apps and the settings of a phone in addition to its WebDriverAgent. Most of
// it the driver has for simulators alone.
type Host struct {
	host.Host // launches

	agent *Agent
	url   string // of the server
}

var (
	_ host.Clearer   = (*Host)(nil)
	_ host.Gallery   = (*Host)(nil)
	_ host.Granter   = (*Host)(nil)
	_ host.Keyholder = (*Host)(nil)
	_ host.Locator   = (*Host)(nil)
	_ host.Painter   = (*Host)(nil)
	_ host.Prover    = (*Host)(nil)
	_ host.Pusher    = (*Host)(nil)
	_ host.Shaker    = (*Host)(nil)
	_ host.Stopper   = (*Host)(nil)
)

// NewHost is that of the server at a URL.
func NewHost(a *Agent, url string) *Host {
	return &Host{Host: host.New(host.Tools{}, host.Found{}, a), agent: a, url: url}
}

// run performs a command of the driver that changes something, once.
func (h *Host) run(ctx context.Context, what, name string, args map[string]any, to any) error {
	return h.agent.perform(ctx, wda.Request{What: what, Limit: native.SlowLimit}, mobile(name, args), to)
}

// read performs a command of the driver that changes nothing.
func (h *Host) read(ctx context.Context, what, name string, args map[string]any, to any) error {
	return h.agent.perform(ctx, wda.Request{What: what}, reading(name, args), to)
}

// mustBeInstalled returns ErrNoApp for an app that the phone does not have, and the error for others, also where the
// server cannot say it.
func (h *Host) mustBeInstalled(ctx context.Context, app string, err error) error {
	installed := true
	if h.read(ctx, "whether "+app+" is installed", "isAppInstalled", map[string]any{"bundleId": app}, &installed) != nil ||
		installed {
		return err
	}
	hint := ""
	if all, listed := h.Apps(ctx); listed == nil {
		if near := phrase.Nearest(app, all); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
	}
	return fmt.Errorf("%w: %s is not installed%s", drivers.ErrNoApp, app, hint)
}

// Launch starts an app, or brings it to the front.
func (h *Host) Launch(ctx context.Context, how host.Start) error {
	err := h.Host.Launch(ctx, how)
	if err != nil && errors.As(err, new(*wda.Error)) && !errors.Is(err, drivers.ErrNoApp) {
		return h.mustBeInstalled(ctx, how.App, err)
	}
	return err
}

// Stop ends an app; one that does not run is fine.
func (h *Host) Stop(ctx context.Context, app string) error {
	var ran bool
	err := h.run(ctx, "stopping "+app, "terminateApp", map[string]any{"bundleId": app}, &ran)
	if err == nil && !ran {
		return h.mustBeInstalled(ctx, app, nil)
	}
	return err
}

// Install installs an app. A file of this machine can be given only to a server that runs on it.
func (h *Host) Install(ctx context.Context, path string) error {
	u, err := url.Parse(h.url)
	if err != nil || !guard.IsLoopback(u.Hostname()) {
		return fmt.Errorf("%w: the file %s is not on the machine of the remote %s: name the app in its capabilities "+
			"(appium:app)", drivers.ErrUnsupported, filepath.Base(path), h.agent.Remote)
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	return h.run(ctx, "installing", "installApp", map[string]any{"app": path}, nil)
}

// Uninstall removes an app.
func (h *Host) Uninstall(ctx context.Context, app string) error {
	if err := h.mustBeInstalled(ctx, app, nil); err != nil {
		return err
	}
	removed := false
	err := h.run(ctx, "uninstalling "+app, "removeApp", map[string]any{"bundleId": app}, &removed)
	if err == nil && !removed {
		err = fmt.Errorf("%s was not removed", app)
	}
	return err
}

// Apps names the apps that were installed.
func (h *Host) Apps(ctx context.Context) ([]string, error) {
	var all map[string]json.RawMessage
	err := h.read(ctx, "a list of apps", "listApps", map[string]any{"applicationType": "User"}, &all)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, err
}

// Clear ends an app and empties its data folder.
func (h *Host) Clear(ctx context.Context, app string) error {
	if err := h.mustBeInstalled(ctx, app, nil); err != nil {
		return err
	}
	return h.run(ctx, "clearing "+app, "clearApp", map[string]any{"bundleId": app}, nil)
}

// ClearKeychain empties the keychain of all apps.
func (h *Host) ClearKeychain(ctx context.Context) error {
	return h.run(ctx, "clearing the keychain", "clearKeychains", nil, nil)
}

// Permit grants an app a permission, or takes it away.
func (h *Host) Permit(ctx context.Context, app, service string, allow bool) error {
	name := map[string]string{"locationAlways": "location-always"}[service]
	if name == "" {
		name = strings.ToLower(service)
	}
	if !slices.Contains(services(), name) {
		return fmt.Errorf("%w: Appium's driver has no permission %q that can be set (there are %s): answer its question "+
			"when it comes, with alert: accept or alert: dismiss", drivers.ErrUnsupported, service,
			strings.Join(services(), ", "))
	}
	if err := h.mustBeInstalled(ctx, app, nil); err != nil {
		return err
	}
	return h.run(ctx, "a permission", "setPermission", map[string]any{"bundleId": app,
		"access": map[string]any{name: map[bool]string{true: "yes", false: "no"}[allow]}}, nil)
}

// services are the permissions that the driver can grant.
func services() []string {
	return []string{"calendar", "camera", "contacts", "health", "homekit", "location", "location-always", "medialibrary",
		"microphone", "motion", "photos", "reminders", "siri", "speech"}
}

// AddMedia copies an image or video into the photos, where it stays.
func (h *Host) AddMedia(ctx context.Context, file string) error {
	base := filepath.Base(file)
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > maxFile {
		return fmt.Errorf("add %s to the photos: %w: it is not a file of at most %d MB", base, drivers.ErrNotActionable,
			maxFile>>20)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return h.run(ctx, "adding "+base+" to the photos", "pushFile", map[string]any{"remotePath": base,
		"payload": base64.StdEncoding.EncodeToString(data)}, nil)
}

// Push delivers a notification: payload is Apple's JSON.
func (h *Host) Push(ctx context.Context, app string, payload []byte) error {
	var fields map[string]any
	if err := json.Unmarshal(payload, &fields); err != nil {
		return err
	}
	return h.run(ctx, "a notification", "pushNotification", map[string]any{"bundleId": app, "payload": fields}, nil)
}

// Shake shakes the device.
func (h *Host) Shake(ctx context.Context) error { return h.run(ctx, "shaking", "shake", nil, nil) }

// Enroll says whether the device knows a finger or face.
func (h *Host) Enroll(ctx context.Context, known bool) error {
	return h.run(ctx, "biometrics", "enrollBiometric", map[string]any{"isEnabled": known}, nil)
}

// Present presents a finger and a face: which of them the device has is not known.
func (h *Host) Present(ctx context.Context, known bool) error {
	for _, kind := range []string{"touchId", "faceId"} {
		if err := h.run(ctx, "biometrics", "sendBiometricMatch", map[string]any{"type": kind, "match": known},
			nil); err != nil {
			return err
		}
	}
	return nil
}

// Locate sets the location; nil restores the real one.
func (h *Host) Locate(ctx context.Context, at *drivers.Coordinates) error {
	if at == nil {
		return h.run(ctx, "the location", "resetSimulatedLocation", nil, nil)
	}
	return h.run(ctx, "the location", "setSimulatedLocation", map[string]any{"latitude": at.Latitude,
		"longitude": at.Longitude}, nil)
}

// Appearance is light or dark.
func (h *Host) Appearance(ctx context.Context) (string, error) {
	var now struct{ Style string }
	err := h.read(ctx, "the appearance", "getAppearance", nil, &now)
	return now.Style, err
}

// SetAppearance makes it light or dark.
func (h *Host) SetAppearance(ctx context.Context, name string) error {
	return h.run(ctx, "the appearance", "setAppearance", map[string]any{"style": name}, nil)
}

// CheckActions returns an ErrUnsupported that names what the server lacks for one of the actions of a test. It touches
// nothing.
func (h *Host) CheckActions(ctx context.Context, names []string) error {
	simulator := sync.OnceValue(func() error { // it requests something that simulators alone have
		return h.read(ctx, "whether it is a simulator", "isBiometricEnrolled", nil, nil)
	})
	for _, action := range names {
		command := ofOptions()[action]
		if def, known := dsl.Lookup(action); known {
			command = def.XCUITest
		}
		if command == "" {
			continue
		}
		if err := h.agent.Lacks(ctx, action, command); err != nil {
			return err
		}
		if !slices.Contains(ofSimulators(), command) {
			continue
		}
		if err := h.simulates(command, simulator()); err != nil {
			return fmt.Errorf("%s: %w", action, err)
		}
	}
	return nil
}

// ofOptions are the commands that options of actions need.
func ofOptions() map[string]string {
	return map[string]string{"launch.clear": "clearApp", "launch.permissions": "setPermission",
		"clearApp.keychain": "clearKeychains"}
}

// ofSimulators are the commands that the driver has for simulators alone, or for the photos of those.
func ofSimulators() []string {
	return []string{"clearApp", "clearKeychains", "setPermission", "shake", "sendBiometricMatch", "pushNotification",
		"pushFile"}
}

// simulates returns an ErrUnsupported when the driver takes the phone for a real one, for which it does not have a
// command. It gets the error of something that simulators alone have.
func (h *Host) simulates(command string, err error) error {
	if errors.Is(err, drivers.ErrUnsupported) && !webdriver.Is(err, webdriver.UnknownCommand) {
		return fmt.Errorf("device %s: %w: the phone at the remote %s is a real one for its Appium server, which has the "+
			"command \"mobile: %s\" for simulators alone", h.agent.Device, drivers.ErrUnsupported, h.agent.Remote, command)
	}
	return err
}
