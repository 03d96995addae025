package android

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
)

// sharedStorage is where apps and people keep files for each other, and where adb's own user does.
var sharedStorage = []string{"/sdcard/", "/storage/", "/data/local/tmp/"}

// PullFile copies a file of the shared storage, in its own time. What the system keeps elsewhere is for the device's
// shell.
func (y *system) PullFile(ctx context.Context, name string, w io.Writer) error {
	shared := slices.ContainsFunc(sharedStorage, func(folder string) bool { return strings.HasPrefix(name, folder) })
	if !shared || path.Clean(name) != name {
		return fmt.Errorf("device %s: %w: files are read below %s only", y.phone.link.serial, drivers.ErrNoFile,
			strings.Join(sharedStorage, ", "))
	}
	ctx, cancel := drivers.Bound(ctx, y.phone.life)
	defer cancel()
	return y.phone.link.pullTo(ctx, name, w)
}
