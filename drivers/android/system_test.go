package android

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
	"github.com/taproot-dev/taproot/drivers/android/internal/system"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// settingsOf is what System changes on a phone.
func settingsOf(p *androidsim.Phone) string {
	return strings.Join([]string{p.Setting("system", "accelerometer_rotation"), p.Setting("system", "user_rotation"),
		p.Night(),
		p.Setting("global", "airplane_mode_on"), p.Locales(androidsim.LoginPackage),
		p.Setting("secure", "default_input_method")}, " ")
}

// changeAll changes whatever this Android lets be changed, twice: the first state is the one to restore.
func changeAll(t *testing.T, d *Device) {
	t.Helper()
	api := d.Info().APILevel
	for _, on := range []bool{true, false, true} {
		if err := d.Rotate(t.Context(), on); err != nil {
			t.Errorf("rotate: %v", err)
		}
		locale := "fr-FR"
		if !on {
			locale = ""
		}
		for name, c := range map[string]struct {
			err   error
			since int
		}{
			"dark":     {d.DarkMode(t.Context(), on), 29},
			"airplane": {d.Airplane(t.Context(), on), 30},
			"locale":   {d.Locale(t.Context(), androidsim.LoginPackage, locale), 33},
		} {
			if (c.err == nil) != (api >= c.since) || c.err != nil && !errors.Is(c.err, drivers.ErrUnsupported) {
				t.Errorf("%s on API %d: %v", name, api, c.err)
			}
		}
	}
}

func notesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func TestSystemOnEveryAndroid(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		t.Run(fmt.Sprint(api), func(t *testing.T) {
			t.Parallel()
			driver, phones, _ := newPhones(t, androidsim.Options{API: api, Serial: "odd/../serial:x"})
			p := phones[0]
			dev, err := driver.Open(t.Context(), p.Serial())
			if err != nil {
				t.Fatal(err)
			}
			d := dev.(*Device)
			before := settingsOf(p)
			changeAll(t, d)
			img, err := d.Screenshot(t.Context())
			if err != nil || img.Bounds().Dx() < img.Bounds().Dy() {
				t.Errorf("not turned: %v, %v", img.Bounds(), err)
			}
			want := map[int]string{24: "0 1 no 0  ", 28: "0 1 no 0  ", 30: "0 1 yes 1  ", 34: "0 1 yes 1 fr-FR ",
				36: "0 1 yes 1 fr-FR "}[api]
			if got := settingsOf(p); !strings.HasPrefix(got, want+"com.google") {
				t.Errorf("settings %q instead of %q", got, want)
			}
			if notes := notesIn(t, d.debts.Notes); len(notes) != 1 || notes[0] != "odd%2F..%2Fserial%3Ax.json" {
				t.Errorf("notes %q", notes)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if after := settingsOf(p); after != before {
				t.Errorf("settings %q became %q", before, after)
			}
			if notes := notesIn(t, d.debts.Notes); len(notes) != 0 {
				t.Errorf("notes are left: %q", notes)
			}
		})
	}
}

// TestRestoreAfterAKill: a process that ended without Close has left its note, and the next one honours it.
func TestRestoreAfterAKill(t *testing.T) {
	t.Parallel()
	driver, phones, server := newPhones(t, androidsim.Options{API: 36, ADBKeyboard: true})
	p, before := phones[0], settingsOf(phones[0])
	opened, err := driver.Open(t.Context(), p.Serial())
	if err != nil {
		t.Fatal(err)
	}
	killed := opened.(*Device)
	changeAll(t, killed)
	if err := killed.Screen.Input.TakeKeyboard(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := settingsOf(p); after == before || !strings.Contains(after, input.ADBKeyboard) {
		t.Fatalf("nothing was changed: %s", after)
	}
	opts := serverAt(server.Addr())
	opts.NotesDir = killed.debts.Notes
	next := New(opts)
	// The first attempt fails, as on a phone that is not quite there yet: Close makes the second.
	p.Fail(androidsim.Fault{Match: "cmd uimode night", Nth: 1, Kind: androidsim.Error,
		Output: "Can't find service: uimode\n", Code: 20})
	dev, err := next.Open(t.Context(), p.Serial())
	if err != nil {
		t.Fatal(err)
	}
	if after := settingsOf(p); after == before || len(notesIn(t, killed.debts.Notes)) != 1 {
		t.Errorf("after a failed attempt: %s, notes %q", after, notesIn(t, killed.debts.Notes))
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
	if after := settingsOf(p); after != before || len(notesIn(t, killed.debts.Notes)) != 0 {
		t.Errorf("settings %q became %q, notes %q", before, after, notesIn(t, killed.debts.Notes))
	}
	changeAll(t, killed)
	if _, err = next.Open(t.Context(), p.Serial()); err != nil {
		t.Fatal(err)
	}
	if after := settingsOf(p); after != before || len(notesIn(t, killed.debts.Notes)) != 0 {
		t.Errorf("at Open: settings %q became %q", before, after)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}

// TestLostPhoneStaysNoted: what cannot be restored now is restored at the next Open.
func TestLostPhoneStaysNoted(t *testing.T) {
	t.Parallel()
	driver, phones, _ := newPhones(t, androidsim.Options{})
	p, before := phones[0], settingsOf(phones[0])
	dev, err := driver.Open(t.Context(), p.Serial())
	if err != nil {
		t.Fatal(err)
	}
	changeAll(t, dev.(*Device))
	p.Disconnect()
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	p.Reconnect()
	if _, err = driver.Open(t.Context(), p.Serial()); err != nil {
		t.Fatal(err)
	}
	if after := settingsOf(p); after != before {
		t.Errorf("settings %q became %q", before, after)
	}
}

// TestNothingIsChangedUnnoted: a note comes first, and without one nothing is touched.
func TestNothingIsChangedUnnoted(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{API: 36})
	before := settingsOf(p)
	p.Fail(androidsim.Fault{Match: "settings put", Nth: 1, Kind: androidsim.Error,
		Output: "java.lang.IllegalStateException: no\n", Code: 255})
	if err := d.Rotate(t.Context(), true); err == nil || len(notesIn(t, d.debts.Notes)) != 1 {
		t.Errorf("error %v, notes %q", err, notesIn(t, d.debts.Notes))
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d.debts.Notes = file
	for name, err := range map[string]error{
		"rotate": d.Rotate(t.Context(), true), "dark": d.DarkMode(t.Context(), true),
		"airplane": d.Airplane(t.Context(), true),
		"locale":   d.Locale(t.Context(), androidsim.LoginPackage, "fr"),
	} {
		if err == nil || !strings.Contains(err.Error(), "note what to restore") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := settingsOf(p); after != before {
		t.Errorf("settings %q became %q", before, after)
	}
	d.debts.Notes = t.TempDir()
}

// TestHostileNote: the file may hold anything, and none of it becomes a command of its own.
func TestHostileNote(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nonsense": "\x00\xff{", "empty": "", "huge": strings.Repeat("x", restore.NoteBytes+1),
		"commands": `{"settings":[{"space":"system; reboot","key":"x","value":"1"},{"space":"system","key":"x ` +
			`y","value":"1"},` +
			`{"space":"system","key":"x","value":"'; log -t EVIL '"}],"night":"; reboot","locales":{"a; ` +
			`reboot":"fr","com.a":"; reboot"},"keyboard":"'; log -t EVIL '"}`,
	} {
		driver, phones, _ := newPhones(t, androidsim.Options{API: 36})
		file, err := restore.NoteFile(driver.notes, phones[0].Serial())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		dev, err := driver.Open(t.Context(), phones[0].Serial())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if phones[0].Count("log")+phones[0].Count("reboot") != 0 {
			t.Errorf("%s: commands ran: %v", name, phones[0].Counts())
		}
		if v := phones[0].Setting("system", "x"); name == "commands" && v != "'; log -t EVIL '" {
			t.Errorf("setting %q", v)
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		dev.(*Device).debts.Owed = restore.State{}
	}
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		d, p := openPhone(t, androidsim.Options{API: api})
		if err := d.Notifications(t.Context()); err != nil {
			t.Fatal(err)
		}
		waitNode(t, d, "No notifications")
		if err := d.Close(); err != nil || strings.Contains(p.Tree(), "No notifications") {
			t.Errorf("API %d: they stay open: %v", api, err)
		}
	}
}

func TestShell(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	out, code, err := d.Shell(t.Context(), "echo one; echo two >&2; exit 3")
	if err != nil || code != 3 || out != "one\ntwo\n" {
		t.Errorf("%q, %d, %v", out, code, err)
	}
	p.Fail(androidsim.Fault{Match: "hunter2", Kind: androidsim.Drop})
	if _, _, err := d.Shell(t.Context(), "echo hunter2"); !errors.Is(err, drivers.ErrDeviceLost) ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
}

func TestOverWiFi(t *testing.T) {
	t.Parallel()
	for serial, want := range map[string]bool{
		"R5CT10": false, "emulator-5554": false, "127.0.0.1:5555": false, "localhost:5555": false, "192.168.1.7:5555": true,
		"phone.lan:5555": true, "[fe80::1]:5555": true, "[::1]:5555": false, "adb-R5CT10-x._adb-tls-connect._tcp": true,
		"adb-R5CT10-x._adb-tls-connect._tcp.": true, "adb-R5CT10-x._adb._tcp": true,
	} {
		if got := adb.OverWiFi(serial); got != want {
			t.Errorf("%s: %v", serial, got)
		}
	}
	d := &system.System{Phone: &phone.Phone{Link: &adb.Link{Serial: "192.168.1.7:5555"}, Info: drivers.Info{APILevel: 34}}}
	if err := d.Airplane(t.Context(), true); !errors.Is(err, drivers.ErrUnsupported) ||
		!strings.Contains(err.Error(), "USB") {
		t.Errorf("error %v", err)
	}
}
