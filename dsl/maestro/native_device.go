package maestro

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// device writes what is done to the device and what is kept of it.
func (w *writer) device(s *dsl.Step, c *Command, do Do) {
	switch do := do.(type) {
	case OpenLink:
		if do.Browser || do.AutoVerify {
			w.dropped(s, c, "browser and autoVerify")
			return
		}
		w.plain(s, c, "openLink", "url", do.Link)
	case Location:
		w.plain(s, c, "location", "at", do.Latitude+","+do.Longitude)
	case Travel:
		w.step(c, "location", field{"route", "[" + strings.Join(quoted(do.Points), ", ") + "]"}, field{"speedKmh", strconv.FormatFloat(do.Speed*3.6, 'f', -1, 64)})
	case Orientation:
		to := map[string]string{"portrait": "portrait", "landscape_left": "landscape", "upside_down": "upsideDown", "landscape_right": "landscapeRight"}[OrientationOf(do.To)]
		if to == "" {
			w.dropped(s, c, "an orientation that a script gives")
			return
		}
		w.step(c, "rotate", field{"orientation", to})
	case Airplane:
		w.toggled(s, c, "airplane", do.Set)
	case DarkMode:
		w.toggled(s, c, "darkMode", do.Set)
	case AddMedia:
		var files []string
		for _, f := range do.Files {
			files = append(files, w.o.Rel(f))
		}
		w.step(c, "addMedia", field{"files", "[" + strings.Join(quoted(files), ", ") + "]"})
	case StartRecording:
		w.plain(s, c, "startRecording", "name", path.Base(do.Path))
	case StopRecording:
		w.step(c, "stopRecording")
	case Screenshot:
		element := ""
		if do.Crop != nil {
			crop, err := selectorMap(do.Crop)
			if err != nil {
				w.dropped(s, c, err.Error())
				return
			}
			element = crop
		}
		w.plain(s, c, "screenshot", "name", do.Path, field{"element", element})
	case AI:
		if do.Kind == "assert" {
			w.plain(s, c, "assertVisual", "prompt", do.Text)
			return
		}
		if do.Kind == "extract" {
			w.plain(s, c, "extract", "prompt", do.Text, field{"as", do.Output})
			return
		}
		w.dropped(s, c, "a search for defects")
	case Settle:
		limit := "15000"
		if do.Timeout != nil {
			limit = strings.ReplaceAll(*do.Timeout, "_", "")
			if n, err := strconv.Atoi(limit); err != nil || n <= 0 {
				w.dropped(s, c, "a time that a script gives")
				return
			}
		}
		settled := *c
		settled.Optional = true
		w.step(&settled, "waitStable", field{"timeoutMs", limit})
	case AssertScreenshot:
		w.dropped(s, c, "pictures of Maestro are no baselines of Taproot: write assertScreenshot and run with --update-baselines")
	case ClearKeychain:
		if w.platform == dsl.IOS {
			w.dropped(s, c, "the keychain")
			return
		}
		w.line("# clearKeychain does nothing here")
	default:
		w.dropped(s, c, c.Name)
	}
}

func (w *writer) toggled(s *dsl.Step, c *Command, action string, set Switch) {
	if set == Toggle {
		w.dropped(s, c, "a toggle")
		return
	}
	w.step(c, action, field{"on", strconv.FormatBool(set == On)})
}

func (w *writer) launch(s *dsl.Step, c *Command, do Launch) {
	if w.platform == dsl.Web {
		w.plain(s, c, "openBrowser", "url", do.App, field{"viewport", `"1024x768"`})
		return
	}
	if do.ClearKeychain && w.platform == dsl.IOS {
		w.miss(s.Pos, "clearKeychain")
	}
	var permissions, arguments []string
	list := do.Permissions
	if do.GrantAll {
		list = []Pair{{Key: "all", Value: "allow"}}
	}
	for _, p := range list {
		value := p.Value
		if !slices.Contains([]string{"allow", "deny", "unset"}, value) {
			w.miss(s.Pos, fmt.Sprintf("the permission %s: %s", p.Key, short(value)))
			value = "deny"
		}
		permissions = append(permissions, p.Key+": "+value)
	}
	for _, a := range do.Arguments {
		value := fmt.Sprint(a.Value)
		if t, is := a.Value.(string); is {
			q, err := str(t)
			if err != nil {
				w.miss(s.Pos, err.Error())
			}
			value = q
		}
		arguments = append(arguments, a.Key+": "+value)
	}
	more := []field{}
	if !do.KeepRunning {
		more = append(more, field{"force", "true"})
	}
	if w.flow.WebViews && w.platform == dsl.Android {
		more = append(more, field{"webView", "devtools"})
	}
	if do.ClearState {
		more = append(more, field{"clear", "true"})
	}
	if len(permissions) > 0 {
		more = append(more, field{"permissions", "{" + strings.Join(permissions, ", ") + "}"})
	}
	if len(arguments) > 0 {
		more = append(more, field{"arguments", "{" + strings.Join(arguments, ", ") + "}"})
	}
	w.plain(s, c, "launch", "package", do.App, more...)
}

func (w *writer) permissions(s *dsl.Step, c *Command, do SetPermissions) {
	var allow, deny []string
	for _, p := range do.Permissions {
		if p.Value == "allow" {
			allow = append(allow, p.Key)
		} else {
			deny = append(deny, p.Key)
		}
	}
	var more []field
	if len(allow) > 0 {
		more = append(more, field{"allow", "[" + strings.Join(allow, ", ") + "]"})
	}
	if len(deny) > 0 {
		more = append(more, field{"deny", "[" + strings.Join(deny, ", ") + "]"})
	}
	w.plain(s, c, "setPermissions", "package", do.App, more...)
}
