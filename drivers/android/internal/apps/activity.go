package apps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	mainAction       = "android.intent.action.MAIN"
	launcherCategory = "android.intent.category.LAUNCHER"
	leanbackCategory = "android.intent.category.LEANBACK_LAUNCHER" // of televisions
)

// mainActivity names the activity that launching an app means. An app with one activity for launchers means that one.
// Of several, the only one that belongs to the app itself is taken: its class starts with the first two words of the
// package, which those of libraries such as LeakCanary do not. In all other cases the test has to name it.
func (a *Apps) mainActivity(ctx context.Context, pkg string) (string, error) {
	all, err := a.launcherActivities(ctx, pkg)
	if err != nil {
		return "", err
	}
	own := ownActivities(pkg, all)
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(own) == 1:
		a.Phone.Log.Debug("an app with several launcher activities", "app", pkg, "all", all, "own", own[0])
		return own[0], nil
	case len(all) > 1:
		return "", fmt.Errorf("device %s: launch %s: %w", a.Phone.Link.Serial, pkg, phone.AsAppError(drivers.ErrNoApp,
			fmt.Sprintf(
				"it has %d activities for launchers, and which one is meant is not known: write %s", len(all),
				strings.Join(all, " or "))))
	}
	if err := a.Packages.MustBeInstalled(ctx, pkg); err != nil {
		return "", err
	}
	return "", fmt.Errorf(
		"device %s: %w: %s is installed and has nothing that a launcher could start; an activity can be named "+
			"behind a slash: %s/.Activity", a.Phone.Link.Serial, drivers.ErrNoApp, pkg, pkg)
}

// launcherActivities are an app's activities for launchers, as "package/activity", sorted.
func (a *Apps) launcherActivities(ctx context.Context, pkg string) ([]string, error) {
	for _, category := range []string{launcherCategory, leanbackCategory} {
		line := "cmd package query-activities --brief -a " + mainAction + " -c " + category + " -p " + pkg
		o, err := a.Phone.Run(ctx, adb.Command{Name: "query-activities", ReadOnly: true, Line: line})
		if err != nil {
			return nil, err
		}
		if o.Failed() || adb.NoSuchCommand(o) {
			return a.filteredActivities(ctx, pkg)
		}
		if found := componentsOf(string(o.Out), pkg); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// componentsOf finds the lines that name an activity of the package.
func componentsOf(answer, pkg string) []string {
	var found []string
	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, pkg+"/") && phone.AppName.MatchString(line) {
			found = append(found, line)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// filteredActivities is for Androids without query-activities: it reads the filters of the app's activities.
func (a *Apps) filteredActivities(ctx context.Context, pkg string) ([]string, error) {
	o, err := a.Phone.Run(ctx, adb.Command{Name: "dumpsys package", ReadOnly: true, Line: "dumpsys package " + pkg})
	if err != nil {
		return nil, err
	}
	return parseFilters(string(o.Out), pkg), nil
}

var filterLine = lazyregexp.New(`^[0-9a-f]+ ([\w.]+/[\w.$]+) filter [0-9a-f]+$`)

// parseFilters reads the table of activities in `dumpsys package`: below each activity stand its actions and
// categories.
func parseFilters(dumpsys, pkg string) []string {
	_, table, _ := strings.Cut(dumpsys, "Activity Resolver Table:")
	table, _, _ = strings.Cut(table, "Resolver Table:") // of receivers, services and providers
	var found []string
	component, main := "", false
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		switch m := filterLine.FindStringSubmatch(line); {
		case m != nil:
			component, main = m[1], false
		case line == "Action: \""+mainAction+"\"":
			main = true
		case main && (line == "Category: \""+launcherCategory+"\"" || line == "Category: \""+leanbackCategory+"\""):
			found = append(found, component)
		}
	}
	return componentsOf(strings.Join(found, "\n"), pkg)
}

// ownActivities returns the activities with a class that belongs to the app itself.
func ownActivities(pkg string, all []string) []string {
	words := strings.SplitN(pkg, ".", 3)
	if len(words) < 2 {
		return nil
	}
	own := words[0] + "." + words[1] + "."
	var list []string
	for _, component := range all {
		_, class, _ := strings.Cut(component, "/")
		if strings.HasPrefix(class, ".") || strings.HasPrefix(class, own) {
			list = append(list, component)
		}
	}
	return list
}
