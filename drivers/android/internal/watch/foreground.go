package watch

import (
	"context"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

var (
	focusLine   = lazyregexp.New(`(?m)^\s*mCurrentFocus=(.*)$`)
	focusedApp  = lazyregexp.New(`(?m)^\s*mFocusedApp=(.*)$`)
	resumedLine = lazyregexp.New(
		`(?m)^\s*(?:topResumedActivity=|mResumedActivity:|ResumedActivity:|mFocusedActivity:)\s*(.*)$`)
	component = lazyregexp.New(`(?:^|[\s{])([A-Za-z]\w*(?:\.\w+)+)/[\w.$]+`)
)

// Foreground names the package of the focused window, or of the focused app where the window is the system's (the
// status bar, a popup). During a change of windows there is none, and the answer is "".
func (w *Watcher) Foreground(ctx context.Context) (string, error) {
	said, err := w.focus(ctx)
	if err != nil {
		return "", err
	}
	if pkg, known := parseFocus(said); known {
		return pkg, nil
	}
	o, err := w.Phone.Run(ctx, adb.Command{Name: "dumpsys activity activities", ReadOnly: true,
		Line: "dumpsys activity activities"})
	if err != nil {
		return "", err
	}
	for _, m := range resumedLine.FindAllStringSubmatch(string(o.Out), -1) {
		if pkg := packageIn(m[1]); pkg != "" {
			return pkg, nil
		}
	}
	return "", nil
}

// focus queries the window manager for what has the focus. The part of its dump that reports it changed with Android
// 10.
func (w *Watcher) focus(ctx context.Context) (string, error) {
	parts := []string{"displays", "windows"}
	if w.Phone.Info.APILevel > 0 && w.Phone.Info.APILevel < 29 {
		slices.Reverse(parts)
	}
	for _, part := range parts {
		line := "dumpsys window " + part
		o, err := w.Phone.Run(ctx, adb.Command{Name: line, ReadOnly: true, Line: line})
		if err != nil || focusLine.Match(o.Out) || focusedApp.Match(o.Out) {
			return string(o.Out), err
		}
	}
	return "", nil
}

// parseFocus reads the window manager's dump. known is false where it says nothing about the focus.
func parseFocus(text string) (pkg string, known bool) {
	window := false
	for _, m := range focusLine.FindAllStringSubmatch(text, -1) { // one per display
		known = true
		focus := strings.TrimSpace(m[1])
		if focus == "" || focus == "null" {
			continue
		}
		window = true
		if pkg := packageIn(focus); pkg != "" {
			return pkg, true
		}
	}
	if known && !window {
		return "", true // between two windows
	}
	for _, m := range focusedApp.FindAllStringSubmatch(text, -1) {
		if pkg := packageIn(m[1]); pkg != "" {
			return pkg, true
		}
	}
	return "", known
}

func packageIn(text string) string {
	if m := component.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}
