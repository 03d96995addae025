package foreign

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// formWords are the actions that another tool has under the same name with other arguments. They are tried on steps
// that are wrong as they are.
func formWords() []word {
	return []word{
		{"swipe", maestro, "{start: \"50%,80%\", end: \"50%,20%\", duration: 400}", swipe},
		{"repeat", maestro, "{times: 3, commands: [{tapOn: Next}]}", repeat},
		{"retry", maestro, "{maxRetries: 2, commands: [{tapOn: Refresh}]}", retry},
		{"openLink", maestro, "{link: \"https://example.com\"}", openLink},
		{"setClipboard", maestro, "{text: SAVE10, label: code}", needs("setClipboard", "text", "text")},
		{"setPermissions", maestro, "{appId: com.example.app, permissions: {camera: allow}}", setPermissions},
		{"assertTrue", maestro, "${total > 3}", assertTrue},
		{"assertScreenshot", maestro, "{path: home, thresholdPercentage: 95}", assertScreenshot},
		{"startRecording", maestro, "{path: checkout}", needs("startRecording", "name", "path=name")},
		{"stopRecording", maestro, "{label: end}", fixed("stopRecording", source.Value{})},
		{"hideKeyboard", maestro, "{label: close}", fixed("hideKeyboard", source.Value{})},
		{"addMedia", maestro, "{files: [photo.png], label: photo}", needs("addMedia", "files", "files")},
		{"setAirplaneMode", maestro, "enabled", switched(airplane)},
		{"setDarkMode", maestro, "enabled", switched(dark)},
		{"setOrientation", maestro, "LANDSCAPE_LEFT", setOrientation},
		{"setLocation", maestro, "{latitude: 52.52, longitude: 13.405}", setLocation},
		{"killApp", maestro, "{appId: com.example.app}", needs(endApp, "package", "appId=package")},
		{"assertDarkMode", maestro, "{label: dark}", fixed("assertDarkMode", truth(true))},
		{"press", playwright, "{selector: \"#search\", key: Enter}", func(t *translation) {
			if t.arg.Kind != source.Map {
				t.doubt("its keys are wrong")
			}
			inPage("webPress", "label", "key")(t)
		}},
	}
}

var forms = sync.OnceValue(func() map[string]word {
	all := map[string]word{}
	for _, w := range formWords() {
		all[w.names] = w
	}
	return all
})

func swipe(t *translation) {
	if t.arg.Kind != source.Map {
		t.step("swipe", lower(t.arg))
		return
	}
	fields := t.keys(t.arg, "direction start=from end=to from=inside duration="+duration+" waitToSettleTimeoutMs=-")
	for i, f := range fields {
		switch f.Key {
		case "direction":
			fields[i].Value = lower(f.Value)
		case "inside":
			if pointForm.MatchString(f.Value.Text) {
				t.doubt("a swipe from a point needs its end")
			}
			fields[i].Value = t.nested(f.Value)
		}
	}
	t.options("swipe", "direction", fields)
}

var pointForm = lazyregexp.New(`^ *[0-9.]+%? *,`)

func repeat(t *translation) {
	commands, given := t.arg.Get("commands")
	if !given {
		t.doubt("it has no commands")
		return
	}
	commands.Key = "steps"
	fields := t.keys(t.arg.Without("commands").Without("while"), "times")
	if while, given := t.arg.Get("while"); given {
		for _, c := range while.Value.Fields {
			switch c.Key {
			case "visible", "notVisible":
				c.Value = t.nested(c.Value)
			case "true":
				expr, certain := expression(c.Value.Text)
				if !certain {
					t.doubt("expressions of Taproot are not JavaScript")
				}
				c.Key, c.Value = "while", with(c.Value, expr)
			default:
				t.doubt(fmt.Sprintf("%q has no counterpart", c.Key))
				continue
			}
			fields = append(fields, c)
		}
	}
	t.step("repeat", t.hoisted(inPlace(t.arg, append(fields, commands))))
}

// inPlace is ordered when all fields are of the map itself.
func inPlace(v source.Value, fields []source.Field) []source.Field {
	if sorted := ordered(v, fields); len(sorted) == len(fields) {
		return sorted
	}
	return fields
}

func retry(t *translation) {
	fields := t.keys(t.arg, "maxRetries=times commands=steps file env")
	for i, f := range fields {
		switch f.Key {
		case "times":
			n, err := strconv.Atoi(f.Value.Text)
			if err != nil {
				t.doubt("maxRetries does not count the first attempt, times does")
				continue
			}
			fields[i].Value = with(f.Value, strconv.Itoa(n+1))
			fields[i].Value.Kind = source.Int
		case "file", "env":
			t.doubt(`a file is run by a step: steps: [{run: …}]`)
		}
	}
	t.options("retry", "", fields)
}

func openLink(t *translation) {
	if t.web() {
		if t.arg.Kind != source.Map { // it is the action of phones
			t.doubt("a page is opened by openBrowser")
		}
		open(t)
		return
	}
	needs("openLink", "url", "link=url")(t)
}

func setPermissions(t *translation) {
	app, given := t.arg.Get("appId")
	if !given {
		if app, given = t.arg.Get("package"); !given {
			t.doubt(`nothing says which app: add "package"`)
		}
	}
	lists := map[string][]source.Value{}
	permissions, _ := t.arg.Get("permissions")
	for _, f := range permissions.Value.Fields {
		to := "deny"
		if strings.EqualFold(f.Value.Text, "allow") {
			to = "allow"
		}
		lists[to] = append(lists[to], textOf(f.Key))
	}
	app.Key = "package"
	fields := []source.Field{app}
	for _, to := range []string{"allow", "deny"} {
		if len(lists[to]) > 0 {
			fields = append(fields, key(to, source.Value{Kind: source.List, Items: lists[to]}))
		}
	}
	t.step("setPermissions", source.Value{Kind: source.Map, Fields: fields})
}

func assertTrue(t *translation) {
	v := t.arg
	var more []source.Field
	if t.arg.Kind == source.Map {
		f, given := t.arg.Get("condition")
		if !given {
			t.doubt("it has no condition")
			return
		}
		v, more = f.Value, t.keys(t.arg.Without("condition"), "")
	}
	expr, certain := expression(v.Text)
	if !certain {
		t.doubt("expressions of Taproot are not JavaScript")
	}
	v = with(v, expr)
	t.options("assertTrue", "expr", append([]source.Field{key("expr", v)}, more...))
}

func assertScreenshot(t *translation) {
	fields := t.keys(t.arg, "path=name thresholdPercentage=threshold cropOn=element")
	for i, f := range fields {
		switch f.Key {
		case "threshold":
			n, err := strconv.ParseFloat(f.Value.Text, 64)
			if err != nil {
				t.doubt("threshold is the per cent that may differ")
				continue
			}
			fields[i].Value = numberOf(strconv.FormatFloat(math.Round((100-n)*1000)/1000, 'f', -1, 64))
		case "element":
			fields[i].Value = t.nested(f.Value)
		}
	}
	t.options("assertScreenshot", "name", fields)
}

// switched is a setting that Maestro enables and disables.
func switched(action string) func(*translation) {
	return func(t *translation) {
		switch strings.ToLower(t.arg.Text) {
		case "enabled":
			t.step(action, truth(true))
		case "disabled":
			t.step(action, truth(false))
		default:
			t.doubt("it is true or false")
		}
	}
}

func setOrientation(t *translation) {
	to := map[string]string{"portrait": "portrait", "landscape": "landscape", "landscapeleft": "landscape",
		"upsidedown": "upsideDown", "landscaperight": "landscapeRight"}[phrase.Fold(t.arg.Text)]
	if to == "" || strings.Contains(t.arg.Text, "-") { // Maestro writes underscores
		t.doubt("the orientation is portrait, landscape, upsideDown or landscapeRight")
		return
	}
	t.step(orient, with(t.arg, to))
}

func setLocation(t *translation) {
	latitude, one := t.arg.Get("latitude")
	longitude, two := t.arg.Get("longitude")
	if !one || !two {
		t.doubt("it has no latitude and longitude")
		return
	}
	fields := []source.Field{key("at", textOf(latitude.Value.Text+","+longitude.Value.Text))}
	t.options(place, "at", append(fields, t.keys(t.arg.Without("latitude").Without("longitude"), "")...))
}

// Bare is an action without an argument, for which the colon is missing.
func Bare(action string) Fix {
	return Fix{Word: action, Of: maestro, Arguments: true, Steps: []source.Field{{Key: action}}}
}
