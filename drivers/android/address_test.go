package android

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
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
		line := serial + strings.Repeat(" ", max(0, adb.Column-1-len(serial))) + " " + state + fact + "\n"
		if len(serial) >= adb.Column-1 && strings.Contains(serial, " ") {
			continue // no rule can distinguish such a serial from what follows
		}
		word, _, _ := strings.Cut(state, " (")
		got := adb.ParseDevices(line)
		if len(got) != 1 || got[0].Serial != serial || string(got[0].State) != word {
			t.Errorf("%q: %+v", line, got)
		}
		if strings.Contains(fact, "usb") && len(got) == 1 && (got[0].USB != "1-4.2" || got[0].Transport != "3" ||
			got[0].Model != "Pixel 7") {
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
		if got := adb.ParseDevices(line); len(got) != 1 || got[0].Serial != want || got[0].State != "device" {
			t.Errorf("%q: %+v", line, got)
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
		if err := d.phone.Link.Push(t.Context(), strings.NewReader(info.ID), remote, testTime); err != nil {
			t.Error(err)
		}
		var back bytes.Buffer
		if err := d.phone.Link.PullTo(t.Context(), remote, &back); err != nil || back.String() != info.ID {
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
