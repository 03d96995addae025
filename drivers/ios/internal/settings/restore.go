package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/internal/filetree"
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
func (s *Settings) noteRestore(note func(*restoreState)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link.Life.Err() != nil { // else Close, which reads the debts after the end, waits for this one
		return fmt.Errorf("device %s: %w", s.link.ID, drivers.ErrClosed)
	}
	old := s.debts
	note(&s.debts)
	if old == s.debts {
		return nil
	}
	if err := s.writeNote(); err != nil {
		return fmt.Errorf("device %s: note what to restore, before it is changed: %w", s.link.ID, err)
	}
	return nil
}

var idForm = lazyregexp.New(`^[\w.-]+$`)

func (s *Settings) noteFile() (string, error) {
	dir := s.opts.Notes
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "taproot", "restore")
	}
	if !idForm.MatchString(s.link.ID) {
		return "", fmt.Errorf("%q can be no file's name", s.link.ID)
	}
	return filepath.Join(dir, "ios-"+s.link.ID+".json"), nil
}

// writeNote brings the file in line with the debts. The lock is held.
func (s *Settings) writeNote() error {
	if s.opts.Forgets {
		return nil
	}
	file, err := s.noteFile()
	if err != nil {
		return err
	}
	if s.debts == (restoreState{}) {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.Marshal(s.debts)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return filetree.ReplacePrivate(file, data) // with the device's lease no other process writes it
}

// RestoreLeftovers restores what an earlier session that was killed left noted.
func (s *Settings) RestoreLeftovers(ctx context.Context) {
	file, err := s.noteFile()
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
	s.mu.Lock()
	s.debts = old
	s.mu.Unlock()
	s.link.Log.Info("giving back what an earlier session changed", "what", old)
	if err := s.Restore(ctx); err != nil {
		s.link.Log.Warn("an earlier session's changes could not be undone", "error", err)
	}
}

// Restore restores everything and forgets it.
func (s *Settings) Restore(ctx context.Context) error {
	s.mu.Lock()
	o := s.debts
	s.mu.Unlock()
	if o == (restoreState{}) {
		return nil
	}
	var left restoreState
	var errs []error
	if o.Location {
		err := s.locator().Locate(ctx, nil)
		left.Location = err != nil
		errs = append(errs, err)
	}
	if b, ok := s.host.(host.BarSetter); ok && o.StatusBar {
		err := b.SetStatusBar(ctx, nil)
		left.StatusBar = err != nil
		errs = append(errs, err)
	}
	if o.Appearance == "light" || o.Appearance == "dark" {
		err := s.painter().SetAppearance(ctx, o.Appearance)
		if err != nil {
			left.Appearance = o.Appearance
		}
		errs = append(errs, err)
	}
	if o.Orientation == "PORTRAIT" || o.Orientation == "LANDSCAPE" {
		err := s.link.Agent.In(
			ctx,
			wda.Post("turning the screen back", "/orientation", map[string]any{"orientation": o.Orientation}),
			nil,
		)
		if refused := new(wda.Error); err != nil &&
			!errors.As(err, &refused) { // an app that keeps its own needs no restoring
			left.Orientation = o.Orientation
			errs = append(errs, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.debts = left
	return errors.Join(append(errs, s.writeNote())...)
}
