package maestro

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// device writes what is done to the device and what is kept of it.
func (w *writer) device(s *dsl.Step, c *Command, do Do) {
	switch do := do.(type) {
	case OpenLink:
		if w.platform == dsl.Web {
			w.open(s, c, webLink(do.Link), false)
			return
		}
		if do.Browser || do.AutoVerify {
			w.dropped(s, c, "browser and autoVerify")
			return
		}
		if !linkForm.MatchString(do.Link) {
			w.dropped(s, c, "a link without a scheme, which no phone opens")
			return
		}
		w.plain(s, c, "openLink", "url", do.Link)
	case Location:
		w.plain(s, c, "setLocation", "at", do.Latitude+","+do.Longitude)
	case Travel:
		switch {
		case len(do.Points) == 1:
			w.plain(s, c, "setLocation", "at", do.Points[0])
			return
		case len(do.Points) == 0 || do.Speed*3.6 < 1:
			w.dropped(s, c, "travel without points, or slower than 1 km/h")
			return
		}
		w.step(c, "setLocation", field{"route", "[" + strings.Join(quoted(do.Points), ", ") + "]"},
			field{"speedKmh", strconv.FormatFloat(do.Speed*3.6, 'f', -1, 64)})
	case Orientation:
		to := map[string]string{"portrait": "portrait", "landscape_left": "landscape", "upside_down": "upsideDown",
			"landscape_right": "landscapeRight"}[OrientationOf(do.To)]
		if to == "" {
			w.dropped(s, c, "an orientation from a script")
			return
		}
		if w.platform == dsl.IOS { // which has two
			to = strings.TrimSuffix(strings.Replace(to, "upsideDown", "portrait", 1), "Right")
		}
		w.step(c, "setOrientation", field{"orientation", to})
	case Airplane:
		w.toggled(c, "setAirplaneMode", do.Set)
	case DarkMode:
		w.toggled(c, "setDarkMode", do.Set)
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
		limit := "15s"
		if do.Timeout != nil {
			limit = strings.ReplaceAll(*do.Timeout, "_", "")
			n, err := strconv.Atoi(limit)
			if err != nil {
				w.dropped(s, c, "a time from a script")
				return
			}
			limit = took(max(n, 0))
		}
		settled := *c
		settled.Optional = true
		w.step(&settled, "waitStable", field{"timeout", limit})
	case AssertScreenshot:
		w.assertScreenshot(s, c, do)
	case AssertDark:
		w.step(c, "assertDarkMode", field{"on", strconv.FormatBool(do.Dark)})
	case ClearKeychain:
		w.dropped(s, c, "the keychain")
	default:
		w.dropped(s, c, c.Name)
	}
}

var linkForm = lazyregexp.New(`^([A-Za-z][A-Za-z0-9+.-]*:[^\s]|\$\{)`)

func (w *writer) assertScreenshot(s *dsl.Step, c *Command, do AssertScreenshot) {
	equal, err := strconv.ParseFloat(do.Threshold, 64)
	switch {
	case do.Beside == "":
		w.dropped(s, c, "no image is next to the flow: run assertScreenshot with --update-baselines")
		return
	case err != nil || equal < 0 || equal > 100:
		w.dropped(s, c, "a threshold from a script, or one that is not a percentage")
		return
	}
	element := ""
	if do.Crop != nil {
		if element, err = selectorMap(do.Crop); err != nil {
			w.dropped(s, c, err.Error())
			return
		}
	}
	name := strings.TrimSuffix(path.Base(do.Beside), path.Ext(do.Beside))
	fields := []field{{"name", strconv.Quote(name)}, {"file", strconv.Quote(w.o.Rel(do.Beside))},
		{"threshold", strconv.FormatFloat(100-equal, 'f', -1, 64)}}
	if element != "" {
		fields = append(fields, field{"element", element}, field{"timeout", usual})
	}
	w.step(c, "assertScreenshot", fields...)
}

func (w *writer) toggled(c *Command, action string, set Switch) {
	if set == Toggle {
		w.step(c, action, field{"toggle", "true"})
		return
	}
	w.step(c, action, field{"on", strconv.FormatBool(set == On)})
}

// webLink is the address that openLink means on pages.
func webLink(link string) string {
	if strings.HasPrefix(link, "http") || strings.HasPrefix(link, "${") {
		return link
	}
	return "https://" + link
}

// open shows a page: in a new browser the first time, and when its data shall go.
func (w *writer) open(s *dsl.Step, c *Command, address string, fresh bool) {
	if w.opened && !fresh {
		w.plain(s, c, "webNavigate", "url", address)
		return
	}
	w.opened = true
	w.plain(s, c, "openBrowser", "url", address, field{"viewport", `"1024x768"`})
}

func (w *writer) launch(s *dsl.Step, c *Command, do Launch) {
	if w.platform == dsl.Web {
		w.open(s, c, do.App, do.ClearState)
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
		permissions = append(permissions, w.permission(p.Key)+": "+value)
	}
	for _, a := range do.Arguments {
		if strings.Contains(a.Key, "${") {
			w.miss(s.Pos, fmt.Sprintf("a computed name of an argument, %q", short(a.Key)))
			continue
		}
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

// permission is the name that steps have for one of Maestro's.
func (w *writer) permission(name string) string {
	if w.platform == dsl.Android && name == "medialibrary" {
		return "storage"
	}
	return name
}

func (w *writer) permissions(s *dsl.Step, c *Command, do SetPermissions) {
	var allow, deny []string
	for _, p := range do.Permissions {
		if p.Value == "allow" {
			allow = append(allow, w.permission(p.Key))
		} else {
			deny = append(deny, w.permission(p.Key))
		}
	}
	if len(allow)+len(deny) == 0 {
		w.line("# %s names no permission", c.Name)
		return
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
