package foreign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// pattern finds the texts of Maestro that are regular expressions on purpose. It reads every text as one, and most are
// plain: "Pay (test)." is.
var pattern = lazyregexp.New(`\.[*+?]|\\[dDwWsSbB.()\[\]+*?$^|/]|[^ |]\|[^ |]|^\^|\[[^\]]*-[^\]]*\]|` +
	`[\])][*+?{]|\{\d+(,\d*)?\}`)

// maestroKeys are the keys of a Maestro selector that only change their names.
var maestroKeys = map[string]string{"id": "id", "css": "css", "index": "index", "enabled": "enabled",
	"checked": "checked", "selected": "selected", "focused": "focused", "text": "label", "label": "name",
	"optional": "optional", "below": "below", "above": "above", "leftOf": "leftOf", "rightOf": "rightOf",
	"childOf": "inside", "containsChild": "child", "containsDescendants": "contains", "traits": "", "width": "",
	"height": "", "tolerance": ""}

// element translates a selector of Maestro into the keys of one of Taproot. more is what the command has in addition,
// as for keys.
func (t *translation) element(v source.Value, more string) []source.Field {
	if v.Kind != source.Map {
		if simple(v) {
			return t.label(source.Field{Key: "label", Value: v})
		}
		t.doubt("nothing says which element is meant")
		return nil
	}
	extra := renames(more)
	var fields []source.Field
	for _, f := range v.Fields {
		if to, command := extra[f.Key]; command {
			if f.Key = to; to != "-" {
				fields = append(fields, f)
			}
			continue
		}
		fields = append(fields, t.criterion(f)...)
	}
	return fields
}

// criterion translates one key of a selector of Maestro.
func (t *translation) criterion(f source.Field) []source.Field {
	own, known := maestroKeys[f.Key]
	switch {
	case f.Value.Kind == source.Null:
		return nil // as if it were not there
	case !known:
		t.doubt(fmt.Sprintf("%q has no counterpart", f.Key))
		return nil
	case own == "":
		t.doubt(fmt.Sprintf("%q needs match: maestro, which reads the whole selector as Maestro does", f.Key))
		return nil
	}
	named := f.Key
	f.Key = own
	switch named {
	case "text":
		return t.label(f)
	case "id":
		if simple(f.Value) && pattern.MatchString(f.Value.Text) {
			return []source.Field{f, key("match", textOf("regex"))}
		}
	case "below", "above", "leftOf", "rightOf", "childOf", "containsChild":
		f.Value = t.nested(f.Value)
	case "containsDescendants":
		items := slices.Clone(f.Value.Items)
		for i := range items {
			items[i] = t.nested(items[i])
		}
		f.Value.Items = items
	}
	return []source.Field{f}
}

// label is a text of Maestro: a label, or a pattern that labels match.
func (t *translation) label(f source.Field) []source.Field {
	if pattern.MatchString(f.Value.Text) {
		return []source.Field{f, key("match", textOf("regex"))}
	}
	return []source.Field{f}
}

// nested translates a selector within another one.
func (t *translation) nested(v source.Value) source.Value { return selectorValue(t.element(v, ""), v) }

// selectorValue is a selector as the value of a key: a label alone is a text.
func selectorValue(fields []source.Field, was source.Value) source.Value {
	if len(fields) == 1 && fields[0].Key == "label" && simple(fields[0].Value) {
		return fields[0].Value
	}
	v := source.Value{Kind: source.Map, Fields: fields}
	if was.Kind == source.Map {
		v.Pos = was.Pos
	}
	return v
}

// on makes a step of an action that takes a selector of Maestro.
func on(action, more string) func(*translation) {
	return func(t *translation) {
		if t.bare() {
			t.example(action, "nothing says which element is meant")
			return
		}
		t.options(action, "label", t.element(t.arg, more))
	}
}

// pageKeys are the keys under which people name an element of a page, with the key of a selector that each is.
var pageKeys = map[string]string{"css": "css", "xpath": "xpath", "id": "id", "text": "label", "label": "label",
	"hasText": "label", "placeholder": "hint", "role": "type", "name": "label", "testId": "testId", "testid": "testId",
	"nth": "index", "index": "index", "first": "first"}

// locatorKeys are the keys that hold a locator as Playwright, Cypress and Selenium write it.
var locatorKeys = []string{"selector", "locator", "element", "target", "query", "field", "on"}

// locator translates what names an element in tools for pages. The second result is what is left of a map; keys that a
// command uses for something else are not the element's.
func (t *translation) locator(v source.Value, others ...string) (fields, rest []source.Field) {
	if v.Kind != source.Map {
		if !simple(v) {
			t.doubt("nothing says which element is meant")
			return nil, nil
		}
		return t.parsed(source.Field{Value: v}), nil
	}
	for _, f := range v.Fields {
		own, known := pageKeys[f.Key]
		switch {
		case slices.Contains(others, f.Key):
			rest = append(rest, f)
		case slices.Contains(locatorKeys, f.Key):
			if f.Value.Kind == source.Map {
				inner, more := t.locator(f.Value)
				fields, rest = append(fields, inner...), append(rest, more...)
				continue
			}
			fields = append(fields, t.parsed(f)...)
		case f.Key == "timeout":
			f.Key = timeout
			rest = append(rest, f)
		case f.Key == "force" || f.Key == "noWaitAfter" || f.Key == "exact":
			// Taproot always waits until an element can be reached, and compares whole texts.
		case f.Key == "optional":
			rest = append(rest, f)
		case known:
			f.Key = own
			fields = append(fields, f)
		default:
			rest = append(rest, f)
			t.doubt(fmt.Sprintf("%q has no counterpart", f.Key))
		}
	}
	return fields, rest
}

// engines are the prefixes of Playwright's selectors, with the keys that they are here.
var engines = map[string]string{"css": "css", "xpath": "xpath", "text": "label", "id": "id", "datatestid": "testId",
	"testid": "testId", "label": "label", "placeholder": "hint"}

var (
	roleForm = lazyregexp.New(`^role=([a-z]+)(?:\[name=["']([^"']+)["'](?: i| s)?\])?$`)
	tagForm  = lazyregexp.New(`^(?:[a-z][a-z0-9-]*)?(?:[#.][A-Za-z_-][\w-]*|\[[^\]]+\]|:[a-z-]+(?:\([^)]*\))?)+$`)
	tags     = strings.Fields("a article aside body button div form h1 h2 h3 h4 h5 h6 header footer iframe img input li " +
		"main nav ol option p section select span table tbody td textarea th tr ul video")
)

// parsed reads the text of a locator.
func (t *translation) parsed(f source.Field) []source.Field {
	text := strings.TrimSpace(f.Value.Text)
	put := func(key, rest string) []source.Field {
		f.Key = key
		if rest != f.Value.Text {
			f.Value = with(f.Value, rest)
		}
		return []source.Field{f}
	}
	if t.phone() { // no selector of pages works there
		return put("label", f.Value.Text)
	}
	if m := roleForm.FindStringSubmatch(text); m != nil {
		fields := put("type", m[1])
		if m[2] != "" {
			fields = append(fields, key("label", textOf(m[2])))
		}
		return fields
	}
	engine, rest, given := strings.Cut(text, "=")
	if own, known := engines[phrase.Fold(engine)]; given && known {
		return put(own, strings.Trim(rest, `"'`))
	}
	switch {
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "(//"):
		return put("xpath", text)
	case isCSS(text):
		return put("css", f.Value.Text)
	case slices.Contains(tags, text):
		if f.Key == "selector" || f.Key == "locator" {
			return put("css", f.Value.Text)
		}
		t.doubt(fmt.Sprintf("%q may be an element of HTML, or what an element shows: label: %s", text, text))
		return put("css", f.Value.Text)
	}
	return put("label", f.Value.Text)
}

// isCSS reports whether a text is a CSS selector, and nothing that a page would show.
func isCSS(text string) bool {
	if text == "" || strings.Contains(text, "${") {
		return false
	}
	parts := strings.Fields(strings.NewReplacer(">", " ", "+", " ", "~", " ").Replace(text))
	strong := false
	for _, part := range parts {
		switch {
		case tagForm.MatchString(part):
			strong = true
		case !slices.Contains(tags, part):
			return false
		}
	}
	return strong || len(parts) > 1 && strings.ContainsAny(text, ">+~")
}

// target is a locator as the value of a key.
func (t *translation) target(v source.Value) source.Value {
	fields, rest := t.locator(v)
	if len(rest) > 0 {
		t.doubt(fmt.Sprintf("%q has no counterpart", rest[0].Key))
	}
	return selectorValue(fields, v)
}

// onPage makes a step of an action that takes a selector.
func onPage(action string, others ...string) func(*translation) {
	return func(t *translation) {
		if t.bare() {
			t.example(action, "nothing says which element is meant")
			return
		}
		fields, rest := t.locator(t.arg, others...)
		t.options(action, "label", append(fields, rest...))
	}
}

// selectorText is a locator as a text, which the actions of pages take under selector. kind is the engine of a text
// that is not a selector.
func (t *translation) selectorText(fields []source.Field, kind string) source.Value {
	if len(fields) == 1 && simple(fields[0].Value) {
		f := fields[0]
		switch f.Key {
		case "css", "xpath":
			return f.Value
		case "label":
			return with(f.Value, kind+"="+f.Value.Text)
		case "id":
			return with(f.Value, "#"+f.Value.Text)
		case "testId", "hint":
			return with(f.Value, map[string]string{"testId": "testId", "hint": "placeholder"}[f.Key]+"="+f.Value.Text)
		case "type":
			return with(f.Value, "role="+f.Value.Text)
		}
	}
	if len(fields) == 2 && fields[0].Key == "type" && fields[1].Key == "label" {
		return with(fields[0].Value, fmt.Sprintf("role=%s[name='%s']", fields[0].Value.Text, fields[1].Value.Text))
	}
	t.doubt("nothing says which element is meant")
	return textOf("#menu")
}

// inPage makes a step of an action of pages that takes the element as text under selector. names renames its other
// keys, as for keys.
func inPage(action, kind, names string, add ...source.Field) func(*translation) {
	return func(t *translation) {
		var others []string
		own := map[string]string{}
		for part := range strings.FieldsSeq(names) {
			from, to, renamed := strings.Cut(part, "=")
			if !renamed {
				to = from
			}
			own[from], others = to, append(others, from)
		}
		arg := t.arg
		if arg.Kind == source.List && len(arg.Items) == 2 && len(others) > 0 { // select("#a", "b")
			arg = source.Value{Kind: source.Map, Fields: []source.Field{{Key: "selector", Value: arg.Items[0]},
				{Key: others[0], Value: arg.Items[1]}}}
		}
		if t.bare() {
			t.example(action, "nothing says which element is meant")
			return
		}
		fields, rest := t.locator(arg, others...)
		all := []source.Field{{Key: "selector", Value: t.selectorText(fields, kind)}}
		if len(fields) > 0 {
			all[0].Pos = fields[0].Pos
		}
		for _, f := range rest {
			if to, renamed := own[f.Key]; renamed {
				f.Key = to
			}
			if f.Key != "-" {
				all = append(all, f)
			}
		}
		t.options(action, shortKey(action), append(all, add...))
	}
}
