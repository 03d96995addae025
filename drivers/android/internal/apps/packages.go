package apps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Packages is the phone's package manager.
type Packages struct{ Phone *phone.Phone }

// ListApps names the packages that are not part of the system.
func (a *Apps) ListApps(ctx context.Context) ([]string, error) {
	names, err := a.Packages.list(ctx, "-3")
	slices.Sort(names)
	return names, err
}

// otherUser is what Samsung's and others' phones with a second user (a secure folder, a work profile) say where none is
// named.
var otherUser = lazyregexp.New(`does not have permission to access user \d+`)

// pm runs the package manager, for the phone's first user where it may not for all.
func (k *Packages) pm(ctx context.Context, verb, args string) (adb.Output, error) {
	cmd := adb.Command{Name: "pm " + verb, Line: strings.TrimSpace("pm " + verb + " " + args), Limit: clearLimit,
		ReadOnly: verb != "uninstall"}
	o, err := k.Phone.Run(ctx, cmd)
	if err != nil || !otherUser.MatchString(o.Text()) {
		return o, err
	}
	cmd.Line = strings.TrimSpace("pm " + verb + " --user 0 " + args)
	return k.Phone.Run(ctx, cmd)
}

// MustBeInstalled returns ErrNoApp, with the names that are near, for a package that the phone does not have.
func (k *Packages) MustBeInstalled(ctx context.Context, pkg string) error {
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
	return fmt.Errorf("device %s: %w: %s is not installed%s", k.Phone.Link.Serial, drivers.ErrNoApp, pkg, hint)
}

// packages returns the names that `pm list packages` lists with an option.
func (k *Packages) list(ctx context.Context, option string) ([]string, error) {
	o, err := k.pm(ctx, "list packages", option)
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(o.Out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "package:"); ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 && (o.Code != 0 || strings.Contains(o.Text(), "Exception")) {
		return nil, fmt.Errorf("device %s: %w: %s", k.Phone.Link.Serial, errUntold, o.Reason())
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

// splitApp parts a package from the activity behind a slash, and lets nothing else through: the names go into shell
// lines.
func (k *Packages) splitApp(app string) (pkg, activity string, err error) {
	if !phone.AppName.MatchString(app) {
		return "", "", fmt.Errorf("device %s: %w: %q is not a package name", k.Phone.Link.Serial, drivers.ErrNoApp, app)
	}
	pkg, activity, _ = strings.Cut(app, "/")
	return pkg, activity, nil
}

// PackageOf is splitApp where only an app as a whole can be meant.
func (k *Packages) PackageOf(app string) (string, error) {
	pkg, activity, err := k.splitApp(app)
	if err == nil && activity != "" {
		err = fmt.Errorf("device %s: %w: %q names an activity, and this is for an app as a whole: write %s",
			k.Phone.Link.Serial,
			drivers.ErrNoApp, app, pkg)
	}
	return pkg, err
}
