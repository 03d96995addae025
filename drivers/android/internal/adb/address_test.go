package adb

import (
	"errors"
	"github.com/google/go-cmp/cmp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

// TestIDsAreUnique: ids are distinguished by the place of the device, and are the same in the next list.
func TestIDsAreUnique(t *testing.T) {
	t.Parallel()
	const list = `0123456789ABCDEF       device usb:1-1 product:a model:A device:a transport_id:1
0123456789ABCDEF       device usb:1-2.4 product:a model:A device:a transport_id:2
0123456789ABCDEF       offline transport_id:3
(no serial number)     device usb:2-1 product:b model:B device:b transport_id:4
(no serial number)     device product:b model:B device:b transport_id:5
R5CT10ABCDE            device usb:1-3 product:c model:C device:c transport_id:6
`
	want := []string{"0123456789ABCDEF~usb-1-1", "0123456789ABCDEF~usb-1-2.4", "0123456789ABCDEF~transport-3",
		"no-serial~usb-2-1",
		"no-serial~transport-5", "R5CT10ABCDE"}
	for range 2 {
		got := ParseDevices(list)
		for i, a := range got {
			if a.ID != want[i] || byAddress(a.ID) {
				t.Errorf("%+v, want %s", a, want[i])
			}
			for j, other := range want {
				if a.names(other) != (i == j) {
					t.Errorf("%s names %s: %t", a.ID, other, a.names(other))
				}
			}
		}
	}
}

// TestStatesByKind: what is not plugged in is not to be plugged in again.
func TestStatesByKind(t *testing.T) {
	t.Parallel()
	states := []drivers.State{"unauthorized", "authorizing", "offline", "absent", Unresponsive, "strange"}
	for id, c := range map[string]struct{ never, offline string }{
		"emulator-5554":    {"plug", "restart the emulator"},
		"192.168.1.7:5555": {"plug it in again", "adb connect 192.168.1.7:5555"},
		"R5CT10ABCDE":      {"emulator", "plug it in again"},
	} {
		for _, state := range states {
			said := Remedy(id, state)
			if strings.Contains(said, c.never) || state == "offline" && !strings.Contains(said, c.offline) {
				t.Errorf("%s %s: %s", id, state, said)
			}
		}
	}
}

func TestParseDevices(t *testing.T) {
	t.Parallel()
	answer := `emulator-5554          device product:sdk_gphone64 model:sdk_gphone64_x86_64 device:emu64x transport_id:1
R5CT10ABCDE            unauthorized usb:1-1 transport_id:2
192.168.1.7:5555       offline product:a model:b device:c transport_id:3
0123456789ABCDEF       device
????????????           no permissions (missing udev rules? user is in the plugdev group); see ` +
		`[http://developer.android.com/tools/device.html] usb:1-2 transport_id:4
adb-R5CT-x7Gh (2)._adb-tls-connect._tcp device product:x model:SM_S911B device:y transport_id:6
HT7	recovery
XYZ                    authorizing transport_id:7
NEW                    someday transport_id:8
* daemon started successfully
`
	at := func(serial string, state drivers.State, model, usb, transport string) Attachment {
		return Attachment{ID: serial, Serial: serial, State: state, Model: model, USB: usb, Transport: transport}
	}
	want := []Attachment{
		at("emulator-5554", "device", "sdk gphone64 x86 64", "", "1"),
		at("R5CT10ABCDE", "unauthorized", "", "1-1", "2"),
		at("192.168.1.7:5555", "offline", "b", "", "3"),
		at("0123456789ABCDEF", "device", "", "", ""),
		at("????????????", "no permissions", "", "1-2", "4"),
		at("adb-R5CT-x7Gh (2)._adb-tls-connect._tcp", "device", "SM S911B", "", "6"),
		at("HT7", "recovery", "", "", ""),
		at("XYZ", "authorizing", "", "", "7"),
		at("NEW", "someday", "", "", "8"),
	}
	if diff := cmp.Diff(want, ParseDevices(answer), cmp.AllowUnexported(Attachment{})); diff != "" {
		t.Error(diff)
	}
}

func TestServerFrom(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name          string
		env           map[string]string
		network, addr string
		local         bool
		flags         string
	}{
		{"nothing set", nil, "tcp", "127.0.0.1:5037", true, "-P 5037"},
		{"port", map[string]string{"ANDROID_ADB_SERVER_PORT": "5040"}, "tcp", "127.0.0.1:5040", true, "-P 5040"},
		{"remote", map[string]string{"ANDROID_ADB_SERVER_ADDRESS": "farm", "ANDROID_ADB_SERVER_PORT": "6000"}, "tcp",
			"farm:6000", false, "-P 6000"},
		{"socket wins", map[string]string{"ADB_SERVER_SOCKET": "tcp:localhost:1234", "ANDROID_ADB_SERVER_PORT": "5040"},
			"tcp", "localhost:1234", true, "-P 1234"},
		{"socket with a port only", map[string]string{"ADB_SERVER_SOCKET": "tcp:1234"}, "tcp", "127.0.0.1:1234", true,
			"-P 1234"},
		{"IPv6", map[string]string{"ADB_SERVER_SOCKET": "tcp:[::1]:1234"}, "tcp", "[::1]:1234", true, "-P 1234"},
		{"unix", map[string]string{"ADB_SERVER_SOCKET": "localfilesystem:/run/adb"}, "unix", "/run/adb", true,
			"-L localfilesystem:/run/adb"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := ServerFrom(func(name string) string { return c.env[name] })
			if s.wrong != nil || s.network != c.network || s.addr != c.addr || s.local != c.local ||
				strings.Join(s.flags(), " ") != c.flags {
				t.Errorf("%+v %v", s, s.flags())
			}
		})
	}
	for _, bad := range []map[string]string{
		{"ADB_SERVER_SOCKET": "http://x"}, {"ADB_SERVER_SOCKET": "tcp:a:b"}, {"ANDROID_ADB_SERVER_PORT": "0"},
	} {
		s := ServerFrom(func(name string) string { return bad[name] })
		_, err := s.connect(t.Context())
		if missing := new(drivers.Unavailable); !errors.As(err, &missing) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
