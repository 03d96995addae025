// Package restore notes on disk what a phone has to get back before it is changed, and restores it.
package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// Debts are what a phone has to get back. They are noted on disk before it is changed.
type Debts struct {
	Phone *phone.Phone
	Notes string // the directory of the notes; "" means the user's cache

	mu   sync.Mutex
	Owed State
}

const NoteBytes = 64 << 10

// settingRow is a row of Android's settings. A nil value means that there was none.
type settingRow struct {
	Space string  `json:"space"`
	Key   string  `json:"key"`
	Value *string `json:"value"`
}

// State is what a phone had before this session changed it, and has to get back. What is noted first counts.
type State struct {
	Settings []settingRow      `json:"settings,omitempty"`
	Night    string            `json:"night,omitempty"`
	Airplane *bool             `json:"airplane,omitempty"`
	Locales  map[string]string `json:"locales,omitempty"`
	Keyboard string            `json:"keyboard,omitempty"`
	Location bool              `json:"location,omitempty"` // test providers were made
	Media    []string          `json:"media,omitempty"`    // files in the gallery
	Agent    bool              `json:"agent,omitempty"`    // it was started
}

func (o *State) Setting(s settingRow) {
	if !slices.ContainsFunc(o.Settings, s.same) {
		o.Settings = append(o.Settings, s)
	}
}

func (o *State) clone() State {
	c := *o
	c.Settings, c.Locales, c.Media = slices.Clone(o.Settings), maps.Clone(o.Locales), slices.Clone(o.Media)
	return c
}

// Drop forgets a setting that has the value which was noted: there is nothing to restore.
func (o *State) Drop(space, key, value string) {
	o.Settings = slices.DeleteFunc(o.Settings, NewSetting(space, key, value).holds)
}

// same reports whether two rows are of one setting; holds, whether they have one value, too.
func (s settingRow) same(o settingRow) bool { return s.Space == o.Space && s.Key == o.Key }

func (s settingRow) holds(o settingRow) bool {
	return s.same(o) && (s.Value == nil) == (o.Value == nil) && (s.Value == nil || *s.Value == *o.Value)
}

var (
	settingName = lazyregexp.New(`^[a-z][a-z0-9_]*$`)
	nightMode   = lazyregexp.New(`^[a-z_]+$`)
)

// lines are the shell commands that restore everything. What is not of the right form is left out: the note is in a
// file.
func (o *State) lines() []string {
	var lines []string
	if o.Agent {
		lines = append(lines, strings.Split(StopAgent, "; ")...)
	}
	for _, s := range o.Settings {
		switch {
		case !slices.Contains([]string{"system", "secure", "global"}, s.Space) || !settingName.MatchString(s.Key):
		case s.Value == nil:
			lines = append(lines, "settings delete "+s.Space+" "+s.Key)
		default:
			lines = append(lines, "settings put "+s.Space+" "+s.Key+" "+shellescape.Quote(*s.Value))
		}
	}
	if nightMode.MatchString(o.Night) {
		lines = append(lines, "cmd uimode night "+o.Night)
	}
	for _, pkg := range slices.Sorted(maps.Keys(o.Locales)) {
		if locales := o.Locales[pkg]; phone.AppName.MatchString(pkg) && (locales == "" || LocaleList.MatchString(locales)) {
			lines = append(lines, LocaleLine(pkg, locales))
		}
	}
	if o.Keyboard != "" {
		lines = append(lines, "ime set "+shellescape.Quote(o.Keyboard))
	}
	if o.Location {
		lines = append(lines, unmockLines()...)
	}
	lines = append(lines, unmediaLines(o.Media)...)
	if o.Airplane != nil { // last: it may cut a connection over Wi-Fi
		lines = append(lines, AirplaneLine(*o.Airplane))
	}
	return lines
}

// NoteFile is the path of the note about a device. Serials are foreign, and may hold what a file's name may not.
func NoteFile(dir, serial string) (string, error) {
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "taproot", "restore")
	}
	var name strings.Builder
	for _, b := range []byte(serial) {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '.' {
			name.WriteByte(b)
		} else {
			fmt.Fprintf(&name, "%%%02X", b)
		}
	}
	return filepath.Join(dir, phrase.LimitBytes(name.String(), 200)+".json"), nil
}

// Note notes what has to be restored, on disk before it is changed on the phone.
func (b *Debts) Note(note func(*State)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Phone.Life.Err() != nil { // else Close, which reads the debts after the end, waits for this one
		return fmt.Errorf("device %s: %w", b.Phone.Link.Serial, drivers.ErrClosed)
	}
	note(&b.Owed)
	if err := b.writeNote(); err != nil {
		return fmt.Errorf("device %s: note what to restore, before it is changed: %w", b.Phone.Link.Serial, err)
	}
	return nil
}

// Indebted reports whether there is something to restore.
func (b *Debts) Indebted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.Owed.lines()) > 0
}

// KeyboardOwed is the keyboard that the phone had before ADBKeyboard, "" where there is none to restore.
func (b *Debts) KeyboardOwed() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Owed.Keyboard
}

// KeyboardReturned notes that the phone has its keyboard again.
func (b *Debts) KeyboardReturned() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Owed.Keyboard = ""
	return b.writeNote()
}

// writeNote brings the file in line with the debts. The lock is held.
func (b *Debts) writeNote() error {
	file, err := NoteFile(b.Notes, b.Phone.Link.Serial)
	if err != nil {
		return err
	}
	if len(b.Owed.lines()) == 0 {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.MarshalIndent(&b.Owed, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return replaceFile(file, text)
}

// replaceFile writes a file aside and renames it, so that a reader finds the old one or the new one.
func replaceFile(file string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".note-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Leftovers restores what a killed session has left. When that fails the phone is used as it is, and
// Close repeats it.
func (b *Debts) Leftovers(ctx context.Context) {
	file, err := NoteFile(b.Notes, b.Phone.Link.Serial)
	if err != nil {
		return // then nothing can have been noted
	}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var text []byte
	if err == nil && info.Size() <= NoteBytes {
		text, err = os.ReadFile(file)
	}
	var old State
	if err = errors.Join(err, json.Unmarshal(text, &old)); err != nil {
		b.Phone.Log.Warn("the note on what to restore cannot be read and is removed", "file", file, "error", err)
		_ = os.Remove(file)
		return
	}
	b.Owed = old
	b.Phone.Log.Info("restoring what an earlier session had changed", "file", file)
	if err := b.Restore(ctx); err != nil {
		b.Phone.Log.Warn("not restored yet", "error", err)
	}
}

// Restore restores everything and removes the note.
func (b *Debts) Restore(ctx context.Context) error {
	b.mu.Lock()
	lines := b.Owed.lines()
	b.mu.Unlock()
	if len(lines) > 0 {
		line := "f=0; " + strings.Join(lines, " || f=1; ") + " || f=1; [ $f = 0 ]"
		o, err := b.Phone.Link.Run(ctx, adb.Command{Name: "restore", Line: line})
		if err != nil {
			return err
		}
		if o.Code != 0 {
			return fmt.Errorf("device %s: restore its settings: %s", b.Phone.Link.Serial, b.Phone.Why(o))
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Owed = State{}
	return b.writeNote()
}

const AgentPackage = "io.appium.uiautomator2.server"

const AgentTests = "io.appium.uiautomator2.server.test"

const StopAgent = "am force-stop " + AgentPackage + "; am force-stop " + AgentTests
