package foreign

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

// Words that several tools for pages have.
const (
	pageTools = "Playwright, Cypress and Selenium"
	scripted  = "Playwright and Cypress"
)

func pageTouches() []word {
	return []word{
		{"click clickOn tapElement touch", pageTools, "Buy", click},
		{"dblclick doubleClick", scripted, "Photo", onPage("doubleTap")},
		{"rightClick contextClick", scripted, "Photo", func(t *translation) {
			fields, rest := t.locator(t.arg)
			t.options("tap", "", append(append(fields, key("button", textOf("right"))), rest...))
		}},
		{"fill webFill webInput setValue", "Playwright and WebdriverIO",
			`{selector: "#email", text: ada@example.com}`, fill(true)},
		{"type pressSequentially", scripted, `{selector: "#email", text: ada@example.com}`, fill(false)},
		{"sendKeys addValue", "Selenium and Appium", "ada@example.com", fill(false)},
		{"clear", pageTools, `"#email"`, func(t *translation) {
			if !t.bare() {
				onPage("tap")(t)
			}
			t.step("erase", source.Value{})
		}},
		{"submit", "Cypress and Selenium", "", func(t *translation) {
			if !t.bare() {
				t.doubt("a form has no submit here: press enter in one of its fields, or tap its button")
			}
			t.step("press", textOf("enter"))
		}},
		{"check", scripted, `"#terms"`, checked(true)},
		{"uncheck", scripted, `"#terms"`, checked(false)},
		{"setChecked", playwright, `{selector: "#terms", checked: false}`, inPage("webCheck", "label", "checked")},
		{"hover mouseover moveToElement", "Playwright and Selenium", `"nav .products"`, inPage("webHover", "text", "")},
		{"selectOption select", scripted, `{selector: "#country", label: Germany}`, selectOption},
		{"setInputFiles selectFile attachFile upload", scripted, `{selector: "#file", files: [photo.png]}`,
			inPage("webUpload", "label", "files file=files path=files")},
		{"download", playwright, `"#invoice"`, inPage("webDownload", "text", "as name")},
		{"dragTo dragAndDrop", "Playwright and Selenium", "{source: Milk, target: Cart}", dragTo},
		{"scrollIntoViewIfNeeded scrollIntoView scrollToElement", pageTools, "Terms", onPage("scrollTo")},
	}
}

func click(t *translation) {
	if t.bare() {
		t.example("tap", "nothing says which element is meant")
		return
	}
	fields, rest := t.locator(t.arg, "button", "modifiers", "clickCount", "point", "at")
	for i, f := range rest {
		if f.Key == "clickCount" {
			rest[i].Key = times
		}
	}
	t.options("tap", "label", append(fields, rest...))
}

// fill types into an element, or where the cursor is. replace: what the field holds goes first.
func fill(replace bool) func(*translation) {
	return func(t *translation) {
		arg := t.arg
		if arg.Kind == source.List && len(arg.Items) == 2 { // fill("#email", "ada")
			arg = source.Value{Kind: source.Map, Fields: []source.Field{{Key: "selector", Value: arg.Items[0]},
				{Key: "value", Value: arg.Items[1]}}}
		}
		if t.bare() || arg.Kind == source.List {
			t.example("input", "nothing says what it types")
			return
		}
		if simple(arg) {
			if !t.phone() && (isCSS(arg.Text) || engineOf(arg.Text)) {
				t.doubt("nothing says what it types")
				t.step("input", t.like([]source.Field{key("into", t.target(arg)), key("text", textOf("…"))}))
				return
			}
			if replace {
				t.step("input", t.like([]source.Field{key("text", arg), key("replace", truth(true))}))
				return
			}
			t.step("input", arg)
			return
		}
		fields, rest := t.typed(arg)
		if replace {
			rest = append(rest, key("replace", truth(true)))
		}
		t.options("input", "text", append(fields, rest...))
	}
}

// typed splits the argument of a fill into the field, and what is typed.
func (t *translation) typed(arg source.Value) (into, rest []source.Field) {
	typing := "text"
	for _, name := range []string{"value", "keys"} {
		if _, given := arg.Get(name); given {
			typing = name
		}
	}
	locator, rest := t.locator(arg, typing, "replace", "perKey")
	for i, f := range rest {
		if f.Key == typing {
			rest[i].Key = "text"
		}
	}
	if len(locator) == 0 {
		return nil, rest
	}
	field := source.Field{Key: "into", Value: selectorValue(locator, source.Value{})}
	if len(locator) == 1 {
		field.Pos = locator[0].Pos
	}
	return []source.Field{field}, rest
}

// engineOf reports whether a text starts with an engine of Playwright's.
func engineOf(text string) bool {
	engine, _, given := strings.Cut(text, "=")
	_, known := engines[engine]
	return given && known || roleForm.MatchString(text)
}

func checked(on bool) func(*translation) {
	return func(t *translation) {
		if t.phone() {
			t.doubt("a tap changes the state, whatever it is: assert it first")
			onPage("tap")(t)
			return
		}
		var add []source.Field
		if !on {
			add = append(add, key("checked", truth(false)))
		}
		inPage("webCheck", "label", "", add...)(t)
	}
}

func selectOption(t *translation) {
	if simple(t.arg) {
		t.doubt("nothing says which entry")
		t.step("webSelect", t.like([]source.Field{key("selector", t.selectorText(t.parsed(source.Field{Value: t.arg}),
			"label")), key("label", textOf("…"))}))
		return
	}
	inPage("webSelect", "label", "label value index option=label options=label text=label values=value")(t)
}

func dragTo(t *translation) {
	var fields []source.Field
	for _, f := range t.arg.Fields {
		switch f.Key {
		case "source", "from", "selector", "element":
			f.Key = "from"
		case "target", "to", "destination":
			f.Key = "to"
		default:
			t.doubt(fmt.Sprintf("%q has no counterpart", f.Key))
			continue
		}
		f.Value = t.target(f.Value)
		fields = append(fields, f)
	}
	if len(fields) != 2 {
		t.example("drag", "nothing says what is dragged, and where")
		return
	}
	t.options("drag", "", fields)
}

func pageWaits() []word {
	return []word{
		{"waitForSelector waitForElement waitUntilVisible waitForVisible", pageTools, `"#menu"`, waitForSelector},
		{"waitUntilGone waitUntilNotVisible waitForNot waitForHidden", others, "Loading", func(t *translation) {
			t.options("waitFor", "", []source.Field{key(gone, t.target(t.arg))})
		}},
		{"waitForTimeout", playwright, "500", needs("sleep", sleepTime, "timeout="+sleepTime)},
		{"wait delay pause", "Cypress and other tools", "5", wait},
		{"waitForURL urlToBe", "Playwright and Selenium", `"**/cart"`, func(t *translation) {
			if simple(t.arg) {
				t.step("waitFor", source.Value{Kind: source.Map, Fields: []source.Field{key("url", t.arg)}})
				return
			}
			needs("waitFor", "", "url timeout="+timeout)(t)
		}},
		{"waitForLoadState", playwright, "networkidle", waitPage("load", "load")},
		{"waitForResponse", playwright, `"**/api/cart"`, waitPage("response", "")},
		{"waitForRequest", playwright, `"**/api/cart"`, waitPage("request", "")},
		{"waitUntil", pageTools, "Welcome", func(t *translation) {
			t.doubt("waitFor waits for elements and for URLs, not for code")
			t.options("waitFor", "visible", []source.Field{key("visible", t.target(t.arg))})
		}},
	}
}

func waitForSelector(t *translation) {
	if t.bare() {
		t.example("waitFor", "nothing says what it waits for")
		return
	}
	fields, rest := t.locator(t.arg, "state")
	condition := "visible"
	var more []source.Field
	for _, f := range rest {
		if f.Key != "state" {
			more = append(more, f)
			continue
		}
		switch f.Value.Text {
		case "hidden", "detached":
			condition = gone
		case "attached":
			t.doubt("waitFor waits until the element can be seen")
		}
	}
	f := source.Field{Key: condition, Value: selectorValue(fields, source.Value{})}
	if len(fields) == 1 {
		f.Pos = fields[0].Pos
	}
	t.options("waitFor", "visible", append([]source.Field{f}, more...))
}

// wait is a fixed time, of which the unit must be known.
func wait(t *translation) {
	text := t.arg.Text
	switch {
	case t.arg.Kind == source.Int && len(text) > 2, timeForm.MatchString(text):
		t.step("sleep", t.arg)
	case t.arg.Kind == source.Int || t.arg.Kind == source.Float:
		t.doubt("the number may be of seconds or of milliseconds, and waitFor takes no longer than it must")
		t.step("sleep", textOf(text+"s"))
	case t.bare() || t.arg.Kind == source.Map || strings.HasPrefix(text, "@"):
		t.example("waitFor", "nothing says how long it waits")
	default:
		t.doubt("it may be a time or an element")
		t.options("waitFor", "visible", []source.Field{key("visible", t.target(t.arg))})
	}
}

var timeForm = lazyregexp.New(`^[0-9.]+ ?(ms|s|m)$`)

// waitPage is a key of webWait; usual is its value when none is given.
func waitPage(condition, usual string) func(*translation) {
	return func(t *translation) {
		switch {
		case t.arg.Kind == source.Map:
			t.options("webWait", "", t.keys(t.arg, "url="+condition+" state="+condition+" timeout="+timeout))
		case !t.bare():
			t.step("webWait", source.Value{Kind: source.Map, Fields: []source.Field{key(condition, t.arg)}})
		case usual != "":
			t.step("webWait", source.Value{Kind: source.Map, Fields: []source.Field{key(condition, textOf(usual))}})
		default:
			t.example("webWait", "nothing says what it waits for")
		}
	}
}

func pageChecks() []word {
	list := []word{
		{"expect", playwright, "Welcome", guess("assert", "it does not say what is expected of the element")},
		{"should and", cypress, "be.visible", func(t *translation) {
			t.example("assert", "it does not say of which element")
		}},
		{"contains", cypress, "Welcome", func(t *translation) {
			if !simple(t.arg) {
				guess("assert", "it does not say which text")(t)
				return
			}
			t.step("assert", t.like([]source.Field{key("label", t.arg), key("match", textOf("contains"))}))
		}},
		{"toBeVisible toBeInViewport", playwright, "Welcome", onPage("assert")},
		{"toBeHidden", playwright, "Loading", onPage("assertNot")},
		{"toHaveText", playwright, "{selector: h1, text: Welcome}", inPage("webAssert", "label", "text")},
		{"toContainText", playwright, "{selector: h1, text: Welcome}",
			inPage("webAssert", "label", "text", key("match", textOf("contains")))},
		{"toHaveValue", playwright, `{selector: "#email", value: ada@example.com}`, inPage("webAssert", "label", "value")},
		{"toHaveCount", playwright, "{selector: li, count: 3}", inPage("webAssert", "text", "count")},
		{"toHaveURL assertUrl verifyUrl expectUrl checkUrl", "Playwright and other tools", `"**/cart"`, ofPage("url")},
		{"toHaveTitle assertTitle verifyTitle expectTitle checkTitle", "Playwright and other tools", "Cart",
			ofPage("title")},
		{"webAssertVisible webExpect", others, `"#menu"`, inPage("webAssert", "text", "text value count visible")},
	}
	for _, s := range []struct {
		name, state string
		on          bool
	}{{"toBeChecked", "checked", true}, {"toBeEnabled", "enabled", true}, {"toBeDisabled", "enabled", false},
		{"toBeFocused", "focused", true}} {
		list = append(list, word{s.name, playwright, "Save", func(t *translation) {
			fields, rest := t.locator(t.arg)
			t.options("assert", "", append(append(fields, key(s.state, truth(s.on))), rest...))
		}})
	}
	return list
}

// guess is the nearest step for a word that says too little.
func guess(action, why string) func(*translation) {
	return func(t *translation) {
		t.doubt(why)
		fields, _ := t.locator(t.arg, "toHaveText", "toBeVisible", "to")
		if len(fields) == 0 {
			t.example(action, why)
			return
		}
		t.options(action, "label", fields)
	}
}

// ofPage is an assertion on the page itself.
func ofPage(what string) func(*translation) {
	return func(t *translation) {
		switch {
		case t.arg.Kind == source.Map:
			t.options("webAssert", "", t.keys(t.arg, what+" timeout="+timeout))
		case simple(t.arg):
			t.step("webAssert", source.Value{Kind: source.Map, Fields: []source.Field{key(what, t.arg)}})
		default:
			t.doubt("nothing says what it must be")
			t.step("webAssert", source.Value{Kind: source.Map, Fields: []source.Field{key(what, textOf("…"))}})
		}
	}
}

func pageMoves() []word {
	return []word{
		{"goto visit navigate navigateTo openUrl openPage webGoto webOpen url", pageTools,
			`"https://example.com/next"`, open},
		{"open", others, `"https://example.com/next"`, open},
		{"goBack navigateBack", playwright, "", history("back")},
		{"goForward forward navigateForward", playwright, "", history("forward")},
		{"reload refresh", pageTools, "", history("reload")},
		{"get", "Cypress and Selenium", `"https://example.com/next"`, func(t *translation) {
			if addressForm.MatchString(t.arg.Text) {
				open(t)
				return
			}
			finds(t)
		}},
		{"getByText getByLabel getByTitle", playwright, "Buy", finds},
		{"getByPlaceholder", playwright, "Search", findsBy("hint")},
		{"getByTestId", playwright, "submit", findsBy("testId")},
		{"getByRole", playwright, "{role: button, name: Save}", func(t *translation) {
			if simple(t.arg) {
				findsBy("type")(t)
				return
			}
			finds(t)
		}},
		{"findElement locator querySelector find", pageTools, `"#menu"`, finds},
		{"evaluate executeScript execute javascript js eval script", "Playwright and Selenium", "document.title",
			evaluate},
		{"close closePage quit", "Playwright and Selenium", "", fixed("closeBrowser", source.Value{})},
		{"route intercept mock", scripted, `{url: "**/api/cart", status: 500}`, func(t *translation) {
			t.doubt("responses are written in another way here")
			fields := t.keys(t.arg, "url status body json headers method times")
			t.options("webRoute", "url", fields)
		}},
		{"switchToTab bringToFront switchTo", "Playwright and Selenium", `{url: "**/terms"}`, func(t *translation) {
			needs(tab, "url", "url title index")(t)
		}},
		{"setViewportSize viewport", scripted, "{width: 1280, height: 720}", func(t *translation) {
			w, _ := t.arg.Get("width")
			h, _ := t.arg.Get("height")
			t.doubt("the size is an argument of the action that opens the page")
			size := "1280x720"
			if w.Key != "" && h.Key != "" {
				size = w.Value.Text + "x" + h.Value.Text
			}
			t.step("openBrowser", source.Value{Kind: source.Map, Fields: []source.Field{
				key("url", textOf("https://example.com")), key("viewport", textOf(size))}})
		}},
		{"acceptAlert acceptDialog", "Selenium and Appium", "", fixed("alert", textOf("accept"))},
		{"dismissAlert dismissDialog", "Selenium and Appium", "", fixed("alert", textOf("dismiss"))},
	}
}

// open opens a page, in a browser when none is open.
func open(t *translation) {
	if t.phone() {
		needs("openLink", "url", "url link=url")(t)
		return
	}
	action := "openBrowser"
	switch {
	case t.Opened == Open:
		action = "webNavigate"
	case t.Opened == Unknown:
		t.doubt("a page may be open already: then it is webNavigate")
	}
	needs(action, "url", "url link=url waitUntil=- browser=- timeout="+timeout)(t)
}

func history(to string) func(*translation) {
	return func(t *translation) {
		if t.phone() && to == "back" {
			t.step("press", textOf("back"))
			return
		}
		t.step("webNavigate", source.Value{Kind: source.Map, Fields: []source.Field{key("to", textOf(to))}})
	}
}

var addressForm = lazyregexp.New(`^([a-z]+://|about:|data:|localhost|/)`)

const findsOnly = "it only finds an element: name the element in the action that uses it"

// finds is a locator without an action.
func finds(t *translation) {
	t.doubt(findsOnly)
	if t.bare() {
		t.example("tap", findsOnly)
		return
	}
	fields, _ := t.locator(t.arg)
	t.options("tap", "label", fields)
}

func findsBy(what string) func(*translation) {
	return func(t *translation) {
		t.doubt(findsOnly)
		if !simple(t.arg) {
			finds(t)
			return
		}
		t.step("tap", source.Value{Kind: source.Map, Fields: []source.Field{key(what, t.arg)}})
	}
}

func evaluate(t *translation) {
	if t.phone() {
		t.doubt("an app runs no JavaScript: compute with set")
		t.step("set", source.Value{Kind: source.Map, Fields: []source.Field{key("expr",
			source.ValueOf(map[string]any{"next": "count + 1"}))}})
		return
	}
	needs("webEval", "script", "script expression=script code=script as")(t)
}
