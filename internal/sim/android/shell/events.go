package shell

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/system"
)

func cmdGetevent(c *call) int {
	if len(c.args) < 2 || !strings.Contains(c.args[1], "p") {
		return c.fail(1, "getevent: only -p is simulated")
	}
	c.printf("add device 1: /dev/input/event0\n  name:     \"gpio-keys\"\n  events:\n    KEY (0001): 0072  0073  0074 \n" +
		" " +
		" " +
		"input props:\n    <none>\n")
	c.printf("add device 2: %s\n  name:     \"sec_touchscreen\"\n  events:\n    KEY (0001): 014a \n", system.PanelPath)
	c.printf("    ABS (0003): 002f  : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0\n"+
		"                0035  : value 0, min 0, max %[1]d, fuzz 0, flat 0, resolution 0\n"+
		"                0036  : value 0, min 0, max %[1]d, fuzz 0, flat 0, resolution 0\n"+
		"                0039  : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0\n  input props:\n    "+
		"INPUT_PROP_DIRECT\n", system.PanelMax)
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	for _, name := range c.sys.Panel.Devices {
		c.printf("add device 3: /dev/input/event9\n  name:     \"%s\"\n", name)
	}
	return 0
}

// cmdSendevent writes one event to the panel, as the kernel takes it. From Android 10 on the shell may not, unless adbd
// is root.
func cmdSendevent(c *call) int {
	if len(c.args) != 5 {
		return c.fail(1, "use: sendevent <device> <type> <code> <value>")
	}
	var n [3]int
	for i := range n {
		v, err := strconv.Atoi(c.args[2+i])
		if err != nil {
			return c.fail(1, "sendevent: not a number: %s", c.args[2+i])
		}
		n[i] = v
	}
	if c.args[1] != system.PanelPath {
		return c.fail(1, "could not open %s, No such file or directory", c.args[1])
	}
	if c.sys.Prof.API >= 29 && !c.sys.Opts.Root {
		return c.fail(1, "sendevent: %s: Permission denied", c.args[1])
	}
	c.sys.Mu.Lock()
	defer c.sys.Mu.Unlock()
	c.sys.Panel.Event(n[0], n[1], n[2])
	return 0
}

// uinputOrder is a command for the program uinput.
type uinputOrder struct {
	ID            int
	Command       string
	Name          string
	Bus           string
	Configuration []struct {
		Type int
		Data []int
	}
	AbsInfo []struct {
		Code int
		Info struct{ Maximum int }
	} `json:"abs_info"`
	Duration int
	Events   []int
}

// cmdUinput makes an input device and plays events on it. What is injected before Android knows the device is lost.
func cmdUinput(c *call) int {
	if len(c.args) != 2 || c.args[1] != "-" {
		return c.fail(1, "uinput: only standard input is simulated")
	}
	device := madeDevice{sys: c.sys, most: map[int]int{}}
	defer device.remove()
	for orders := json.NewDecoder(c.in); orders.More(); {
		var o uinputOrder
		if err := orders.Decode(&o); err != nil {
			return c.fail(1, "Error reading in object, ignoring. %v", err)
		}
		switch o.Command {
		case "register":
			device.register(o)
		case "delay":
			if !kernel.Pause(c.ctx, time.Duration(o.Duration)*time.Millisecond) {
				return 128 + kernel.SignalOf(c.ctx)
			}
		case "inject":
			device.inject(o.Events)
		}
	}
	return 0
}

// madeDevice is a touch screen that uinput has made.
type madeDevice struct {
	sys   *system.System
	name  string
	since time.Time
	most  map[int]int // of each axis
}

// noticed is how long Android takes to open a new device.
const noticed = 50 * time.Millisecond

func (d *madeDevice) register(o uinputOrder) {
	direct := false
	for _, bits := range o.Configuration {
		direct = direct || bits.Type == 110 && slices.Contains(bits.Data, 1)
	}
	if !direct || o.Name == "" {
		return
	}
	for _, axis := range o.AbsInfo {
		d.most[axis.Code] = axis.Info.Maximum
	}
	d.sys.Mu.Lock()
	defer d.sys.Mu.Unlock()
	d.name, d.since = o.Name, time.Now()
	d.sys.Panel.Devices = append(d.sys.Panel.Devices, o.Name)
}

func (d *madeDevice) inject(events []int) {
	d.sys.Mu.Lock()
	defer d.sys.Mu.Unlock()
	if d.name == "" || time.Since(d.since) < noticed {
		return
	}
	for e := range slices.Chunk(events, 3) {
		value := e[2]
		if most := d.most[e[1]]; e[0] == 3 && (e[1] == 53 || e[1] == 54) && most > 0 {
			value = value * system.PanelMax / most
		}
		d.sys.Panel.Event(e[0], e[1], value)
	}
}

func (d *madeDevice) remove() {
	d.sys.Mu.Lock()
	defer d.sys.Mu.Unlock()
	d.sys.Panel.Devices = slices.DeleteFunc(d.sys.Panel.Devices, func(name string) bool { return name == d.name })
}
