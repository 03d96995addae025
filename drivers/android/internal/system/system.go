// Package system changes the settings of a phone, and what is stored on it.
package system

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/apps"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// System changes the settings of a phone, and what is stored on it.
type System struct {
	Phone    *phone.Phone
	Debts    *restore.Debts
	Packages *apps.Packages

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

// Rotate fixes the screen's orientation, and waits a moment for it: an app may keep its own.
func (y *System) Rotate(ctx context.Context, landscape bool) error {
	turns := 0
	if landscape != (y.Phone.Info.Width > y.Phone.Info.Height) {
		turns = 1
	}
	return y.SetRotation(ctx, turns)
}

// SetRotation fixes how the screen is held, in quarter turns, and waits a moment for it: an app may keep its own.
func (y *System) SetRotation(ctx context.Context, turns int) error {
	values, o, err := y.rotationSettings(ctx)
	if err != nil {
		return err
	}
	if len(values) != 2 {
		return fmt.Errorf("device %s: read its rotation: %s", y.Phone.Link.Serial, o.Reason())
	}
	line := "settings put system accelerometer_rotation 0 && settings put system user_rotation " + strconv.Itoa(turns)
	err = y.Debts.ChangeNoted(ctx, adb.Command{Name: "rotate", Line: line}, func(debts *restore.State) {
		debts.Setting(restore.NewSetting("system", "accelerometer_rotation", values[0]))
		debts.Setting(restore.NewSetting("system", "user_rotation", values[1]))
	})
	if err != nil {
		return err
	}
	if values, _, err = y.rotationSettings(ctx); err != nil {
		return err
	}
	if len(values) == 2 && (values[0] != "0" || values[1] != strconv.Itoa(turns)) {
		return y.Phone.Ignored("rotate")
	}
	err = y.waitTurned(ctx, turns)
	y.Phone.SetShot(image.Point{}) // it was of the old orientation
	return err
}

// rotationSettings reads whether the screen turns by itself, and how it is held.
func (y *System) rotationSettings(ctx context.Context) ([]string, adb.Output, error) {
	line := "settings get system accelerometer_rotation; settings get system user_rotation"
	o, err := y.Phone.Run(ctx, adb.Command{Name: "settings get", ReadOnly: true, Line: line})
	return strings.Fields(string(o.Out)), o, err
}

var errNotTurned = errors.New("the screen did not turn")

func (y *System) waitTurned(ctx context.Context, turns int) error {
	wait, cancel := context.WithTimeoutCause(ctx, turnLimit, errNotTurned)
	defer cancel()
	for {
		o, err := y.Phone.Run(ctx, adb.Command{Name: "dumpsys window displays", ReadOnly: true,
			Line: "dumpsys window displays"})
		if err != nil {
			return err
		}
		if got, known := phone.ParseRotation(string(o.Out)); got == turns || !known {
			return nil
		}
		if err := drivers.Pause(wait, turnPoll); errors.Is(err, errNotTurned) {
			y.Phone.Log.Info("the screen did not turn: the foreground app keeps its orientation")
			return nil
		} else if err != nil {
			return y.Phone.Link.Fault(ctx, "rotate", err)
		}
	}
}

var nightLine = lazyregexp.New(`(?m)^\s*Night mode: (\w+)`)

// DarkMode sets the night mode of the whole system.
func (y *System) DarkMode(ctx context.Context, on bool) error {
	was, err := y.night(ctx)
	if err != nil {
		return err
	}
	word := map[bool]string{true: "yes", false: "no"}[on]
	err = y.Debts.ChangeNoted(ctx, adb.Command{Name: "dark mode", Line: "cmd uimode night " + word},
		func(debts *restore.State) {
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
	return y.Phone.Ignored("dark mode")
}

// IsDark reports whether the dark theme is on.
func (y *System) IsDark(ctx context.Context) (bool, error) {
	now, err := y.night(ctx)
	return now == "yes", err
}

// night is the night mode: yes, no, auto and the like.
func (y *System) night(ctx context.Context) (string, error) {
	if err := y.Phone.Since(uimodeAPI, "dark mode"); err != nil {
		return "", err
	}
	o, err := y.Phone.Run(ctx, adb.Command{Name: "cmd uimode", ReadOnly: true, Line: "cmd uimode night"})
	if err != nil {
		return "", err
	}
	m := nightLine.FindSubmatch(o.Out)
	if m == nil {
		return "", fmt.Errorf("device %s: read its night mode: %s", y.Phone.Link.Serial, o.Reason())
	}
	return string(m[1]), nil
}

// IsAirplane reports whether airplane mode is on.
func (y *System) IsAirplane(ctx context.Context) (bool, error) {
	o, err := y.Phone.Run(ctx, adb.Command{Name: "settings get", ReadOnly: true,
		Line: "settings get global airplane_mode_on"})
	if err != nil {
		return false, err
	}
	return strings.TrimSpace(string(o.Out)) == "1", nil
}

// Airplane is refused on a phone that is reached over the network, which it would cut.
func (y *System) Airplane(ctx context.Context, on bool) error {
	if err := y.Phone.Since(airplaneAPI, "airplane mode"); err != nil {
		return err
	}
	if adb.OverWiFi(y.Phone.Link.Serial) && !y.Phone.Info.Emulator {
		return fmt.Errorf("device %s: %w: airplane mode would cut the network by which adb reaches it: connect it by USB",
			y.Phone.Link.Serial, drivers.ErrUnsupported)
	}
	was, err := y.IsAirplane(ctx)
	if err != nil {
		return err
	}
	err = y.Debts.ChangeNoted(ctx, adb.Command{Name: "airplane mode", Line: restore.AirplaneLine(on)},
		func(debts *restore.State) {
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
	return y.Phone.Ignored("airplane mode")
}

var (
	localesLine = lazyregexp.New(`(?m)^Locales for \S+ for user \d+ are \[(.*)\]`)
)

// Locale sets an app's own language, as the phone's settings do.
func (y *System) Locale(ctx context.Context, app, locale string) error {
	pkg, err := y.Packages.PackageOf(app)
	if err != nil {
		return err
	}
	if locale != "" && !restore.LocaleList.MatchString(locale) {
		return fmt.Errorf("device %s: %w: %q is not a language tag such as fr-FR", y.Phone.Link.Serial,
			drivers.ErrNotActionable,
			locale)
	}
	if err := y.Phone.Since(localeAPI, "an app's language"); err != nil {
		return err
	}
	o, err := y.Phone.Run(ctx, adb.Command{Name: "cmd locale", ReadOnly: true, Line: "cmd locale get-app-locales " + pkg})
	if err != nil {
		return err
	}
	m := localesLine.FindSubmatch(o.Out)
	if m == nil {
		if err := y.Packages.MustBeInstalled(ctx, pkg); err != nil {
			return err
		}
		return fmt.Errorf("device %s: read the language of %s: %s", y.Phone.Link.Serial, pkg, o.Reason())
	}
	set := adb.Command{Name: "language of " + pkg, Line: restore.LocaleLine(pkg, locale)}
	err = y.Debts.ChangeNoted(ctx, set, func(debts *restore.State) {
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
	o, err = y.Phone.Run(ctx, adb.Command{Name: "cmd locale", ReadOnly: true, Line: "cmd locale get-app-locales " + pkg})
	if now := localesLine.FindSubmatch(o.Out); err != nil || now == nil || string(now[1]) != string(m[1]) {
		return err // changed: Android writes some languages in another way
	}
	return y.Phone.Ignored("language of " + pkg)
}

// Notifications pulls the shade down. Close puts it up again.
func (y *System) Notifications(ctx context.Context) error {
	y.Phone.ShadeOpened()
	return y.Debts.Change(ctx, "open the notifications", "cmd statusbar expand-notifications")
}

// Shell runs a command, for as long as its caller lets it, ten minutes at most.
func (y *System) Shell(ctx context.Context, line string) (string, int, error) {
	if strings.ContainsRune(line, 0) {
		return "", 0, fmt.Errorf("device %s: %w: a command with a NUL in it", y.Phone.Link.Serial, drivers.ErrNotActionable)
	}
	o, err := y.Phone.Run(ctx, adb.Command{Name: "shell", Line: line, Limit: shellLimit})
	return string(o.Out) + string(o.Errs), o.Code, err
}
