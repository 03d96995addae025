package check

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// severalKeys explains a step with more than one key: an argument that is not indented, or a forgotten "- ".
func (d *reader) severalKeys(fields []source.Field, def *vocabulary.Def) {
	for _, f := range fields[1:] {
		hint := `start a new step with "- ", or indent this line`
		arguments := vocabulary.ShapeOf(reflect.TypeFor[vocabulary.StepOptions]()).Keys()
		if def != nil {
			arguments = append(arguments, vocabulary.ShapeOf(reflect.TypeOf(def.Args)).Keys()...)
		}
		_, action := vocabulary.Lookup(f.Key)
		near := phrase.Nearest(f.Key, vocabulary.ActionNames())
		switch {
		case slices.Contains(arguments, f.Key) && fields[0].Value.Kind == source.Null:
			hint = fmt.Sprintf("indent it by two more spaces, so that it belongs to %q", fields[0].Key)
		case slices.Contains(arguments, f.Key) && def != nil:
			hint = fmt.Sprintf("put everything that belongs to %q into its map: %s", fields[0].Key, together(fields[0], f, def))
		case f.Key == "if" && def != nil:
			when := source.Field{Key: "when", Value: f.Value}
			hint = fmt.Sprintf("a condition of one step is its key when: %s", together(fields[0], when, def))
		case action:
			hint = fmt.Sprintf(`start a new step: "- %s: …"`, f.Key)
		case near != "":
			hint = fmt.Sprintf(`did you mean a new step, "- %s: …"?`, near)
		}
		d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("a step has one action, and %q is a second key next to %q",
			phrase.LimitRunes(f.Key, 60), phrase.LimitRunes(fields[0].Key, 60)), hint)
	}
}

// together shows an action and a stray argument as they should be written.
func together(action, stray source.Field, def *vocabulary.Def) string {
	v := source.Value{Kind: source.Map}
	s := vocabulary.ShapeOf(reflect.TypeOf(def.Args))
	switch {
	case action.Value.Kind == source.Map:
		v.Fields = append(v.Fields, action.Value.Fields...)
	case s.Scalar >= 0:
		v.Fields = append(v.Fields, source.Field{Key: s.Fields[s.Scalar].Name, Value: action.Value})
	}
	v.Fields = append(v.Fields, stray)
	return action.Key + ": " + source.Flow(v)
}

// notAStep explains an entry of the list that is not a map.
func (d *reader) notAStep(v source.Value) {
	switch v.Kind {
	case source.Null, source.Map:
		d.Fail(v.Pos, 0, "this step is empty", "write an action, or remove the line")
	case source.List:
		d.Fail(v.Pos, 0, "a list where a step should be", `start each step with one "- "`)
	default:
		d.bareText(v)
	}
}

func (d *reader) bareText(v source.Value) {
	word, rest, colon := strings.Cut(v.Text, ":")
	if nbsp := strings.ContainsRune(v.Text, '\u00a0'); nbsp && colon {
		pos := source.Locate(d.Source, v.Pos, "\u00a0")
		d.Fail(pos, 1, "a no-break space (U+00A0) where a plain space should be", "replace it by a space")
		return
	}
	if now := vocabulary.Renamed()[word]; now != "" {
		d.Wrong(v, fmt.Sprintf("%s is called %s now", word, now),
			strings.TrimRight("write\n- "+now+": "+strings.TrimSpace(rest), " "))
		return
	}
	if def, known := vocabulary.Lookup(word); known {
		hint := fmt.Sprintf(`write "- %s:"`, word)
		switch {
		case colon && strings.ContainsAny(string(source.FirstRune(d.Source.Line(v.Pos.Line), v.Pos.Col)), `"'`):
			hint = fmt.Sprintf(`remove the quotes around it: "- %s: %s"`, word, strings.TrimSpace(rest))
		case colon:
			hint = fmt.Sprintf(`a space is missing after ":"; write "- %s: %s"`, word, strings.TrimSpace(rest))
		case def.NeedsArgument():
			hint = fmt.Sprintf(`write "- %s"`, def.Example)
		}
		d.Wrong(v, fmt.Sprintf("%q is a text, not an action with its argument", phrase.LimitRunes(v.Text, 60)), hint)
		return
	}
	hint := "start with an action: " + frequent
	first, argument, _ := strings.Cut(strings.TrimSpace(v.Text), " ")
	foreign, how := ForeignAction(first, d.Platform)
	meant := cmp.Or(foreign, phrase.Nearest(first, vocabulary.ActionNames()))
	if def, known := vocabulary.Lookup(meant); how != "" {
		hint = how
	} else if known {
		hint = fmt.Sprintf(`did you mean "- %s"?`, shortest(def))
		if argument = withoutQuotes(strings.TrimSpace(argument)); argument != "" &&
			vocabulary.ShapeOf(reflect.TypeOf(def.Args)).Scalar >= 0 {
			hint = fmt.Sprintf(`did you mean "- %s: %s"?`, def.Name,
				source.Flow(source.Value{Kind: source.String, Text: argument}))
		}
	}
	d.Wrong(v, fmt.Sprintf("the text %q is not a step", phrase.LimitRunes(v.Text, 60)), hint)
}

// withoutQuotes is a text without the quotes around it, if there are any.
func withoutQuotes(text string) string {
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}

// shortest writes the action with as little as it needs.
func shortest(def *vocabulary.Def) string {
	if def.NeedsArgument() {
		return def.Example
	}
	return def.Name + ":"
}

func (d *reader) unknownAction(f source.Field) {
	if now := vocabulary.Renamed()[f.Key]; now != "" {
		d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("%s is called %s now", f.Key, now), "write\n"+stepLine(now, f.Value))
		return
	}
	names := vocabulary.ActionNames()
	hint := "frequent actions are " + frequent
	own, how := ForeignAction(f.Key, d.Platform)
	if near := cmp.Or(own, phrase.Nearest(f.Key, names)); how != "" {
		hint = how
	} else if near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("unknown action %q", phrase.LimitRunes(f.Key, 60)), hint)
}

// stepLine writes a step on one line.
func stepLine(action string, argument source.Value) string {
	if argument.Kind == source.Null {
		return "- " + action + ":"
	}
	return "- " + action + ": " + source.Flow(argument)
}

// frequent names the actions that a first test needs.
const frequent = `tap, input, assert, waitFor, launch, openBrowser; "taproot docs" lists all`

// ForeignAction returns our word for an action of another tool, and how to write it when the name alone is not enough.
func ForeignAction(word string, p vocabulary.Platform) (name, how string) {
	switch phrase.Fold(word) {
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
		if p == vocabulary.Web {
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

// foreignTool continues with apps, devices, browsers and control.
func foreignTool(word string, p vocabulary.Platform) (name, how string) {
	switch phrase.Fold(word) {
	case "launchapp", "startapp", "openapp", "start":
		return "launch", ""
	case "appid", "bundleid", "package":
		return "launch", "write \"- launch: {package: …}\""
	case "stopapp", "terminate", "closeapp":
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
		if p == vocabulary.Web || p == "" {
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
	case "toggleairplanemode":
		return "setAirplaneMode", `write "- setAirplaneMode: {toggle: true}"`
	case "orientation":
		return "setOrientation", ""
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
