package android

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// TestSerialsOfAnyWords: whatever a serial is made of, words of adb's list included, it is read as adb writes it.
func TestSerialsOfAnyWords(t *testing.T) {
	t.Parallel()
	words := []string{"My", "device", "7", "offline", "product:x", "no", "permissions", "(2)", "host", "0123456789ABCDEF",
		"x:y", "é"}
	states := []string{"device", "offline", "unauthorized", "recovery",
		"no permissions (user is in the group; see [http://x])"}
	facts := []string{"", " product:p model:Pixel_7 device:d transport_id:3",
		" usb:1-4.2 product:p model:Pixel_7 device:d transport_id:3"}
	rng := rand.New(rand.NewPCG(7, 7))
	for range 3000 {
		serial := words[rng.IntN(len(words))]
		for range rng.IntN(3) {
			serial += " " + words[rng.IntN(len(words))]
		}
		state, fact := states[rng.IntN(len(states))], facts[rng.IntN(len(facts))]
		line := serial + strings.Repeat(" ", max(0, column-1-len(serial))) + " " + state + fact + "\n"
		if len(serial) >= column-1 && strings.Contains(serial, " ") {
			continue // no rule can distinguish such a serial from what follows
		}
		word, _, _ := strings.Cut(state, " (")
		got := parseDevices(line)
		if len(got) != 1 || got[0].serial != serial || string(got[0].state) != word {
			t.Errorf("%q: %+v", line, got)
		}
		if strings.Contains(fact, "usb") && len(got) == 1 && (got[0].usb != "1-4.2" || got[0].transport != "3" ||
			got[0].model != "Pixel 7") {
			t.Errorf("%q: %+v", line, got)
		}
	}
	for _, line := range []string{"My device 7 device product:a model:b device:c transport_id:4\n",
		"device device product:a\n",
		"A phone whose name is a long one device usb:1-1 product:a transport_id:4\n"} {
		want, _, _ := strings.Cut(line, " device ")
		if strings.HasPrefix(line, "My") {
			want = "My device 7"
		}
		if got := parseDevices(line); len(got) != 1 || got[0].serial != want || got[0].state != "device" {
			t.Errorf("%q: %+v", line, got)
		}
	}
}

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
		got := parseDevices(list)
		for i, a := range got {
			if a.id != want[i] || byAddress(a.id) {
				t.Errorf("%+v, want %s", a, want[i])
			}
			for j, other := range want {
				if a.names(other) != (i == j) {
					t.Errorf("%s names %s: %t", a.id, other, a.names(other))
				}
			}
		}
	}
}

// TestTwinsByTheirPlace: two phones of one serial, and one without, are each driven: commands, pixels, files, packages;
// each stays itself when it is plugged in again.
func TestTwinsByTheirPlace(t *testing.T) {
	t.Parallel()
	const twin = "0123456789ABCDEF"
	driver, phones, _ := newPhones(t, androidsim.Options{Serial: twin, USB: "1-1", Model: "First"},
		androidsim.Options{Serial: twin, USB: "1-2", Model: "Second"}, androidsim.Options{Unnamed: true, USB: "1-3",
			Model: "Third"})
	ids := []string{twin + "~usb-1-1", twin + "~usb-1-2", "no-serial~usb-1-3"}
	infos, err := driver.Devices(t.Context())
	if err != nil || len(infos) != len(ids) {
		t.Fatalf("%+v, %v", infos, err)
	}
	for i, info := range infos {
		if info.ID != ids[i] || info.State != drivers.Ready || info.Model != []string{"First", "Second", "Third"}[i] {
			t.Errorf("%+v", info)
		}
		dev, err := driver.Open(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		d := dev.(*Device)
		if d.Info().ID != info.ID || d.Info().Model != info.Model {
			t.Errorf("opened %+v", d.Info())
		}
		if err := d.Launch(t.Context(), androidsim.LoginPackage, true); err != nil {
			t.Error(err)
		}
		if front := phones[i].Foreground(); !strings.HasPrefix(front, androidsim.LoginPackage) {
			t.Errorf("%s: %s is in front", info.ID, front)
		}
		const remote = "/data/local/tmp/mine"
		if err := d.phone.link.push(t.Context(), strings.NewReader(info.ID), remote, testTime); err != nil {
			t.Error(err)
		}
		var back bytes.Buffer
		if err := d.phone.link.pullTo(t.Context(), remote, &back); err != nil || back.String() != info.ID {
			t.Errorf("pulled %q: %v", back.String(), err)
		}
	}
	if _, err := driver.Open(t.Context(), twin); !errors.Is(err, drivers.ErrDeviceLost) ||
		!strings.Contains(err.Error(), "taproot devices") {
		t.Errorf("the serial alone: %v", err)
	}
	phones[0].SetState(androidsim.StateAbsent) // the other one is alone now, and known by its serial
	infos, err = driver.Devices(t.Context())
	if err != nil || len(infos) != 2 || infos[0].ID != twin || infos[0].Model != "Second" {
		t.Errorf("%+v, %v", infos, err)
	}
	dev, err := driver.Open(t.Context(), ids[1]) // an id from before
	if err != nil || dev.Info().Model != "Second" {
		t.Errorf("%v", err)
	}
}

// TestStatesByKind: what is not plugged in is not to be plugged in again.
func TestStatesByKind(t *testing.T) {
	t.Parallel()
	states := []drivers.State{"unauthorized", "authorizing", "offline", "absent", unresponsive, "strange"}
	for id, c := range map[string]struct{ never, offline string }{
		"emulator-5554":    {"plug", "restart the emulator"},
		"192.168.1.7:5555": {"plug it in again", "adb connect 192.168.1.7:5555"},
		"R5CT10ABCDE":      {"emulator", "plug it in again"},
	} {
		for _, state := range states {
			said := remedy(id, state)
			if strings.Contains(said, c.never) || state == "offline" && !strings.Contains(said, c.offline) {
				t.Errorf("%s %s: %s", id, state, said)
			}
		}
	}
}
