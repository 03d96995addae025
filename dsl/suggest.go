package dsl

import (
	"fmt"
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
	case "doubletapon", "doubleclick", "dblclick":
		return "doubleTap", ""
	case "longpresson", "longtap", "hold":
		return "longPress", ""
	case "inputtext", "type", "typetext", "enter", "entertext", "write", "sendkeys":
		return "input", ""
	case "inputrandomemail", "inputrandomtext", "inputrandomnumber", "inputrandompersonname", "inputrandomcityname", "inputrandomcountryname", "inputrandomcolorname":
		return "input", `write "- input: {random: email}" (or name, number, text, phone, word, city, country, color)`
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
	case "goback", "pressback", "navigateback":
		return "press", `write "- press: back"`
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
	case "hover", "mouseover":
		return "webHover", ""
	case "select", "selectoption":
		return "webSelect", ""
	case "check", "uncheck", "setchecked":
		return "webCheck", ""
	case "upload", "setinputfiles":
		return "webUpload", ""
	case "download":
		return "webDownload", ""
	case "waitforurl", "waitforresponse", "waitforrequest", "waitforselector", "waitforloadstate":
		return "webWait", ""
	case "reload", "refresh":
		return "webNavigate", `write "- webNavigate: {to: reload}"`
	case "webgoto", "webopen":
		return "webNavigate", ""
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
	case "aitap", "aiinput", "aiassert", "aiquery", "aiact", "ai":
		return "assertVisual", `elements go by what they show: "- tap: Sign in"; an AI model is asked by assertVisual and by extract: {prompt: …}`
	case "takescreenshot", "capture":
		return "screenshot", ""
	case "record":
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
