package android

import (
	"context"
	"fmt"
	"image"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// injector touches a phone and presses its keys by its own tools.
type injector struct {
	phone *phone
	debts *debts

	mu      sync.Mutex
	program string // that takes input: "cmd input" or "input"; "" until known
}

const (
	viaCmd   = "cmd input"
	viaInput = "input"

	// cmdInputAPI is the first API level with an input service that takes shell commands itself, without starting a VM.
	cmdInputAPI = 31
)

// Tap touches one point, once. When the connection breaks it may have happened, and the error is what the caller has to
// live with.
func (u *ui) Tap(ctx context.Context, p image.Point) error {
	return u.gesture(ctx, touch{kind: touchTap, from: p, points: []image.Point{p}})
}

func (j *injector) inputTap(ctx context.Context, p image.Point) error {
	_, err := j.inputs(ctx, "tap", []string{fmt.Sprintf("tap %d %d", p.X, p.Y)})
	return err
}

// inputs sends several input commands to the phone in one shell call, each only if the one before went well.
func (j *injector) inputs(ctx context.Context, name string, args []string) (output, error) {
	return j.give(ctx, inputLine{name: name, line: func(via string) string { return joinInputs(via, args) }})
}

// inputLine is one shell line that sends input to the phone, however many events that is.
type inputLine struct {
	name string
	took time.Duration // that the events take by themselves
	// via is the program that takes input. When it does not know itself, nothing may have happened.
	line func(via string) string
}

func (j *injector) give(ctx context.Context, in inputLine) (output, error) {
	name := in.name
	cmd := command{name: "input " + name, limit: commandLimit + in.took}
	via, err := j.inputProgram(ctx)
	if err != nil {
		return output{}, err
	}
	cmd.line = in.line(via)
	o, err := j.phone.run(ctx, cmd)
	if err != nil {
		return output{}, err
	}
	if via == viaCmd && noSuchCommand(o) {
		// The first of them was refused as unknown, so nothing has happened yet.
		j.mu.Lock()
		j.program = viaInput
		j.mu.Unlock()
		cmd.line = in.line(viaInput)
		if o, err = j.phone.run(ctx, cmd); err != nil {
			return output{}, err
		}
	}
	return o, j.inputError(name, o)
}

func joinInputs(via string, args []string) string {
	lines := make([]string, len(args))
	for i, a := range args {
		lines[i] = via + " " + a
	}
	return strings.Join(lines, " && ")
}

// inputProgram returns the fastest way in which this phone takes input.
func (j *injector) inputProgram(ctx context.Context) (string, error) {
	j.mu.Lock()
	via := j.program
	j.mu.Unlock()
	if via != "" {
		return via, nil
	}
	via = viaInput
	if j.phone.info.APILevel >= cmdInputAPI {
		ctx, cancel := drivers.Bound(ctx, j.phone.life)
		defer cancel()
		has, err := j.phone.link.has(ctx, "cmd")
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

var unknownCommand = lazyregexp.New(
	`(?i)can't find service|no shell command implementation|inaccessible or not found|` +
		`cmd: (input: )?not found|failure calling service input|unknown command`)

func noSuchCommand(o output) bool {
	return o.code == 127 || o.code != 0 && unknownCommand.MatchString(o.text())
}

// inputError finds out whether the phone took the input. The tool says so by its exit code on new phones, and by a
// stack trace on old ones.
func (j *injector) inputError(name string, o output) error {
	said := o.text()
	switch {
	case strings.Contains(said, "INJECT_EVENTS") || strings.Contains(said, "SecurityException"):
		return fmt.Errorf("device %s: %w: the phone forbids input over USB (%s): %s", j.phone.link.serial,
			drivers.ErrUnsupported,
			o.reason(), makersSwitch(j.phone.info.Manufacturer))
	case o.code == 0 && !strings.Contains(said, "Exception") && !killed(said) && !strings.Contains(said, "Error: "):
		return nil
	}
	return fmt.Errorf("device %s: input %s: %s", j.phone.link.serial, name, o.reason())
}
