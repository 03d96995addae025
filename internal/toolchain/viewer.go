package toolchain

import (
	"context"
	"errors"
	"path/filepath"
)

// TraceViewer finds Playwright's trace viewer, a static site within the driver's npm package.
func TraceViewer(ctx context.Context, h Host) (dir string, err error) {
	driver, err := Need(ctx, h, Driver)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(driver.Path, "package", "lib", "vite", "traceViewer")
	if _, err := h.ReadFile(filepath.Join(dir, "index.html")); err != nil {
		return "", errors.New("the Playwright driver at " + driver.Path + " has no trace viewer")
	}
	return dir, nil
}
