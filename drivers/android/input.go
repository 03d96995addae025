package android

import (
	"context"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	viaCmd   = "cmd input"
	viaInput = "input"

	// cmdInputAPI is the first API level with an input service that takes shell commands itself, without starting a VM.
	cmdInputAPI = 31
)

// Tap touches one point, once. When the connection breaks it may have happened, and the error is what the caller has to
// live with.
func (d *Device) Tap(ctx context.Context, p image.Point) error {
	return d.gesture(ctx, touch{kind: touchTap, from: p, points: []image.Point{p}})
}

func (d *Device) inputTap(ctx context.Context, p image.Point) error {
	_, err := d.inputs(ctx, "tap", []string{fmt.Sprintf("tap %d %d", p.X, p.Y)})
	return err
}

// inputs sends several input commands to the phone in one shell call, each only if the one before went well.
func (d *Device) inputs(ctx context.Context, name string, args []string) (output, error) {
	return d.give(ctx, input{name: name, line: func(via string) string { return joinInputs(via, args) }})
}

// input is one shell line that sends input to the phone, however many events that is.
type input struct {
	name string
	took time.Duration // that the events take by themselves
	// via is the program that takes input. When it does not know itself, nothing may have happened.
	line func(via string) string
}

func (d *Device) give(ctx context.Context, in input) (output, error) {
	name := in.name
	cmd := command{name: "input " + name, limit: commandLimit + in.took}
	via, err := d.inputProgram(ctx)
	if err != nil {
		return output{}, err
	}
	cmd.line = in.line(via)
	o, err := d.run(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	if via == viaCmd && noSuchCommand(o) {
		// The first of them was refused as unknown, so nothing has happened yet.
		d.mu.Lock()
		d.input = viaInput
		d.mu.Unlock()
		cmd.line = in.line(viaInput)
		if o, err = d.run(ctx, cmd); err != nil {
			return output{}, err
		}
	}
	return o, d.inputError(name, o)
}

func joinInputs(via string, args []string) string {
	lines := make([]string, len(args))
	for i, a := range args {
		lines[i] = via + " " + a
	}
	return strings.Join(lines, " && ")
}

// inputProgram returns the fastest way in which this phone takes input.
func (d *Device) inputProgram(ctx context.Context) (string, error) {
	d.mu.Lock()
	via := d.input
	d.mu.Unlock()
	if via != "" {
		return via, nil
	}
	via = viaInput
	if d.info.APILevel >= cmdInputAPI {
		ctx, cancel := drivers.Bound(ctx, d.life)
		defer cancel()
		has, err := d.link.has(ctx, "cmd")
		if err != nil {
			return "", err
		}
		if has {
			via = viaCmd
		}
	}
	d.mu.Lock()
	d.input = via
	d.mu.Unlock()
	return via, nil
}

var unknownCommand = lazyregexp.New(
	`(?i)can't find service|no shell command implementation|inaccessible or not found|` +
		`cmd: (input: )?not found|failure calling service input|unknown command`)

func noSuchCommand(o output) bool {
	return o.code == 127 || o.code != 0 && unknownCommand.MatchString(o.text())
}

// inputError finds out whether the phone took the input. The tool says so by its exit code on new phones, and by a
// stack trace on old ones.
func (d *Device) inputError(name string, o output) error {
	said := o.text()
	switch {
	case strings.Contains(said, "INJECT_EVENTS") || strings.Contains(said, "SecurityException"):
		return fmt.Errorf("device %s: %w: the phone forbids input over USB (%s): %s", d.link.serial, drivers.ErrUnsupported,
			o.reason(), makersSwitch(d.info.Manufacturer))
	case o.code == 0 && !strings.Contains(said, "Exception") && !killed(said) && !strings.Contains(said, "Error: "):
		return nil
	}
	return fmt.Errorf("device %s: input %s: %s", d.link.serial, name, o.reason())
}
