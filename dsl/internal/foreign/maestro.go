package foreign

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// waits are the keys of Maestro's taps that say how it waits. Taproot always waits until an element can be reached.
const waits = " waitUntilVisible=- waitToSettleTimeoutMs=- retryTapIfNoChange=-"

func maestroTouches() []word {
	return []word{
		{"tapOn", maestro, "Sign in", tapOn},
		{"doubleTapOn", maestro, "Photo", on("doubleTap", "point=at"+waits)},
		{"longPressOn", maestro, "Message", on("longPress", "point=at"+waits)},
		{"scrollUntilVisible", maestro, "{element: Delete account, direction: DOWN}", scrollUntilVisible},
		{"pressKey", maestro, "Enter", pressKey},
		{"back", maestro, "", fixed("press", textOf("back"))},
	}
}

func tapOn(t *translation) {
	if _, point := t.arg.Get("point"); point && !namesElement(t.arg) {
		t.options("tap", "", t.keys(t.arg, "point repeat="+times+waits))
		return
	}
	on("tap", "point=at repeat="+times+waits)(t)
}

// namesElement reports whether a selector of Maestro has a condition.
func namesElement(v source.Value) bool {
	for _, f := range v.Fields {
		if own := maestroKeys[f.Key]; own != "" && own != "name" && own != "optional" {
			return true
		}
	}
	return false
}

func scrollUntilVisible(t *translation) {
	element, given := t.arg.Get("element")
	if !given {
		on("scrollTo", "direction timeout="+timeout)(t)
		return
	}
	if element.Value.Kind == source.Map {
		t.arg.Pos = source.Pos{} // its fields come from two maps
	}
	fields := t.element(element.Value, "")
	if element.Value.Kind != source.Map && len(fields) > 0 {
		fields[0].Pos = element.Pos
	}
	for _, f := range t.keys(t.arg.Without("element"), "direction timeout="+timeout+" speed=- waitToSettleTimeoutMs=-") {
		if f.Key == "direction" {
			f.Value = lower(f.Value)
		}
		fields = append(fields, f)
	}
	t.options("scrollTo", "label", fields)
}

// pressKey keeps the name of a key. Names of several words are one word here: Volume Up is volumeUp.
func pressKey(t *translation) {
	if first, rest, several := strings.Cut(t.arg.Text, " "); several && t.arg.Kind == source.String {
		own := strings.ToLower(first)
		for word := range strings.FieldsSeq(rest) {
			own += strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
		}
		t.arg = with(t.arg, own)
	}
	needs("press", "keys", "key=keys")(t)
}

// lower writes a word of Maestro's in lower case.
func lower(v source.Value) source.Value {
	if low := strings.ToLower(v.Text); v.Kind == source.String && low != v.Text {
		return with(v, low)
	}
	return v
}

func maestroTexts() []word {
	list := []word{
		{"inputText", maestro, "ada@example.com", needs("input", "text", "text")},
		{"eraseText", maestro, "5", func(t *translation) {
			if t.bare() {
				t.step("erase", t.arg)
				return
			}
			needs("erase", "count", "charactersToErase=count")(t)
		}},
		{"copyTextFrom", maestro, "{id: code}", on("copyText", "")},
		{"pasteText", maestro, "", fixed("paste", source.Value{})},
	}
	for _, r := range [][2]string{{"Email", "email"}, {"Text", "text"}, {"Number", "number"}, {"PersonName", "name"},
		{"CityName", "city"}, {"CountryName", "country"}, {"ColorName", "color"}} {
		list = append(list, word{"inputRandom" + r[0], maestro, "", func(t *translation) {
			fields := []source.Field{key("random", textOf(r[1]))}
			if t.arg.Kind == source.Map {
				fields = append(fields, t.keys(t.arg, "length")...)
			} else if !t.bare() {
				fields = append(fields, key("length", t.arg))
			}
			t.step("input", t.like(fields))
		}})
	}
	return list
}

func maestroApps() []word {
	return []word{
		{"launchApp", maestro, "{appId: com.example.app, clearState: true}", launchApp},
		{"stopApp", maestro, "com.example.app", needs("stop", "package", "appId=package")},
		{"clearState", maestro, "com.example.app", needs("clearApp", "package", "appId=package")},
		{"clearKeychain", maestro, "", func(t *translation) {
			t.doubt("it needs the app: Taproot empties the keychain together with an app's data")
			t.step("clearApp", t.like([]source.Field{key("package", textOf("com.example.app")),
				key("keychain", truth(true))}))
		}},
		{"appId bundleId package", maestro, "com.example.app", needs("launch", "package", "")},
	}
}

func launchApp(t *translation) {
	switch {
	case t.bare():
		t.example("launch", "nothing says which app it starts")
		return
	case t.arg.Kind != source.Map:
		t.step("launch", t.like([]source.Field{key("package", t.arg), key("force", truth(true))}))
		return
	}
	if _, given := t.arg.Get("appId"); !given {
		t.doubt(`nothing says which app it starts: add "package"`)
	}
	fields := t.keys(t.arg, "appId=package clearState=clear stopApp=force permissions arguments clearKeychain=-")
	if _, given := t.arg.Get("stopApp"); !given { // Maestro stops the app first
		fields = append(fields, key("force", truth(true)))
	}
	if f, _ := t.arg.Get("clearKeychain"); strings.EqualFold(f.Value.Text, "true") {
		t.doubt("launch does not empty the keychain: clearApp: {package: …, keychain: true} does")
	}
	t.options("launch", "", fields)
}

func maestroChecks() []word {
	return []word{
		{"assertVisible", maestro, "Welcome", on("assert", "")},
		{"assertNotVisible", maestro, "Loading", on("assertNot", "")},
		{"extendedWaitUntil", maestro, "{visible: Welcome, timeout: 30000}", extendedWaitUntil},
		{"waitForAnimationToEnd waitUntilStable", maestro, "{timeout: 5000}", func(t *translation) {
			if t.bare() {
				t.step("waitStable", t.arg)
				return
			}
			t.options("waitStable", "", t.keys(t.arg, "timeout="+timeout))
		}},
		{"assertWithAI", maestro, "{assertion: The cart holds two items}",
			needs("assertVisual", "prompt", "assertion=prompt")},
		{"assertNoDefectsWithAI", maestro, "", func(t *translation) {
			t.doubt("the prompt has to say what must be on the screen")
			t.step("assertVisual", textOf("No text is cut off or covered"))
		}},
		{"extractTextWithAI", maestro, "{query: The order number, outputVariable: order}", func(t *translation) {
			if t.arg.Kind != source.Map {
				t.arg = source.Value{Kind: source.Map, Fields: []source.Field{key("query", t.arg)}}
			}
			fields := t.keys(t.arg, "query=prompt outputVariable=as")
			if _, named := t.arg.Get("outputVariable"); !named {
				fields = append(fields, key("as", textOf("aiOutput")))
			}
			t.options("extract", "", fields)
		}},
		{"takeScreenshot", maestro, "cart", needs("screenshot", "name", "path=name")},
		{"assertLightMode", maestro, "", fixed("assertDarkMode", truth(false))},
	}
}

// extendedWaitUntil makes one step of each condition.
func extendedWaitUntil(t *translation) {
	rest := t.keys(t.arg.Without("visible").Without("notVisible"), "timeout="+timeout)
	conditions := 0
	for _, f := range t.arg.Fields {
		switch f.Key {
		case "visible":
		case "notVisible":
			f.Key = gone
		default:
			continue
		}
		conditions++
		f.Value = t.nested(f.Value)
		fields := append([]source.Field{f}, rest...)
		if conditions == 1 {
			fields = ordered(t.arg, fields)
		}
		t.options("waitFor", "visible", fields)
	}
	if conditions == 0 {
		t.example("waitFor", "nothing says what it waits for")
	}
}

// ordered sorts fields by their places in a map; those without one stay at the end.
func ordered(v source.Value, fields []source.Field) []source.Field {
	var sorted, added []source.Field
	for _, f := range v.Fields {
		for _, own := range fields {
			if own.Pos == f.Pos && own.Pos.Line > 0 {
				sorted = append(sorted, own)
			}
		}
	}
	for _, own := range fields {
		if own.Pos.Line == 0 {
			added = append(added, own)
		}
	}
	return append(sorted, added...)
}

func maestroDevice() []word {
	return []word{
		{"toggleAirplaneMode", maestro, "", func(t *translation) {
			t.step(airplane, t.like([]source.Field{key("toggle", truth(true))}))
		}},
		{"toggleDarkMode", maestro, "", func(t *translation) {
			t.step(dark, t.like([]source.Field{key("toggle", truth(true))}))
		}},
		{"travel", maestro, `{points: ["52.52,13.405", "52.53,13.41"], speed: 10}`, func(t *translation) {
			fields := t.keys(t.arg, "points=route speed=speedKmh")
			for i, f := range fields {
				if f.Key == "speedKmh" {
					if n, err := strconv.ParseFloat(f.Value.Text, 64); err == nil { // metres per second
						fields[i].Value = with(f.Value, strconv.FormatFloat(n*3.6, 'f', -1, 64))
						fields[i].Value.Kind = source.Resolve(fields[i].Value.Text)
					} else {
						t.doubt("Maestro's speed is in metres per second")
					}
				}
			}
			t.options(place, "at", fields)
		}},
	}
}

func maestroControl() []word {
	return []word{
		{"runFlow", maestro, "{file: login.yaml, env: {USER: ada}}", runFlow},
		{"runScript", maestro, "setup.js", func(t *translation) {
			t.doubt("a script of Maestro runs in flows only: compute with set, and prepare data with http")
			t.step("set", t.like([]source.Field{key("expr", source.ValueOf(map[string]any{"next": "count + 1"}))}))
		}},
		{"evalScript", maestro, "${output.total = 1}", func(t *translation) {
			if t.web() && simple(t.arg) && !strings.HasPrefix(t.arg.Text, "${") {
				t.step("webEval", t.arg)
				return
			}
			t.doubt("a script of Maestro runs in flows only: compute with set")
			t.step("set", t.like([]source.Field{key("expr", source.ValueOf(map[string]any{"next": "count + 1"}))}))
		}},
		{"action", maestro, "back", func(t *translation) {
			row, known := table()[phrase.Fold(t.arg.Text)]
			if !simple(t.arg) || !known || row.of != maestro {
				t.example("press", "nothing says what it does")
				return
			}
			t.arg = source.Value{}
			row.do(t)
		}},
	}
}

func runFlow(t *translation) {
	switch {
	case t.arg.Kind == source.String:
		t.step("run", t.arg)
		return
	case t.arg.Kind != source.Map:
		t.example("run", "nothing says what it runs")
		return
	}
	commands, inline := t.arg.Get("commands")
	fields := t.keys(t.arg.Without("commands").Without("when").Without("env"), "file")
	if env, given := t.arg.Get("env"); given {
		if inline {
			t.doubt("steps in place have no variables of their own: set them before")
		} else {
			env.Key = "with"
			fields = append(fields, env)
		}
	}
	cond, alone := t.when(inline)
	switch {
	case inline && len(cond) > 0 && alone:
		commands.Key = "then"
		t.step("if", t.hoisted(append(append(cond, fields...), commands)))
	case inline:
		commands.Key = "steps"
		t.step("group", t.hoisted(append(append(cond, fields...), commands)))
	case len(cond) > 0 && alone:
		run := source.Value{Kind: source.Map, Fields: []source.Field{key("run", source.Value{Kind: source.Map,
			Fields: fields})}}
		t.step("if", source.Value{Kind: source.Map, Fields: append(cond, key("then", source.Value{Kind: source.List,
			Items: []source.Value{run}}))})
	default:
		t.options("run", "file", inPlace(t.arg, append(fields, cond...)))
	}
}

// hoisted is a map of which some fields come from a map inside of the argument.
func (t *translation) hoisted(fields []source.Field) source.Value {
	same := len(fields) == len(t.arg.Fields)
	for i := range fields {
		same = same && fields[i].Pos == t.arg.Fields[i].Pos
	}
	v := source.Value{Kind: source.Map, Fields: fields}
	if same {
		v.Pos = t.arg.Pos
	}
	return v
}

// when translates the condition of a flow. alone reports whether it is one on an element, which an if has.
func (t *translation) when(inline bool) (cond []source.Field, alone bool) {
	f, given := t.arg.Get("when")
	if !given {
		return nil, false
	}
	if f.Value.Kind != source.Map || len(f.Value.Fields) != 1 {
		t.doubt("conditions of several parts are nested: if within if")
	}
	for _, c := range f.Value.Fields {
		switch c.Key {
		case "visible", "notVisible":
			c.Value = t.nested(c.Value)
			return []source.Field{c}, true
		case "platform":
			c.Key = "when"
			c.Value = with(c.Value, fmt.Sprintf("platform == %q", strings.ToLower(c.Value.Text)))
			return []source.Field{c}, false
		case "true":
			expr, certain := expression(c.Value.Text)
			if !certain {
				t.doubt("expressions of Taproot are not JavaScript")
			}
			c.Key, c.Value = "when", with(c.Value, expr)
			return []source.Field{c}, false
		}
	}
	t.doubt("nothing says when it runs")
	return nil, false
}

// expression translates a condition in JavaScript, and reports whether it is simple enough to mean the same.
func expression(text string) (expr string, certain bool) {
	expr = strings.TrimSpace(text)
	if inner, is := strings.CutPrefix(expr, "${"); is && strings.HasSuffix(inner, "}") {
		expr = strings.TrimSpace(strings.TrimSuffix(inner, "}"))
	}
	expr = strings.NewReplacer("===", "==", "!==", "!=").Replace(expr)
	return expr, expr != "" && !strings.ContainsAny(expr, "(){};`$") && !strings.Contains(expr, "output.") &&
		!strings.Contains(expr, "maestro.")
}
