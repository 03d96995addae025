package received

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/upload"
)

// ofRuns are the limits for archives of runs that a trusted server has made.
var ofRuns = upload.Limits{Archive: 64 << 30, Bytes: 64 << 30, File: 4 << 30, Files: 1_000_000, Ratio: 2000, Depth: 32,
	Events: 4 << 30}

// Fetch adds a run to a reports folder, from an archive that pack.ArchiveRun has made, and adds a file named mark to
// it. An existing run stays unchanged.
func Fetch(ctx context.Context, reports, run, mark string, archive io.Reader) (err error) {
	if !pack.IsRunName(run) {
		return &upload.Refused{Why: fmt.Sprintf("%.200q is not the name of a run", run)}
	}
	if err := os.MkdirAll(reports, 0o755); err != nil {
		return fmt.Errorf("fetch run %s: %w", run, err)
	}
	a, err := upload.NewStaging(reports)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Remove()) }()
	if _, err := a.Unpack(ctx, archive, ofRuns); err != nil {
		return fmt.Errorf("fetch run %s: %w", run, err)
	}
	// without the first one it would count as a run that has just started
	for _, name := range []string{pack.LiveFile, mark} {
		if err := os.WriteFile(filepath.Join(a.Path, name), nil, 0o600); err != nil {
			return fmt.Errorf("fetch run %s: %w", run, err)
		}
	}
	to := filepath.Join(reports, run)
	if err := os.Rename(a.Path, to); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("fetch run %s: %w", run, err)
	}
	return nil
}
