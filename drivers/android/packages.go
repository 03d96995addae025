package android

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// packages is the phone's package manager.
type packages struct{ phone *phone }

// ListApps names the packages that are not part of the system.
func (a *apps) ListApps(ctx context.Context) ([]string, error) {
	names, err := a.packages.list(ctx, "-3")
	slices.Sort(names)
	return names, err
}

// otherUser is what Samsung's and others' phones with a second user (a secure folder, a work profile) say where none is
// named.
var otherUser = lazyregexp.New(`does not have permission to access user \d+`)

// pm runs the package manager, for the phone's first user where it may not for all.
func (k *packages) pm(ctx context.Context, verb, args string) (output, error) {
	cmd := command{name: "pm " + verb, line: strings.TrimSpace("pm " + verb + " " + args), limit: clearLimit,
		readOnly: verb != "uninstall"}
	o, err := k.phone.run(ctx, cmd)
	if err != nil || !otherUser.MatchString(o.text()) {
		return o, err
	}
	cmd.line = strings.TrimSpace("pm " + verb + " --user 0 " + args)
	return k.phone.run(ctx, cmd)
}

// mustBeInstalled returns ErrNoApp, with the names that are near, for a package that the phone does not have.
func (k *packages) mustBeInstalled(ctx context.Context, pkg string) error {
	all, err := k.list(ctx, "")
	if errors.Is(err, errUntold) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(all) == 0 || slices.Contains(all, pkg) {
		return nil
	}
	own, err := k.list(ctx, "-3")
	if err != nil {
		return err
	}
	hint := ""
	if names := near(pkg, own); len(names) > 0 {
		hint = "; did you mean " + strings.Join(names, " or ") + "?"
	}
	return fmt.Errorf("device %s: %w: %s is not installed%s", k.phone.link.serial, drivers.ErrNoApp, pkg, hint)
}

// packages returns the names that `pm list packages` lists with an option.
func (k *packages) list(ctx context.Context, option string) ([]string, error) {
	o, err := k.pm(ctx, "list packages", option)
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(o.out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "package:"); ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 && (o.code != 0 || strings.Contains(o.text(), "Exception")) {
		return nil, fmt.Errorf("device %s: %w: %s", k.phone.link.serial, errUntold, o.reason())
	}
	return names, nil
}

var errUntold = errors.New("it does not report which apps it has")

// near returns at most three names that someone who wrote name may have meant.
func near(name string, names []string) []string {
	type candidate struct {
		name string
		cost int
	}
	var list []candidate
	last := name[strings.LastIndex(name, ".")+1:]
	for _, n := range names {
		cost := screen.EditDistance([]rune(name), []rune(n))
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
