//go:build !unix

package reporters

var children map[string]func() int // they need signals
