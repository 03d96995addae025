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

// besideScripts compares with bare scripts, which have no runner, look at nothing twice and write no report: no runner
// on Node, Playwright and Chromium takes less. It gives the ratios of time, by flow.
func (b *bench) besideScripts(t *strings.Builder, names ...string) (ratios map[string]float64, err error) {
	t.WriteString(
		"\nThe same flows as bare scripts, with the same pictures and nothing else: no runner, no report. What Node, " +
			"Playwright and Chromium take by themselves is\n" +
			"the floor of both sides.\n\n| flow | Taproot | a bare script | ratio | script / Playwright Test |\n" +
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
		fmt.Fprintf(os.Stderr, "%s beside a bare script: %.2f\n", name, ratios[name])
	}
	return ratios, nil
}

// mostBesideScripts is what Taproot may take beside a bare script: of one, nearly all is the way to the first step and
// from the last one to the prompt; of shop, most is steps.
var mostBesideScripts = map[string]float64{"one": 1.4, "shop": 1.2}

// guard fails where Taproot takes too much beside bare scripts on the same machine in the same run.
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
