package androidsim

import (
	"encoding/json"
	"slices"
	"time"
)

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
			if !pause(c.ctx, time.Duration(o.Duration)*time.Millisecond) {
				return 128 + signalOf(c.ctx)
			}
		case "inject":
			device.inject(o.Events)
		}
	}
	return 0
}

// madeDevice is a touch screen that uinput has made.
type madeDevice struct {
	sys   *system
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
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	d.name, d.since = o.Name, time.Now()
	d.sys.panel.devices = append(d.sys.panel.devices, o.Name)
}

func (d *madeDevice) inject(events []int) {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	if d.name == "" || time.Since(d.since) < noticed {
		return
	}
	for e := range slices.Chunk(events, 3) {
		value := e[2]
		if most := d.most[e[1]]; e[0] == 3 && (e[1] == 53 || e[1] == 54) && most > 0 {
			value = value * panelMax / most
		}
		d.sys.panel.event(e[0], e[1], value)
	}
}

func (d *madeDevice) remove() {
	d.sys.mu.Lock()
	defer d.sys.mu.Unlock()
	d.sys.panel.devices = slices.DeleteFunc(d.sys.panel.devices, func(name string) bool { return name == d.name })
}
