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

var _ drivers.AppManager = (*Device)(nil)

// Stop force-stops an app. What it does after that is not a crash.
func (d *Device) Stop(ctx context.Context, app string) error {
	pkg, err := d.packageOf(app)
	if err != nil {
		return err
	}
	if err := d.forceStop(ctx, pkg); err != nil {
		return err
	}
	d.unwatch(pkg)
	// `am force-stop` says nothing of an app that is not there.
	o, err := d.pm(ctx, "path", pkg)
	if err != nil || strings.Contains(string(o.out), "package:") {
		return err
	}
	return d.mustBeInstalled(ctx, pkg)
}

func (d *Device) forceStop(ctx context.Context, pkg string) error {
	o, err := d.run(ctx, command{name: "am force-stop", line: "am force-stop " + pkg})
	if err != nil {
		return err
	}
	if o.failed() {
		return fmt.Errorf("device %s: stop %s: %s", d.link.serial, pkg, d.why(o))
	}
	return nil
}

// ClearApp removes an app's data and its permissions. It waits for the process that ran: `pm clear` kills it a second
// after its answer, and with it whatever was launched in between.
func (d *Device) ClearApp(ctx context.Context, app string) error {
	pkg, err := d.packageOf(app)
	if err != nil {
		return err
	}
	d.unwatch(pkg)
	o, err := d.run(ctx, command{name: "pm clear", line: "pidof " + pkg + "; pm clear " + pkg, limit: clearLimit})
	if err != nil {
		return err
	}
	if !hasLine(string(o.out), "Success") {
		if err := d.mustBeInstalled(ctx, pkg); err != nil {
			return err
		}
		return fmt.Errorf("device %s: clear %s: %s", d.link.serial, pkg, d.why(o))
	}
	return d.waitDead(ctx, pkg, pids(o.out))
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
func (d *Device) waitDead(ctx context.Context, pkg string, old map[string]bool) error {
	wait, cancel := context.WithTimeoutCause(ctx, dieLimit, errAlive)
	defer cancel()
	for len(old) > 0 {
		o, err := d.run(ctx, command{name: "pidof", readOnly: true, line: "pidof " + pkg})
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
			return fmt.Errorf("device %s: clear %s: its process is still there %v after its data was removed", d.link.serial,
				pkg, dieLimit)
		} else if err != nil {
			return d.link.fault(ctx, "clear "+pkg, err)
		}
	}
	return nil
}

// OpenLink lets Android, or the app that is named, view a link. When several apps can, Android may ask on the screen.
func (d *Device) OpenLink(ctx context.Context, link, app string) error {
	if link == "" || strings.ContainsRune(link, 0) {
		return fmt.Errorf("device %s: %w: %q is not a link", d.link.serial, drivers.ErrNoApp, link)
	}
	line := "-a android.intent.action.VIEW -d " + shellescape.Quote(link)
	if app != "" {
		pkg, err := d.packageOf(app)
		if err != nil {
			return err
		}
		line += " -p " + pkg
	}
	o, err := d.amStart(ctx, line)
	if err != nil {
		return err
	}
	_, problem := parseStart(o)
	if problem == "" {
		if app != "" {
			d.watch(app, o)
		}
		return nil
	}
	if app != "" {
		if err := d.mustBeInstalled(ctx, app); err != nil {
			return err
		}
	}
	if strings.HasPrefix(problem, "Error") || strings.Contains(problem, "SecurityException") {
		return fmt.Errorf("device %s: %w: nothing opens %s: %s", d.link.serial, drivers.ErrNoApp, shorten.Bytes(link, 200),
			problem)
	}
	return fmt.Errorf("device %s: open %s: %s", d.link.serial, shorten.Bytes(link, 200), problem)
}
