package browser

import (
	"syscall"

	"github.com/taproot-dev/taproot/drivers/web/internal/webkit"
)

// browsersOf returns the browsers that Playwright's process has started and that have not ended. Each has a process
// group of its own, with its own number.
func browsersOf(pid int) (list []int) {
	for _, p := range webkit.Processes() {
		if p.Parent == pid && p.Group == p.ID {
			list = append(list, p.ID)
		}
	}
	return list
}

// killBrowsers ends browsers with all their processes, also those that are stopped.
func killBrowsers(list []int) {
	for _, id := range list {
		_ = syscall.Kill(-id, syscall.SIGKILL) // fails if it has ended
	}
}
