// Package input touches a phone and presses its keys by the phone's own tools.
package input

import (
	"context"
	"fmt"
	"image"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
)

// Injector touches a phone and presses its keys by its own tools.
type Injector struct {
	Phone *phone.Phone
	Debts *restore.Debts

	mu      sync.Mutex
	program string // that takes input: "cmd input" or "input"; "" until known
}

const (
	viaCmd   = "cmd input"
	ViaInput = "input"

	// cmdInputAPI is the first API level with an input service that takes shell commands itself, without starting a VM.
	cmdInputAPI = 31
)

func (j *Injector) inputTap(ctx context.Context, p image.Point) error {
	_, err := j.Inputs(ctx, "tap", []string{fmt.Sprintf("tap %d %d", p.X, p.Y)})
	return err
}

// Inputs sends several input commands to the phone in one shell call, each only if the one before went well.
func (j *Injector) Inputs(ctx context.Context, name string, args []string) (adb.Output, error) {
	return j.give(ctx, inputLine{name: name, line: func(via string) string { return JoinInputs(via, args) }})
}

// inputLine is one shell line that sends input to the phone, however many events that is.
type inputLine struct {
	name string
	took time.Duration // that the events take by themselves
	// via is the program that takes input. When it does not know itself, nothing may have happened.
	line func(via string) string
}

func (j *Injector) give(ctx context.Context, in inputLine) (adb.Output, error) {
	name := in.name
	cmd := adb.Command{Name: "input " + name, Limit: adb.CommandLimit + in.took}
	via, err := j.inputProgram(ctx)
	if err != nil {
		return adb.Output{}, err
	}
	cmd.Line = in.line(via)
	o, err := j.Phone.Run(ctx, cmd)
	if err != nil {
		return adb.Output{}, err
	}
	if via == viaCmd && adb.NoSuchCommand(o) {
		// The first of them was refused as unknown, so nothing has happened yet.
		j.mu.Lock()
		j.program = ViaInput
		j.mu.Unlock()
		cmd.Line = in.line(ViaInput)
		if o, err = j.Phone.Run(ctx, cmd); err != nil {
			return adb.Output{}, err
		}
	}
	return o, j.inputError(name, o)
}

func JoinInputs(via string, args []string) string {
	lines := make([]string, len(args))
	for i, a := range args {
		lines[i] = via + " " + a
	}
	return strings.Join(lines, " && ")
}

// inputProgram returns the fastest way in which this phone takes input.
func (j *Injector) inputProgram(ctx context.Context) (string, error) {
	j.mu.Lock()
	via := j.program
	j.mu.Unlock()
	if via != "" {
		return via, nil
	}
	via = ViaInput
	if j.Phone.Info.APILevel >= cmdInputAPI {
		ctx, cancel := drivers.Bound(ctx, j.Phone.Life)
		defer cancel()
		has, err := j.Phone.Link.Has(ctx, "cmd")
		if err != nil {
			return "", err
		}
		if has {
			via = viaCmd
		}
	}
	j.mu.Lock()
	j.program = via
	j.mu.Unlock()
	return via, nil
}

// inputError finds out whether the phone took the input. The tool says so by its exit code on new phones, and by a
// stack trace on old ones.
func (j *Injector) inputError(name string, o adb.Output) error {
	said := o.Text()
	switch {
	case strings.Contains(said, "INJECT_EVENTS") || strings.Contains(said, "SecurityException"):
		return fmt.Errorf("device %s: %w: the phone forbids input over USB (%s): %s", j.Phone.Link.Serial,
			drivers.ErrUnsupported,
			o.Reason(), phone.MakersSwitch(j.Phone.Info.Manufacturer))
	case o.Code == 0 && !strings.Contains(said, "Exception") && !adb.Killed(said) && !strings.Contains(said, "Error: "):
		return nil
	}
	return fmt.Errorf("device %s: input %s: %s", j.Phone.Link.Serial, name, o.Reason())
}
