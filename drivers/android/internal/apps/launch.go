package apps

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/watch"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Apps launches, stops and changes the apps of a phone.
type Apps struct {
	Phone    *phone.Phone
	Packages *Packages
	App      *watch.App
}

// launchLimit is longer than the 10 s for which `am start -W` itself waits, because a cold start on a busy phone waits
// before.
const launchLimit = 45 * time.Second

// Launch starts the app's main activity (see mainActivity), or the one named behind a slash
// ("com.example.app/.Settings"). With force it is stopped first. It returns when Android says that the activity is
// there.
func (a *Apps) Launch(ctx context.Context, app string, force bool) error {
	return a.LaunchWith(ctx, app, drivers.LaunchOptions{Force: force})
}

// LaunchWith does what the options say before it launches: the data goes first, because permissions go with it. With
// arguments an activity that is open already is opened again: Android passes no new arguments to an open one.
func (a *Apps) LaunchWith(ctx context.Context, app string, how drivers.LaunchOptions) error {
	pkg, activity, err := a.Packages.splitApp(app)
	if err != nil {
		return err
	}
	extras, err := Extras(how.Arguments)
	if err != nil {
		return fmt.Errorf("device %s: launch %s: %w", a.Phone.Link.Serial, app, err)
	}
	if err := a.beforeLaunch(ctx, pkg, how); err != nil {
		return err
	}
	component := app
	if activity == "" {
		if component, err = a.mainActivity(ctx, pkg); err != nil {
			return err
		}
	}
	return a.start(ctx, pkg, component, options(extras))
}

func (a *Apps) beforeLaunch(ctx context.Context, pkg string, how drivers.LaunchOptions) error {
	if how.Clear {
		if err := a.ClearApp(ctx, pkg); err != nil {
			return err
		}
	}
	if len(how.Permissions) > 0 {
		if err := a.SetPermissions(ctx, pkg, how.Permissions); err != nil {
			return err
		}
	}
	if how.Force {
		return a.forceStop(ctx, pkg)
	}
	return nil
}

// Extra is an argument of a launch. Kind is Android's letter for its type: z for true and false, i and l for whole
// numbers, s for text.
type Extra struct{ Kind, Name, Value string }

// Extras are the arguments of a launch, sorted by their names: true and false as booleans, whole numbers as such, the
// rest as text.
func Extras(arguments map[string]string) (list []Extra, err error) {
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		value, kind := arguments[name], "s"
		if name == "" || strings.ContainsRune(name+value, 0) {
			return nil, fmt.Errorf("the argument %q cannot be given to an app", name)
		}
		if value == "true" || value == "false" {
			kind = "z"
		} else if n, err := strconv.ParseInt(value, 10, 64); err == nil && strconv.FormatInt(n, 10) == value {
			kind = "i"
			if n != int64(int32(n)) {
				kind = "l"
			}
		}
		list = append(list, Extra{kind, name, value})
	}
	return list, nil
}

// options writes arguments as options of `am start`.
func options(extras []Extra) string {
	var b strings.Builder
	for _, e := range extras {
		fmt.Fprintf(&b, " --e%s %s %s", e.Kind, shellescape.Quote(e.Name), shellescape.Quote(e.Value))
	}
	if len(extras) > 0 {
		b.WriteString(" --activity-clear-task")
	}
	return b.String()
}

// start runs `am start` and reads its answer.
func (a *Apps) start(ctx context.Context, pkg, component, extras string) error {
	o, err := a.amStart(ctx, "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n "+
		shellescape.Quote(component)+extras)
	if err != nil {
		return err
	}
	a.App.Launched(pkg, o)
	started, problem := ParseStart(o)
	if problem == "" {
		a.Phone.Log.Debug("launched", "component", component, "answer", started)
		return nil
	}
	if err := a.Packages.MustBeInstalled(ctx, pkg); err != nil {
		return err
	}
	if strings.HasPrefix(problem, "Error") || strings.Contains(problem, "SecurityException") {
		return fmt.Errorf("device %s: %w: %s: %s", a.Phone.Link.Serial, drivers.ErrNoApp, component, problem)
	}
	return fmt.Errorf("device %s: launch %s: %s", a.Phone.Link.Serial, component, problem)
}

// foreignUser is what a phone with a work profile, or another second user, says to a start that does not name its user.
var foreignUser = lazyregexp.New(`(?i)SecurityException.*(?:\buser\b|INTERACT_ACROSS_USERS)`)

// amStart runs `am start` behind the phone's date. Where the phone needs a user, it is the
// foreground user.
func (a *Apps) amStart(ctx context.Context, args string) (adb.Output, error) {
	start := func(user string) (adb.Output, error) {
		return a.Phone.Run(ctx, adb.Command{Name: "am start", Line: watch.DeviceDate + "; am start -W " + user + args,
			Limit: launchLimit})
	}
	o, err := start("")
	if _, problem := ParseStart(o); err == nil && problem != "" && foreignUser.MatchString(o.Text()) {
		return start("--user current ")
	}
	return o, err
}

// ParseStart reports whether `am start -W` started something. Only the beginnings of lines count: the intent is echoed,
// with whatever text it carries. A warning ("its current task has been brought to the front") is a success; so is a
// status of timeout, which says that the app is not done drawing.
func ParseStart(o adb.Output) (status, problem string) {
	complete, failed := false, false
	for line := range strings.Lines(o.Text()) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "Error"), strings.HasPrefix(line, "java.lang."), strings.HasPrefix(line, "android."),
			strings.HasPrefix(line, "Exception occurred"), strings.HasPrefix(line, "Security exception"):
			failed = true
		case strings.HasPrefix(line, "Status: "):
			status = strings.TrimPrefix(line, "Status: ")
		case strings.HasPrefix(line, "Warning: "):
			status = cmp.Or(status, "ok")
		case strings.HasPrefix(line, "Complete"):
			complete = true
		}
	}
	switch {
	case failed:
		return "", o.Reason()
	case status == "ok" || status == "timeout" || complete && o.Code == 0:
		return cmp.Or(status, "ok"), ""
	case o.Code != 0 || status != "":
		return "", "status " + cmp.Or(status, o.Reason())
	}
	return "", o.Reason()
}
