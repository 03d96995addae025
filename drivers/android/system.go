package android

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	turnLimit  = 3 * time.Second
	turnPoll   = 100 * time.Millisecond
	shellLimit = 10 * time.Minute

	// The first API levels with services that take these commands.
	uimodeAPI   = 29
	airplaneAPI = 30
	localeAPI   = 33
)

var rotationLine = lazyregexp.New(`(?m)^\s*(?:.* )?m(?:Current)?Rotation=(?:ROTATION_)?(\d+)`)

// surfaceLine is what old Androids say instead.
var surfaceLine = lazyregexp.New(`(?m)^\s*SurfaceOrientation: (\d)`)

// Rotate fixes the screen's orientation, and waits a moment for it: an app may keep its own.
func (d *Device) Rotate(ctx context.Context, landscape bool) error {
	turns := 0
	if landscape != (d.info.Width > d.info.Height) {
		turns = 1
	}
	return d.SetRotation(ctx, turns)
}

// SetRotation fixes how the screen is held, in quarter turns, and waits a moment for it: an app may keep its own.
func (d *Device) SetRotation(ctx context.Context, turns int) error {
	values, o, err := d.rotationSettings(ctx)
	if err != nil {
		return err
	}
	if len(values) != 2 {
		return fmt.Errorf("device %s: read its rotation: %s", d.link.serial, o.reason())
	}
	line := "settings put system accelerometer_rotation 0 && settings put system user_rotation " + strconv.Itoa(turns)
	err = d.changeNoted(ctx, command{name: "rotate", line: line}, func(debts *restoreState) {
		debts.setting(newSetting("system", "accelerometer_rotation", values[0]))
		debts.setting(newSetting("system", "user_rotation", values[1]))
	})
	if err != nil {
		return err
	}
	if values, o, err = d.rotationSettings(ctx); err != nil {
		return err
	}
	if len(values) == 2 && (values[0] != "0" || values[1] != strconv.Itoa(turns)) {
		return d.ignored("rotate")
	}
	err = d.waitTurned(ctx, turns)
	d.mu.Lock()
	d.shot = image.Point{} // it was of the old orientation
	d.mu.Unlock()
	return err
}

// rotationSettings reads whether the screen turns by itself, and how it is held.
func (d *Device) rotationSettings(ctx context.Context) ([]string, output, error) {
	line := "settings get system accelerometer_rotation; settings get system user_rotation"
	o, err := d.run(ctx, command{name: "settings get", readOnly: true, line: line})
	return strings.Fields(string(o.out)), o, err
}

// newSetting reads the answer of `settings get`.
func newSetting(space, key, value string) settingRow {
	if value == "null" {
		return settingRow{Space: space, Key: key}
	}
	return settingRow{Space: space, Key: key, Value: &value}
}

var errNotTurned = errors.New("the screen did not turn")

func (d *Device) waitTurned(ctx context.Context, turns int) error {
	wait, cancel := context.WithTimeoutCause(ctx, turnLimit, errNotTurned)
	defer cancel()
	for {
		o, err := d.run(ctx, command{name: "dumpsys window displays", readOnly: true, line: "dumpsys window displays"})
		if err != nil {
			return err
		}
		if got, known := parseRotation(string(o.out)); got == turns || !known {
			return nil
		}
		if err := drivers.Pause(wait, turnPoll); errors.Is(err, errNotTurned) {
			d.log.Info("the screen did not turn: the foreground app keeps its orientation")
			return nil
		} else if err != nil {
			return d.link.fault(ctx, "rotate", err)
		}
	}
}

// parseRotation reads quarter turns, which new Androids write in degrees.
func parseRotation(dumpsys string) (turns int, known bool) {
	m := rotationLine.FindStringSubmatch(dumpsys)
	if m == nil {
		m = surfaceLine.FindStringSubmatch(dumpsys)
	}
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	if n >= 90 {
		n /= 90
	}
	return n & 3, err == nil
}

// change runs a command that says by its exit code, or by an exception, whether it did something.
func (d *Device) change(ctx context.Context, name, line string) error {
	return d.changeNoted(ctx, command{name: name, line: line}, nil)
}

// changeNoted is change that notes first what to restore. Of a command that the phone refuses there is nothing.
func (d *Device) changeNoted(ctx context.Context, cmd command, note func(*restoreState)) error {
	d.mu.Lock()
	before := d.debts.clone()
	d.mu.Unlock()
	if note != nil {
		if err := d.noteRestore(note); err != nil {
			return err
		}
	}
	o, err := d.run(ctx, cmd)
	if err != nil || !o.failed() {
		return err
	}
	err = fmt.Errorf("device %s: %s: %s", d.link.serial, cmd.name, d.why(o))
	if note != nil && d.refusal(o) != "" {
		return errors.Join(err, d.unnote(ctx, before))
	}
	return err
}

// unnote forgets what a refused command was noted for: a setting only where the phone still has the value from before,
// for of several commands one may have changed something.
func (d *Device) unnote(ctx context.Context, before restoreState) error {
	d.mu.Lock()
	var added []settingRow
	for _, s := range d.debts.Settings {
		if !slices.ContainsFunc(before.Settings, s.same) {
			added = append(added, s)
		}
	}
	d.mu.Unlock()
	var changed []settingRow
	for _, s := range added {
		o, err := d.run(ctx, command{name: "settings get", readOnly: true, line: "settings get " + s.Space + " " + s.Key})
		now := newSetting(s.Space, s.Key, strings.TrimSpace(string(o.out)))
		if err != nil || !now.holds(s) {
			changed = append(changed, s)
		}
	}
	return d.noteRestore(func(debts *restoreState) {
		*debts = before
		debts.Settings = append(debts.Settings, changed...)
	})
}

// since refuses what this Android has no command for.
func (d *Device) since(api int, what string) error {
	if d.info.APILevel >= api {
		return nil
	}
	return fmt.Errorf("device %s: %w: %s by command needs API level %d, this is %d (Android %s)", d.link.serial,
		drivers.ErrUnsupported,
		what, api, d.info.APILevel, d.info.OSVersion)
}

var nightLine = lazyregexp.New(`(?m)^\s*Night mode: (\w+)`)

// DarkMode sets the night mode of the whole system.
func (d *Device) DarkMode(ctx context.Context, on bool) error {
	was, err := d.night(ctx)
	if err != nil {
		return err
	}
	word := map[bool]string{true: "yes", false: "no"}[on]
	err = d.changeNoted(ctx, command{name: "dark mode", line: "cmd uimode night " + word}, func(debts *restoreState) {
		if debts.Night == "" {
			debts.Night = was
		}
	})
	if err != nil {
		return err
	}
	if now, err := d.night(ctx); err != nil || now == word {
		return err
	}
	return d.ignored("dark mode")
}

// ignored is the error of a change that the phone took without a word, and did not make.
func (d *Device) ignored(name string) error {
	return fmt.Errorf("device %s: %s: the phone takes the command and changes nothing: %s", d.link.serial, name,
		makersSwitch(d.info.Manufacturer))
}

// IsDark reports whether the dark theme is on.
func (d *Device) IsDark(ctx context.Context) (bool, error) {
	now, err := d.night(ctx)
	return now == "yes", err
}

// night is the night mode: yes, no, auto and the like.
func (d *Device) night(ctx context.Context) (string, error) {
	if err := d.since(uimodeAPI, "dark mode"); err != nil {
		return "", err
	}
	o, err := d.run(ctx, command{name: "cmd uimode", readOnly: true, line: "cmd uimode night"})
	if err != nil {
		return "", err
	}
	m := nightLine.FindSubmatch(o.out)
	if m == nil {
		return "", fmt.Errorf("device %s: read its night mode: %s", d.link.serial, o.reason())
	}
	return string(m[1]), nil
}

// IsAirplane reports whether airplane mode is on.
func (d *Device) IsAirplane(ctx context.Context) (bool, error) {
	o, err := d.run(ctx, command{name: "settings get", readOnly: true, line: "settings get global airplane_mode_on"})
	if err != nil {
		return false, err
	}
	return strings.TrimSpace(string(o.out)) == "1", nil
}

// Airplane is refused on a phone that is reached over the network, which it would cut.
func (d *Device) Airplane(ctx context.Context, on bool) error {
	if err := d.since(airplaneAPI, "airplane mode"); err != nil {
		return err
	}
	if overWiFi(d.link.serial) && !d.info.Emulator {
		return fmt.Errorf("device %s: %w: airplane mode would cut the network by which adb reaches it: connect it by USB",
			d.link.serial, drivers.ErrUnsupported)
	}
	was, err := d.IsAirplane(ctx)
	if err != nil {
		return err
	}
	err = d.changeNoted(ctx, command{name: "airplane mode", line: airplaneLine(on)}, func(debts *restoreState) {
		if debts.Airplane == nil {
			debts.Airplane = &was
		}
	})
	if err != nil {
		return err
	}
	if now, err := d.IsAirplane(ctx); err != nil || now == on {
		return err
	}
	return d.ignored("airplane mode")
}

func airplaneLine(on bool) string {
	return "cmd connectivity airplane-mode " + map[bool]string{true: "enable", false: "disable"}[on]
}

// overWiFi reports whether adb reaches a device by an address that is not this machine's.
func overWiFi(serial string) bool {
	if strings.Contains(serial, "._adb-tls-connect.") || strings.Contains(serial, "._adb._tcp") {
		return true
	}
	host, _, _ := net.SplitHostPort(serial)
	return byAddress(serial) && host != "localhost" && !net.ParseIP(host).IsLoopback()
}

var (
	localeList  = lazyregexp.New(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*(,[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)*$`)
	localesLine = lazyregexp.New(`(?m)^Locales for \S+ for user \d+ are \[(.*)\]`)
)

// Locale sets an app's own language, as the phone's settings do.
func (d *Device) Locale(ctx context.Context, app, locale string) error {
	pkg, err := d.packageOf(app)
	if err != nil {
		return err
	}
	if locale != "" && !localeList.MatchString(locale) {
		return fmt.Errorf("device %s: %w: %q is not a language tag such as fr-FR", d.link.serial, drivers.ErrNotActionable,
			locale)
	}
	if err := d.since(localeAPI, "an app's language"); err != nil {
		return err
	}
	o, err := d.run(ctx, command{name: "cmd locale", readOnly: true, line: "cmd locale get-app-locales " + pkg})
	if err != nil {
		return err
	}
	m := localesLine.FindSubmatch(o.out)
	if m == nil {
		if err := d.mustBeInstalled(ctx, pkg); err != nil {
			return err
		}
		return fmt.Errorf("device %s: read the language of %s: %s", d.link.serial, pkg, o.reason())
	}
	set := command{name: "language of " + pkg, line: localeLine(pkg, locale)}
	err = d.changeNoted(ctx, set, func(debts *restoreState) {
		if _, noted := debts.Locales[pkg]; noted {
			return
		}
		if debts.Locales == nil {
			debts.Locales = map[string]string{}
		}
		debts.Locales[pkg] = string(m[1])
	})
	if err != nil || string(m[1]) == locale {
		return err
	}
	o, err = d.run(ctx, command{name: "cmd locale", readOnly: true, line: "cmd locale get-app-locales " + pkg})
	if now := localesLine.FindSubmatch(o.out); err != nil || now == nil || string(now[1]) != string(m[1]) {
		return err // changed: Android writes some languages in another way
	}
	return d.ignored("language of " + pkg)
}

// localeLine sets an app's languages; none means the system's.
func localeLine(pkg, locales string) string {
	line := "cmd locale set-app-locales " + pkg
	if locales != "" {
		line += " --locales " + locales
	}
	return line
}

// Notifications pulls the shade down. Close puts it up again.
func (d *Device) Notifications(ctx context.Context) error {
	d.mu.Lock()
	d.shade = true
	d.mu.Unlock()
	return d.change(ctx, "open the notifications", "cmd statusbar expand-notifications")
}

// Shell runs a command, for as long as its caller lets it, ten minutes at most.
func (d *Device) Shell(ctx context.Context, line string) (string, int, error) {
	if strings.ContainsRune(line, 0) {
		return "", 0, fmt.Errorf("device %s: %w: a command with a NUL in it", d.link.serial, drivers.ErrNotActionable)
	}
	o, err := d.run(ctx, command{name: "shell", line: line, limit: shellLimit})
	return string(o.out) + string(o.errs), o.code, err
}
