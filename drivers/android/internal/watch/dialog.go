package watch

import (
	"context"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// systemDialog is a dialog in which the system says that an app does not respond or has stopped.
type systemDialog struct{ kind, process string }

// complaintLine is what the window manager calls such a dialog's window, by the name of the process that it is about.
var complaintLine = lazyregexp.New(
	`(?m)^\s*mCurrentFocus=Window\{\S+ (?:\S+ )?Application (Not Responding|Error): ([\w.:]+)`)

func parseComplaint(dumpsys string) (systemDialog, bool) {
	m := complaintLine.FindStringSubmatch(dumpsys)
	if m == nil {
		return systemDialog{}, false
	}
	kind := drivers.CrashANR
	if m[1] == "Error" {
		kind = drivers.CrashException
	}
	return systemDialog{kind, m[2]}, true
}

func (c systemDialog) says() string {
	if c.kind == drivers.CrashANR {
		return c.process + " does not respond"
	}
	return c.process + " has stopped"
}

// about reports whether the dialog is about an app or a process of its own.
func (c systemDialog) about(pkg string) bool {
	name, _, _ := strings.Cut(c.process, ":")
	return name == pkg
}

// systemDialog looks whether such a dialog has the focus.
func (w *Watcher) systemDialog(ctx context.Context) (systemDialog, bool, error) {
	said, err := w.focus(ctx)
	c, open := parseComplaint(said)
	return c, open, err
}

// Obstacle is a keyguard that has come down meanwhile, a display that went dark, or the system's dialog about another
// app, which no test of this one can know of: "System UI isn't responding".
func (w *Watcher) Obstacle(ctx context.Context) (string, error) {
	if what := w.Phone.LockState(ctx).Problem(); what != "" {
		return what, nil
	}
	pkg := w.App.launched().pkg
	if pkg == "" {
		return "", nil // the process at fault is unknown
	}
	said, err := w.focus(ctx)
	return Complaint(said, pkg), err
}

// FocusCommand has the window manager say what has the focus, on every Android.
const FocusCommand = "dumpsys window displays; dumpsys window windows"

// Complaint says what a dialog of the system about another app than pkg keeps from being seen, by what the window
// manager says of the focus; "": there is none.
func Complaint(focus, pkg string) string {
	c, open := parseComplaint(focus)
	if !open || c.about(pkg) {
		return ""
	}
	return fmt.Sprintf("the system shows a dialog, because %s, which is not %s: answer it, or restart the phone",
		c.says(), pkg)
}

// complainedOf is a crash of which the log has nothing left, but which the system's dialog still shows.
func (w *Watcher) complainedOf(ctx context.Context, pkg string) (*drivers.Crash, error) {
	c, open, err := w.systemDialog(ctx)
	if err != nil || !open || !c.about(pkg) {
		return nil, err
	}
	return &drivers.Crash{App: pkg, Kind: c.kind, Reason: "the system says that " + c.says()}, nil
}
