package system

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
)

// Emulator is what an emulator's console can do.
type Emulator struct{ Phone *phone.Phone }

// How an emulator is shaken: so often, so fast and so hard (m/s², apps that listen want about 12 more than gravity).
const (
	shakeMoves = 8
	shakePace  = 50 * time.Millisecond
	shakeForce = 30
)

// Shake moves the acceleration sensor of an emulator to and fro and puts it back to its value before.
func (e *Emulator) Shake(ctx context.Context) (err error) {
	c, err := e.console(ctx, "only the sensors of an emulator can be set, and only a hand shakes a phone")
	if err != nil {
		return err
	}
	defer c.Close()
	before, err := c.acceleration()
	if err != nil {
		return err
	}
	defer func() { // also when the shaking is cut short
		_, back := c.ask("sensor set acceleration " + before)
		if ctx.Err() == nil {
			err = errors.Join(err, back)
		}
	}()
	for i := range shakeMoves {
		x := shakeForce - 2*shakeForce*(i%2)
		if _, err := c.ask(fmt.Sprintf("sensor set acceleration %d:9.81:0", x)); err != nil {
			return err
		}
		if err := drivers.Pause(ctx, shakePace); err != nil {
			return err
		}
	}
	return nil
}

// Fingers of an emulator: the one that its settings enroll first in the examples of its manual, and one that is not
// enrolls.
const (
	knownFinger   = 1
	strangeFinger = 99
)

// Enroll cannot be done from outside: a finger is enrolled in the settings of the emulator, which ask for it as often
// as they need.
func (e *Emulator) Enroll(context.Context, bool) error {
	return fmt.Errorf(
		"device %s: %w: an emulator learns a finger in its settings (Security, Fingerprint), to which biometrics: match "+
			"returns it", e.Phone.Link.Serial, drivers.ErrUnsupported)
}

// Present touches the sensor of an emulator with a finger, and takes it away.
func (e *Emulator) Present(ctx context.Context, known bool) error {
	c, err := e.console(ctx, "a phone wants a real finger: only emulators can simulate one")
	if err != nil {
		return err
	}
	defer c.Close()
	finger := map[bool]int{true: knownFinger, false: strangeFinger}[known]
	if _, err := c.ask(fmt.Sprintf("finger touch %d", finger)); err != nil {
		return err
	}
	_, err = c.ask("finger remove")
	return err
}

// console opens the console of an emulator. On a phone it returns the reason as an error that wraps ErrUnsupported.
func (e *Emulator) console(ctx context.Context, why string) (*console, error) {
	port, emulator := strings.CutPrefix(e.Phone.Link.Serial, "emulator-")
	if !emulator {
		return nil, fmt.Errorf("device %s: %w: %s", e.Phone.Link.Serial, drivers.ErrUnsupported, why)
	}
	c, err := openConsole(ctx, e.Phone.Link.Server, port)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", e.Phone.Link.Serial, err)
	}
	return c, nil
}

// console is a connection to the console of an emulator on this machine.
type console struct {
	net.Conn
	r    *bufio.Reader
	free func() bool // from the context
}

// Close ends the connection.
func (c *console) Close() error {
	c.free()
	return c.Conn.Close()
}

// maxConsole bounds the lines of one answer.
const maxConsole = 100

// consoleLimit bounds what is done in a console, farewell what is done there after the call was cancelled.
const (
	consoleLimit = 5 * time.Second
	farewell     = 500 * time.Millisecond
)

// openConsole connects and says the word that the emulator keeps in the user's home folder.
func openConsole(ctx context.Context, srv *adb.Server, port string) (*console, error) {
	nc, err := srv.Dial(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, fmt.Errorf("the console of the emulator, which runs on this machine or is out of reach: %w", err)
	}
	if err := nc.SetDeadline(time.Now().Add(consoleLimit)); err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	// What is cancelled still puts the sensor back, if the console responds at once.
	free := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Now().Add(farewell)) })
	c := &console{nc, bufio.NewReaderSize(nc, 4096), free}
	greeting, err := c.answer("the greeting")
	if err == nil && strings.Contains(strings.Join(greeting, "\n"), "Authentication required") {
		var word []byte
		if word, err = os.ReadFile(filepath.Join(srv.Home, ".emulator_console_auth_token")); err == nil {
			_, err = c.askAs("the word that opens the console", "auth "+strings.TrimSpace(string(word)))
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// acceleration returns what the sensor reports, as the console writes it.
func (c *console) acceleration() (string, error) {
	lines, err := c.ask("sensor get acceleration")
	for _, line := range lines {
		if value, found := strings.CutPrefix(line, "acceleration = "); found {
			return value, err
		}
	}
	return "", errors.Join(fmt.Errorf("the console of the emulator does not report its acceleration: %q",
		strings.Join(lines, " ")), err)
}

// ask sends a command and returns the lines of its response.
func (c *console) ask(command string) ([]string, error) { return c.askAs(command, command) }

// askAs is ask for a command that has another name in messages.
func (c *console) askAs(name, command string) ([]string, error) {
	if _, err := fmt.Fprintf(c, "%s\r\n", command); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c.answer(name)
}

// answer reads lines up to OK, or KO with the reason.
func (c *console) answer(name string) ([]string, error) {
	var lines []string
	for len(lines) < maxConsole {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return lines, fmt.Errorf("the console of the emulator, %s: %w", name, err)
		}
		text := strings.TrimSpace(string(line))
		if why, refused := strings.CutPrefix(text, "KO"); refused {
			return lines, fmt.Errorf("the console of the emulator refuses %s%s", name, why)
		}
		if text == "OK" {
			return lines, nil
		}
		lines = append(lines, text)
	}
	return lines, fmt.Errorf("the console of the emulator says too much about %s", name)
}
