// Package html turns the results of cases and runs into pages that a browser opens from the disk, without a network or
// a server. The code is in reporters/internal/html; this is what other folders need of it.
package html

import (
	"context"
	"io"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/reporters/internal/html"
)

// Bundle writes the page of a pack with all the files that it shows, and returns its size, and the files that it lacks
// because they cannot be read or are too large.
func Bundle(ctx context.Context, w io.Writer, packDir string) (size int64, left []string, err error) {
	return html.Bundle(ctx, w, packDir)
}

// The names of the pages.
const (
	PackFile  = html.PackFile  // in a pack
	IndexFile = html.IndexFile // in a run, and next to the runs
)

// StyleSheet is the style of all pages, for other pages that must look the same.
func StyleSheet() ([]byte, error) {
	return html.StyleSheet()
}

// ThemeScript sets the theme that the user chose, before anything is drawn.
func ThemeScript() ([]byte, error) {
	return html.ThemeScript()
}

// Sign is the symbol of a result, for places that are too small for a word.
func Sign(v event.Result) string {
	return html.Sign(v)
}

// Word is a result in words.
func Word(v event.Result) string {
	return html.Word(v)
}

// WriteRun makes index.html in a run's folder. Call WritePacks before: the page links to their pages.
func WriteRun(ctx context.Context, run *history.Run) error {
	return html.WriteRun(ctx, run)
}

// WritePacks makes report.html in every pack of a run, also in those of earlier attempts. A page that cannot be made
// does not stop the others. With packs, only those of these cases are made.
func WritePacks(ctx context.Context, run *history.Run, packs ...string) error {
	return html.WritePacks(ctx, run, packs...)
}

// WriteRuns makes index.html in the reports folder, from history.jsonl and, for runs that it lacks, from their packs.
func WriteRuns(ctx context.Context, reportsRoot string) error {
	return html.WriteRuns(ctx, reportsRoot)
}
