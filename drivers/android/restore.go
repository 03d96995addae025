package android

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
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// debts are what a phone has to get back. They are noted on disk before it is changed.
type debts struct {
	phone *phone
	notes string // the directory of the notes; "" means the user's cache

	mu   sync.Mutex
	owed restoreState
}

const noteBytes = 64 << 10

// settingRow is a row of Android's settings. A nil value means that there was none.
type settingRow struct {
	Space string  `json:"space"`
	Key   string  `json:"key"`
	Value *string `json:"value"`
}

// restoreState is what a phone had before this session changed it, and has to get back. What is noted first counts.
type restoreState struct {
	Settings []settingRow      `json:"settings,omitempty"`
	Night    string            `json:"night,omitempty"`
	Airplane *bool             `json:"airplane,omitempty"`
	Locales  map[string]string `json:"locales,omitempty"`
	Keyboard string            `json:"keyboard,omitempty"`
	Location bool              `json:"location,omitempty"` // test providers were made
	Media    []string          `json:"media,omitempty"`    // files in the gallery
	Agent    bool              `json:"agent,omitempty"`    // it was started
}

func (o *restoreState) setting(s settingRow) {
	if !slices.ContainsFunc(o.Settings, s.same) {
		o.Settings = append(o.Settings, s)
	}
}

func (o *restoreState) clone() restoreState {
	c := *o
	c.Settings, c.Locales, c.Media = slices.Clone(o.Settings), maps.Clone(o.Locales), slices.Clone(o.Media)
	return c
}

// drop forgets a setting that has the value which was noted: there is nothing to restore.
func (o *restoreState) drop(space, key, value string) {
	o.Settings = slices.DeleteFunc(o.Settings, newSetting(space, key, value).holds)
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
func (o *restoreState) lines() []string {
	var lines []string
	if o.Agent {
		lines = append(lines, strings.Split(stopAgentLine, "; ")...)
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
		if locales := o.Locales[pkg]; appName.MatchString(pkg) && (locales == "" || localeList.MatchString(locales)) {
			lines = append(lines, localeLine(pkg, locales))
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
		lines = append(lines, airplaneLine(*o.Airplane))
	}
	return lines
}

// noteFile is the path of the note about a device. Serials are foreign, and may hold what a file's name may not.
func noteFile(dir, serial string) (string, error) {
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
	return filepath.Join(dir, shorten.Bytes(name.String(), 200)+".json"), nil
}

// noteRestore notes what has to be restored, on disk before it is changed on the phone.
func (b *debts) noteRestore(note func(*restoreState)) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.phone.life.Err() != nil { // else Close, which reads the debts after the end, waits for this one
		return fmt.Errorf("device %s: %w", b.phone.link.serial, drivers.ErrClosed)
	}
	note(&b.owed)
	if err := b.writeNote(); err != nil {
		return fmt.Errorf("device %s: note what to restore, before it is changed: %w", b.phone.link.serial, err)
	}
	return nil
}

// indebted reports whether there is something to restore.
func (b *debts) indebted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.owed.lines()) > 0
}

// keyboardOwed is the keyboard that the phone had before ADBKeyboard, "" where there is none to restore.
func (b *debts) keyboardOwed() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.owed.Keyboard
}

// keyboardReturned notes that the phone has its keyboard again.
func (b *debts) keyboardReturned() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.owed.Keyboard = ""
	return b.writeNote()
}

// writeNote brings the file in line with the debts. The lock is held.
func (b *debts) writeNote() error {
	file, err := noteFile(b.notes, b.phone.link.serial)
	if err != nil {
		return err
	}
	if len(b.owed.lines()) == 0 {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.MarshalIndent(&b.owed, "", "  ")
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

// restoreLeftovers restores what a killed session has left. When that fails the phone is used as it is, and
// Close repeats it.
func (b *debts) restoreLeftovers(ctx context.Context) {
	file, err := noteFile(b.notes, b.phone.link.serial)
	if err != nil {
		return // then nothing can have been noted
	}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var text []byte
	if err == nil && info.Size() <= noteBytes {
		text, err = os.ReadFile(file)
	}
	var old restoreState
	if err = errors.Join(err, json.Unmarshal(text, &old)); err != nil {
		b.phone.log.Warn("the note on what to restore cannot be read and is removed", "file", file, "error", err)
		_ = os.Remove(file)
		return
	}
	b.owed = old
	b.phone.log.Info("restoring what an earlier session had changed", "file", file)
	if err := b.restore(ctx); err != nil {
		b.phone.log.Warn("not restored yet", "error", err)
	}
}

// restore restores everything and removes the note.
func (b *debts) restore(ctx context.Context) error {
	b.mu.Lock()
	lines := b.owed.lines()
	b.mu.Unlock()
	if len(lines) > 0 {
		line := "f=0; " + strings.Join(lines, " || f=1; ") + " || f=1; [ $f = 0 ]"
		o, err := b.phone.link.run(ctx, command{name: "restore", line: line})
		if err != nil {
			return err
		}
		if o.code != 0 {
			return fmt.Errorf("device %s: restore its settings: %s", b.phone.link.serial, b.phone.why(o))
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.owed = restoreState{}
	return b.writeNote()
}
