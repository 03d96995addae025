package input

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
)

const (
	// uinputAPI is the first API level on which the shell can make input devices.
	uinputAPI  = 30
	uinputName = "taproot-touch"
	uinputWait = 5 * time.Second
	uinputSeen = "taproot-touch-is-there"
)

// uinputCommand is one for Android's program uinput.
type uinputCommand struct {
	ID            int           `json:"id"`
	Command       string        `json:"command"`
	Name          string        `json:"name,omitempty"`
	Vendor        int           `json:"vid,omitempty"`
	Product       int           `json:"pid,omitempty"`
	Bus           string        `json:"bus,omitempty"`
	Configuration []uinputBits  `json:"configuration,omitempty"`
	Axes          []uinputRange `json:"abs_info,omitempty"`
	Duration      int64         `json:"duration,omitempty"` // milliseconds
	Events        []int         `json:"events,omitempty"`
}

// uinputBits says what a device has. The program wants the type first.
type uinputBits struct {
	Type int   `json:"type"`
	Data []int `json:"data"`
}

type uinputRange struct {
	Code int `json:"code"`
	Info struct {
		Maximum int `json:"maximum"`
	} `json:"info"`
}

// registerTouch makes a touch screen for two fingers in pixels of the upright display.
func registerTouch(natural image.Point) uinputCommand {
	const eventTypes, keys, axes, properties = 100, 101, 103, 110 // the last number of the kernel's UI_SET_…BIT
	c := uinputCommand{ID: 1, Command: "register", Name: uinputName, Vendor: 0x18d1, Product: 0x7461, Bus: "usb",
		Configuration: []uinputBits{
			{eventTypes, []int{1, 3}}, {keys, []int{330}}, {axes, []int{47, 53, 54, 57}}, {properties, []int{1}}}}
	for _, axis := range [][2]int{{47, 1}, {53, natural.X - 1}, {54, natural.Y - 1}, {57, 0xffff}} {
		r := uinputRange{Code: axis[0]}
		r.Info.Maximum = axis[1]
		c.Axes = append(c.Axes, r)
	}
	return c
}

// pinchOnVirtual sends the events by a touch screen of its own, which is gone afterwards. Android takes no events
// before it knows of it.
func (j *Injector) pinchOnVirtual(ctx context.Context, p PinchPath, natural image.Point) error {
	line, err := uinputLine(registerTouch(natural), p.events(func(at image.Point) (x, y int) { return at.X, at.Y }),
		p.pause)
	if err != nil {
		return err
	}
	o, err := j.Phone.Run(ctx, adb.Command{Name: "uinput", Line: line, Limit: adb.CommandLimit + uinputWait + p.took()})
	if err != nil {
		return err // its touch screen goes with the program, and the fingers with that
	}
	if !strings.Contains(o.Text(), uinputSeen) {
		return fmt.Errorf("device %s: %w: the phone makes no touch screen for two fingers: %s", j.Phone.Link.Serial,
			drivers.ErrUnsupported, o.Reason())
	}
	return nil
}

// uinputLine registers the device, waits until the kernel has it and Android had half a second to take notice, and
// plays the reports.
func uinputLine(device uinputCommand, reports [][]touchEvent, pause time.Duration) (string, error) {
	register, err := json.Marshal(device)
	if err != nil {
		return "", err
	}
	var play strings.Builder
	for _, report := range reports {
		c := uinputCommand{ID: device.ID, Command: "inject"}
		for _, e := range report {
			c.Events = append(c.Events, e[:]...)
		}
		inject, err := json.Marshal(c)
		if err != nil {
			return "", err
		}
		wait, err := json.Marshal(uinputCommand{ID: device.ID, Command: "delay", Duration: max(pause.Milliseconds(), 1)})
		if err != nil {
			return "", err
		}
		play.Write(inject)
		play.Write(wait)
	}
	return fmt.Sprintf(
		"{ echo %s; n=0; until getevent -p 2>/dev/null | grep %s >/dev/null || [ $n -ge %d ]; do sleep 0.1; n=$((n+1)); "+
			"done; "+
			"[ $n -lt %[3]d ] && sleep 0.5 && echo %[4]s && echo %[5]s >&2; } | uinput - 2>&1",
		shellescape.Quote(string(register)), uinputName,
		uinputWait/(100*time.Millisecond), shellescape.Quote(play.String()), uinputSeen), nil
}
