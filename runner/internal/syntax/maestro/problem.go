package maestro

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// foreign suggests the command that a word of another tool, or of another version, probably means: by what it does, and
// by what it does it to. "" when nothing is near.
func foreign(name string) string {
	parts := nameParts(name)
	has := func(any string) bool {
		return slices.ContainsFunc(strings.Fields(any), func(p string) bool { return slices.Contains(parts, p) })
	}
	for _, m := range meanings {
		if has(m.does) && (m.to == "" || has(m.to)) && (m.but == "" || !has(m.but)) {
			if strings.Contains(m.write, " ") {
				return m.write
			}
			return fmt.Sprintf("did you mean %q?", m.write)
		}
	}
	return ""
}

// meanings are tried in their order: what a word says that is done, to what, and what it does not say.
var meanings = []struct{ does, to, but, write string }{
	{does: "on", to: "start begin", write: "onFlowStart is a key of the config, above the line ---"},
	{does: "on", to: "end complete finish failure fail error exit",
		write: "onFlowComplete is a key of the config, above the line ---"},
	{does: "before setup", write: "onFlowStart is a key of the config, above the line ---"},
	{does: "after teardown cleanup", write: "onFlowComplete is a key of the config, above the line ---"},
	{does: "screenshot snapshot", to: "assert compare match verify check", write: "assertScreenshot"},
	{does: "screenshot snapshot capture photo", but: "record recording video screenrecord", write: "takeScreenshot"},
	{does: "record recording video screenrecord", to: "stop end finish", write: "stopRecording"},
	{does: "record recording video screenrecord", write: "startRecording"},
	{does: "wait until sleep pause delay", to: "animation animations settle idle stable", write: "waitForAnimationToEnd"},
	{does: "wait until sleep pause delay", but: "scroll",
		write: "wait for an element: extendedWaitUntil: {visible: …, timeout: …}"},
	{does: "scroll", to: "to until find into view visible element", write: "scrollUntilVisible"},
	{does: "scroll", write: "scroll goes down alone; swipe: {direction: UP} is the same, DOWN the other way"},
	{does: "double", to: "tap click press touch", write: "doubleTapOn"},
	{does: "long hold", to: "tap click press touch", write: "longPressOn"},
	{does: "key enter", to: "press key send hit", but: "text", write: "pressKey"},
	{does: "hide dismiss close", to: "keyboard ime", write: "hideKeyboard"},
	{does: "swipe fling drag flick pan pull", write: "swipe"},
	{does: "clear", to: "state data app storage cache", write: "clearState"},
	{does: "clear", to: "keychain", write: "clearKeychain"},
	{does: "clear erase delete empty", to: "text input field value", write: "eraseText"},
	{does: "clear erase delete", write: "eraseText"},
	{does: "set change", to: "clipboard", write: "setClipboard"},
	{does: "paste", write: "pasteText"},
	{does: "copy get read", to: "text from value", write: "copyTextFrom"},
	{does: "enter type input fill write send set", to: "text keys value field string into", write: "inputText"},
	{does: "type fill", write: "inputText"},
	{does: "not no gone missing hidden invisible absent disappear disappears",
		to:    "assert expect verify check should exists exist visible see",
		write: "assertNotVisible"},
	{does: "assert expect verify check should", to: "true equal equals condition that is", but: "visible exists exist",
		write: "assertTrue"},
	{does: "assert expect verify check should see exists visible", write: "assertVisible"},
	{does: "kill terminate", write: "killApp"},
	{does: "stop close quit exit", to: "app application", write: "stopApp"},
	{does: "launch start open activate restart relaunch run", to: "app application activity", write: "launchApp"},
	{does: "open go visit navigate load deep goto", to: "link url deeplink page browser to website goto visit",
		write: "openLink"},
	{does: "back", write: "back"},
	{does: "home", to: "press go", write: "pressKey: Home"},
	{does: "rotate orientation landscape portrait", write: "setOrientation"},
	{does: "location gps geolocation", write: "setLocation"},
	{does: "permission permissions grant", write: "setPermissions"},
	{does: "airplane", write: "setAirplaneMode"},
	{does: "dark theme", write: "setDarkMode"},
	{does: "media photo push", to: "add upload media push", write: "addMedia"},
	{does: "flow subflow include call import", write: "runFlow"},
	{does: "script js javascript", to: "eval evaluate execute", write: "evalScript"},
	{does: "script js javascript", write: "runScript"},
	{does: "loop times for foreach while", write: "repeat"},
	{does: "if when", write: "runFlow: {when: …, commands: […]}"},
	{does: "tap click touch press select choose", write: "tapOn"},
}

// nameParts are the words of a name in camel case, with hyphens, underscores or blanks, in lower case.
func nameParts(name string) []string {
	var parts []string
	var part strings.Builder
	end := func() {
		if part.Len() > 0 {
			parts = append(parts, strings.ToLower(part.String()))
			part.Reset()
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(runes[i-1]):
			end()
		}
		part.WriteRune(r)
	}
	end()
	return parts
}

// problems collects what is wrong with one file. Its errors go to the list of all files, its warnings stay its own.
type problems struct {
	source   *source.Source
	errs     *source.Errors
	warnings []*source.Error
}

func (p *problems) fail(pos source.Pos, width int, msg, hint string) {
	*p.errs = append(*p.errs, &source.Error{Pos: pos, Width: width, Msg: msg, Hint: hint, Source: p.source})
}

// warn reports what Maestro accepts in silence.
func (p *problems) warn(pos source.Pos, width int, msg, hint string) {
	p.warnings = append(p.warnings, &source.Error{Pos: pos, Width: width, Msg: msg, Hint: hint, Source: p.source})
}

// keys refuses keys that a map cannot have; where Maestro takes them, they are warnings.
func (r values) keys(v source.Raw, what string, allowed []string, strict bool) {
	for _, f := range v.Fields {
		if slices.Contains(allowed, f.Key) {
			continue
		}
		msg, hint := fmt.Sprintf("unknown key %q in %q", short(f.Key), what),
			cmp.Or(invented[what+"."+f.Key], near(f.Key, allowed))
		if hint == "" {
			hint = "it can have " + strings.Join(allowed, ", ")
		}
		if strict {
			r.fail(f.Pos, len([]rune(f.Key)), msg, hint)
		} else {
			r.warn(f.Pos, len([]rune(f.Key)), msg+": it means nothing", hint)
		}
	}
}

// invented are keys and commands that Maestro does not have and people write, and what it has instead.
var invented = map[string]string{
	"assertVisible.timeout":    "for a time of its own write extendedWaitUntil: {visible: …, timeout: …}",
	"assertNotVisible.timeout": "for a time of its own write extendedWaitUntil: {notVisible: …, timeout: …}",
	"tapOn.timeout":            "tapOn waits 17 seconds; to wait longer write extendedWaitUntil before it",
	"scroll.direction": "scroll always goes down: write - scroll alone; to see what is above, write swipe: " +
		"{direction: DOWN}",
	"inputText.id": "inputText types where the focus is: write tapOn: {id: …} before it",
	"wait":         "wait for an element: extendedWaitUntil: {visible: …, timeout: …}",
	"sleep":        "wait for an element: extendedWaitUntil: {visible: …, timeout: …}",
	"clearText":    "write eraseText",
	"clearInput":   "write eraseText",
	"openBrowser":  "Maestro has openLink: {link: …, browser: true}",
}

func near(word string, known []string) string {
	if like := dsl.Suggest(word, known); like != "" {
		return fmt.Sprintf("did you mean %q?", like)
	}
	return ""
}
