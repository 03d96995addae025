package server_test

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// adbMessage is a message of adb's protocol.
func adbMessage(command string, arg0, arg1 uint32, data string) []byte {
	out := []byte(command)
	sum := uint32(0)
	for _, b := range []byte(data) {
		sum += uint32(b)
	}
	for _, v := range []uint32{arg0, arg1, uint32(len(data)), sum, binary.LittleEndian.Uint32(out) ^ 0xffffffff} {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return append(out, data...)
}

// readADB returns the command and the data of the next message.
func readADB(r io.Reader) (string, string, error) {
	head := make([]byte, 24)
	if _, err := io.ReadFull(r, head); err != nil {
		return "", "", err
	}
	data := make([]byte, binary.LittleEndian.Uint32(head[12:]))
	_, err := io.ReadFull(r, data)
	return string(head[:4]), string(data), err
}

// TestADBOnARemoteDevice: adb works with a phone of a host for the holder of the lease, while it lasts, and for no
// other client.
func TestADBOnARemoteDevice(t *testing.T) {
	t.Parallel()
	f := newFarm(t, 1)
	f.join("one", androidsim.Tiny, androidsim.Tiny)
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "adb"}
	if a := f.ask("GET", "/devices/SIM1/adb", nil, upgrade...); a.status != 403 { // this machine allows no shells
		t.Error(a)
	}
	if a := f.ask("GET", "/devices/SIM2/adb", nil, upgrade...); a.status != 409 {
		t.Errorf("without a lease: %s", a)
	}
	lease, _ := f.ask("POST", "/devices/SIM2/lease", `{"ttlSeconds": 100}`).json(t)["lease"].(string)
	if a := f.ask("GET", "/devices/SIM2/adb", nil, upgrade...); a.status != 409 {
		t.Errorf("under another one's lease: %s", a)
	}
	if a := f.ask("GET", "/devices/SIM2/adb", nil, "X-Lease", lease); a.status != 426 {
		t.Errorf("without an upgrade: %s", a)
	}
	res, err := f.client.Do(f.request("GET", "/devices/SIM2/adb", nil, append(upgrade, "X-Lease", lease)...))
	if err != nil || res.StatusCode != 101 {
		t.Fatal(res, err)
	}
	conn := res.Body.(io.ReadWriteCloser)
	defer conn.Close()
	say := func(m []byte) {
		if _, err := conn.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	say(adbMessage("CNXN", 0x01000000, 4096, "host::\x00"))
	if command, text, err := readADB(conn); command != "CNXN" || !strings.HasPrefix(text, "device::ro.product.name=") {
		t.Fatal(command, text, err)
	}
	say(adbMessage("OPEN", 1, 0, "exec:echo hello\x00"))
	for said := ""; !strings.Contains(said, "hello"); {
		command, text, err := readADB(conn)
		if err != nil || command == "CLSE" {
			t.Fatalf("%s after %q: %v", command, said, err)
		}
		said += text
	}
	if a := f.ask("DELETE", "/devices/SIM2/lease", nil, "X-Lease", lease); a.status != 204 {
		t.Error(a)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) &&
		!strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	_ = conn.Close()
	eventually(t, "the audit log has it", func() bool {
		return strings.Contains(f.log.String(), `action="GET /devices/{id}/adb" target=/devices/SIM2/adb status=101`)
	})
}

// TestADBStandsInTheAuditLog: the audit log contains a connection of adb with its status after it has ended, also on
// the machine of the phone.
func TestADBStandsInTheAuditLog(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, withShell)
	lease, _ := l.ask("POST", "/devices/SIM1/lease", `{"ttlSeconds": 100}`).json(t)["lease"].(string)
	res, err := l.client.Do(l.request("GET", "/devices/SIM1/adb", nil, "Connection", "Upgrade", "Upgrade", "adb",
		"X-Lease", lease))
	if err != nil || res.StatusCode != 101 || res.Header.Get("Upgrade") != "adb" {
		t.Fatal(res, err)
	}
	_ = res.Body.Close()
	eventually(t, "it is noted", func() bool {
		return strings.Contains(l.log.String(), `action="GET /devices/{id}/adb" target=/devices/SIM1/adb status=101`)
	})
}
