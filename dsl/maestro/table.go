package maestro

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Commands names all commands, sorted.
func Commands() []string { return slices.Sorted(maps.Keys(table())) }

type parser = func(*reader, source.RawField, *Command) Do

// table is every command and how it is read.
func table() map[string]parser {
	return map[string]parser{
		"tapOn":       func(r *reader, f source.RawField, c *Command) Do { return r.tap(f, c, Once) },
		"doubleTapOn": func(r *reader, f source.RawField, c *Command) Do { return r.tap(f, c, Twice) },
		"longPressOn": func(r *reader, f source.RawField, c *Command) Do { return r.tap(f, c, Long) },
		"assertVisible": func(r *reader, f source.RawField, c *Command) Do {
			return Assert{Condition: Condition{Visible: r.element(f, c)}}
		},
		"assertNotVisible": func(r *reader, f source.RawField, c *Command) Do {
			return Assert{Condition: Condition{NotVisible: r.element(f, c)}}
		},
		"assertTrue":             assertTrue,
		"extendedWaitUntil":      extendedWait,
		"assertNoDefectsWithAI":  func(r *reader, f source.RawField, c *Command) Do { return r.ai(f, c, AI{Kind: "defects"}, "") },
		"assertWithAI":           func(r *reader, f source.RawField, c *Command) Do { return r.ai(f, c, AI{Kind: "assert"}, "assertion") },
		"extractTextWithAI":      func(r *reader, f source.RawField, c *Command) Do { return r.ai(f, c, AI{Kind: "extract"}, "query") },
		"assertScreenshot":       assertScreenshot,
		"takeScreenshot":         takeScreenshot,
		"back":                   none(Press{Key: "back", Back: true}),
		"clearKeychain":          none(ClearKeychain{}),
		"hideKeyboard":           none(HideKeyboard{}),
		"pasteText":              none(Paste{}),
		"scroll":                 none(Scroll{}),
		"inputText":              inputText,
		"inputRandomText":        random("text"),
		"inputRandomNumber":      random("number"),
		"inputRandomEmail":       random("email"),
		"inputRandomPersonName":  random("name"),
		"inputRandomCityName":    random("city"),
		"inputRandomCountryName": random("country"),
		"inputRandomColorName":   random("color"),
		"launchApp":              launchApp,
		"setPermissions":         setPermissions,
		"swipe":                  swipe,
		"openLink":               openLink,
		"pressKey":               pressKey,
		"eraseText":              eraseText,
		"action":                 action,
		"stopApp":                func(r *reader, f source.RawField, c *Command) Do { return Stop{r.app(f, c)} },
		"killApp":                func(r *reader, f source.RawField, c *Command) Do { return Kill{r.app(f, c)} },
		"clearState":             func(r *reader, f source.RawField, c *Command) Do { return Clear{r.app(f, c)} },
		"runFlow":                runFlow,
		"setLocation":            setLocation,
		"setOrientation":         setOrientation,
		"repeat":                 repeat,
		"copyTextFrom":           func(r *reader, f source.RawField, c *Command) Do { return Copy{r.element(f, c)} },
		"setClipboard": func(r *reader, f source.RawField, c *Command) Do {
			text, _ := r.text(f, c, "text", "")
			return SetClipboard{text}
		},
		"runScript":             runScript,
		"waitForAnimationToEnd": waitForAnimation,
		"evalScript":            evalScript,
		"scrollUntilVisible":    scrollUntil,
		"travel":                travel,
		"startRecording": func(r *reader, f source.RawField, c *Command) Do {
			p, _ := r.text(f, c, "path", "")
			return StartRecording{p}
		},
		"stopRecording":      none(StopRecording{}),
		"addMedia":           addMedia,
		"setAirplaneMode":    func(r *reader, f source.RawField, c *Command) Do { return Airplane{r.onOff(f, c)} },
		"toggleAirplaneMode": none(Airplane{Toggle}),
		"setDarkMode":        func(r *reader, f source.RawField, c *Command) Do { return DarkMode{r.onOff(f, c)} },
		"toggleDarkMode":     none(DarkMode{Toggle}),
		"assertDarkMode":     none(AssertDark{true}),
		"assertLightMode":    none(AssertDark{false}),
		"retry":              retry,
	}
}

// element reads the selector of a command, with what it says of the command.
func (r *reader) element(f source.RawField, c *Command) *Selector {
	s := r.selector(f.Value, f.Key)
	c.Optional = s.Optional
	if f.Value.Kind == source.Map {
		if x, given := f.Value.Get("label"); given {
			if text := r.resolved(x); text != nil {
				c.Label = *text
			}
		}
	}
	return s
}

const maxSettle = 30000

func (r *reader) tap(f source.RawField, c *Command, touch Touch) Do {
	s := r.element(f, c)
	t := Tap{On: s, Touch: touch, RetryUnchanged: s.retry, UntilVisible: s.untilVisible, DelayMs: 100, SettleMs: s.settle}
	if s.delay != nil && *s.delay >= 0 {
		t.DelayMs = *s.delay
	}
	switch {
	case touch == Twice:
		t.Repeat = 2
	case s.repeat != nil:
		t.Repeat = max(*s.repeat, 1)
	}
	if t.SettleMs != nil && *t.SettleMs > maxSettle {
		n := maxSettle
		t.SettleMs = &n
	}
	if s.point == "" {
		return t
	}
	if s.names() {
		t.In = s.point
		return t
	}
	t.On, t.Point = nil, s.point
	return t
}

// typed reads the text of a command that takes any scalar, or a map in which it must be a text.
func (r *reader) typed(f source.RawField, c *Command, key string, optional bool) string {
	switch f.Value.Kind {
	case source.String:
		return yamlText(f.Value)
	case source.Map:
	default:
		r.isMap(f)
		return ""
	}
	if optional {
		r.keys(f.Value, f.Key, words(key+" label optional"), false)
		c.Optional = r.flag(f.Value, "optional", false)
		r.label(f, c)
	} else {
		r.loose(f, c, key)
	}
	x, given := f.Value.Get(key)
	if !given {
		return ""
	}
	text, is := scalar(x.Value).(string)
	if x.Value.Kind != source.String || !is {
		r.fail(x.Value.Pos, x.Value.Width, fmt.Sprintf("%q must be a text: %q is none without quotes", key, short(x.Value.Text)), fmt.Sprintf(`write %s: "%s"`, key, short(x.Value.Text)))
		return ""
	}
	return text
}

func inputText(r *reader, f source.RawField, c *Command) Do {
	return Input{r.typed(f, c, "text", false)}
}

func assertTrue(r *reader, f source.RawField, c *Command) Do {
	text := r.typed(f, c, "condition", true)
	return Assert{Condition: Condition{True: &text}}
}

func evalScript(r *reader, f source.RawField, c *Command) Do {
	pos := f.Value.Pos
	if x, given := f.Value.Get("script"); given {
		pos = x.Value.Pos
	}
	return Script{Text: r.typed(f, c, "script", false), Pos: pos}
}

func extendedWait(r *reader, f source.RawField, c *Command) Do {
	var a Assert
	if !r.isMap(f) {
		return a
	}
	r.options(f, c, "visible notVisible timeout")
	if x, given := f.Value.Get("visible"); given && x.Value.Kind != source.Null {
		a.Visible = r.selector(x.Value, x.Key)
	}
	if x, given := f.Value.Get("notVisible"); given && x.Value.Kind != source.Null {
		a.NotVisible = r.selector(x.Value, x.Key)
	}
	if a.Visible == nil && a.NotVisible == nil {
		r.fail(f.Pos, len([]rune(f.Key)), `"extendedWaitUntil" needs visible or notVisible`, "")
	}
	for _, s := range []*Selector{a.Visible, a.NotVisible} {
		c.Optional = c.Optional || s != nil && s.Optional
	}
	a.Timeout = r.optionalText(f.Value, "timeout")
	return a
}

func (r *reader) ai(f source.RawField, c *Command, a AI, key string) Do {
	c.Optional = true
	switch {
	case key == "":
		if r.isMap(f) {
			r.options(f, c, "")
		}
	case key == "query":
		a.Output = "aiOutput"
		a.Text, _ = r.text(f, c, key, "outputVariable")
		if text := r.optionalText(f.Value, "outputVariable"); text != nil {
			a.Output = *text
		}
	default:
		a.Text, _ = r.text(f, c, key, "")
	}
	return a
}

func (r *reader) crop(f source.RawField) *Selector {
	if x, given := f.Value.Get("cropOn"); given && x.Value.Kind != source.Null {
		return r.selector(x.Value, x.Key)
	}
	return nil
}

func takeScreenshot(r *reader, f source.RawField, c *Command) Do {
	p, _ := r.text(f, c, "path", "cropOn")
	return Screenshot{p, r.crop(f)}
}

func assertScreenshot(r *reader, f source.RawField, c *Command) Do {
	p, _ := r.text(f, c, "path", "thresholdPercentage cropOn")
	a := AssertScreenshot{Path: p, Threshold: "95", Crop: r.crop(f), Dir: r.dir()}
	if text := r.optionalText(f.Value, "thresholdPercentage"); text != nil {
		a.Threshold = *text
	}
	return a
}

func random(kind string) parser {
	return func(r *reader, f source.RawField, c *Command) Do {
		do := Random{Kind: kind, Length: 8}
		if !r.isMap(f) {
			return do
		}
		own := ""
		if kind == "text" || kind == "number" {
			own = "length"
		}
		r.options(f, c, own)
		if n := r.number(f.Value, "length"); n != nil && *n > 0 {
			do.Length = *n
		}
		return do
	}
}

// app reads the app that a command names, or takes that of the flow.
func (r *reader) app(f source.RawField, c *Command) string {
	if f.Value.Kind == source.String {
		return f.Value.Text
	}
	if r.isMap(f) {
		r.options(f, c, "appId")
		if text := r.optionalText(f.Value, "appId"); text != nil {
			return *text
		}
	}
	return r.flow.App
}

func launchApp(r *reader, f source.RawField, c *Command) Do {
	do := Launch{App: r.flow.App, GrantAll: true}
	if f.Value.Kind == source.String {
		do.App = f.Value.Text
		return do
	}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "appId url clearState clearKeychain stopApp permissions arguments")
	for _, key := range []string{"url", "appId"} {
		if text := r.optionalText(f.Value, key); text != nil {
			do.App = *text
		}
	}
	do.ClearState, do.ClearKeychain = r.flag(f.Value, "clearState", false), r.flag(f.Value, "clearKeychain", false)
	do.KeepRunning = !r.flag(f.Value, "stopApp", true)
	if x, given := f.Value.Get("permissions"); given && x.Value.Kind != source.Null {
		do.GrantAll, do.Permissions = false, r.pairs(x)
	}
	if x, given := f.Value.Get("arguments"); given && x.Value.Kind != source.Null && r.isMap(x) {
		for _, a := range x.Value.Fields {
			value := scalar(a.Value)
			if a.Value.Kind == source.Map || a.Value.Kind == source.List || value == nil {
				r.fail(a.Pos, len([]rune(a.Key)), fmt.Sprintf("the argument %q must be a text, a number, true or false", short(a.Key)), "")
				continue
			}
			do.Arguments = append(do.Arguments, Argument{a.Key, value})
		}
	}
	return do
}

func setPermissions(r *reader, f source.RawField, c *Command) Do {
	do := SetPermissions{App: r.flow.App}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "appId url permissions")
	for _, key := range []string{"url", "appId"} {
		if text := r.optionalText(f.Value, key); text != nil {
			do.App = *text
		}
	}
	x, given := f.Value.Get("permissions")
	if !given || x.Value.Kind == source.Null {
		r.fail(f.Pos, len([]rune(f.Key)), `"setPermissions" needs "permissions"`, "permissions: {camera: allow}")
		return do
	}
	do.Permissions = r.pairs(x)
	return do
}

func openLink(r *reader, f source.RawField, c *Command) Do {
	link, _ := r.text(f, c, "link", "browser autoVerify")
	return OpenLink{link, r.flag(f.Value, "browser", false), r.flag(f.Value, "autoVerify", false)}
}

// keyNames are the names that pressKey takes, in lower case.
var keyNames = []string{"enter", "backspace", "back", "home", "lock", "volume up", "volume down", "remote dpad up", "remote dpad down",
	"remote dpad left", "remote dpad right", "remote dpad center", "remote media play pause", "remote media stop", "remote media next",
	"remote media previous", "remote media rewind", "remote media fast forward", "escape", "power", "tab", "remote system navigation up",
	"remote system navigation down", "remote button a", "remote button b", "remote menu", "tv input", "tv input hdmi 1", "tv input hdmi 2",
	"tv input hdmi 3"}

// Keys names the keys of pressKey, in lower case.
func Keys() []string { return slices.Clone(keyNames) }

func pressKey(r *reader, f source.RawField, c *Command) Do {
	text, given := r.text(f, c, "key", "")
	name := strings.ToLower(text)
	if given && !slices.Contains(keyNames, name) {
		hint := near(name, keyNames)
		if hint == "" {
			hint = "there are " + strings.Join(keyNames, ", ")
		}
		pos, width := f.Value.Pos, f.Value.Width
		if x, inMap := f.Value.Get("key"); inMap {
			pos, width = x.Value.Pos, x.Value.Width
		}
		r.fail(pos, width, fmt.Sprintf("unknown key %q", short(text)), hint)
	}
	return Press{Key: name}
}

func eraseText(r *reader, f source.RawField, c *Command) Do {
	do := Erase{50}
	var n *int
	if f.Value.Kind == source.String {
		n = r.whole(f)
	} else if r.isMap(f) {
		r.options(f, c, "charactersToErase")
		n = r.number(f.Value, "charactersToErase")
	}
	if n != nil {
		do.Count = *n
	}
	return do
}

// action is the old form of five commands.
func action(r *reader, f source.RawField, _ *Command) Do {
	text := ""
	if r.isScalar(f) {
		text = f.Value.Text
	}
	switch text {
	case "back":
		return Press{Key: "back", Back: true}
	case "hideKeyboard":
		return HideKeyboard{}
	case "scroll":
		return Scroll{}
	case "clearKeychain":
		return ClearKeychain{}
	case "pasteText":
		return Paste{}
	}
	r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("unknown action %q", short(text)), "there are back, hideKeyboard, scroll, clearKeychain and pasteText")
	return nil
}

func runFlow(r *reader, f source.RawField, c *Command) Do {
	if f.Value.Kind == source.String {
		return RunFlow{Flow: r.call(f), Again: 1}
	}
	if !r.isMap(f) {
		return RunFlow{}
	}
	r.options(f, c, "file when env commands")
	do := r.body(f)
	if x, given := f.Value.Get("when"); given {
		do.When = r.condition(x)
	}
	return do
}

func retry(r *reader, f source.RawField, c *Command) Do {
	do := Retry{Max: "1"}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "maxRetries file commands env")
	do.RunFlow = r.body(f)
	if text := r.optionalText(f.Value, "maxRetries"); text != nil {
		do.Max = *text
	}
	return do
}

func repeat(r *reader, f source.RawField, c *Command) Do {
	var do Repeat
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "times while commands")
	do.Times = r.optionalText(f.Value, "times")
	if x, given := f.Value.Get("while"); given {
		do.While = r.condition(x)
	}
	list, given := f.Value.Get("commands")
	switch {
	case !given || list.Value.Kind == source.Null:
		r.fail(f.Pos, len([]rune(f.Key)), `"repeat" needs "commands"`, "")
	case list.Value.Kind != source.List:
		r.fail(list.Value.Pos, list.Value.Width, `"commands" must be a list`, `begin each command with "- "`)
	default:
		do.Steps = r.commands(list.Value)
	}
	return do
}

func runScript(r *reader, f source.RawField, c *Command) Do {
	file := source.RawField{Key: f.Key, Pos: f.Pos, Value: f.Value}
	var do Script
	if f.Value.Kind != source.String {
		if !r.isMap(f) {
			return do
		}
		r.options(f, c, "file env when")
		if x, given := f.Value.Get("env"); given {
			do.Env = r.pairs(x)
		}
		if x, given := f.Value.Get("when"); given {
			do.When = r.condition(x)
		}
		x, given := f.Value.Get("file")
		if !given || x.Value.Kind == source.Null {
			r.fail(f.Pos, len([]rune(f.Key)), `"runScript" needs "file"`, "")
			return do
		}
		file = x
	}
	name, src := r.open(file)
	if src == nil {
		return do
	}
	do.File, do.Dir, do.Text, do.Pos = name, path.Dir(name), string(src), source.Pos{File: name, Line: 1, Col: 1}
	return do
}

func waitForAnimation(r *reader, f source.RawField, c *Command) Do {
	var do Settle
	if r.isMap(f) {
		r.options(f, c, "timeout")
		do.Timeout = r.optionalText(f.Value, "timeout")
	}
	return do
}

func setLocation(r *reader, f source.RawField, c *Command) Do {
	var do Location
	if r.isMap(f) {
		r.options(f, c, "latitude longitude")
		do.Latitude, _ = r.required(f, "latitude")
		do.Longitude, _ = r.required(f, "longitude")
	}
	return do
}

// Orientations names the ways in which a screen is held.
func Orientations() []string {
	return []string{"portrait", "landscape_left", "upside_down", "landscape_right"}
}

// OrientationOf finds an orientation by any spelling of its name; "": there is none.
func OrientationOf(name string) string {
	bare := strings.ReplaceAll(strings.ToLower(name), "_", "")
	for _, o := range Orientations() {
		if bare == strings.ReplaceAll(o, "_", "") {
			return o
		}
	}
	return ""
}

func setOrientation(r *reader, f source.RawField, c *Command) Do {
	x := f
	if f.Value.Kind == source.Map {
		r.keys(f.Value, f.Key, words("orientation label optional"), false)
		r.label(f, c)
		c.Optional = r.flag(f.Value, "optional", false)
		var given bool
		if x, given = f.Value.Get("orientation"); !given {
			r.fail(f.Pos, len([]rune(f.Key)), `"setOrientation" needs "orientation"`, "")
			return Orientation{}
		}
	}
	text := r.written(x)
	if text == nil {
		return Orientation{}
	}
	if !strings.Contains(*text, "${") && OrientationOf(*text) == "" {
		r.fail(x.Value.Pos, x.Value.Width, fmt.Sprintf("unknown orientation %q", short(*text)), "there are PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT and UPSIDE_DOWN")
	}
	return Orientation{*text}
}

// onOff reads enabled or disabled.
func (r *reader) onOff(f source.RawField, c *Command) Switch {
	x := f
	if f.Value.Kind == source.Map {
		r.loose(f, c, "value")
		var given bool
		if x, given = f.Value.Get("value"); !given {
			r.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("%q needs a value", f.Key), "enabled or disabled")
			return On
		}
	}
	switch text := x.Value.Text; {
	case x.Value.Kind == source.String && text == "enabled":
		return On
	case x.Value.Kind == source.String && text == "disabled":
		return Off
	}
	r.fail(x.Value.Pos, x.Value.Width, fmt.Sprintf("%q takes enabled or disabled, not %q", f.Key, short(x.Value.Text)), "")
	return On
}

func addMedia(r *reader, f source.RawField, c *Command) Do {
	list := f.Value
	if f.Value.Kind == source.Map {
		r.options(f, c, "files")
		x, _ := f.Value.Get("files")
		list = x.Value
	}
	var do AddMedia
	if list.Kind != source.List {
		r.fail(f.Pos, len([]rune(f.Key)), `"addMedia" takes a list of files`, "")
		return do
	}
	for _, item := range list.Items {
		text := r.written(source.RawField{Key: f.Key, Pos: item.Pos, Value: item})
		if text == nil {
			r.fail(item.Pos, item.Width, "the name of a file is missing", "")
			continue
		}
		name := r.resolve(*text)
		if !r.files.Has(name) {
			r.fail(item.Pos, item.Width, fmt.Sprintf("there is no file %q", short(*text)), "the path is relative to this file")
		}
		do.Files = append(do.Files, name)
	}
	return do
}

func travel(r *reader, f source.RawField, c *Command) Do {
	do := Travel{Speed: 4}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "points speed")
	x, given := f.Value.Get("points")
	if !given || x.Value.Kind != source.List {
		r.fail(f.Pos, len([]rune(f.Key)), `"travel" needs a list of points`, `points: ["52.52,13.40", "52.53,13.41"]`)
		return do
	}
	for _, item := range x.Value.Items {
		text := item.Text
		north, east, two := strings.Cut(text, ",")
		_, err := strconv.ParseFloat(strings.TrimSpace(north), 64)
		_, err2 := strconv.ParseFloat(strings.TrimSpace(east), 64)
		if item.Kind != source.String || !two || err != nil || err2 != nil {
			r.fail(item.Pos, item.Width, fmt.Sprintf("%q is no place", short(text)), "write latitude and longitude in degrees: 52.52,13.40")
			continue
		}
		do.Points = append(do.Points, text)
	}
	if s, given := f.Value.Get("speed"); given {
		if text := r.written(s); text != nil {
			speed, err := strconv.ParseFloat(*text, 64)
			if err != nil {
				r.fail(s.Value.Pos, s.Value.Width, fmt.Sprintf("%q must be a number, not %q", s.Key, short(*text)), "metres per second")
			}
			do.Speed = speed
		}
	}
	return do
}

var (
	pixelPoint   = lazyregexp.New(`^\s*-?\d+\s*,\s*-?\d+\s*$`)
	percentPoint = lazyregexp.New(`^\s*\d+\s*%?\s*,\s*\d+\s*%?\s*$`)
)

func swipe(r *reader, f source.RawField, c *Command) Do {
	do := Swipe{Ms: 400}
	if !r.isMap(f) {
		return do
	}
	if n := r.number(f.Value, "duration"); n != nil {
		do.Ms = *n
	}
	do.SettleMs = r.number(f.Value, "waitToSettleTimeoutMs")
	direction, directed := f.Value.Get("direction")
	from, element := f.Value.Get("from")
	start, hasStart := f.Value.Get("start")
	end, hasEnd := f.Value.Get("end")
	width := len([]rune(f.Key))
	const keys = "direction start end from duration label optional waitToSettleTimeoutMs"
	if element && directed && !hasStart && !hasEnd {
		r.options(f, c, "direction from duration waitToSettleTimeoutMs")
	} else {
		r.keys(f.Value, f.Key, words(keys), false)
		c.Optional = r.flag(f.Value, "optional", false)
		r.label(f, c)
	}
	switch {
	case (hasStart || hasEnd) && directed:
		r.fail(direction.Pos, len("direction"), `"direction" cannot stand beside start and end`, "remove one of the two")
	case hasStart != hasEnd:
		r.fail(f.Pos, width, `"swipe" needs both start and end`, "")
	case hasStart:
		do.Start, do.End = start.Value.Text, end.Value.Text
		r.places(start, end)
	case !directed:
		r.fail(f.Pos, width, `"swipe" needs a direction, or start and end`, "direction: UP")
	default:
		do.Direction = r.direction(direction)
		if element && from.Value.Kind != source.Null {
			do.From = r.selector(from.Value, from.Key)
			do.In = do.From.point
			c.Optional = c.Optional || do.From.Optional
		}
	}
	return do
}

// places checks the ends of a swipe: both in pixels, or both in per cent.
func (r *reader) places(start, end source.RawField) {
	form, hint := pixelPoint, `write "100,200" for pixels or "50%,80%" for per cent`
	if strings.Contains(start.Value.Text+end.Value.Text, "%") {
		form = percentPoint
		for _, f := range []source.RawField{start, end} {
			if !strings.Contains(f.Value.Text, "%") {
				r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q is not in per cent as the other end is", short(f.Value.Text)), hint)
				return
			}
		}
	}
	for _, f := range []source.RawField{start, end} {
		text := f.Value.Text
		if f.Value.Kind != source.String || !form.MatchString(text) {
			r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q must be two whole numbers, not %q", f.Key, short(text)), hint)
			continue
		}
		if form == percentPoint {
			for _, part := range strings.Split(strings.ReplaceAll(text, "%", ""), ",") {
				if n, err := strconv.Atoi(strings.TrimSpace(part)); err != nil || n > 100 {
					r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("%q lies outside the screen: more than 100 %%", short(text)), hint)
				}
			}
		}
	}
}

func (r *reader) direction(f source.RawField) dsl.Direction {
	text := f.Value.Text
	lower := strings.ToLower(text)
	for _, d := range []dsl.Direction{dsl.Up, dsl.Down, dsl.Left, dsl.Right} {
		if lower == string(d) {
			return d
		}
	}
	r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("there is no direction %q", short(text)), "there are UP, DOWN, LEFT and RIGHT")
	return dsl.Up
}

func scrollUntil(r *reader, f source.RawField, c *Command) Do {
	do := ScrollUntil{Direction: dsl.Down, Timeout: "20000", Speed: "40", Percent: 100}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "direction element timeout speed visibilityPercentage centerElement waitToSettleTimeoutMs")
	if x, given := f.Value.Get("direction"); given {
		do.Direction = r.direction(x)
	}
	x, given := f.Value.Get("element")
	if !given || x.Value.Kind == source.Null {
		r.fail(f.Pos, len([]rune(f.Key)), `"scrollUntilVisible" needs "element"`, "")
		return do
	}
	do.To = r.selector(x.Value, x.Key)
	c.Optional = c.Optional || do.To.Optional
	if text := r.optionalText(f.Value, "timeout"); text != nil {
		do.Timeout = *text
	}
	if text := r.optionalText(f.Value, "speed"); text != nil {
		do.Speed = *text
	}
	if n := r.number(f.Value, "visibilityPercentage"); n != nil {
		do.Percent = min(max(*n, 0), 100)
	}
	do.Centre = r.flag(f.Value, "centerElement", false)
	do.SettleMs = r.number(f.Value, "waitToSettleTimeoutMs")
	return do
}

// plainly drops what an error of the system says about the path: the message names it already.
func plainly(err error) error {
	var where *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file")
	case errors.As(err, &where):
		return where.Err
	}
	return err
}
