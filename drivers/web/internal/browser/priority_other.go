//go:build !linux

package browser

// hasten is for Linux, where Chromium sets for its own threads more than the plain priority.
func (p *process) hasten() {}

// slacken is for Linux, too.
func (p *process) slacken() {}
