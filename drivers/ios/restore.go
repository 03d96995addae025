package ios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const noteBytes = 4 << 10

// restoreState is what a device had before this session changed it, and has to get back.
type restoreState struct {
	Orientation string `json:"orientation,omitempty"`
	Appearance  string `json:"appearance,omitempty"`
	Location    bool   `json:"location,omitempty"` // a made-up one has to go
	StatusBar   bool   `json:"status_bar,omitempty"`
}

// noteRestore notes what has to be restored, on disk before it is changed on the device.
func (d *Device) noteRestore(note func(*restoreState)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.life.Err() != nil { // else Close, which reads the debts after the end, waits for this one
		return fmt.Errorf("device %s: %w", d.info.ID, drivers.ErrClosed)
	}
	old := d.debts
	note(&d.debts)
	if old == d.debts {
		return nil
	}
	if err := d.writeNote(); err != nil {
		return fmt.Errorf("device %s: note what to restore, before it is changed: %w", d.info.ID, err)
	}
	return nil
}

var idForm = lazyregexp.New(`^[\w.-]+$`)

func (d *Device) noteFile() (string, error) {
	dir := d.notes
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "taproot", "restore")
	}
	if !idForm.MatchString(d.info.ID) {
		return "", fmt.Errorf("%q can be no file's name", d.info.ID)
	}
	return filepath.Join(dir, "ios-"+d.info.ID+".json"), nil
}

// writeNote brings the file in line with the debts. The lock is held.
func (d *Device) writeNote() error {
	file, err := d.noteFile()
	if err != nil {
		return err
	}
	if d.debts == (restoreState{}) {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.Marshal(d.debts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	aside := file + ".new" // with the device's lease no other process writes it
	if err := os.WriteFile(aside, data, 0o600); err != nil {
		return err
	}
	return os.Rename(aside, file)
}

// restoreLeftovers restores what an earlier session that was killed left noted.
func (d *Device) restoreLeftovers(ctx context.Context) {
	file, err := d.noteFile()
	if err != nil {
		return
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() > noteBytes {
		return
	}
	data, err := os.ReadFile(file)
	var old restoreState
	if err != nil || json.Unmarshal(data, &old) != nil {
		return
	}
	d.mu.Lock()
	d.debts = old
	d.mu.Unlock()
	d.log.Info("giving back what an earlier session changed", "what", old)
	if err := d.restore(ctx); err != nil {
		d.log.Warn("an earlier session's changes could not be undone", "error", err)
	}
}

// restore restores everything and forgets it.
func (d *Device) restore(ctx context.Context) error {
	d.mu.Lock()
	o := d.debts
	d.mu.Unlock()
	if o == (restoreState{}) {
		return nil
	}
	var left restoreState
	var errs []error
	if o.Location {
		err := d.locator().locate(ctx, nil)
		left.Location = err != nil
		errs = append(errs, err)
	}
	if b, ok := d.host.(barSetter); ok && o.StatusBar {
		err := b.setStatusBar(ctx, nil)
		left.StatusBar = err != nil
		errs = append(errs, err)
	}
	if o.Appearance == "light" || o.Appearance == "dark" {
		err := d.painter().setAppearance(ctx, o.Appearance)
		if err != nil {
			left.Appearance = o.Appearance
		}
		errs = append(errs, err)
	}
	if o.Orientation == "PORTRAIT" || o.Orientation == "LANDSCAPE" {
		err := d.wda.in(ctx, post("turning the screen back", "/orientation", map[string]any{"orientation": o.Orientation}),
			nil)
		if refused := new(wdaError); err != nil && !errors.As(err, &refused) { // an app that keeps its own needs no restoring
			left.Orientation = o.Orientation
			errs = append(errs, err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.debts = left
	return errors.Join(append(errs, d.writeNote())...)
}
