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
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// system changes the settings of a phone, and what is stored on it.
type system struct {
	phone    *phone
	debts    *debts
	packages *packages

	mu     sync.Mutex
	mocked bool // test providers give its location
}

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
func (y *system) Rotate(ctx context.Context, landscape bool) error {
	turns := 0
	if landscape != (y.phone.info.Width > y.phone.info.Height) {
		turns = 1
	}
	return y.SetRotation(ctx, turns)
}

// SetRotation fixes how the screen is held, in quarter turns, and waits a moment for it: an app may keep its own.
func (y *system) SetRotation(ctx context.Context, turns int) error {
	values, o, err := y.rotationSettings(ctx)
	if err != nil {
		return err
	}
	if len(values) != 2 {
		return fmt.Errorf("device %s: read its rotation: %s", y.phone.link.serial, o.reason())
	}
	line := "settings put system accelerometer_rotation 0 && settings put system user_rotation " + strconv.Itoa(turns)
	err = y.debts.changeNoted(ctx, command{name: "rotate", line: line}, func(debts *restoreState) {
		debts.setting(newSetting("system", "accelerometer_rotation", values[0]))
		debts.setting(newSetting("system", "user_rotation", values[1]))
	})
	if err != nil {
		return err
	}
	if values, o, err = y.rotationSettings(ctx); err != nil {
		return err
	}
	if len(values) == 2 && (values[0] != "0" || values[1] != strconv.Itoa(turns)) {
		return y.phone.ignored("rotate")
	}
	err = y.waitTurned(ctx, turns)
	y.phone.setShot(image.Point{}) // it was of the old orientation
	return err
}

// rotationSettings reads whether the screen turns by itself, and how it is held.
func (y *system) rotationSettings(ctx context.Context) ([]string, output, error) {
	line := "settings get system accelerometer_rotation; settings get system user_rotation"
	o, err := y.phone.run(ctx, command{name: "settings get", readOnly: true, line: line})
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

func (y *system) waitTurned(ctx context.Context, turns int) error {
	wait, cancel := context.WithTimeoutCause(ctx, turnLimit, errNotTurned)
	defer cancel()
	for {
		o, err := y.phone.run(ctx, command{name: "dumpsys window displays", readOnly: true, line: "dumpsys window displays"})
		if err != nil {
			return err
		}
		if got, known := parseRotation(string(o.out)); got == turns || !known {
			return nil
		}
		if err := drivers.Pause(wait, turnPoll); errors.Is(err, errNotTurned) {
			y.phone.log.Info("the screen did not turn: the foreground app keeps its orientation")
			return nil
		} else if err != nil {
			return y.phone.link.fault(ctx, "rotate", err)
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
func (b *debts) change(ctx context.Context, name, line string) error {
	return b.changeNoted(ctx, command{name: name, line: line}, nil)
}

// changeNoted is change that notes first what to restore. Of a command that the phone refuses there is nothing.
func (b *debts) changeNoted(ctx context.Context, cmd command, note func(*restoreState)) error {
	b.mu.Lock()
	before := b.owed.clone()
	b.mu.Unlock()
	if note != nil {
		if err := b.noteRestore(note); err != nil {
			return err
		}
	}
	o, err := b.phone.run(ctx, cmd)
	if err != nil || !o.failed() {
		return err
	}
	err = fmt.Errorf("device %s: %s: %s", b.phone.link.serial, cmd.name, b.phone.why(o))
	if note != nil && b.phone.refusal(o) != "" {
		return errors.Join(err, b.unnote(ctx, before))
	}
	return err
}

// unnote forgets what a refused command was noted for: a setting only where the phone still has the value from before,
// for of several commands one may have changed something.
func (b *debts) unnote(ctx context.Context, before restoreState) error {
	b.mu.Lock()
	var added []settingRow
	for _, s := range b.owed.Settings {
		if !slices.ContainsFunc(before.Settings, s.same) {
			added = append(added, s)
		}
	}
	b.mu.Unlock()
	var changed []settingRow
	for _, s := range added {
		o, err := b.phone.run(ctx, command{name: "settings get", readOnly: true, line: "settings get " + s.Space + " " +
			s.Key})
		now := newSetting(s.Space, s.Key, strings.TrimSpace(string(o.out)))
		if err != nil || !now.holds(s) {
			changed = append(changed, s)
		}
	}
	return b.noteRestore(func(debts *restoreState) {
		*debts = before
		debts.Settings = append(debts.Settings, changed...)
	})
}

// since refuses what this Android has no command for.
func (p *phone) since(api int, what string) error {
	if p.info.APILevel >= api {
		return nil
	}
	return fmt.Errorf("device %s: %w: %s by command needs API level %d, this is %d (Android %s)", p.link.serial,
		drivers.ErrUnsupported,
		what, api, p.info.APILevel, p.info.OSVersion)
}

var nightLine = lazyregexp.New(`(?m)^\s*Night mode: (\w+)`)

// DarkMode sets the night mode of the whole system.
func (y *system) DarkMode(ctx context.Context, on bool) error {
	was, err := y.night(ctx)
	if err != nil {
		return err
	}
	word := map[bool]string{true: "yes", false: "no"}[on]
	err = y.debts.changeNoted(ctx, command{name: "dark mode", line: "cmd uimode night " + word},
		func(debts *restoreState) {
			if debts.Night == "" {
				debts.Night = was
			}
		})
	if err != nil {
		return err
	}
	if now, err := y.night(ctx); err != nil || now == word {
		return err
	}
	return y.phone.ignored("dark mode")
}

// ignored is the error of a change that the phone took without a word, and did not make.
func (p *phone) ignored(name string) error {
	return fmt.Errorf("device %s: %s: the phone takes the command and changes nothing: %s", p.link.serial, name,
		makersSwitch(p.info.Manufacturer))
}

// IsDark reports whether the dark theme is on.
func (y *system) IsDark(ctx context.Context) (bool, error) {
	now, err := y.night(ctx)
	return now == "yes", err
}

// night is the night mode: yes, no, auto and the like.
func (y *system) night(ctx context.Context) (string, error) {
	if err := y.phone.since(uimodeAPI, "dark mode"); err != nil {
		return "", err
	}
	o, err := y.phone.run(ctx, command{name: "cmd uimode", readOnly: true, line: "cmd uimode night"})
	if err != nil {
		return "", err
	}
	m := nightLine.FindSubmatch(o.out)
	if m == nil {
		return "", fmt.Errorf("device %s: read its night mode: %s", y.phone.link.serial, o.reason())
	}
	return string(m[1]), nil
}

// IsAirplane reports whether airplane mode is on.
func (y *system) IsAirplane(ctx context.Context) (bool, error) {
	o, err := y.phone.run(ctx, command{name: "settings get", readOnly: true, line: "settings get global airplane_mode_on"})
	if err != nil {
		return false, err
	}
	return strings.TrimSpace(string(o.out)) == "1", nil
}

// Airplane is refused on a phone that is reached over the network, which it would cut.
func (y *system) Airplane(ctx context.Context, on bool) error {
	if err := y.phone.since(airplaneAPI, "airplane mode"); err != nil {
		return err
	}
	if overWiFi(y.phone.link.serial) && !y.phone.info.Emulator {
		return fmt.Errorf("device %s: %w: airplane mode would cut the network by which adb reaches it: connect it by USB",
			y.phone.link.serial, drivers.ErrUnsupported)
	}
	was, err := y.IsAirplane(ctx)
	if err != nil {
		return err
	}
	err = y.debts.changeNoted(ctx, command{name: "airplane mode", line: airplaneLine(on)}, func(debts *restoreState) {
		if debts.Airplane == nil {
			debts.Airplane = &was
		}
	})
	if err != nil {
		return err
	}
	if now, err := y.IsAirplane(ctx); err != nil || now == on {
		return err
	}
	return y.phone.ignored("airplane mode")
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
func (y *system) Locale(ctx context.Context, app, locale string) error {
	pkg, err := y.packages.packageOf(app)
	if err != nil {
		return err
	}
	if locale != "" && !localeList.MatchString(locale) {
		return fmt.Errorf("device %s: %w: %q is not a language tag such as fr-FR", y.phone.link.serial,
			drivers.ErrNotActionable,
			locale)
	}
	if err := y.phone.since(localeAPI, "an app's language"); err != nil {
		return err
	}
	o, err := y.phone.run(ctx, command{name: "cmd locale", readOnly: true, line: "cmd locale get-app-locales " + pkg})
	if err != nil {
		return err
	}
	m := localesLine.FindSubmatch(o.out)
	if m == nil {
		if err := y.packages.mustBeInstalled(ctx, pkg); err != nil {
			return err
		}
		return fmt.Errorf("device %s: read the language of %s: %s", y.phone.link.serial, pkg, o.reason())
	}
	set := command{name: "language of " + pkg, line: localeLine(pkg, locale)}
	err = y.debts.changeNoted(ctx, set, func(debts *restoreState) {
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
	o, err = y.phone.run(ctx, command{name: "cmd locale", readOnly: true, line: "cmd locale get-app-locales " + pkg})
	if now := localesLine.FindSubmatch(o.out); err != nil || now == nil || string(now[1]) != string(m[1]) {
		return err // changed: Android writes some languages in another way
	}
	return y.phone.ignored("language of " + pkg)
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
func (y *system) Notifications(ctx context.Context) error {
	y.phone.shadeOpened()
	return y.debts.change(ctx, "open the notifications", "cmd statusbar expand-notifications")
}

// Shell runs a command, for as long as its caller lets it, ten minutes at most.
func (y *system) Shell(ctx context.Context, line string) (string, int, error) {
	if strings.ContainsRune(line, 0) {
		return "", 0, fmt.Errorf("device %s: %w: a command with a NUL in it", y.phone.link.serial, drivers.ErrNotActionable)
	}
	o, err := y.phone.run(ctx, command{name: "shell", line: line, limit: shellLimit})
	return string(o.out) + string(o.errs), o.code, err
}
