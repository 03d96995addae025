package maestro

import (
	"maps"
	"slices"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
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
		"assertTrue":        assertTrue,
		"extendedWaitUntil": extendedWait,
		"assertNoDefectsWithAI": func(r *reader, f source.RawField, c *Command) Do {
			return r.ai(f, c, AI{Kind: "defects"}, "")
		},
		"assertWithAI": func(r *reader, f source.RawField, c *Command) Do {
			return r.ai(f, c, AI{Kind: "assert"}, "assertion")
		},
		"extractTextWithAI": func(r *reader, f source.RawField, c *Command) Do {
			return r.ai(f, c, AI{Kind: "extract"}, "query")
		},
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

// Holds is the argument of a command that holds others.
type Holds struct {
	Steps dsl.Steps `json:"commands"`
}

// Leaf is the argument of a command that holds none.
type Leaf struct{}

// defOf is the word of a command, as reports call it.
func defOf(c *Command) *dsl.Def {
	d := &dsl.Def{Name: c.Name, Args: Leaf{}, Platforms: []dsl.Platform{dsl.Android, dsl.IOS, dsl.Web}}
	switch c.Do.(type) {
	case RunFlow, Repeat, Retry, Entry:
		d.Args = Holds{}
	}
	return d
}

// valueOf shows what a command says, without the commands that it holds.
func valueOf(r source.Raw) source.Value {
	v := source.Value{Pos: r.Pos, Kind: r.Kind, Text: r.Text}
	for _, item := range r.Items {
		v.Items = append(v.Items, valueOf(item))
	}
	for _, f := range r.Fields {
		if f.Key != "commands" {
			v.Fields = append(v.Fields, source.Field{Key: f.Key, Pos: f.Pos, Value: valueOf(f.Value)})
		}
	}
	if r.Kind == source.Map && len(v.Fields) == 0 {
		return source.Value{Pos: r.Pos}
	}
	return v
}
