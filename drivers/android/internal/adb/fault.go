package adb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// errSilence is an ErrDeviceLost with a device that may be there all the same.
var errSilence = fmt.Errorf("%w", drivers.ErrDeviceLost)

// TooSlow is what a call fails with when the device does not answer in our own time.
func (l *Link) TooSlow(name string, limit time.Duration) error {
	return fmt.Errorf("%w: device %s did not answer %s within %v", errSilence, l.Serial, name, limit)
}

// Dropped distinguishes a broken connection from a device that does not respond.
func Dropped(err error) bool {
	return errors.Is(err, drivers.ErrDeviceLost) && !errors.Is(err, errSilence)
}

// Fault names the device and the call in an error, and distinguishes a lost device from everything else.
func (l *Link) Fault(ctx context.Context, name string, err error) error {
	if errors.Is(err, drivers.ErrDeviceLost) {
		return err // named already
	}
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		if errors.Is(cause, drivers.ErrDeviceLost) {
			return cause
		}
		return fmt.Errorf("device %s: %s: %w", l.Serial, name, cause)
	}
	if refused := new(refusal); errors.As(err, &refused) {
		if why := l.lostBy(refused.message); why != "" {
			return fmt.Errorf("%w: device %s: %s", drivers.ErrDeviceLost, l.Serial, why)
		}
		if refused.message == "closed" && l.gone(ctx) {
			return fmt.Errorf("%w: device %s went away before %s", drivers.ErrDeviceLost, l.Serial, name)
		}
	}
	if broken(err) {
		return fmt.Errorf("%w: the connection to device %s broke during %s: %w", drivers.ErrDeviceLost, l.Serial, name, err)
	}
	return fmt.Errorf("device %s: %s: %w", l.Serial, name, err)
}

// NotReady is the error about a device in a state in which it cannot be used.
func (l *Link) NotReady(state drivers.State) error {
	return fmt.Errorf("%w: device %s is %s: %s", drivers.ErrDeviceLost, l.Serial, state, Remedy(l.Serial, state))
}

// gone checks whether the device is still attached, because the word "closed" means either that or an unknown service.
func (l *Link) gone(ctx context.Context) bool {
	answer, err := l.Query(ctx, "get-state")
	return err != nil || drivers.State(strings.TrimSpace(answer)) != drivers.Ready
}

// lostBy reads adb's own sentences: it returns what to do when they say that the device cannot be reached, otherwise
// "".
func (l *Link) lostBy(message string) string {
	for _, known := range []struct{ words, state string }{
		{"unauthorized", "unauthorized"},
		{"still authorizing", "authorizing"},
		{"still connecting", "connecting"},
		{"offline", "offline"},
		{"no permissions", "no permissions"},
		{"insufficient permissions", "no permissions"},
		{"not found", "absent"},
		{"no devices", "absent"},
		{"more than one device", "ambiguous"},
	} {
		if strings.Contains(message, known.words) {
			return strings.TrimRight(FirstLine(message), ".") + ": " + Remedy(l.Serial, drivers.State(known.state))
		}
	}
	return ""
}

// broken reports whether a connection ended in the middle, which is what a cable pulled or a server killed looks like.
func broken(err error) bool {
	var netErr *net.OpError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.As(err, &netErr)
}

// again says how a device is attached once more: what is not plugged in cannot be plugged in again.
func again(id string) string {
	switch {
	case IsEmulator(id, nil):
		return "restart the emulator"
	case byAddress(id):
		return "run `adb disconnect " + id + "` and `adb connect " + id + "`"
	case OverWiFi(id):
		return "switch wireless debugging off and on at the phone"
	}
	return "plug it in again"
}

// Remedy returns what to do about a device in a state that is not drivers.Ready.
func Remedy(id string, state drivers.State) string {
	again := again(id)
	switch state {
	case "unauthorized":
		return "unlock the phone and accept the question \"Allow USB debugging?\"; if it does not ask, revoke USB " +
			"debugging " +
			"authorizations in its developer options and " + again
	case "authorizing", "connecting":
		return "wait a moment; if it stays so, accept the question on the phone's screen or " + again
	case "offline":
		if IsEmulator(id, nil) {
			return "wait until it has started; if it stays so, " + again + ", or run `adb reconnect offline`"
		}
		return again + ", or run `adb reconnect offline`"
	case "recovery", "sideload", "rescue", "bootloader", "fastboot", "fastbootd":
		return "restart it into Android: `adb reboot`, or `fastboot reboot` from its boot loader"
	case "no permissions":
		return "this user may not use the USB device: install udev rules for Android (package " +
			"android-sdk-platform-tools-common " +
			"on Debian), join the group plugdev, and plug it in again"
	case "host":
		return "it is in USB host mode: change its USB mode to file transfer"
	case "detached":
		return "another program uses it: run `adb attach`, or stop that program"
	case "absent":
		return absent(id)
	case "ambiguous":
		return "two devices have this serial: take the id that `taproot devices` shows, or unplug one"
	case Unresponsive:
		if again == "plug it in again" {
			again = "unplug it and plug it in again"
		}
		return "it is attached and does not answer: " + orRestart(id, again)
	default:
		return orRestart(id, again)
	}
}

func orRestart(id, again string) string {
	if IsEmulator(id, nil) {
		return again
	}
	return again + ", or restart it"
}

// absent says how a device comes into adb's list.
func absent(id string) string {
	switch {
	case IsEmulator(id, nil):
		return "look at `adb devices`, and start the emulator"
	case byAddress(id):
		return "look at `adb devices`, or run `adb connect " + id + "`"
	}
	return "look at `adb devices`, plug the phone in, or `adb connect` to it"
}

// Unresponsive is our own word for a device that adb calls ready and that does not answer.
const Unresponsive drivers.State = "unresponsive"

func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return phrase.LimitBytes(strings.TrimSpace(line), 300)
}
