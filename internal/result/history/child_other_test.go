//go:build !unix

package history

var children map[string]func() int // they need signals
