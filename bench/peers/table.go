//go:build unix

package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// flows are the flows with a file in each folder.
var flows = []string{"shop", "form", "list", "login"}

// singles are the flows that are run alone, including one, a single page.
var singles = append([]string{"one"}, flows...)

// compare runs both sides in turns, with one warm-up run.
func (b *bench) compare(j job, with func(job) *exec.Cmd) (ours, theirs costs, err error) {
	for i := -1; i < b.runs; i++ {
		mine, err := run(b.ours(j))
		if err != nil {
			return nil, nil, err
		}
		other, err := run(with(j))
		if err != nil {
			return nil, nil, err
		}
		if i >= 0 {
			ours, theirs = append(ours, mine), append(theirs, other)
		}
	}
	return ours, theirs, nil
}

// measure runs everything, or one flow, and returns the page of the documentation about it.
func (b *bench) measure(only string) (string, error) {
	var t strings.Builder
	b.ratios, b.walls = map[bool]map[string]float64{false: {}, true: {}}, map[string]time.Duration{}
	fmt.Fprintf(&t,
		"# Benchmarks\n\nTaproot compared with Playwright Test: the same flows on the same pages in the same Chromium (its "+
			"headless "+
			"shell, where it is installed) or the same\n"+
			"Firefox (by WebDriver BiDi), as whole processes, in turns. Both take a screenshot of each step and write their "+
			"reports. `make bench-peers` generates this page; it was\n"+
			"measured on %s. The numbers are medians of %d runs; CPU is the processor time\nof all processes, "+
			"including browsers; memory is the maximum of all processes except the browser's.\n", machine(), b.runs)
	t.WriteString(
		"\n| flow | kept | Taproot | Playwright Test | ratio | CPU | ratio | memory | ratio |\n" +
			"|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows() {
		if only != "" && r.job.flows[0] != only || r.job.firefox && b.firefox == "" {
			continue
		}
		if err := b.row(&t, r); err != nil {
			return t.String(), err
		}
	}
	b.besideChromium(&t)
	if names := slices.DeleteFunc(slices.Clone(singles), func(name string) bool {
		return only != "" &&
			name != only
	}); len(names) > 0 {
		if _, err := b.besideScripts(&t, names...); err != nil {
			return t.String(), err
		}
	}
	if only == "" || only == sixteenFlows {
		if err := b.throughput(&t); err != nil {
			return t.String(), err
		}
	}
	if only == "" || only == shellFlow {
		if err := b.fromShell(&t); err != nil {
			return t.String(), err
		}
	}
	return t.String(), nil
}

// line is a line of the table.
type line struct {
	kept string
	job  job
}

func rows() (list []line) {
	for _, f := range singles {
		list = append(list, line{"screenshots", job{flows: []string{f}, workers: 1, repeat: 1}})
	}
	for _, f := range singles {
		list = append(list, line{"screenshots, in Firefox", job{flows: []string{f}, workers: 1, repeat: 1, firefox: true}})
	}
	for _, f := range flows {
		list = append(list, line{"screenshots, recording and trace", job{flows: []string{f}, trace: true, workers: 1,
			repeat: 1}})
	}
	return list
}

func (b *bench) row(t *strings.Builder, r line) error {
	ours, theirs, err := b.compare(r.job, b.theirs)
	if err != nil {
		return err
	}
	name := r.job.flows[0]
	wall, cpu := ratio(ours.wall(), theirs.wall()), ratio(ours.cpu(), theirs.cpu())
	fmt.Fprintf(t, "| %s | %s | %s | %s | **%.2f** | %s / %s | **%.2f** | %s / %s | **%.2f** |\n", name, r.kept,
		seconds(ours.wall()), seconds(theirs.wall()), wall,
		seconds(ours.cpu()), seconds(theirs.cpu()), cpu, megabytes(ours.memory()), megabytes(theirs.memory()),
		ratio(ours.memory(), theirs.memory()))
	if !r.job.trace {
		b.ratios[r.job.firefox][name] = wall
	}
	if r.kept == "screenshots" {
		b.walls[name] = theirs.wall()
	}
	fmt.Fprintf(os.Stderr, "%s, %s: %.2f, CPU %.2f\n", name, r.kept, wall, cpu)
	return nil
}

// besideChromium writes by how much the ratios of Firefox differ from those of Chromium.
func (b *bench) besideChromium(t *strings.Builder) {
	worst, flow := math.Inf(-1), ""
	for name, r := range b.ratios[true] {
		if more := r - b.ratios[false][name]; more > worst {
			worst, flow = more, name
		}
	}
	if flow != "" {
		fmt.Fprintf(t,
			"\nOf all flows, %s has the largest difference between the ratio in Firefox and the one in Chromium: "+
				"**%+.2f**.\n", flow, worst)
	}
}

// throughput runs sixteen flows with each number of workers.
func (b *bench) throughput(t *strings.Builder) error {
	fmt.Fprintf(t,
		"\nSixteen flows (each of the four, four times), screenshots only:\n\n| workers | Taproot | Playwright Test |\n"+
			"|---|---|---|\n")
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	few := *b
	few.runs = min(3, b.runs)
	for _, workers := range []int{1, 2, 3, 4, 6} {
		ours, theirs, err := few.compare(job{flows: flows, workers: workers, repeat: 4}, b.theirs)
		if err != nil {
			return err
		}
		best[0], best[1] = min(best[0], ours.wall()), min(best[1], theirs.wall())
		fmt.Fprintf(t, "| %d | %s | %s |\n", workers, seconds(ours.wall()), seconds(theirs.wall()))
	}
	fmt.Fprintf(t,
		"\nWith the number of workers that suits each best, Taproot runs **%.2f** times as many flows in the same "+
			"time.\n", ratio(best[1], best[0]))
	return nil
}

func ratio[T ~int64](a, b T) float64 { return float64(a) / float64(max(b, 1)) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

// machine describes the machine of the measurements.
func machine() string {
	parts := []string{fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())}
	for _, line := range strings.Split(readText("/proc/cpuinfo"), "\n") {
		if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			parts = append(parts, strings.TrimSpace(model))
			break
		}
	}
	for _, tool := range [][]string{{"chromium", "--version"}, {"node", "--version"}} {
		if output, err := exec.Command(tool[0], tool[1:]...).Output(); err == nil {
			parts = append(parts,
				strings.Join(strings.Fields(tool[0] + " " + strings.TrimPrefix(string(output), "Chromium "))[:2],
					" "))
		}
	}
	return strings.Join(append(parts, "Playwright Test 1.57.0"), ", ")
}
