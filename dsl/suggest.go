package dsl

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// nearest gives the candidate that the author most likely meant, or "".
func nearest(word string, candidates []string) string {
	best, bestDistance, folded := "", 3, fold(word)
	for _, c := range candidates {
		if folded == fold(c) {
			return c
		}
		// A short word is near to everything: "id" must not be taken for "if".
		limit := min(2, max(len(word), len(c))/3)
		if far := len([]rune(word)) - len([]rune(c)); far > limit || -far > limit {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= limit && d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// fold makes spellings equal that differ only in case, hyphens, underscores or blanks.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// distance is the Damerau-Levenshtein distance (optimal string alignment) of two short words.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return 64
	}
	var before, row []int
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row = make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}

// foreignAction gives our word for an action of another tool, and how to write it when the name alone is not enough.
func foreignAction(word string, p Platform) (name, how string) {
	switch fold(word) {
	case "tapon", "click", "clickon", "touch", "tapelement":
		return "tap", ""
	case "doubletapon", "doubleclick":
		return "doubleTap", ""
	case "longpresson", "longtap", "hold":
		return "longPress", ""
	case "inputtext", "type", "typetext", "enter", "entertext", "write", "sendkeys":
		return "input", ""
	case "inputrandomemail", "inputrandomtext", "inputrandomnumber", "inputrandompersonname":
		return "input", `write "- input: {random: email}" (or name, number, text, phone, word)`
	case "fill", "webinput", "webfill":
		return "webType", ""
	case "erasetext", "cleartext", "deletetext":
		return "erase", ""
	case "copytextfrom":
		return "copyText", ""
	case "pastetext":
		return "paste", ""
	case "presskey", "key", "keyevent", "sendkey":
		return "press", ""
	case "back", "home":
		return "press", fmt.Sprintf(`write "- press: %s"`, fold(word))
	case "scrolluntilvisible", "scrolltoelement", "scrollintoview":
		return "scrollTo", ""
	case "assertvisible", "asserttext", "expect", "see", "shouldsee", "verify", "assertexists":
		return "assert", ""
	case "assertnotvisible", "dontsee", "shouldnotsee", "assertnotexists", "assertgone":
		return "assertNot", ""
	case "evaltrue", "assertthat", "assertequals":
		return "assertTrue", ""
	case "webassertvisible", "webexpect":
		return "webAssert", ""
	}
	return foreignTool(word, p)
}

// foreignTool goes on with apps, devices, browsers and control.
func foreignTool(word string, p Platform) (name, how string) {
	switch fold(word) {
	case "launchapp", "startapp", "openapp", "start":
		return "launch", ""
	case "appid", "bundleid", "package":
		return "launch", "write \"- launch: {package: …}\""
	case "stopapp", "killapp", "kill", "terminate", "closeapp":
		return "stop", ""
	case "clearstate", "clearappdata", "resetapp":
		return "clearApp", ""
	case "waitforanimationtoend", "waituntilstable":
		return "waitStable", ""
	case "wait", "delay", "pause":
		return "sleep", fmt.Sprintf(`write "- waitFor: …", which takes no longer than it must, or "- sleep: %s"`, "2s")
	case "extendedwaituntil", "waituntil", "waitforelement", "waituntilvisible":
		return "waitFor", ""
	case "waituntilgone", "waitfornot", "waituntilnotvisible":
		return "waitFor", `write "- waitFor: {gone: …}"`
	case "goto", "navigate", "visit", "open", "openurl", "openpage", "url":
		if p == Web || p == "" {
			return "openBrowser", ""
		}
		return "openLink", ""
	case "takescreenshot", "capture":
		return "screenshot", ""
	case "startrecording", "stoprecording", "record":
		return "", "every test is recorded by itself; remove the line"
	case "setairplanemode", "toggleairplanemode":
		return "airplane", ""
	case "setorientation", "orientation":
		return "rotate", ""
	case "runflow", "call", "include", "import", "flow":
		return "run", ""
	case "evalscript", "runscript", "javascript", "execute", "evaluate", "script":
		return "webEval", ""
	case "loop", "while", "times":
		return "repeat", ""
	case "foreach", "for", "each":
		return "forEach", ""
	case "request", "fetch", "curl", "api":
		return "http", ""
	case "print", "echo", "comment", "note":
		return "log", ""
	case "setvar", "var", "let", "define":
		return "set", ""
	default:
		return "", ""
	}
}

// foreignKey gives the key of ours, out of those allowed, that stands for a key of another tool.
func foreignKey(word string, allowed []string) string {
	common := nearest(word, []string{"text", "resourceId", "timeout", "value", "title", "className", "appId"})
	for _, w := range []string{word, common} {
		for _, own := range ownKeys(fold(w)) {
			if slices.Contains(allowed, own) {
				return own
			}
		}
	}
	return ""
}

func ownKeys(folded string) []string {
	switch folded {
	case "appid", "bundleid", "app", "packagename", "applicationid":
		return []string{"package"}
	case "stopapp", "clearstate", "restart", "fresh", "kill":
		return []string{"force", "clear"}
	case "text", "name", "title", "caption", "accessibilitylabel", "contentdescription", "value", "content":
		return []string{"label", "text", "message"}
	case "resourceid", "accessibilityid", "identifier", "testname":
		return []string{"id"}
	case "class", "classname", "role", "kind":
		return []string{"type"}
	case "datatestid":
		return []string{"testId"}
	case "containschild", "containsdescendants", "has", "child":
		return []string{"contains"}
	case "childof", "within", "parent", "container":
		return []string{"inside", "in"}
	case "under", "beneath":
		return []string{"below"}
	case "timeout", "wait", "timeoutseconds":
		return []string{"timeoutMs"}
	case "var", "environment":
		return []string{"vars"}
	case "step", "flows":
		return []string{"steps"}
	case "description", "label":
		return []string{"name"}
	case "css", "query", "locator", "element", "target":
		return []string{"selector", "label"}
	case "href", "link", "page", "address":
		return []string{"url"}
	case "tag", "labels", "groups":
		return []string{"tags"}
	case "os", "device":
		return []string{"platform"}
	case "position", "coordinates", "xy", "at":
		return []string{"point"}
	case "nth", "no", "number", "count", "times", "max":
		return []string{"index", "times", "count", "limit"}
	case "duration", "ms", "millis", "milliseconds", "delay":
		return []string{"durationMs", "ms", "delayMs"}
	case "condition", "if", "expression", "expr":
		return []string{"cond", "when", "expr"}
	case "do", "commands", "actions", "body", "flow":
		return []string{"steps", "then"}
	case "catch", "rescue", "onerror", "otherwise":
		return []string{"onFailure", "else"}
	case "finally", "ensure":
		return []string{"always"}
	case "items", "list", "of", "over":
		return []string{"in"}
	case "env", "vars", "params", "args", "variables":
		return []string{"vars", "with", "arguments"}
	case "saveas", "output", "into", "result", "save":
		return []string{"as"}
	case "path", "filename":
		return []string{"file", "path"}
	case "start":
		return []string{"from"}
	case "end":
		return []string{"to"}
	default:
		return nil
	}
}
