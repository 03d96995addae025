package android

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
)

// launchLimit is longer than the 10 s for which `am start -W` itself waits, because a cold start on a busy phone waits before.
const launchLimit = 45 * time.Second

var appName = regexp.MustCompile(`^[A-Za-z]\w*(\.\w+)*(/[\w.$]+)?$`)

// Launch starts the app's launcher activity, or the activity named behind a slash ("com.example.app/.Settings"). With force it
// is stopped first. It returns when Android says that the activity is there.
func (d *Device) Launch(ctx context.Context, app string, force bool) error {
	if !appName.MatchString(app) {
		return fmt.Errorf("device %s: %w: %q is not a package name", d.link.serial, drivers.ErrNoApp, app)
	}
	pkg, activity, _ := strings.Cut(app, "/")
	if force {
		o, err := d.run(ctx, command{name: "am force-stop", line: "am force-stop " + pkg})
		if err != nil {
			return err
		}
		if o.code != 0 {
			return fmt.Errorf("device %s: stop %s: %s", d.link.serial, pkg, o.reason())
		}
	}
	if activity != "" {
		return d.start(ctx, pkg, app)
	}
	o, err := d.run(ctx, command{name: "resolve-activity", line: "cmd package resolve-activity --brief " + pkg})
	if err != nil {
		return err
	}
	if component := resolved(string(o.out), pkg); component != "" {
		return d.start(ctx, pkg, component)
	}
	if err := d.mustBeInstalled(ctx, pkg); err != nil {
		return err
	}
	return d.launchByMonkey(ctx, pkg)
}

// resolved finds the component in the answer of `resolve-activity --brief`. The answer of another package is Android's question
// which app to take, not an answer.
func resolved(answer, pkg string) string {
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, pkg+"/") && appName.MatchString(line) {
			return line
		}
	}
	return ""
}

// start runs `am start` and reads its answer.
func (d *Device) start(ctx context.Context, pkg, component string) error {
	line := "am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n " + shellescape.Quote(component)
	o, err := d.run(ctx, command{name: "am start", line: line, limit: launchLimit})
	if err != nil {
		return err
	}
	started, problem := parseStart(o)
	if problem == "" {
		d.log.Debug("launched", "component", component, "answer", started)
		return nil
	}
	if err := d.mustBeInstalled(ctx, pkg); err != nil {
		return err
	}
	if strings.HasPrefix(problem, "Error") || strings.Contains(problem, "SecurityException") {
		return fmt.Errorf("device %s: %w: %s: %s", d.link.serial, drivers.ErrNoApp, component, problem)
	}
	return fmt.Errorf("device %s: launch %s: %s", d.link.serial, component, problem)
}

// parseStart tells whether `am start -W` started something. Only the beginnings of lines count: the intent is echoed, with
// whatever text it carries. A warning ("its current task has been brought to the front") is a success; so is a status of timeout,
// which says that the app is not done drawing.
func parseStart(o output) (status, problem string) {
	complete, vague := false, ""
	for line := range strings.Lines(o.text()) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "Error"), strings.HasPrefix(line, "java.lang."), strings.HasPrefix(line, "android."):
			problem = cmp.Or(problem, clip(line, 300))
		case strings.HasPrefix(line, "Exception occurred"), strings.HasPrefix(line, "Security exception"):
			vague = cmp.Or(vague, clip(line, 300)) // the exception itself follows
		case strings.HasPrefix(line, "Status: "):
			status = strings.TrimPrefix(line, "Status: ")
		case strings.HasPrefix(line, "Warning: "):
			status = cmp.Or(status, "ok")
		case strings.HasPrefix(line, "Complete"):
			complete = true
		}
	}
	problem = cmp.Or(problem, vague)
	switch {
	case problem != "":
		return "", problem
	case status == "ok" || status == "timeout" || complete && o.code == 0:
		return cmp.Or(status, "ok"), ""
	case o.code != 0 || status != "":
		return "", "status " + cmp.Or(status, o.reason())
	}
	return "", o.reason()
}

// launchByMonkey is for Androids without resolve-activity, and for apps that only Leanback or a chooser can start.
func (d *Device) launchByMonkey(ctx context.Context, pkg string) error {
	line := "monkey -p " + pkg + " -c android.intent.category.LAUNCHER 1"
	o, err := d.run(ctx, command{name: "monkey", line: line, limit: launchLimit})
	if err != nil {
		return err
	}
	if strings.Contains(o.text(), "Events injected: 1") {
		return nil
	}
	if strings.Contains(o.text(), "No activities found to run") || o.code == 252 {
		return fmt.Errorf("device %s: %w: %s is installed and has nothing that a launcher could start",
			d.link.serial, drivers.ErrNoApp, pkg)
	}
	return fmt.Errorf("device %s: launch %s: monkey: %s", d.link.serial, pkg, o.reason())
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
		cost := distance(name, n)
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

// distance counts the edits between two names, which a package list keeps short.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
