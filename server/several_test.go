package server_test

import (
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// TestInputOfSeveralDevices: a connection leases all devices of a test or none, acts on the one that a message names,
// and releases all.
func TestInputOfSeveralDevices(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	leased := func() (list string) {
		for _, id := range []string{"SIM1", "SIM2"} {
			if l.ask("GET", "/devices/"+id+"/lease", nil).json(t)["leased"] == true {
				list += id
			}
		}
		return list
	}
	// The order of the leases is not that of the query: SIM1 is leased first, and released when SIM2 is in use.
	other, _, err := l.dial("SIM2")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"SIM1?as=alice&with=bob%3DSIM2", "SIM2?as=bob&with=alice%3DSIM1"} {
		if _, res, err := l.dial(at); err == nil || res.StatusCode != 409 {
			t.Errorf("%s: %v", at, err)
		}
		if got := leased(); got != "SIM2" {
			t.Errorf("%s: leased are %q", at, got)
		}
	}
	_ = other.Close(websocket.StatusNormalClosure, "")
	eventually(t, "the device is free again", func() bool { return leased() == "" })
	for _, wrong := range []string{"with=bob%3DSIM2", "as=alice&with=SIM2", "as=alice&with=alice%3DSIM2",
		"as=alice&with=bob%3DSIM1", "as=alice&with=bob%3D", "as=alice&with=bob%3DSIM2&with=carol%3DSIM3"} {
		if _, res, err := l.dial("SIM1?" + wrong); err == nil || res.StatusCode != 400 {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if _, res, err := l.dial("SIM1?as=alice&with=bob%3DSIM9"); err == nil || res.StatusCode != 404 || leased() != "" {
		t.Errorf("a device that is not there: %v, leased are %q", err, leased())
	}
	conn, _, err := l.dial("SIM1?as=alice&with=bob%3DSIM2")
	if err != nil {
		t.Fatal(err)
	}
	if got := leased(); got != "SIM1SIM2" {
		t.Errorf("leased are %q", got)
	}
	for message, want := range map[string][2]int{
		`{"id": 1, "do": {"tap": {"point": "50%,50%"}}}`:                                  {1, 0},
		`{"id": 2, "device": "alice", "do": {"tap": {"point": "50%,50%"}}}`:               {1, 0},
		`{"id": 3, "device": "bob", "do": {"tap": {"point": "50%,50%"}}}`:                 {0, 1},
		runOf(4, "", "devices: {bob: {platform: android}, alice: {platform: android}}"):   {1, 1},
		runOf(5, "bob", "platform: android"):                                              {0, 2},
		runOf(6, "", "devices: {alice: {platform: android}, carol: {platform: android}}"): {0, 0},
	} {
		before := [2]int{len(l.phones[0].Taps()), len(l.phones[1].Taps())}
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
		var text string
		for !strings.Contains(text, `"outcome"`) && !strings.Contains(text, `"error"`) {
			_, data, err := conn.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			text = string(data)
		}
		if strings.Contains(message, "carol") != strings.Contains(text, "the test has a device carol, and none is open") {
			t.Errorf("%s: %s", message, text)
		}
		if got := [2]int{len(l.phones[0].Taps()) - before[0], len(l.phones[1].Taps()) - before[1]}; got != want {
			t.Errorf("%s: %v taps, want %v: %s", message, got, want, text)
		}
	}
	unknown := []byte(`{"id": 7, "device": "dora", "do": {"tap": {}}}`)
	if err := conn.Write(t.Context(), websocket.MessageText, unknown); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("a device that the connection does not have: %v", err)
	}
	eventually(t, "all devices are free again", func() bool { return leased() == "" })
}

// runOf is a message that runs two taps: in a test with several devices, on bob and on the first one.
func runOf(id int, device, header string) string {
	steps := `  - tap: {point: \"50%,50%\"}\n  - tap: {point: \"50%,50%\"}\n`
	if strings.Contains(header, "devices") {
		steps = `  - on: {alice: [{tap: {point: \"50%,50%\"}}]}\n  - tap: {point: \"50%,50%\"}\n`
	}
	return `{"id": ` + string(rune('0'+id)) + `, "device": "` + device + `", "run": {"yaml": "id: x\n` + header +
		`\nsteps:\n` + steps + `"}}`
}
