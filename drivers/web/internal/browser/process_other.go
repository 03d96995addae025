//go:build !linux

package browser

// browsersOf is for Linux: elsewhere a browser that does not respond stays when Playwright's process is killed.
func browsersOf(int) []int { return nil }

func killBrowsers([]int) {}
