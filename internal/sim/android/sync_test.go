package androidsim

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
)

func syncPacket(id, body string) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body))), body...)
}

func TestSync(t *testing.T) {
	t.Parallel()
	b := newBench(t, Options{})
	data := strings.Repeat("x", 70000)
	var req bytes.Buffer
	req.Write(syncPacket("SEND", "/data/local/tmp/deep/er/f,33188"))
	req.Write(syncPacket("DATA", data[:65536]))
	req.Write(syncPacket("DATA", data[65536:]))
	req.Write(binary.LittleEndian.AppendUint32([]byte("DONE"), 1_600_000_000))
	req.Write(syncPacket("STAT", "/data/local/tmp/deep/er/f"))
	req.Write(syncPacket("STAT", "/none"))
	req.Write(syncPacket("LST2", "/none"))
	req.Write(syncPacket("STA2", "/sdcard"))
	req.Write(syncPacket("RECV", "/none"))
	req.Write(syncPacket("SEND", "/system/x,420"))
	req.Write(binary.LittleEndian.AppendUint32([]byte("DONE"), 0))
	req.Write(syncPacket("LIST", "/none/"))
	req.Write(syncPacket("QUIT", ""))
	conn := b.open("sync:")
	if _, err := conn.Write(req.Bytes()); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	want := []byte("OKAY\x00\x00\x00\x00STAT")
	want = le.AppendUint32(want, 0o100644)
	want = le.AppendUint32(want, 70000)
	want = le.AppendUint32(want, 1_600_000_000)
	want = append(want, "STAT\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00LST2\x02\x00\x00\x00"...)
	want = append(want, make([]byte, 64)...)
	if !bytes.HasPrefix(all, want) {
		t.Fatalf("got  %q\nwant %q", all[:min(len(all), len(want))], want)
	}
	rest := all[len(want):]
	if len(rest) < 72 || string(rest[:8]) != "STA2\x00\x00\x00\x00" {
		t.Fatalf("STA2: %q", rest)
	}
	tail := append(syncPacket("FAIL", "open failed: No such file or directory"),
		syncPacket("FAIL", "couldn't create file: Read-only file system")...)
	tail = append(tail, "DONE"+strings.Repeat("\x00", 16)...)
	if got := rest[72:]; !bytes.Equal(got, tail) {
		t.Errorf("got  %q\nwant %q", got, tail)
	}
	if stored, err := b.phone.ReadFile("/data/local/tmp/deep/er/f"); err != nil || string(stored) != data {
		t.Errorf("stored %d bytes: %v", len(stored), err)
	}
}
