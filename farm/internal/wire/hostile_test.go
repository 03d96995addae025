package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestHostileOpenings checks that the listener refuses invalid requests and continues.
func TestHostileOpenings(t *testing.T) {
	l := newLab(t, Config{})
	good := opening{Version: Version, Conn: "x", Window: window, Beat: time.Second}
	for what, ask := range map[string]opening{
		"another version": {Version: 99, Conn: "x", Window: window, Beat: time.Second},
		"a subject":       {Version: Version, Conn: "x.>", Window: window, Beat: time.Second},
		"no room":         {Version: Version, Conn: "x", Beat: time.Second},
		"too much space":  {Version: Version, Conn: "x", Window: 1 << 30, Beat: time.Second},
		"no beat":         {Version: Version, Conn: "x", Window: window},
	} {
		var refused *RefusedError
		if err := Ask(t.Context(), l.hub, ToHost("a", "dial"), ask, nil); !errors.As(err, &refused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, text := range []string{"", "{", "[]", `"x"`, strings.Repeat("[", 100_000)} {
		m, err := l.hub.Request(ToHost("a", "dial"), []byte(text), 10*time.Second)
		var response answer
		if err != nil || json.Unmarshal(m.Data, &response) != nil || response.Error == "" {
			t.Errorf("%.20q: %v, %v", text, response, err)
		}
	}
	if err := Ask(t.Context(), l.hub, ToHost("a", "dial"), good, nil); err != nil {
		t.Fatal(err)
	}
	var refused *RefusedError
	if err := Ask(t.Context(), l.hub, ToHost("a", "dial"), good, nil); !errors.As(err, &refused) {
		t.Errorf("a name that is taken: %v", err)
	}
}

// TestHostileFrames checks that invalid frames end their connection, and no other one.
func TestHostileFrames(t *testing.T) {
	l := newLab(t, Config{})
	other, _ := l.pair(Config{})
	for what, messages := range map[string][][]byte{
		"nothing":          {{}},
		"half a header":    {{1, 0, 0}},
		"an unknown kind":  {frame(99, 0, nil)},
		"no bytes":         {frame(data, 0, nil)},
		"too many bytes":   {frame(data, 0, make([]byte, maxChunk+1))},
		"a gap":            {frame(data, 1, []byte("x"))},
		"the same twice":   {frame(data, 0, []byte("x")), frame(data, 0, []byte("x"))},
		"endless credit":   {frame(credit, 0, []byte{255, 255, 255, 255})},
		"half a credit":    {frame(credit, 0, []byte{1})},
		"bytes after fin":  {frame(finish, 0, nil), frame(data, 1, []byte("x"))},
		"frames after end": {frame(ended, 0, nil), frame(beat, 1, nil)},
		"a long reason":    {frame(failed, 0, make([]byte, 2000))},
		"a flood":          flood(),
	} {
		_, b := l.pair(Config{})
		for _, m := range messages {
			if err := l.hub.Publish(ToHost("a", "down", b.addr.Conn), m); err != nil {
				t.Fatal(err)
			}
		}
		_ = b.SetReadDeadline(time.Now().Add(30 * time.Second))
		<-b.over
		if b.err == nil {
			t.Errorf("%s: the connection continues", what)
		}
	}
	if _, err := other.Write([]byte("x")); err != nil {
		t.Errorf("another connection: %v", err)
	}
}

// flood returns frames with more data than the window.
func flood() (out [][]byte) {
	for i := range uint32(window/maxChunk + 1) {
		out = append(out, frame(data, i, make([]byte, maxChunk)))
	}
	return out
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add(frame(data, 0, []byte("x")), frame(ended, 1, nil))
	f.Add(frame(credit, 0, []byte{0, 0, 1, 0}), frame(finish, 1, nil))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for _, m := range [][]byte{first, second} {
			k, number, payload, err := parse(m)
			if err == nil && !bytes.Equal(frame(k, number, payload), m) {
				t.Errorf("%v is read as %d, %d, %v", m, k, number, payload)
			}
		}
	})
}
