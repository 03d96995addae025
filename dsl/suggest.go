package dsl

import (
	"slices"
	"strings"
)

// nearest gives the candidate that the author most likely meant, or "".
func nearest(word string, candidates []string) string {
	best, bestDistance := "", 3
	for _, c := range candidates {
		if fold(word) == fold(c) {
			return c
		}
		// A short word is near to everything: "id" must not be taken for "if".
		limit := min(2, (max(len(word), len(c))-1)/2)
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= limit && d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// fold makes spellings equal that differ only in case, hyphens, underscores or blanks.
func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(s))
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
func foreignAction(word string) (name, how string) {
	switch fold(word) {
	case "tapon", "click", "clickon", "press", "touch":
		return "tap", ""
	case "inputtext", "type", "typetext", "enter", "entertext", "write", "sendkeys":
		return "input", ""
	case "fill", "webinput", "webfill":
		return "webType", ""
	case "assertvisible", "asserttext", "waitfor", "extendedwaituntil", "expect", "see", "shouldsee", "verify":
		return "assert", ""
	case "webassertvisible", "webexpect":
		return "webAssert", ""
	case "launchapp", "startapp", "openapp", "start", "run":
		return "launch", ""
	case "appid", "bundleid", "package":
		return "launch", "write \"- launch: {package: …}\""
	case "waitforanimationtoend", "waituntilstable", "wait", "sleep", "delay", "pause":
		return "waitStable", ""
	case "goto", "navigate", "visit", "open", "openurl", "openlink", "openpage", "url":
		return "openBrowser", ""
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
		return []string{"force"}
	case "text", "name", "title", "caption", "accessibilitylabel", "contentdescription", "value", "content":
		return []string{"label", "text"}
	case "resourceid", "accessibilityid", "identifier", "testname":
		return []string{"id"}
	case "class", "classname", "role", "kind":
		return []string{"type"}
	case "datatestid":
		return []string{"testId"}
	case "containschild", "containsdescendants", "has", "child":
		return []string{"contains"}
	case "childof", "within", "in", "parent", "container":
		return []string{"inside"}
	case "under", "beneath":
		return []string{"below"}
	case "timeout", "wait", "timeoutseconds":
		return []string{"timeoutMs"}
	case "env", "variables", "var", "environment":
		return []string{"vars"}
	case "commands", "flow", "actions", "step", "flows":
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
	case "nth", "no", "number":
		return []string{"index"}
	default:
		return nil
	}
}
