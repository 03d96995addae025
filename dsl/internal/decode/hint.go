package decode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// unknown explains a key that does not belong here.
func (d *Decoding) unknown(f source.Field, v source.Value, o Object, s *vocabulary.Shape) {
	allowed := s.Keys()
	hint := "allowed here: " + strings.Join(allowed, ", ")
	if o.Options != nil {
		options := slices.DeleteFunc(o.Options.Keys(), func(key string) bool { return slices.Contains(allowed, key) })
		if hint += "; and of every step: " + strings.Join(options, ", "); len(allowed) == 0 {
			hint = "allowed here: " + strings.Join(options, ", ")
		}
		allowed = append(allowed, options...)
	}
	how, near := foreignArgument(f.Key, allowed), OwnKey(f.Key, allowed)
	switch _, point := v.Get("point"); {
	case point && f.Value.Kind == source.Null && source.Resolve(strings.TrimSuffix(f.Key, "%")) != source.String:
		hint = `put the point in quotes: point: "120,340"`
	case how != "":
		hint = how
	case near != "":
		hint = fmt.Sprintf("did you mean %q?", near)
	case len(allowed) == 0:
		hint = "no value is possible here"
	}
	d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("unknown key %q in %q", phrase.LimitRunes(f.Key, 60), o.Name), hint)
}

// foreignPlatform returns our word for what a test runs on; "" when none fits.
func foreignPlatform(word string) string {
	switch phrase.Fold(word) {
	case "chrome", "chromium", "firefox", "safari", "edge", "webkit", "browser", "desktop", "html", "page":
		return string(vocabulary.Web)
	case "iphone", "ipad", "apple", "ipados":
		return string(vocabulary.IOS)
	case "apk", "emulator", "google", "phone":
		return string(vocabulary.Android)
	case "all", "any", "phones", "native":
		return "mobile"
	default:
		return ""
	}
}

// OwnKey returns the key, out of those allowed, that replaces one that is mistyped or that another tool has; "" without
// any.
func OwnKey(word string, allowed []string) string {
	spelled := phrase.Nearest(word, []string{"text", "resourceId", "timeout", "value", "title", "className", "appId"})
	return cmp.Or(foreignKey(word, allowed), phrase.Nearest(word, allowed), foreignKey(spelled, allowed))
}

func foreignKey(word string, allowed []string) string {
	for _, own := range ownKeys(phrase.Fold(word)) {
		if slices.Contains(allowed, own) {
			return own
		}
	}
	return ""
}

func ownKeys(folded string) []string {
	switch folded {
	case "appid", "bundleid", "app", "packagename", "applicationid":
		return []string{"package"}
	case "stopapp", "restart", "kill":
		return []string{"force"}
	case "clearstate", "cleardata", "fresh", "reset":
		return []string{"clear", "force"}
	case "text", "name", "title", "caption", "accessibilitylabel", "contentdescription", "contentdesc", "desc", "value",
		"content":
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
		return []string{"inside"}
	case "under", "beneath":
		return []string{"below"}
	case "wait", "timeoutseconds", "timelimit":
		return []string{"timeout"}
	case "var", "environment":
		return []string{"vars"}
	case "step", "flows":
		return []string{"steps"}
	case "description", "label":
		return []string{"into", "name"}
	case "css", "query", "locator", "element", "target", "field", "selector":
		return []string{"selector", "label", "into"}
	case "href", "link", "page", "address":
		return []string{"url"}
	case "tag", "labels", "groups":
		return []string{"tags"}
	case "os", "device":
		return []string{"platform"}
	case "position", "coordinates", "xy", "at":
		return []string{"point"}
	case "repeat", "often", "presses", "taps", "clicks":
		return []string{"times"}
	case "hidden", "disappears", "invisible", "absent":
		return []string{"notVisible"}
	case "idx", "nth", "no", "number", "count", "times", "max":
		return []string{"index", "times", "count", "limit"}
	case "duration", "ms", "millis", "milliseconds", "delay", "durationseconds", "delayseconds":
		return []string{"duration", "for", "delay"}
	case "condition", "if", "expression", "expr":
		return []string{"cond", "when", "expr"}
	case "do", "commands", "actions", "body", "flow", "steps", "tasks":
		return []string{"steps", "then"}
	case "onflowstart", "setup", "beforeall", "beforeeach":
		return []string{"before"}
	case "onflowcomplete", "teardown", "afterall", "aftereach":
		return []string{"after"}
	case "catch", "rescue", "onerror", "otherwise":
		return []string{"onFailure", "else"}
	case "finally", "ensure":
		return []string{"always"}
	case "items", "list", "of", "over":
		return []string{"in"}
	case "env", "vars", "params", "args", "variables":
		return []string{"vars", "with", "arguments"}
	case "into":
		return []string{"selector", "as"}
	case "saveas", "output", "result", "save":
		return []string{"as"}
	case "path", "filename", "apk":
		return []string{"file", "files"}
	case "start":
		return []string{"from"}
	case "end":
		return []string{"to"}
	default:
		return nil
	}
}

// foreignArgument says how to write what another tool has a key for, when the name of a key alone does not say it; ""
// otherwise.
func foreignArgument(word string, allowed []string) string {
	has := func(key string) bool { return slices.Contains(allowed, key) }
	folded := phrase.Fold(word)
	switch {
	case has("selector"):
		return webSelector(folded, has)
	case has("notVisible") && has("url") && slices.Contains([]string{"label", "text", "id", "css", "xpath", "testid",
		"selector", "element"}, folded):
		return fmt.Sprintf("write the element under what is waited for: visible: {%s: …}, or notVisible:",
			cmp.Or(map[string]string{"testid": "testId", "selector": "css", "element": "label"}[folded], folded))
	case has("css") && !has("visible") && slices.Contains([]string{"visible", "hidden", "displayed", "exists", "present",
		"gone"}, folded):
		return "assert: holds when the element can be seen, assertNot: when it cannot"
	case has("css") && (folded == "title" || folded == "url") && has("describe"):
		return fmt.Sprintf("the page's own is asked by webAssert: {%s: …}", folded)
	case has("viewport") && (folded == "width" || folded == "height" || folded == "size" || folded == "resolution"):
		return `write viewport: "1280x720"`
	case has("match") && (folded == "regex" || folded == "regexp" || folded == "pattern"):
		return `write label: "…", match: regex`
	case has("match") && folded == "exact":
		return "write match: exact"
	case (folded == "text" || folded == "label") && has("inside") && has("amount"):
		return "to scroll until an element shows, write scrollTo: {label: …}; to scroll within one, inside: {label: …}"
	case (folded == "text" || folded == "label") && has("inside") && has("direction") && !has("css"):
		return "write the element in which the fingers move: inside: {label: …}"
	case (folded == "text" || folded == "label") && has("keys") && !has("css"):
		return "press is for keys; a button on the screen is tapped: tap: {label: …}"
	case has("css") && folded == "selector":
		return `write css: "#menu", or what the element shows as label`
	case has("point") && (folded == "x" || folded == "y"):
		return `write the place as one text: point: "120,340"`
	case has("at") && has("route") && slices.Contains([]string{"lat", "lon", "lng", "latitude", "longitude"}, folded):
		return `write the place as one text: at: "52.52,13.405"`
	case has("for") && !has("absent") && (folded == "seconds" || folded == "minutes" || folded == "time"):
		return "write the time with its unit: for: 2s"
	}
	return ""
}

// webSelector says how an element of a page is found by something else than CSS, and what is asked of it.
func webSelector(folded string, has func(string) bool) string {
	how := map[string]string{"text": "text=Sign in", "label": "label=E-mail", "role": "role=button[name='Save']",
		"id":     "#menu",
		"testid": "testId=submit", "placeholder": "placeholder=Search", "xpath": "xpath=//h1"}[folded]
	switch {
	case how != "" && !has(folded):
		return `write selector: "` + how + `"`
	case has("visible") && (folded == "hidden" || folded == "state" || folded == "gone"):
		return "write visible: true, or visible: false"
	case has("text") && (folded == "contains" || folded == "hastext" || folded == "containstext"):
		return "write text: …, which may be whole words within a longer text"
	}
	return ""
}
