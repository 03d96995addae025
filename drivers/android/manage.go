package android

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/shorten"
)

const (
	clearLimit = 30 * time.Second
	dieLimit   = 8 * time.Second // for the kill of `pm clear`, which comes 1 to 1.5 s after its "Success"
	diePoll    = 100 * time.Millisecond
)

// Stop force-stops an app. What it does after that is not a crash.
func (a *apps) Stop(ctx context.Context, app string) error {
	pkg, err := a.packages.packageOf(app)
	if err != nil {
		return err
	}
	if err := a.forceStop(ctx, pkg); err != nil {
		return err
	}
	a.app.unwatch(pkg)
	// `am force-stop` says nothing of an app that is not there.
	o, err := a.packages.pm(ctx, "path", pkg)
	if err != nil || strings.Contains(string(o.out), "package:") {
		return err
	}
	return a.packages.mustBeInstalled(ctx, pkg)
}

func (a *apps) forceStop(ctx context.Context, pkg string) error {
	o, err := a.phone.run(ctx, command{name: "am force-stop", line: "am force-stop " + pkg})
	if err != nil {
		return err
	}
	if o.failed() {
		return fmt.Errorf("device %s: stop %s: %s", a.phone.link.serial, pkg, a.phone.why(o))
	}
	return nil
}

// ClearApp removes an app's data and its permissions. It waits for the process that ran: `pm clear` kills it a second
// after its answer, and with it whatever was launched in between.
func (a *apps) ClearApp(ctx context.Context, app string) error {
	pkg, err := a.packages.packageOf(app)
	if err != nil {
		return err
	}
	a.app.unwatch(pkg)
	o, err := a.phone.run(ctx, command{name: "pm clear", line: "pidof " + pkg + "; pm clear " + pkg, limit: clearLimit})
	if err != nil {
		return err
	}
	if !hasLine(string(o.out), "Success") {
		if err := a.packages.mustBeInstalled(ctx, pkg); err != nil {
			return err
		}
		return fmt.Errorf("device %s: clear %s: %s", a.phone.link.serial, pkg, a.phone.why(o))
	}
	return a.waitDead(ctx, pkg, pids(o.out))
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
func (a *apps) waitDead(ctx context.Context, pkg string, old map[string]bool) error {
	wait, cancel := context.WithTimeoutCause(ctx, dieLimit, errAlive)
	defer cancel()
	for len(old) > 0 {
		o, err := a.phone.run(ctx, command{name: "pidof", readOnly: true, line: "pidof " + pkg})
		if err != nil {
			return err
		}
		alive := false
		for pid := range pids(o.out) {
			alive = alive || old[pid]
		}
		if !alive {
			return nil
		}
		if err := drivers.Pause(wait, diePoll); errors.Is(err, errAlive) {
			return fmt.Errorf("device %s: clear %s: its process is still there %v after its data was removed",
				a.phone.link.serial,
				pkg, dieLimit)
		} else if err != nil {
			return a.phone.link.fault(ctx, "clear "+pkg, err)
		}
	}
	return nil
}

// OpenLink lets Android, or the app that is named, view a link. When several apps can, Android may ask on the screen.
func (a *apps) OpenLink(ctx context.Context, link, app string) error {
	if link == "" || strings.ContainsRune(link, 0) {
		return fmt.Errorf("device %s: %w: %q is not a link", a.phone.link.serial, drivers.ErrNoApp, link)
	}
	line := "-a android.intent.action.VIEW -d " + shellescape.Quote(link)
	if app != "" {
		pkg, err := a.packages.packageOf(app)
		if err != nil {
			return err
		}
		line += " -p " + pkg
	}
	o, err := a.amStart(ctx, line)
	if err != nil {
		return err
	}
	_, problem := parseStart(o)
	if problem == "" {
		if app != "" {
			a.app.watch(app, o)
		}
		return nil
	}
	if app != "" {
		if err := a.packages.mustBeInstalled(ctx, app); err != nil {
			return err
		}
	}
	if strings.HasPrefix(problem, "Error") || strings.Contains(problem, "SecurityException") {
		return fmt.Errorf("device %s: %w: nothing opens %s: %s", a.phone.link.serial, drivers.ErrNoApp, shorten.Bytes(link,
			200),
			problem)
	}
	return fmt.Errorf("device %s: open %s: %s", a.phone.link.serial, shorten.Bytes(link, 200), problem)
}
