package appium

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
	"github.com/taproot-dev/taproot/drivers/android/internal/watch"
	"github.com/taproot-dev/taproot/drivers/internal/native"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// System changes the settings of a phone. What they were is restored when the device is closed.
type System struct {
	*Session
	Screen *Screen
	Log    *Log

	mu   sync.Mutex
	undo []change
}

// change is what undoes one.
type change struct {
	name string
	do   func(context.Context) error
}

// Owe notes how a setting is restored, unless it was changed before.
func (y *System) Owe(name string, do func(context.Context) error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if !slices.ContainsFunc(y.undo, func(c change) bool { return c.name == name }) {
		y.undo = append(y.undo, change{name, do})
	}
}

// Restore restores what was changed, the last first. Where that fails the session is not used again.
func (y *System) Restore(ctx context.Context) error {
	y.mu.Lock()
	undo := y.undo
	y.undo = nil
	y.mu.Unlock()
	var errs []error
	for _, c := range slices.Backward(undo) {
		if err := c.do(ctx); err != nil {
			y.Spoil()
			errs = append(errs, fmt.Errorf("restore %s: %w", c.name, err))
		}
	}
	return errors.Join(errs...)
}

// Obstacle says that the phone is locked or its display is off, or that the system shows a dialog about another app:
// what an app shows then is unknown.
func (y *System) Obstacle(ctx context.Context) (string, error) {
	what, err := y.locked(ctx)
	if err != nil || what != "" {
		return what, err
	}
	title, pkg := y.Screen.complaint(), y.Log.app()
	if title == "" || pkg == "" {
		return "", nil
	}
	said, code, err := y.command(ctx, watch.FocusCommand)
	switch {
	case errors.Is(err, drivers.ErrUnsupported): // of the app itself, the log knows more
		return fmt.Sprintf("the system shows the dialog %q, and the server does not say about which app: answer it, or "+
			"restart the phone", title), nil
	case err != nil:
		return "", err
	case code != 0:
		return "", fmt.Errorf("device %s: %w: what has the focus cannot be read", y.Device, drivers.ErrNotReady)
	}
	return watch.Complaint(said, pkg), nil
}

// DisplayOn returns an error while the phone is locked or its display is off.
func (y *System) DisplayOn(ctx context.Context) error { return y.displayOn(ctx) }

// locked says that the phone is locked or its display is off. On a server that does not report it, the report has a
// warning.
func (s *Session) locked(ctx context.Context) (string, error) {
	var locked bool
	err := s.Unsupported("report whether the phone is locked", s.Mobile(ctx, "isLocked", map[string]any{}, &locked))
	switch {
	case errors.Is(err, drivers.ErrUnsupported):
		s.WarnOnce(err.Error())
		return "", nil
	case err != nil || !locked:
		return "", err
	}
	return "the phone is locked, or its display is off: wake and unlock it, or take its screen lock away for tests", nil
}

// displayOn returns an error while the phone is locked or its display is off.
func (s *Session) displayOn(ctx context.Context) error {
	what, err := s.locked(ctx)
	if err == nil && what != "" {
		err = fmt.Errorf("device %s: %s", s.Device, what)
	}
	return err
}

func orientation(landscape bool) string {
	if landscape {
		return "LANDSCAPE"
	}
	return "PORTRAIT"
}

// Rotate turns the screen.
func (y *System) Rotate(ctx context.Context, landscape bool) error {
	var was string
	err := y.Do(ctx, "rotate", func(ctx context.Context) (err error) {
		was, err = y.Lease.Orientation(ctx)
		return err
	})
	if err != nil {
		return y.Unsupported("turn the screen", err)
	}
	turn := func(ctx context.Context, to string) error {
		err := y.Do(ctx, "rotate", func(ctx context.Context) error { return y.Lease.Turn(ctx, to) })
		y.Screen.turned()
		if webdriver.Is(err, webdriver.ElementState) {
			return nil // the app in the foreground keeps its orientation
		}
		return y.Changed("rotate", err)
	}
	y.Owe("the orientation", func(ctx context.Context) error { return turn(ctx, was) })
	return turn(ctx, orientation(landscape))
}

// DarkMode turns the dark theme on or off.
func (y *System) DarkMode(ctx context.Context, on bool) error {
	was, err := y.night(ctx)
	if err != nil {
		return err
	}
	set := func(ctx context.Context, value string) error {
		return y.Changed("dark mode", y.Mobile(ctx, "setUiMode", map[string]any{"mode": "night", "value": value}, nil))
	}
	y.Owe("the dark theme", func(ctx context.Context) error { return set(ctx, was) })
	return set(ctx, map[bool]string{true: "yes", false: "no"}[on])
}

func (y *System) night(ctx context.Context) (mode string, err error) {
	err = y.Mobile(ctx, "getUiMode", map[string]any{"mode": "night"}, &mode)
	return mode, y.Unsupported("read the theme", err)
}

// IsDark reports whether the dark theme is on.
func (y *System) IsDark(ctx context.Context) (bool, error) {
	mode, err := y.night(ctx)
	return mode == "yes", err
}

// Airplane turns airplane mode on or off.
func (y *System) Airplane(ctx context.Context, on bool) error {
	was, err := y.IsAirplane(ctx)
	if err != nil {
		return err
	}
	set := func(ctx context.Context, on bool) error {
		return y.Changed("airplane mode", y.Mobile(ctx, "setConnectivity", map[string]any{"airplaneMode": on}, nil))
	}
	y.Owe("airplane mode", func(ctx context.Context) error { return set(ctx, was) })
	return set(ctx, on)
}

// IsAirplane reports whether airplane mode is on.
func (y *System) IsAirplane(ctx context.Context) (bool, error) {
	var state struct{ AirplaneMode bool }
	err := y.Mobile(ctx, "getConnectivity", map[string]any{"services": []string{"airplaneMode"}}, &state)
	return state.AirplaneMode, y.Unsupported("read airplane mode", err)
}

// Locale sets the language of one app, by the shell.
func (y *System) Locale(ctx context.Context, app, locale string) error {
	if locale != "" && !restore.LocaleList.MatchString(locale) {
		return fmt.Errorf("device %s: %w: %q is not a language tag such as fr-FR", y.Device, drivers.ErrNotActionable, locale)
	}
	said, code, err := y.Shell(ctx, "cmd locale get-app-locales "+shellescape.Quote(app))
	if err != nil {
		return err
	}
	from, to := strings.Index(said, "are ["), strings.LastIndex(said, "]")
	if code != 0 || from < 0 || to < from {
		return fmt.Errorf("device %s: the language of %s cannot be read", y.Device, app)
	}
	was := said[from+len("are [") : to]
	set := func(ctx context.Context, locale string) error {
		_, code, err := y.Shell(ctx, restore.LocaleLine(app, locale))
		if err == nil && code != 0 {
			err = fmt.Errorf("device %s: the language of %s was not set", y.Device, app)
		}
		return err
	}
	y.Owe("the language of "+app, func(ctx context.Context) error { return set(ctx, was) })
	return set(ctx, locale)
}

// Notifications opens the list of notifications.
func (y *System) Notifications(ctx context.Context) error {
	y.Owe("the notifications", func(ctx context.Context) error {
		return y.Mobile(ctx, "statusBar", map[string]any{"command": "collapse"}, nil)
	})
	return y.Changed("open the notifications", y.Unsupported("open the notifications", y.Mobile(ctx, "openNotifications",
		nil, nil)))
}

// shellCommand runs a command in the phone's shell, where the server allows it.
const shellCommand = "shell"

// exitMark is written behind what a command says, with its exit code.
const exitMark = "taproot-exit-code:"

// Shell runs a command in the phone's shell, where the server allows it.
func (y *System) Shell(ctx context.Context, command string) (output string, code int, err error) {
	output, code, err = y.command(ctx, command)
	return output, code, y.Changed("run a command", err)
}

// command runs a command in the phone's shell, where the server allows it.
func (s *Session) command(ctx context.Context, command string) (output string, code int, err error) {
	if strings.ContainsRune(command, 0) {
		return "", 0, fmt.Errorf("device %s: %w: a command with a NUL in it", s.Device, drivers.ErrNotActionable)
	}
	if err := s.allowsShell(ctx); err != nil {
		return "", 0, err
	}
	var said string
	if err := s.Mobile(ctx, shellCommand, shellArgs("("+command+"\n) 2>&1; echo "+exitMark+"$?"), &said); err != nil {
		return "", 0, err
	}
	at := strings.LastIndex(said, exitMark)
	if at < 0 {
		return said, 0, fmt.Errorf("device %s: the shell did not return the exit code of the command", s.Device)
	}
	code, err = strconv.Atoi(strings.TrimSpace(said[at+len(exitMark):]))
	if err != nil {
		err = fmt.Errorf("device %s: the exit code of the command cannot be read", s.Device)
	}
	return said[:at], code, err
}

func shellArgs(line string) map[string]any {
	return map[string]any{"command": line, "timeout": native.SlowLimit.Milliseconds()}
}

// allowsShell returns an ErrUnsupported where the server runs no commands. It is asked once.
func (s *Session) allowsShell(ctx context.Context) error {
	s.mu.Lock()
	seen, err := s.shellSeen, s.shell
	s.mu.Unlock()
	if seen {
		return err
	}
	err = s.Mobile(ctx, shellCommand, shellArgs("true"), nil)
	var said *webdriver.Error
	if err != nil && !errors.As(err, &said) || errors.Is(err, drivers.ErrDeviceLost) {
		return err
	}
	if err != nil {
		err = fmt.Errorf("%w: the remote %s does not run commands in the phone's shell: its Appium server needs "+
			"--allow-insecure uiautomator2:adb_shell: %w", drivers.ErrUnsupported, s.Remote, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shellSeen, s.shell = true, err
	return err
}

// Kill ends the process of an app in the background, by the shell.
func (y *System) Kill(ctx context.Context, app string) error {
	said, code, err := y.Shell(ctx, "am kill "+shellescape.Quote(app))
	if err == nil && code != 0 {
		err = fmt.Errorf("device %s: kill %s: %s", y.Device, app, strings.TrimSpace(said))
	}
	return err
}

// SetLocation makes the phone believe that it is there.
func (y *System) SetLocation(ctx context.Context, at drivers.Coordinates) error {
	args := map[string]any{"latitude": at.Latitude, "longitude": at.Longitude}
	if at.Accuracy > 0 {
		args["accuracy"] = at.Accuracy
	}
	y.Owe("the location", func(ctx context.Context) error { return y.Mobile(ctx, "resetGeolocation", nil, nil) })
	if err := y.Mobile(ctx, "setGeolocation", args, nil); err != nil {
		return y.needsSettings("set the location", err)
	}
	return nil
}

// Present presents a finger to the sensor of an emulator.
func (y *System) Present(ctx context.Context, known bool) error {
	finger := 1
	if !known {
		finger = 9
	}
	return y.onEmulators(y.Mobile(ctx, "fingerprint", map[string]any{"fingerprintId": finger}, nil))
}

// Enroll is refused: a finger is enrolled by a person, in the settings.
func (y *System) Enroll(context.Context, bool) error {
	return fmt.Errorf("device %s: %w: a finger is enrolled in the settings of the phone", y.Device, drivers.ErrUnsupported)
}

func (y *System) onEmulators(err error) error {
	if webdriver.Is(err, webdriver.UnknownError, webdriver.UnknownMethod, webdriver.Unsupported) {
		return fmt.Errorf("%w: only emulators have it: %w", drivers.ErrUnsupported, err)
	}
	return err
}
