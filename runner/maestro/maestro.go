// Package maestro reads flows of Maestro and writes them as YAML tests. The code is in runner/internal/syntax/maestro;
// this is what other folders need of it.
package maestro

import (
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// Command is what a step of a flow says. Its texts still hold their ${…}.
type Command = maestro.Command

// RunFlow is runFlow.
type RunFlow = maestro.RunFlow

// Retry is retry.
type Retry = maestro.Retry

// Flow is one file.
type Flow = maestro.Flow

// NativeOptions say what a flow becomes.
type NativeOptions = maestro.NativeOptions

// ToNative writes a flow as Taproot YAML. What has no native form becomes a comment, and is listed.
func ToNative(f *Flow, o NativeOptions) maestro.Native {
	return maestro.ToNative(f, o)
}

// Parse reads a flow with all that it calls. The error is a dsl.Errors: every mistake of every file.
func Parse(file string, src []byte, files maestro.Files) (*Flow, error) {
	return maestro.Parse(file, src, files)
}

// Is reports whether a file is meant as a flow of Maestro: a map that names an app or a page, then a list; or a list
// where a map of Taproot's would stand.
func Is(src []byte) bool { return maestro.Is(src) }

// IsWorkspace reports whether a file is the configuration of a folder of flows, and no flow.
func IsWorkspace(name string, src []byte) bool { return maestro.IsWorkspace(name, src) }

// IsConfigName reports whether a file is called config.yaml or config.yml.
func IsConfigName(name string) bool { return maestro.IsConfigName(name) }
