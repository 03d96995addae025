package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// simHost reaches a simulator with simctl.
type simHost struct {
	Tools
	udid string
}

func (h simHost) Launch(ctx context.Context, how Start) error {
	c := h.Simctl("launch")
	if how.Fresh {
		c.Args = append(c.Args, "--terminate-running-process")
	}
	c.Args = append(append(c.Args, h.udid, how.App), how.Args...)
	c.Env, c.Limit = append(c.Env, how.variables("SIMCTL_CHILD_")...), launchLimit
	_, err := h.Run(ctx, c)
	return noApp(how.App, err)
}

func (h simHost) Stop(ctx context.Context, app string) error {
	_, err := h.Run(ctx, h.Simctl("terminate", h.udid, app))
	var failed *ToolError
	if errors.As(err, &failed) && strings.Contains(failed.output, "found nothing to terminate") {
		return nil
	}
	return noApp(app, err)
}

func (h simHost) Install(ctx context.Context, path string) error {
	c := h.Simctl("install", h.udid, path)
	c.Limit = installLimit
	_, err := h.Run(ctx, c)
	return refused(err)
}

// Uninstall looks first whether the app is there: simctl removes what is not without a word.
func (h simHost) Uninstall(ctx context.Context, app string) error {
	if _, err := h.container(ctx, app, "app"); err != nil {
		return err
	}
	_, err := h.Run(ctx, h.Simctl("uninstall", h.udid, app))
	return err
}

// container returns a folder of an app on this machine.
func (h simHost) container(ctx context.Context, app, which string) (string, error) {
	out, err := h.Run(ctx, h.Simctl("get_app_container", h.udid, app, which))
	var failed *ToolError
	if errors.As(err, &failed) && (strings.Contains(failed.output, "No such file or directory") ||
		unknownApp(failed.output)) {
		return "", fmt.Errorf("%w: %s is not installed (%w)", drivers.ErrNoApp, app, err)
	}
	return strings.TrimSpace(string(out)), err
}

// HasApp reports whether a simulator has an app.
func (t Tools) HasApp(ctx context.Context, udid, app string) bool {
	_, err := simHost{t, udid}.container(ctx, app, "app")
	return err == nil
}

// bundleLine and typeLine are two of what `simctl listapps` writes for each app, in the old form of property lists.
var (
	bundleLine = lazyregexp.New(`^\s{8}CFBundleIdentifier = "?([\w.-]+)"?;`)
	typeLine   = lazyregexp.New(`^\s{8}ApplicationType = "?(\w+)"?;`)
)

func (h simHost) Apps(ctx context.Context) ([]string, error) {
	out, err := h.Run(ctx, h.Simctl("listapps", h.udid))
	if err != nil {
		return nil, err
	}
	return parseApps(string(out)), nil
}

// parseApps returns the apps that a user installed.
func parseApps(list string) []string {
	var apps []string
	user := false
	for line := range strings.Lines(list) {
		if m := typeLine.FindStringSubmatch(line); m != nil {
			user = m[1] == "User"
		}
		if m := bundleLine.FindStringSubmatch(line); m != nil && user {
			apps = append(apps, m[1])
		}
	}
	return apps
}

// parseCoreApps reads devicectl's list of apps.
func parseCoreApps(out []byte) ([]string, error) {
	var result struct {
		Apps []struct {
			ID string `json:"bundleIdentifier"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return nil, fmt.Errorf("devicectl device info apps: %w: %s", err, screen.Quote(string(out)))
	}
	var apps []string
	for _, a := range result.Apps {
		apps = append(apps, a.ID)
	}
	return apps, nil
}

func (h simHost) OpenLink(ctx context.Context, link string) error {
	_, err := h.Run(ctx, h.Simctl("openurl", h.udid, link))
	if err = refused(err); errors.Is(err, drivers.ErrNoApp) { // no app takes it, or it is not a link
		return fmt.Errorf("nothing opens %s: %w", phrase.LimitBytes(link, 200), err)
	}
	return err
}

// Clear empties the app's data folder, which is on this machine. What it keeps in the keychain stays.
func (h simHost) Clear(ctx context.Context, app string) error {
	folder, err := h.container(ctx, app, "data")
	if err != nil {
		return err
	}
	if err := h.Stop(ctx, app); err != nil {
		return err
	}
	// The preferences are in a daemon's memory, too; without any there is nothing to delete.
	_, err = h.Run(ctx, h.Simctl("spawn", h.udid, "defaults", "delete", app))
	if failed := new(ToolError); err != nil && !errors.As(err, &failed) {
		return err
	}
	return emptyData(folder, h.udid)
}

// emptyData removes what is in a simulated app's data folder, and makes the folders again that every app has. It keeps
// its hands off any other folder, whatever simctl says.
func emptyData(folder, udid string) error {
	if !strings.Contains(filepath.ToSlash(folder), "/"+udid+"/data/Containers/Data/Application/") ||
		filepath.Clean(folder) != folder {
		return fmt.Errorf("%s is not the data folder of an app of simulator %s", folder, udid)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1)
	dir.Close()
	for _, name := range names {
		if strings.HasPrefix(name, ".com.apple.") {
			continue // shows the system which app the folder belongs to
		}
		err = errors.Join(err, root.RemoveAll(name))
	}
	for _, name := range []string{"Documents", "Library/Caches", "Library/Preferences", "tmp"} {
		err = errors.Join(err, root.MkdirAll(name, 0o755))
	}
	return err
}

// services are those that `simctl privacy` can grant.
func services() []string {
	return []string{"all", "calendar", "contacts-limited", "contacts", "location", "location-always", "photos-add",
		"photos", "media-library",
		"microphone", "motion", "reminders", "siri"}
}

func (h simHost) Permit(ctx context.Context, app, service string, allow bool) error {
	name := map[string]string{"locationAlways": "location-always", "mediaLibrary": "media-library",
		"photosAdd": "photos-add"}[service]
	if name == "" {
		name = strings.ToLower(service)
	}
	if !slices.Contains(services(), name) {
		return fmt.Errorf(
			"%w: a simulator has no permission %q that can be set (there are %s): answer its question when it comes, with "+
				"alert: accept or alert: dismiss",
			drivers.ErrUnsupported, service, strings.Join(services(), ", "))
	}
	if _, err := h.container(ctx, app, "app"); err != nil {
		return err
	}
	word := map[bool]string{true: "grant", false: "revoke"}[allow]
	_, err := h.Run(ctx, h.Simctl("privacy", h.udid, word, name, app))
	return err
}

// ClearKeychain empties the keychain of all apps: simctl knows no single one.
func (h simHost) ClearKeychain(ctx context.Context) error {
	_, err := h.Run(ctx, h.Simctl("keychain", h.udid, "reset"))
	return err
}

// Push says nothing of an app that is not there, so that is looked for first.
func (h simHost) Push(ctx context.Context, app string, payload []byte) error {
	if _, err := h.container(ctx, app, "app"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "taproot-simctl-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "push.json")
	if err := os.WriteFile(file, payload, 0o600); err != nil {
		return err
	}
	_, err = h.Run(ctx, h.Simctl("push", h.udid, app, file))
	return refused(err)
}

func (h simHost) SetStatusBar(ctx context.Context, show *drivers.StatusBar) error {
	c := h.Simctl("status_bar", h.udid, "clear")
	if show != nil {
		c = h.Simctl("status_bar", h.udid, "override")
		if show.Time != "" {
			c.Args = append(c.Args, "--time", show.Time)
		}
		for name, value := range map[string]*int{"--batteryLevel": show.Battery, "--wifiBars": show.Wifi,
			"--cellularBars": show.Cellular} {
			if value != nil {
				c.Args = append(c.Args, name, strconv.Itoa(*value))
			}
		}
	}
	_, err := h.Run(ctx, c)
	return refused(err)
}

// Approve lets an app be opened by links of a scheme without a question, when simctl opens them.
func (h simHost) Approve(ctx context.Context, scheme, app string) error {
	_, err := h.Run(ctx, h.Simctl("spawn", h.udid, "defaults", "write", "com.apple.launchservices.schemeapproval",
		"com.apple.CoreSimulator.CoreSimulatorBridge-->"+scheme, "-string", app))
	return err
}

// AddMedia: what is added stays, for simctl has no way to take it away.
func (h simHost) AddMedia(ctx context.Context, path string) error {
	_, err := h.Run(ctx, h.Simctl("addmedia", h.udid, path))
	return refused(err)
}

// Shake posts the notification that the Simulator's own menu entry Shake posts.
func (h simHost) Shake(ctx context.Context) error {
	_, err := h.Run(ctx, h.Simctl("spawn", h.udid, "notifyutil", "-p", "com.apple.UIKit.SimulatorShake"))
	return err
}

// Enroll sets and posts what the Simulator's own menu entry Enrolled sets and posts.
func (h simHost) Enroll(ctx context.Context, known bool) error {
	const name = "com.apple.BiometricKit.enrollmentChanged"
	state := map[bool]string{true: "1", false: "0"}[known]
	if _, err := h.Run(ctx, h.Simctl("spawn", h.udid, "notifyutil", "-s", name, state)); err != nil {
		return err
	}
	_, err := h.Run(ctx, h.Simctl("spawn", h.udid, "notifyutil", "-p", name))
	return err
}

// Present posts for Touch ID and for Face ID: a simulator listens to the one that it has.
func (h simHost) Present(ctx context.Context, known bool) error {
	word := map[bool]string{true: "match", false: "nomatch"}[known]
	for _, sensor := range []string{"fingerTouch", "pearl"} {
		if _, err := h.Run(ctx, h.Simctl("spawn", h.udid, "notifyutil", "-p", "com.apple.BiometricKit_Sim."+sensor+"."+
			word)); err != nil {
			return err
		}
	}
	return nil
}

func (h simHost) Locate(ctx context.Context, at *drivers.Coordinates) error {
	c := h.Simctl("location", h.udid, "clear")
	if at != nil {
		degrees := func(v float64) string { return strconv.FormatFloat(v, 'f', 7, 64) }
		c = h.Simctl("location", h.udid, "set", degrees(at.Latitude)+","+degrees(at.Longitude))
	}
	_, err := h.Run(ctx, c)
	return err
}

func (h simHost) Appearance(ctx context.Context) (string, error) {
	out, err := h.Run(ctx, h.Simctl("ui", h.udid, "appearance"))
	return strings.TrimSpace(string(out)), err
}

func (h simHost) SetAppearance(ctx context.Context, name string) error {
	_, err := h.Run(ctx, h.Simctl("ui", h.udid, "appearance", name))
	return err
}

func (h simHost) Screenshot(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "taproot-simctl-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "screen.png")
	if _, err := h.Run(ctx, h.Simctl("io", h.udid, "screenshot", file)); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

func (h simHost) Film(file string) (*Process, error) {
	c := h.Simctl("io", h.udid, "recordVideo", "--codec=h264", "--force", file)
	c.spare = true
	return h.Start(c, nil)
}

func (h simHost) Log(w io.Writer) (*Process, error) {
	return h.Start(h.Simctl("spawn", h.udid, "log", "stream", "--style", "compact"), w)
}

// Inspect connects to the socket on which a simulator's Web Inspector listens; launchd names it in the simulator's
// environment.
func (h simHost) Inspect(ctx context.Context) (WebInspector, error) {
	out, err := h.Run(ctx, h.Simctl("getenv", h.udid, "RWI_LISTEN_SOCKET"))
	if err != nil {
		return nil, err
	}
	path := strings.TrimSpace(string(out))
	if path == "" {
		return nil, errors.New("the simulator names no socket of its Web Inspector")
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return inspector.Connect(conn)
}
