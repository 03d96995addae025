package android

import (
	"context"
	"regexp"
	"strings"
)

var (
	focusLine   = regexp.MustCompile(`(?m)^\s*mCurrentFocus=(.*)$`)
	focusedApp  = regexp.MustCompile(`(?m)^\s*mFocusedApp=(.*)$`)
	resumedLine = regexp.MustCompile(`(?m)^\s*(?:topResumedActivity=|mResumedActivity:|ResumedActivity:|mFocusedActivity:)\s*(.*)$`)
	component   = regexp.MustCompile(`(?:^|[\s{])([A-Za-z]\w*(?:\.\w+)+)/[\w.$]+`)
)

// Foreground names the package of the focused window, or of the focused app where the window is the system's (the status bar, a
// popup). During a change of windows there is none, and the answer is "".
func (d *Device) Foreground(ctx context.Context) (string, error) {
	first, second := "dumpsys window displays", "dumpsys window windows"
	if d.info.APILevel > 0 && d.info.APILevel < 29 {
		first, second = second, first
	}
	for _, line := range []string{first, second} {
		o, err := d.run(ctx, command{name: line, line: line})
		if err != nil {
			return "", err
		}
		if pkg, known := parseFocus(string(o.out)); known {
			return pkg, nil
		}
	}
	o, err := d.run(ctx, command{name: "dumpsys activity activities", line: "dumpsys activity activities"})
	if err != nil {
		return "", err
	}
	for _, m := range resumedLine.FindAllStringSubmatch(string(o.out), -1) {
		if pkg := packageIn(m[1]); pkg != "" {
			return pkg, nil
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

var (
	inputShown = regexp.MustCompile(`\bmInputShown=(true|false)`)
	viewShown  = regexp.MustCompile(`\bmIsInputViewShown=(true|false)`)
)

// KeyboardShown asks the input method service.
func (d *Device) KeyboardShown(ctx context.Context) (bool, error) {
	o, err := d.run(ctx, command{name: "dumpsys input_method", line: "dumpsys input_method"})
	if err != nil {
		return false, err
	}
	return parseKeyboard(string(o.out)), nil
}

// parseKeyboard prefers what the service says to what the keyboard itself says, which stays true for a while after it was hidden.
func parseKeyboard(dumpsys string) bool {
	for _, line := range []*regexp.Regexp{inputShown, viewShown} {
		if m := line.FindStringSubmatch(dumpsys); m != nil {
			return m[1] == "true"
		}
	}
	return false
}
