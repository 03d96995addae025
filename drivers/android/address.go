package android

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// noSerial is what adb lists in place of a serial that a device does not have.
const noSerial = "(no serial number)"

// attachment is a line of `adb devices -l`.
type attachment struct {
	id        string // by which Taproot knows the device: its serial, and its place where the serial alone names no device
	serial    string // as adb lists it
	state     drivers.State
	model     string
	usb       string // the port that it is plugged into, where adb reports it: "1-4.2"
	transport string // the number by which the adb server knows the connection; "" before platform-tools 28
}

// placeMark is between a serial and the place of a device that shares it.
const placeMark = "~"

// place distinguishes devices of one serial. The USB port stays when a phone is plugged in again; the number does not.
func (a attachment) place() string {
	if a.usb != "" {
		return "usb-" + a.usb
	}
	return "transport-" + a.transport
}

// placeForm is the end of an id that place has made.
var placeForm = lazyregexp.New(`^(.*)~((?:usb|transport)-[^~]*)$`)

// identify assigns to each attachment its id: the serial where it names one device alone, else the serial and the
// place.
func identify(list []attachment) []attachment {
	count := map[string]int{}
	for _, a := range list {
		count[a.serial]++
	}
	taken := map[string]bool{}
	for i, a := range list {
		id := a.serial
		if a.serial == noSerial || count[a.serial] > 1 {
			name := a.serial
			if name == noSerial {
				name = "no-serial"
			}
			if id = name + placeMark + a.place(); taken[id] {
				id = name + placeMark + "transport-" + a.transport
			}
		}
		taken[id] = true
		list[i].id = id
	}
	return list
}

// names reports whether an id means this attachment.
func (a attachment) names(id string) bool {
	if a.id == id {
		return true
	}
	m := placeForm.FindStringSubmatch(id)
	if m == nil {
		return false
	}
	serial := m[1] == a.serial || m[1] == "no-serial" && a.serial == noSerial
	return serial && (m[2] == "usb-"+a.usb && a.usb != "" || m[2] == "transport-"+a.transport && a.transport != "")
}

// isEmulator reports whether a serial or the properties of a device are those of an emulator.
func isEmulator(serial string, props map[string]string) bool {
	return strings.HasPrefix(serial, "emulator-") || props["ro.kernel.qemu"] == "1" || props["ro.boot.qemu"] == "1"
}

// shared reports whether a device is known by its place, because its serial names no device alone.
func (l *link) shared() bool { return placeForm.MatchString(l.serial) }

// about is the request that sends to the adb server about this device.
func (l *link) about(ctx context.Context, what string) (string, error) {
	if !l.shared() {
		return "host-serial:" + l.serial + ":" + what, nil
	}
	number, err := l.number(ctx)
	return "host-transport-id:" + number + ":" + what, err
}

// query sends such a request and returns the answer.
func (l *link) query(ctx context.Context, what string) (string, error) {
	request, err := l.about(ctx, what)
	if err != nil {
		return "", err
	}
	answer, err := l.srv.query(ctx, request)
	if err != nil {
		l.forget()
	}
	return answer, err
}

// toDevice is the request that makes a connection one to this device.
func (l *link) toDevice(ctx context.Context) (string, error) {
	if !l.shared() {
		return "host:transport:" + l.serial, nil
	}
	number, err := l.number(ctx)
	return "host:transport-id:" + number, err
}

// number is that of the connection to a device with a serial that others have as well. It changes when the device is
// plugged in again.
func (l *link) number(ctx context.Context) (string, error) {
	l.mu.Lock()
	known := l.transport
	l.mu.Unlock()
	if known != "" {
		return known, nil
	}
	answer, err := l.srv.query(ctx, "host:devices-l")
	if err != nil {
		return "", err
	}
	list := parseDevices(answer)
	i := slices.IndexFunc(list, func(a attachment) bool { return a.names(l.serial) })
	switch {
	case i < 0:
		return "", &refusal{"host:devices-l", fmt.Sprintf("device '%s' not found", l.serial)}
	case list[i].transport == "":
		return "", &refusal{"host:devices-l", "more than one device has this serial, and this adb cannot distinguish them: " +
			"update it to platform-tools 28 or newer"}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.transport = list[i].transport
	return l.transport, nil
}

// forget makes the next request ask for the number of the connection again.
func (l *link) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.transport = ""
}

// column is where adb writes the state, unless the serial is longer: it pads serials with blanks.
const column = 23

var (
	// stateForm is a state of adb's list, and what may follow: the end, or facts such as product:panther.
	stateForm = lazyregexp.New(
		`^(device|unauthorized|authorizing|connecting|offline|recovery|sideload|rescue|bootloader|` +
			`fastboot|fastbootd|host|unknown|detached|no permissions)(?: +[a-z_]+:|$)`)
	noPermissions = lazyregexp.New(`^no permissions\b`) // a sentence follows
	factForm      = lazyregexp.New(`(?:^| )(usb|model|transport_id):(\S+)`)
)

// parseDevices reads the list. A serial may hold blanks, and words that are states: "My device 7". So the state is
// looked for where adb writes it, and facts or nothing must follow it.
func parseDevices(answer string) []attachment {
	var list []attachment
	for line := range strings.Lines(answer) {
		line = strings.TrimRight(line, "\r\n ")
		if strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "List of devices") {
			continue
		}
		serial, rest, ok := splitLine(line)
		if !ok {
			continue
		}
		a := attachment{serial: serial}
		if noPermissions.MatchString(rest) {
			a.state = "no permissions"
		} else {
			word, _, _ := strings.Cut(rest, " ")
			a.state = drivers.State(word)
		}
		for _, m := range factForm.FindAllStringSubmatch(rest, -1) {
			switch m[1] {
			case "usb":
				a.usb = m[2]
			case "model":
				a.model = strings.ReplaceAll(m[2], "_", " ")
			case "transport_id":
				if _, err := strconv.ParseUint(m[2], 10, 64); err == nil {
					a.transport = m[2]
				}
			}
		}
		list = append(list, a)
	}
	return identify(list)
}

// splitLine parts the serial from what follows: at adb's column where a state is there, else at the first state.
func splitLine(line string) (serial, rest string, ok bool) {
	if serial, rest, tabbed := strings.Cut(line, "\t"); tabbed {
		return strings.TrimSpace(serial), strings.TrimSpace(rest), serial != ""
	}
	isState := func(s string) bool { return stateForm.MatchString(s) || noPermissions.MatchString(s) }
	if len(line) > column && line[column-1] == ' ' && isState(line[column:]) {
		if serial := strings.TrimSpace(line[:column]); serial != "" {
			return serial, line[column:], true
		}
	}
	for i := 1; i < len(line); i++ {
		if line[i-1] == ' ' && line[i] != ' ' && strings.TrimSpace(line[:i]) != "" && isState(line[i:]) {
			return strings.TrimSpace(line[:i]), line[i:], true
		}
	}
	fields := strings.Fields(line) // a state that is not known yet
	if len(fields) < 2 {
		return "", "", false
	}
	return fields[0], strings.Join(fields[1:], " "), true
}
