package android

import (
	"context"
	"image"
	"slices"
	"strconv"
	"strings"

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
func (w *watcher) Foreground(ctx context.Context) (string, error) {
	said, err := w.focus(ctx)
	if err != nil {
		return "", err
	}
	if pkg, known := parseFocus(said); known {
		return pkg, nil
	}
	o, err := w.phone.run(ctx, command{name: "dumpsys activity activities", readOnly: true,
		line: "dumpsys activity activities"})
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

// focus queries the window manager for what has the focus. The part of its dump that reports it changed with Android
// 10.
func (w *watcher) focus(ctx context.Context) (string, error) {
	parts := []string{"displays", "windows"}
	if w.phone.info.APILevel > 0 && w.phone.info.APILevel < 29 {
		slices.Reverse(parts)
	}
	for _, part := range parts {
		line := "dumpsys window " + part
		o, err := w.phone.run(ctx, command{name: line, readOnly: true, line: line})
		if err != nil || focusLine.Match(o.out) || focusedApp.Match(o.out) {
			return string(o.out), err
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
	inputShown = lazyregexp.New(`\bmInputShown=(true|false)`)
	viewShown  = lazyregexp.New(`\bmIsInputViewShown=(true|false)`)
)

// KeyboardShown queries the input method service.
func (k *keyboard) KeyboardShown(ctx context.Context) (bool, error) {
	o, err := k.phone.run(ctx, command{name: "dumpsys input_method", readOnly: true, line: "dumpsys input_method"})
	if err != nil {
		return false, err
	}
	return parseKeyboard(string(o.out)), nil
}

// parseKeyboard prefers what the service says to what the keyboard itself says, which stays true for a while after it
// was hidden.
func parseKeyboard(dumpsys string) bool {
	for _, line := range []*lazyregexp.Regexp{inputShown, viewShown} {
		if m := line.FindStringSubmatch(dumpsys); m != nil {
			return m[1] == "true"
		}
	}
	return false
}

var (
	keyboardWindow = lazyregexp.New(`(?m)^\s*Window #\d+ Window\{[^}]*\bInputMethod\}:`)
	anyWindow      = lazyregexp.New(`(?m)^\s*Window #\d+ `)
	touchable      = lazyregexp.New(`touchable region=SkRegion\(((?:\(-?\d+,-?\d+,-?\d+,-?\d+\))+)`)
	regionPart     = lazyregexp.New(`\((-?\d+),(-?\d+),(-?\d+),(-?\d+)\)`)
	windowFrame    = lazyregexp.New(`\b(?:mFrame|frame)=\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]`)
	givenInsets    = lazyregexp.New(`mGiven(?:Content|Visible)Insets=\[\d+,(\d+)\]`)
)

// KeyboardArea queries the input method service for whether there is one, and the window manager where it takes
// touches: its window is often as large as the screen. Where that is not reported it is assumed to be two fifths of the
// screen.
func (k *keyboard) KeyboardArea(ctx context.Context) (image.Rectangle, error) {
	o, err := k.phone.run(ctx, command{name: "dumpsys input_method", readOnly: true,
		line: "dumpsys input_method; dumpsys window windows"})
	if err != nil || !parseKeyboard(string(o.out)) {
		return image.Rectangle{}, err
	}
	if area := parseKeyboardArea(string(o.out)); !area.Empty() {
		return area, nil
	}
	size := k.phone.screenSize()
	return image.Rect(0, size.Y*3/5, size.X, size.Y), nil
}

func parseKeyboardArea(dumpsys string) image.Rectangle {
	at := keyboardWindow.FindStringIndex(dumpsys)
	if at == nil {
		return image.Rectangle{}
	}
	section := dumpsys[at[1]:]
	if next := anyWindow.FindStringIndex(section); next != nil {
		section = section[:next[0]]
	}
	var area image.Rectangle
	if m := touchable.FindStringSubmatch(section); m != nil {
		for _, part := range regionPart.FindAllStringSubmatch(m[1], -1) {
			area = area.Union(rectangle(part[1:]))
		}
		return area
	}
	frame, insets := windowFrame.FindStringSubmatch(section), givenInsets.FindStringSubmatch(section)
	if frame == nil || insets == nil {
		return area
	}
	area = rectangle(frame[1:])
	top, _ := strconv.Atoi(insets[1])
	area.Min.Y += top
	return area
}

func rectangle(numbers []string) image.Rectangle {
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(numbers[i])
	}
	return image.Rect(n[0], n[1], n[2], n[3])
}
