package ios

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
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// host is what the programs of this machine do with the apps of one device. An app that is not installed is an
// ErrNoApp.
type host interface {
	// launch starts an app, or brings it to the front.
	launch(ctx context.Context, how start) error
	install(ctx context.Context, path string) error
	uninstall(ctx context.Context, app string) error
	apps(ctx context.Context) ([]string, error)
}

// start is how an app is started.
type start struct {
	app   string
	fresh bool // it is stopped first
	args  []string
	env   map[string]string
}

// variables are the environment as NAME=VALUE, each with something before it.
func (s start) variables(prefix string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(s.env)) {
		list = append(list, prefix+name+"="+s.env[name])
	}
	return list
}

// What only some hosts can do.
type (
	pusher interface {
		push(ctx context.Context, app string, payload []byte) error
	}
	barSetter interface {
		setStatusBar(ctx context.Context, show *drivers.StatusBar) error
	}
	shooter interface {
		screenshot(ctx context.Context) ([]byte, error)
	}
	stopper interface {
		stop(ctx context.Context, app string) error
	}
	opener interface {
		openLink(ctx context.Context, link string) error
	}
	clearer interface {
		clear(ctx context.Context, app string) error
	}
	keyholder interface {
		clearKeychain(ctx context.Context) error
	}
	granter interface {
		permit(ctx context.Context, app, service string, allow bool) error
	}
	reportsHolder interface {
		// crashReports copies the reports about an app into a folder that the function removes.
		crashReports(ctx context.Context, app string) (files []string, remove func(), err error)
	}
	approver interface {
		approve(ctx context.Context, scheme, app string) error
	}
	gallery interface {
		addMedia(ctx context.Context, path string) error
	}
	shaker interface {
		shake(ctx context.Context) error
	}
	prover interface {
		enroll(ctx context.Context, known bool) error
		present(ctx context.Context, known bool) error
	}
	locator interface {
		locate(ctx context.Context, at *drivers.Coordinates) error
	}
	painter interface {
		appearance(ctx context.Context) (string, error)
		setAppearance(ctx context.Context, name string) error
	}
	filmer interface {
		film(file string) (*background, error)
	}
	logger interface {
		log(w io.Writer) (*background, error)
	}
)

// host returns what reaches a device in addition to its WebDriverAgent.
func (d *Driver) host(f found, w *wda) host {
	switch f.kind {
	case simulator:
		return simHost{d.tools, f.info.ID}
	case phone:
		return appleHost{d.tools, f.info.ID}
	case mux:
		return muxHost{d.tools, f.info.ID}
	}
	return bareHost{w}
}

const (
	launchLimit  = time.Minute
	installLimit = 10 * time.Minute // by Wi-Fi
)

// noApp makes an ErrNoApp of a failure that says that an app is not there.
func noApp(app string, err error) error {
	var failed *toolError
	if errors.As(err, &failed) && unknownApp(failed.output) {
		return fmt.Errorf("%w: %s is not installed (%w)", drivers.ErrNoApp, app, err)
	}
	return err
}

// refused makes an ErrNoApp of what the system would not take: a package, an image, a link. A program that did not end
// blames no one, and a device that is full, locked or away is not the app's fault.
func refused(err error) error {
	var failed *toolError
	if errors.As(err, &failed) && !blamesDevice(failed.output) {
		return fmt.Errorf("%w: %w", drivers.ErrNoApp, err)
	}
	return err
}

// appleHost reaches an iPhone with Xcode's devicectl.
type appleHost struct {
	tools
	udid string
}

func (h appleHost) launch(ctx context.Context, how start) error {
	c := h.devicectl("device", "process", "launch", "--device", h.udid)
	if how.fresh {
		c.args = append(c.args, "--terminate-existing")
	}
	if len(how.env) > 0 {
		env, err := json.Marshal(how.env)
		if err != nil {
			return err
		}
		c.args = append(c.args, "--environment-variables", string(env))
	}
	c.args = append(append(c.args, how.app), how.args...)
	c.limit = launchLimit
	_, err := h.run(ctx, c)
	return noApp(how.app, err)
}

func (h appleHost) install(ctx context.Context, path string) error {
	c := h.devicectl("device", "install", "app", "--device", h.udid, path)
	c.limit = installLimit
	_, err := h.run(ctx, c)
	return refused(err)
}

func (h appleHost) uninstall(ctx context.Context, app string) error {
	if err := listed(ctx, h, app); err != nil {
		return err
	}
	_, err := h.run(ctx, h.devicectl("device", "uninstall", "app", "--device", h.udid, app))
	return noApp(app, err)
}

func (h appleHost) apps(ctx context.Context) ([]string, error) {
	out, err := h.coreDeviceJSON(ctx, "device", "info", "apps", "--device", h.udid)
	if err != nil {
		return nil, err
	}
	return parseCoreApps(out)
}

// log needs go-ios: Xcode has no program for it.
func (h appleHost) log(w io.Writer) (*background, error) {
	if h.goios == "" {
		return nil, fmt.Errorf("%w: the log of an iPhone is read with go-ios (npm install -g go-ios)", drivers.ErrUnsupported)
	}
	return muxHost(h).log(w)
}

// muxHost reaches an iPhone with go-ios.
type muxHost struct {
	tools
	udid string
}

func (h muxHost) launch(ctx context.Context, how start) error {
	c := h.ios("launch", how.app, "--udid="+h.udid)
	if how.fresh {
		c.args = append(c.args, "--kill-existing")
	}
	for _, a := range how.args {
		c.args = append(c.args, "--arg="+a)
	}
	c.args = append(c.args, how.variables("--env=")...)
	c.limit = launchLimit
	_, err := h.run(ctx, c)
	return noApp(how.app, err)
}

func (h muxHost) install(ctx context.Context, path string) error {
	c := h.ios("install", "--path="+path, "--udid="+h.udid)
	c.limit = installLimit
	_, err := h.run(ctx, c)
	return refused(err)
}

func (h muxHost) uninstall(ctx context.Context, app string) error {
	if err := listed(ctx, h, app); err != nil {
		return err
	}
	_, err := h.run(ctx, h.ios("uninstall", app, "--udid="+h.udid))
	return noApp(app, err)
}

// apps reads lines such as "com.example.login Login 1.0".
func (h muxHost) apps(ctx context.Context) ([]string, error) {
	out, err := h.run(ctx, h.ios("apps", "--list", "--udid="+h.udid))
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

func (h muxHost) log(w io.Writer) (*background, error) {
	return h.start(h.ios("syslog", "--nojson", "--udid="+h.udid), w)
}

// crashReports needs go-ios: Xcode has no program for it that says how.
func (h appleHost) crashReports(ctx context.Context, app string) ([]string, func(), error) {
	return muxHost(h).crashReports(ctx, app)
}

// crashReports are named after the app's process, which is in the list of apps.
func (h muxHost) crashReports(ctx context.Context, app string) ([]string, func(), error) {
	out, err := h.run(ctx, h.ios("apps", "--list", "--udid="+h.udid))
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
	c := h.ios("crash", "cp", name+"-*.ips", dir, "--udid="+h.udid)
	if _, err := h.run(ctx, c); err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	files, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.ips"))
	return files, func() { os.RemoveAll(dir) }, err
}

// listed says with an ErrNoApp that an app is not among those that were installed.
func listed(ctx context.Context, h host, app string) error {
	apps, err := h.apps(ctx)
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
type bareHost struct{ wda *wda }

func (h bareHost) launch(ctx context.Context, how start) error {
	app := how.app
	if how.fresh {
		if err := h.wda.in(ctx, post("stopping "+app, "/wda/apps/terminate", map[string]any{"bundleId": app}),
			nil); err != nil {
			return err
		}
	}
	body := map[string]any{"bundleId": app, "shouldWaitForQuiescence": false}
	if len(how.args) > 0 { // null instead of a list is more than XCTest bears
		body["arguments"] = how.args
	}
	if len(how.env) > 0 {
		body["environment"] = how.env
	}
	ask := post("launching "+app, "/wda/apps/launch", body)
	ask.limit = launchLimit
	err := h.wda.in(ctx, ask, nil)
	var refused *wdaError
	if errors.As(err, &refused) && unknownApp(refused.Message) {
		return fmt.Errorf("%w: %s is not installed (%w)", drivers.ErrNoApp, app, err)
	}
	return err
}

func (bareHost) needs(what string) error {
	return fmt.Errorf("%w: %s needs a program that reaches the device: xcrun on a Mac, or go-ios",
		drivers.ErrUnsupported, what)
}

func (h bareHost) install(context.Context, string) error   { return h.needs("installing") }
func (h bareHost) uninstall(context.Context, string) error { return h.needs("uninstalling") }
func (h bareHost) apps(context.Context) ([]string, error)  { return nil, h.needs("a list of apps") }
