package androidsim

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// reply reads the answer of a host request that ends with hex4 text.
func reply(t *testing.T, s *Server, requests ...string) string {
	t.Helper()
	conn, problem := ask(t, s, requests...)
	if problem != "" {
		return "FAIL " + problem
	}
	text, err := readWireText(conn)
	if err != nil {
		t.Fatalf("%v: %v", requests, err)
	}
	return text
}

func TestHostRequests(t *testing.T) {
	t.Parallel()
	one, two := NewPhone(Options{Serial: "ONE"}), NewPhone(Options{Serial: "10.0.0.7:6000", API: 24})
	defer one.Close()
	defer two.Close()
	s, err := NewServer(one, two)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for req, want := range map[string]string{
		"host:version": "0029",
		"host:devices": "ONE\tdevice\n10.0.0.7:6000\tdevice\n",
		"host:devices-l": "ONE                    device product:panther model:Pixel_7 " +
			"device:panther transport_id:1\n10.0.0.7:6000          device product:bullhead model:Nexus_5X device:bullhead " +
			"transport_id:2\n",
		"host-serial:ONE:get-state":             "device",
		"host-serial:10.0.0.7:6000:get-state":   "device",
		"host-serial:NONE:get-state":            "FAIL device 'NONE' not found",
		"host:get-state":                        "FAIL more than one device/emulator",
		"host:tport:any":                        "FAIL more than one device/emulator",
		"host:transport:NONE":                   "FAIL device 'NONE' not found",
		"host-serial:10.0.0.7:6000:features":    "cmd,shell_v2,stat_v2",
		"host:nonsense":                         "FAIL more than one device/emulator",
		"host-serial:ONE:nonsense":              "FAIL unknown host service",
		"host:connect:127.0.0.1:1":              "failed to connect to '127.0.0.1:1': Connection refused",
		"host-serial:ONE:killforward:tcp:12345": "FAIL listener 'tcp:12345' not found",
	} {
		got := reply(t, s, req)
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", req, got, want)
		}
	}
	two.SetState(StateUnauthorized)
	if got := reply(t, s, "host:devices"); got != "ONE\tdevice\n10.0.0.7:6000\tunauthorized\n" {
		t.Errorf("devices: %q", got)
	}
	if got := reply(t, s, "host:tport:serial:10.0.0.7:6000"); !strings.HasPrefix(got, "FAIL device unauthorized.\n") {
		t.Errorf("transport: %q", got)
	}
	two.SetState(StateOffline)
	if got := reply(t, s, "host:transport:10.0.0.7:6000"); got != "FAIL device offline" {
		t.Errorf("transport: %q", got)
	}
	if _, problem := ask(t, s, "host:transport:ONE", "nosuch:service"); problem != "closed" {
		t.Errorf("unknown service: %q", problem)
	}
}

func TestTrackAndWait(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Serial: "ONE"})
	track, _ := ask(t, b.server, "host:track-devices")
	next := func(want string) {
		t.Helper()
		if got, err := readWireText(track); err != nil || got != want {
			t.Fatalf("tracked %q (%v), want %q", got, err, want)
		}
	}
	next("ONE\tdevice\n")
	b.phone.Disconnect()
	next("")
	wait, _ := ask(t, b.server, "host-serial:ONE:wait-for-any-device")
	b.phone.Reconnect()
	next("ONE\tdevice\n")
	var okay [4]byte
	if _, err := io.ReadFull(wait, okay[:]); err != nil || string(okay[:]) != "OKAY" {
		t.Errorf("wait-for: %q %v", okay, err)
	}
}

func TestForward(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{Serial: "ONE"})
	conn, problem := ask(t, b.server, "host-serial:ONE:forward:tcp:0;shell:echo hi")
	if problem != "" {
		t.Fatal(problem)
	}
	var okay [4]byte
	if _, err := io.ReadFull(conn, okay[:]); err != nil || string(okay[:]) != "OKAY" {
		t.Fatalf("second OKAY: %q %v", okay, err)
	}
	port, err := readWireText(conn)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if out, _ := io.ReadAll(c); string(out) != "hi\n" {
		t.Errorf("through the forward: %q", out)
	}
	if got := reply(t, b.server, "host:list-forward"); got != "ONE tcp:"+port+" shell:echo hi\n" {
		t.Errorf("list: %q", got)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	b.phone.Fail(Fault{Match: "echo cut", Kind: Cut, Bytes: 7})
	if res := b.sh("echo cut short"); res != (result{"", "", -1}) {
		t.Errorf("cut: %+v", res)
	}
	b.phone.Fail(Fault{Match: "nth", Nth: 2, Kind: Refuse})
	if res := b.sh("echo nth"); res.out != "nth\n" {
		t.Errorf("first: %+v", res)
	}
	if _, problem := ask(t, b.server, "host:tport:any", "exec:echo nth"); problem != "closed" {
		t.Errorf("second: %q", problem)
	}
	if res := b.sh("echo nth"); res.out != "nth\n" {
		t.Errorf("third: %+v", res)
	}
	b.phone.Fail(Fault{Match: "noise", Kind: Garbage, Bytes: 100})
	if got := b.exec("noise"); len(got) != 100 {
		t.Errorf("garbage: %d bytes", len(got))
	}
	b.phone.Fail(Fault{Match: "echo slow", Kind: Slow, Delay: 100 * time.Millisecond})
	began := time.Now()
	if got := b.exec("echo slow"); string(got) != "slow\n" || time.Since(began) < 100*time.Millisecond {
		t.Errorf("slow: %q after %v", got, time.Since(began))
	}
	b.phone.Fail(Fault{Match: "hang", Kind: Hang})
	hung := b.open("exec:hang")
	if err := hung.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := hung.Read(make([]byte, 1)); n != 0 || err == io.EOF {
		t.Errorf("hang answered: %d %v", n, err)
	}
	b.phone.Fail(Fault{Match: "drop", Kind: Drop, Away: 50 * time.Millisecond})
	b.exec("drop")
	until(t, "the phone is gone", func() bool {
		return reply(t, b.server, "host:devices") != "" ||
			b.phone.State() == StateAbsent
	})
	until(t, "the phone is back", func() bool { return b.phone.State() == StateDevice })
	b.phone.Heal()
	if res := b.sh("echo drop"); res.out != "drop\n" {
		t.Errorf("healed: %+v", res)
	}
}

func TestDisconnectEndsStreams(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	conn := b.open("exec:sleep 100")
	until(t, "sleep runs", func() bool { return b.phone.Count("sleep") == 1 })
	b.phone.Disconnect()
	if _, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("read: %v", err)
	}
	if got := reply(t, b.server, "host:devices"); got != "" {
		t.Errorf("devices: %q", got)
	}
}
