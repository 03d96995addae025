package android

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
)

// ListApps names the packages that are not part of the system.
func (d *Device) ListApps(ctx context.Context) ([]string, error) {
	names, err := d.packages(ctx, "pm list packages -3")
	slices.Sort(names)
	return names, err
}

// mustBeInstalled gives ErrNoApp, with the names that are near, for a package that the phone does not have.
func (d *Device) mustBeInstalled(ctx context.Context, pkg string) error {
	all, err := d.packages(ctx, "pm list packages")
	if err != nil {
		return err
	}
	if len(all) == 0 || slices.Contains(all, pkg) {
		return nil
	}
	own, err := d.packages(ctx, "pm list packages -3")
	if err != nil {
		return err
	}
	hint := ""
	if names := near(pkg, own); len(names) > 0 {
		hint = "; did you mean " + strings.Join(names, " or ") + "?"
	}
	return fmt.Errorf("device %s: %w: %s is not installed%s", d.link.serial, drivers.ErrNoApp, pkg, hint)
}

func (d *Device) packages(ctx context.Context, line string) ([]string, error) {
	o, err := d.run(ctx, command{name: "pm list packages", line: line})
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(o.out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "package:"); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// near gives at most three names that someone who wrote name may have meant.
func near(name string, names []string) []string {
	type candidate struct {
		name string
		cost int
	}
	var list []candidate
	last := name[strings.LastIndex(name, ".")+1:]
	for _, n := range names {
		cost := drivers.EditDistance([]rune(name), []rune(n))
		if same := slices.Contains(strings.Split(n, "."), last); cost <= max(2, len(name)/4) || same && len(last) > 3 {
			list = append(list, candidate{n, cost})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), strings.Compare(a.name, b.name))
	})
	var best []string
	for _, c := range list[:min(3, len(list))] {
		best = append(best, c.name)
	}
	return best
}
