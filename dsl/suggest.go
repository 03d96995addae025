package dsl

import (
	"fmt"

	"github.com/taproot-dev/taproot/internal/suggest"
)

// foreignAction returns our word for an action of another tool, and how to write it when the name alone is not enough.
func foreignAction(word string, p Platform) (name, how string) {
	switch suggest.Fold(word) {
	case "tapon", "click", "clickon", "touch", "tapelement":
		return "tap", ""
	case "doubletapon", "doubleclick", "dblclick":
		return "doubleTap", ""
	case "longpresson", "longtap", "hold":
		return "longPress", ""
	case "inputtext", "type", "typetext", "enter", "entertext", "write", "sendkeys":
		return "input", ""
	case "inputrandomemail", "inputrandomtext", "inputrandomnumber", "inputrandompersonname", "inputrandomcityname",
		"inputrandomcountryname", "inputrandomcolorname":
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
	case "back", "goback", "pressback", "navigateback":
		if p == Web {
			return "webNavigate", `write "- webNavigate: {to: back}"`
		}
		return "press", `write "- press: back"`
	case "home":
		return "press", `write "- press: home"`
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
	case "asserturl", "verifyurl", "expecturl", "checkurl":
		return "webAssert", `write "- webAssert: {url: …}"`
	case "asserttitle", "verifytitle", "expecttitle", "checktitle":
		return "webAssert", `write "- webAssert: {title: …}"`
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

// foreignPlatform returns our word for what a test runs on; "" when none fits.
func foreignPlatform(word string) string {
	switch suggest.Fold(word) {
	case "chrome", "chromium", "firefox", "safari", "edge", "webkit", "browser", "desktop", "html", "page":
		return string(Web)
	case "iphone", "ipad", "apple", "ipados":
		return string(IOS)
	case "apk", "emulator", "google", "phone":
		return string(Android)
	case "mobile", "all", "any":
		return string(Both)
	default:
		return ""
	}
}

// foreignTool continues with apps, devices, browsers and control.
func foreignTool(word string, p Platform) (name, how string) {
	switch suggest.Fold(word) {
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
		return "assertVisual",
			`elements go by what they show: "- tap: Sign in"; an AI model is asked by assertVisual and by extract: {prompt: …}`
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
	case "evalscript", "runscript", "javascript", "execute", "evaluate", "script", "eval", "js":
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
