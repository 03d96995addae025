package apps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	clearLimit = 30 * time.Second
	dieLimit   = 8 * time.Second // for the kill of `pm clear`, which comes 1 to 1.5 s after its "Success"
	diePoll    = 100 * time.Millisecond
)

// Stop force-stops an app. What it does after that is not a crash.
func (a *Apps) Stop(ctx context.Context, app string) error {
	pkg, err := a.Packages.PackageOf(app)
	if err != nil {
		return err
	}
	if err := a.forceStop(ctx, pkg); err != nil {
		return err
	}
	a.App.Forget(pkg)
	// `am force-stop` says nothing of an app that is not there.
	o, err := a.Packages.pm(ctx, "path", pkg)
	if err != nil || strings.Contains(string(o.Out), "package:") {
		return err
	}
	return a.Packages.MustBeInstalled(ctx, pkg)
}

func (a *Apps) forceStop(ctx context.Context, pkg string) error {
	o, err := a.Phone.Run(ctx, adb.Command{Name: "am force-stop", Line: "am force-stop " + pkg})
	if err != nil {
		return err
	}
	if o.Failed() {
		return fmt.Errorf("device %s: stop %s: %s", a.Phone.Link.Serial, pkg, a.Phone.Why(o))
	}
	return nil
}

// ClearApp removes an app's data and its permissions. It waits for the process that ran: `pm clear` kills it a second
// after its answer, and with it whatever was launched in between.
func (a *Apps) ClearApp(ctx context.Context, app string) error {
	pkg, err := a.Packages.PackageOf(app)
	if err != nil {
		return err
	}
	a.App.Forget(pkg)
	o, err := a.Phone.Run(ctx, adb.Command{Name: "pm clear", Line: "pidof " + pkg + "; pm clear " + pkg,
		Limit: clearLimit})
	if err != nil {
		return err
	}
	if !adb.HasLine(string(o.Out), "Success") {
		if err := a.Packages.MustBeInstalled(ctx, pkg); err != nil {
			return err
		}
		return fmt.Errorf("device %s: clear %s: %s", a.Phone.Link.Serial, pkg, a.Phone.Why(o))
	}
	return a.waitDead(ctx, pkg, pids(o.Out))
}

// pids reads the answer of pidof, which is the first line if there is one.
func pids(out []byte) map[string]bool {
	list := map[string]bool{}
	line, _, _ := strings.Cut(string(out), "\n")
	for f := range strings.FieldsSeq(line) {
		if strings.Trim(f, "0123456789") != "" {
			return nil
		}
		list[f] = true
	}
	return list
}

var errAlive = errors.New("still alive")

// waitDead waits until none of the processes is left.
func (a *Apps) waitDead(ctx context.Context, pkg string, old map[string]bool) error {
	wait, cancel := context.WithTimeoutCause(ctx, dieLimit, errAlive)
	defer cancel()
	for len(old) > 0 {
		o, err := a.Phone.Run(ctx, adb.Command{Name: "pidof", ReadOnly: true, Line: "pidof " + pkg})
		if err != nil {
			return err
		}
		alive := false
		for pid := range pids(o.Out) {
			alive = alive || old[pid]
		}
		if !alive {
			return nil
		}
		if err := drivers.Pause(wait, diePoll); errors.Is(err, errAlive) {
			return fmt.Errorf("device %s: clear %s: its process is still there %v after its data was removed",
				a.Phone.Link.Serial,
				pkg, dieLimit)
		} else if err != nil {
			return a.Phone.Link.Fault(ctx, "clear "+pkg, err)
		}
	}
	return nil
}

// OpenLink lets Android, or the app that is named, view a link. When several apps can, Android may ask on the screen.
func (a *Apps) OpenLink(ctx context.Context, link, app string) error {
	if link == "" || strings.ContainsRune(link, 0) {
		return fmt.Errorf("device %s: %w: %q is not a link", a.Phone.Link.Serial, drivers.ErrNoApp, link)
	}
	line := "-a android.intent.action.VIEW -d " + shellescape.Quote(link)
	if app != "" {
		pkg, err := a.Packages.PackageOf(app)
		if err != nil {
			return err
		}
		line += " -p " + pkg
	}
	o, err := a.amStart(ctx, line)
	if err != nil {
		return err
	}
	_, problem := ParseStart(o)
	if problem == "" {
		if app != "" {
			a.App.Launched(app, o)
		}
		return nil
	}
	if app != "" {
		if err := a.Packages.MustBeInstalled(ctx, app); err != nil {
			return err
		}
	}
	if strings.HasPrefix(problem, "Error") || strings.Contains(problem, "SecurityException") {
		return fmt.Errorf(
			"device %s: %w: nothing opens %s: %s",
			a.Phone.Link.Serial,
			drivers.ErrNoApp,
			phrase.LimitBytes(link,
				200),
			problem,
		)
	}
	return fmt.Errorf("device %s: open %s: %s", a.Phone.Link.Serial, phrase.LimitBytes(link, 200), problem)
}

// Kill ends the process of an app in the background, as a system short of memory does.
func (a *Apps) Kill(ctx context.Context, app string) error {
	pkg, err := a.Packages.PackageOf(app)
	if err != nil {
		return err
	}
	o, err := a.Phone.Run(ctx, adb.Command{Name: "am kill", Line: "am kill " + pkg})
	if err == nil && (o.Failed()) {
		err = fmt.Errorf("device %s: kill %s: %s", a.Phone.Link.Serial, pkg, a.Phone.Why(o))
	}
	return err
}
