//go:build unix

package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// besideScripts compares with bare scripts, which have no runner, read nothing twice and write no report. They are a
// lower bound for any runner on Node, Playwright and Chromium. It returns the ratios of time, by flow.
func (b *bench) besideScripts(t *strings.Builder, names ...string) (ratios map[string]float64, err error) {
	t.WriteString(
		"\nThe same flows as bare scripts, with the same screenshots and nothing else: no runner, no report. The time of " +
			"Node, " +
			"Playwright and Chromium is\n" +
			"the lower bound for both.\n\n| flow | Taproot | a bare script | ratio | script / Playwright Test |\n" +
			"|---|---|---|---|---|\n")
	if err := os.MkdirAll(filepath.Join(b.dir, "results"), 0o755); err != nil {
		return nil, err
	}
	ratios = map[string]float64{}
	for _, name := range names {
		ours, script, err := b.compare(job{flows: []string{name}, workers: 1, repeat: 1}, b.bare)
		if err != nil {
			return ratios, err
		}
		ratios[name] = ratio(ours.wall(), script.wall())
		floor := "not measured"
		if wall := b.walls[name]; wall > 0 {
			floor = fmt.Sprintf("%.2f", ratio(script.wall(), wall))
		}
		fmt.Fprintf(t, "| %s | %s | %s | **%.2f** | %s |\n", name, seconds(ours.wall()), seconds(script.wall()),
			ratios[name], floor)
		fmt.Fprintf(os.Stderr, "%s compared with a bare script: %.2f\n", name, ratios[name])
	}
	return ratios, nil
}

// mostBesideScripts are the limits for the ratio to a bare script. Flow one consists mostly of the start and the end of
// the process, flow shop of steps.
var mostBesideScripts = map[string]float64{"one": 1.4, "shop": 1.2}

// guard returns an error if Taproot is too slow compared with bare scripts on the same machine in the same run.
func (b *bench) guard() (string, error) {
	var t strings.Builder
	ratios, err := b.besideScripts(&t, slices.Sorted(maps.Keys(mostBesideScripts))...)
	for name, r := range ratios {
		if most := mostBesideScripts[name]; r > most {
			err = errors.Join(err, fmt.Errorf("%s takes %.2f times what a bare script takes; at most %.2f is allowed", name,
				r, most))
		}
	}
	return t.String(), err
}
