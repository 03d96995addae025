//go:build unix

package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
)

// upper matches a letter that starts a part of an action's name; commands have a hyphen there.
var upper = regexp.MustCompile(`[A-Z]`)

// TestTasks checks that each task has ten or more commands on both sides, from open to close, and that Taproot's are
// actions or commands of sessions.
func TestTasks(t *testing.T) {
	words := map[string]bool{"open": true, "close": true}
	for _, def := range dsl.Vocabulary() {
		words[upper.ReplaceAllStringFunc(def.Name, func(s string) string { return "-" + strings.ToLower(s) })] = true
	}
	for _, job := range append(tasks(), task{"phone", phoneTask, phoneTask}) {
		for side, list := range map[string][][]string{"taproot": job.ours, "playwright-cli": job.theirs} {
			if len(list) < 10 || list[0][0] != "open" || list[len(list)-1][0] != "close" {
				t.Errorf("%s, %s: %q", job.name, side, list)
			}
		}
		for _, line := range job.ours {
			if !words[line[0]] {
				t.Errorf("%s: %q is not an action", job.name, line)
			}
		}
	}
}
