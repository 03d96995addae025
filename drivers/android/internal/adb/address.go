package adb

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// noSerial is what adb lists in place of a serial that a device does not have.
const noSerial = "(no serial number)"

// Attachment is a line of `adb devices -l`.
type Attachment struct {
	ID        string // by which Taproot knows the device: its serial, and its place where the serial alone names no device
	Serial    string // as adb lists it
	State     drivers.State
	Model     string
	USB       string // the port that it is plugged into, where adb reports it: "1-4.2"
	Transport string // the number by which the adb server knows the connection; "" before platform-tools 28
}

// placeMark is between a serial and the place of a device that shares it.
const placeMark = "~"

// place distinguishes devices of one serial. The USB port stays when a phone is plugged in again; the number does not.
func (a Attachment) place() string {
	if a.USB != "" {
		return "usb-" + a.USB
	}
	return "transport-" + a.Transport
}

// placeForm is the end of an id that place has made.
var placeForm = lazyregexp.New(`^(.*)~((?:usb|transport)-[^~]*)$`)

// identify assigns to each attachment its id: the serial where it names one device alone, else the serial and the
// place.
func identify(list []Attachment) []Attachment {
	count := map[string]int{}
	for _, a := range list {
		count[a.Serial]++
	}
	taken := map[string]bool{}
	for i, a := range list {
		id := a.Serial
		if a.Serial == noSerial || count[a.Serial] > 1 {
			name := a.Serial
			if name == noSerial {
				name = "no-serial"
			}
			if id = name + placeMark + a.place(); taken[id] {
				id = name + placeMark + "transport-" + a.Transport
			}
		}
		taken[id] = true
		list[i].ID = id
	}
	return list
}

// names reports whether an id means this attachment.
func (a Attachment) names(id string) bool {
	if a.ID == id {
		return true
	}
	m := placeForm.FindStringSubmatch(id)
	if m == nil {
		return false
	}
	serial := m[1] == a.Serial || m[1] == "no-serial" && a.Serial == noSerial
	return serial && (m[2] == "usb-"+a.USB && a.USB != "" || m[2] == "transport-"+a.Transport && a.Transport != "")
}

// IsEmulator reports whether a serial or the properties of a device are those of an emulator.
func IsEmulator(serial string, props map[string]string) bool {
	return strings.HasPrefix(serial, "emulator-") || props["ro.kernel.qemu"] == "1" || props["ro.boot.qemu"] == "1"
}

// shared reports whether a device is known by its place, because its serial names no device alone.
func (l *Link) shared() bool { return placeForm.MatchString(l.Serial) }

// about is the request that sends to the adb server about this device.
func (l *Link) about(ctx context.Context, what string) (string, error) {
	if !l.shared() {
		return "host-serial:" + l.Serial + ":" + what, nil
	}
	number, err := l.number(ctx)
	return "host-transport-id:" + number + ":" + what, err
}

// Query sends such a request and returns the answer.
func (l *Link) Query(ctx context.Context, what string) (string, error) {
	request, err := l.about(ctx, what)
	if err != nil {
		return "", err
	}
	answer, err := l.Server.query(ctx, request)
	if err != nil {
		l.forget()
	}
	return answer, err
}

// toDevice is the request that makes a connection one to this device.
func (l *Link) toDevice(ctx context.Context) (string, error) {
	if !l.shared() {
		return "host:transport:" + l.Serial, nil
	}
	number, err := l.number(ctx)
	return "host:transport-id:" + number, err
}

// number is that of the connection to a device with a serial that others have as well. It changes when the device is
// plugged in again.
func (l *Link) number(ctx context.Context) (string, error) {
	l.mu.Lock()
	known := l.transport
	l.mu.Unlock()
	if known != "" {
		return known, nil
	}
	answer, err := l.Server.query(ctx, "host:devices-l")
	if err != nil {
		return "", err
	}
	list := ParseDevices(answer)
	i := slices.IndexFunc(list, func(a Attachment) bool { return a.names(l.Serial) })
	switch {
	case i < 0:
		return "", &refusal{"host:devices-l", fmt.Sprintf("device '%s' not found", l.Serial)}
	case list[i].Transport == "":
		return "", &refusal{"host:devices-l", "more than one device has this serial, and this adb cannot distinguish them: " +
			"update it to platform-tools 28 or newer"}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.transport = list[i].Transport
	return l.transport, nil
}

// forget makes the next request ask for the number of the connection again.
func (l *Link) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.transport = ""
}

// Column is where adb writes the state, unless the serial is longer: it pads serials with blanks.
const Column = 23

var (
	// stateForm is a state of adb's list, and what may follow: the end, or facts such as product:panther.
	stateForm = lazyregexp.New(
		`^(device|unauthorized|authorizing|connecting|offline|recovery|sideload|rescue|bootloader|` +
			`fastboot|fastbootd|host|unknown|detached|no permissions)(?: +[a-z_]+:|$)`)
	noPermissions = lazyregexp.New(`^no permissions\b`) // a sentence follows
	factForm      = lazyregexp.New(`(?:^| )(usb|model|transport_id):(\S+)`)
)

// ParseDevices reads the list. A serial may hold blanks, and words that are states: "My device 7". So the state is
// looked for where adb writes it, and facts or nothing must follow it.
func ParseDevices(answer string) []Attachment {
	var list []Attachment
	for line := range strings.Lines(answer) {
		line = strings.TrimRight(line, "\r\n ")
		if strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "List of devices") {
			continue
		}
		serial, rest, ok := splitLine(line)
		if !ok {
			continue
		}
		a := Attachment{Serial: serial}
		if noPermissions.MatchString(rest) {
			a.State = "no permissions"
		} else {
			word, _, _ := strings.Cut(rest, " ")
			a.State = drivers.State(word)
		}
		for _, m := range factForm.FindAllStringSubmatch(rest, -1) {
			switch m[1] {
			case "usb":
				a.USB = m[2]
			case "model":
				a.Model = strings.ReplaceAll(m[2], "_", " ")
			case "transport_id":
				if _, err := strconv.ParseUint(m[2], 10, 64); err == nil {
					a.Transport = m[2]
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
	if len(line) > Column && line[Column-1] == ' ' && isState(line[Column:]) {
		if serial := strings.TrimSpace(line[:Column]); serial != "" {
			return serial, line[Column:], true
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

// OverWiFi reports whether adb reaches a device by an address that is not this machine's.
func OverWiFi(serial string) bool {
	if strings.Contains(serial, "._adb-tls-connect.") || strings.Contains(serial, "._adb._tcp") {
		return true
	}
	host, _, _ := net.SplitHostPort(serial)
	return byAddress(serial) && !guard.IsLoopback(host)
}
