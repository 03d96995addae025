package inspector

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"howett.net/plist"
)

// framed is a property list after its length.
func framed(t testing.TB, of any) []byte {
	t.Helper()
	body, err := plist.Marshal(of, plist.BinaryFormat)
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// TestMessageInParts: one that comes in parts is the one that was sent, and the next one is read after it.
func TestMessageInParts(t *testing.T) {
	long := Message{"_rpc_applicationSentData:", map[string]any{keyData: bytes.Repeat([]byte("x"), 20_000), keyPage: 7}}
	whole, err := plist.Marshal(long, plist.BinaryFormat)
	if err != nil {
		t.Fatal(err)
	}
	var wire bytes.Buffer
	wire.Write(framed(t, map[string]any{keyPart: whole[:8000]}))
	wire.Write(framed(t, map[string]any{keyPart: whole[8000:16000]}))
	wire.Write(framed(t, map[string]any{keyLast: whole[16000:]}))
	if err := Write(&wire, Message{"_rpc_reportIdentifier:", map[string]any{keyConnection: "A"}}); err != nil {
		t.Fatal(err)
	}
	m, err := Read(&wire)
	if err != nil || m.Selector != long.Selector || len(bytesOf(m.Argument, keyData)) != 20_000 ||
		number(m.Argument, keyPage) != 7 {
		t.Errorf("%s, %v", m.Selector, err)
	}
	if m, err = Read(&wire); err != nil || text(m.Argument, keyConnection) != "A" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestNoMessage(t *testing.T) {
	for name, wire := range map[string]string{
		"nothing": "", "half a length": "\x00\x00", "too long": "\xff\xff\xff\xff", "cut": "\x00\x00\x00\x10bplist00",
		"text": "\x00\x00\x00\x05hello",
	} {
		if m, err := Read(strings.NewReader(wire)); err == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// FuzzRead: whatever comes, it is a message or an error.
func FuzzRead(f *testing.F) {
	f.Add(framed(f, Message{"_rpc_reportIdentifier:", map[string]any{keyConnection: "A"}}))
	f.Add(framed(f, map[string]any{keyLast: []byte("bplist00")}))
	f.Add(framed(f, []any{1, "a"}))
	f.Fuzz(func(t *testing.T, wire []byte) {
		if len(wire) > 4 {
			wire[0], wire[1] = 0, 0 // what says that it is long is waited for
		}
		_, _ = Read(bytes.NewReader(wire))
	})
}
