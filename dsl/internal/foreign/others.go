package foreign

import (
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// appWords are those of tools for phones, and of Appium first.
func appWords() []word {
	return []word{
		{"activateApp startApp openApp start", "Appium and other tools", "com.example.app",
			needs("launch", "package", "appId=package bundleId=package package")},
		{"terminateApp closeApp terminate forceStop", appium, "com.example.app",
			needs("stop", "package", "appId=package bundleId=package package")},
		{"installApp", appium, "app.apk", needs("install", installed, "path="+installed+" file="+installed+
			" app="+installed)},
		{"removeApp uninstallApp", appium, "com.example.app",
			needs("uninstall", "package", "appId=package bundleId=package package")},
		{"clearAppData resetApp", "Appium and other tools", "com.example.app",
			needs("clearApp", "package", "appId=package bundleId=package package")},
		{"pressKeyCode key keyevent sendKey", "Appium and other tools", "enter", needs("press", "keys", "key=keys keys")},
		{"pressBack", others, "", fixed("press", textOf("back"))},
		{"home", others, "", fixed("press", textOf("home"))},
		{"longClick longTap hold longClickGesture", "Appium and other tools", "Message", onPage("longPress")},
		{"doubleClickGesture", appium, "Photo", onPage("doubleTap")},
		{"backgroundApp runAppInBackground", appium, "5", func(t *translation) {
			if t.arg.Kind == source.Int || t.arg.Kind == source.Float { // seconds
				t.step("background", with(t.arg, t.arg.Text+"s"))
				return
			}
			needs("background", sleepTime, "")(t)
		}},
		{"orientation", appium, "landscape", setOrientation},
		{"setGeoLocation", appium, "{latitude: 52.52, longitude: 13.405}", setLocation},
		{"openNotificationCenter", appium, "", fixed(openCenter, source.Value{})},
		{"deepLink", appium, `"shop://item/5"`, needs("openLink", "url", "url link=url package")},
		{"startRecordingScreen", appium, "checkout", needs("startRecording", "name", "")},
		{"stopRecordingScreen", appium, "", fixed("stopRecording", source.Value{})},
		{"swipeGesture", appium, "{direction: left}", func(t *translation) {
			if t.arg.Kind != source.Map {
				t.step("swipe", lower(t.arg))
				return
			}
			t.options("swipe", "direction", t.keys(t.arg, "direction"))
		}},
		{"scrollGesture", appium, "{direction: down}", func(t *translation) {
			t.options("scroll", "direction", t.keys(t.arg, "direction"))
		}},
		{"mobileShell", appium, "getprop ro.product.model", needs("shell", "command", "command")},
	}
}

// otherWords are those that people try first.
func otherWords() []word {
	return []word{
		{"enterText typeText write enter", others, "ada@example.com", fill(false)},
		{"clearText deleteText", others, "", func(t *translation) { t.step("erase", t.arg) }},
		{"assertText assertExists see shouldSee verify", others, "Welcome", onPage("assert")},
		{"assertNotExists assertGone dontSee shouldNotSee", others, "Loading", onPage("assertNot")},
		{"evalTrue assertThat assertEquals", others, "total > 3", func(t *translation) {
			t.doubt("assertTrue takes one expression over variables")
			t.step("assertTrue", t.arg)
		}},
		{"capture", others, "cart", needs("screenshot", "name", "path=name file=name")},
		{"record", others, "", func(t *translation) {
			t.doubt("every test is recorded by itself; remove the line")
		}},
		{"aiTap aiInput aiAssert aiQuery aiAct ai", others, "The cart is empty", func(t *translation) {
			t.doubt(`elements go by what they show: "- tap: Sign in"; an AI model is asked by assertVisual and by extract: ` +
				"{prompt: …}")
			t.step("assertVisual", t.arg)
		}},
		{"call include import flow", others, "login.yaml", needs("run", "file", "file env=with vars=with")},
		{"loop while times", others, "{times: 3, steps: [{tap: Next}]}", func(t *translation) {
			if t.arg.Kind != source.Map {
				t.example("repeat", "its steps are not under it")
				return
			}
			t.options("repeat", "", t.keys(t.arg, "times count=times steps commands=steps do=steps while"))
		}},
		{"for each", others, "{in: [Milk, Bread], steps: [{tap: Next}]}", func(t *translation) {
			if t.arg.Kind != source.Map {
				t.example("forEach", "its steps are not under it")
				return
			}
			t.options("forEach", "", t.keys(t.arg, "in items=in of=in var as=var steps do=steps"))
		}},
		{"request fetch curl api", others, `"https://example.com/api"`,
			needs("http", "url", "url method headers body json as")},
		{"print echo comment note", others, "the cart is filled", needs("log", "message", "text=message message")},
		{"setVar var let define", others, "{count: 3}", func(t *translation) {
			if t.arg.Kind != source.Map || len(t.arg.Fields) == 0 || strings.HasPrefix(t.arg.Fields[0].Key, "vars") {
				t.example("set", "nothing says which variable it sets")
				return
			}
			set, _ := vocabulary.Lookup("set")
			if slices.ContainsFunc(t.arg.Fields, func(f source.Field) bool { return set.Takes(f.Key) }) {
				t.arg = source.Value{Kind: source.Map, Fields: []source.Field{key("vars", t.arg)}}
			}
			t.step("set", t.arg)
		}},
	}
}
