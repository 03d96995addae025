package maestro

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	usual    = "17s"
	maxErase = 10_000 // of erase: no field that is tested holds more
	maxSwipe = 60_000 // milliseconds of swipe
)

func times(c *Command, touch bool) string {
	if c.Optional && touch {
		return "7s"
	}
	return usual
}

// took writes milliseconds as the time that they are.
func took(ms int) string { return phrase.Duration(time.Duration(ms) * time.Millisecond) }

func (w *writer) command(s *dsl.Step, c *Command) {
	if w.idle(c.Do) {
		w.line("# %s does nothing here", c.Name)
		return
	}
	switch do := c.Do.(type) {
	case Tap:
		w.tap(s, c, do)
	case Assert:
		w.assert(s, c, do)
	case Launch:
		w.launch(s, c, do)
	case SetPermissions:
		w.permissions(s, c, do)
	case Stop:
		w.plain(s, c, "stop", "package", wholeApp(do.App))
	case Kill:
		w.plain(s, c, map[bool]string{true: "killApp", false: "stop"}[w.platform == dsl.Android], "package", wholeApp(do.App))
	case Clear:
		if w.platform == dsl.Web {
			w.open(s, c, do.App, true)
			return
		}
		w.plain(s, c, "clearApp", "package", wholeApp(do.App))
	case Input:
		w.plain(s, c, "input", "text", do.Text, field{"verify", "false"})
	case Random:
		length := ""
		if do.Kind == "text" || do.Kind == "number" {
			length = strconv.Itoa(do.Length)
		}
		w.step(c, "input", field{"random", do.Kind}, field{"length", length}, field{"verify", "false"})
	case Erase:
		w.step(c, "erase", field{"count", strconv.Itoa(min(do.Count, maxErase))})
	case Copy:
		w.on(s, c, "copyText", do.From, field{"as", "copiedText"}, field{"timeout", times(c, true)})
	case SetClipboard:
		value, err := str(do.Text)
		if err != nil {
			w.dropped(s, c, err.Error())
			return
		}
		w.step(c, "set", field{"copiedText", value})
	case Paste:
		w.step(c, "input", field{"text", `"${copiedText}"`}, field{"verify", "false"})
	case Press:
		w.press(s, c, do)
	case HideKeyboard:
		if w.platform == dsl.IOS {
			w.step(c, "hideKeyboard")
			return
		}
		w.step(c, "press", field{"keys", "back"})
	case Scroll:
		w.swipe(s, c, Swipe{Direction: dsl.Up, Ms: 400})
	case Swipe:
		w.swipe(s, c, do)
	case ScrollUntil:
		w.scrollUntil(s, c, do)
	case RunFlow:
		w.runFlow(s, c, do)
	case Repeat:
		w.repeat(s, c, do)
	case Retry:
		w.retry(s, c, do)
	case Script:
		w.script(s, c, do)
	default:
		w.device(s, c, do)
	}
}

func (w *writer) tap(s *dsl.Step, c *Command, do Tap) {
	if do.RetryUnchanged || do.UntilVisible {
		w.miss(s.Pos, "retryTapIfNoChange and waitUntilVisible: taproot taps once, when the element can be reached")
	}
	if do.Touch == Once && do.Repeat > 10 || do.Repeat > 1 && do.DelayMs != 100 {
		w.miss(s.Pos, "the number of taps, or the delay between them")
	}
	action := []string{"tap", "doubleTap", "longPress"}[do.Touch]
	var more []field
	if do.Touch == Once && do.Repeat > 1 {
		more = append(more, field{"times", strconv.Itoa(min(do.Repeat, 10))})
	}
	if do.Touch == Long {
		more = append(more, field{"duration", "3s"})
	}
	if do.On == nil {
		w.plain(s, c, action, "point", do.Point, more...)
		return
	}
	if do.In != "" {
		more = append(more, field{"at", strconv.Quote(do.In)})
	}
	w.on(s, c, action, do.On, append(more, field{"timeout", times(c, true)})...)
}

func (w *writer) assert(s *dsl.Step, c *Command, do Assert) {
	if do.True != nil {
		expr, err := expression(*do.True)
		if err != nil {
			w.dropped(s, c, err.Error())
			return
		}
		w.step(c, "assertTrue", field{"expr", strconv.Quote(expr)})
		return
	}
	limit := usual
	if do.Timeout != nil {
		limit = strings.ReplaceAll(*do.Timeout, "_", "")
		n, err := strconv.Atoi(limit)
		if err != nil {
			w.dropped(s, c, "a time from a script")
			return
		}
		limit = took(max(n, 0))
	}
	if do.Visible != nil {
		w.on(s, c, "assert", do.Visible, field{"timeout", limit})
	}
	if do.NotVisible != nil {
		w.on(s, c, "assertNot", do.NotVisible, field{"timeout", limit})
	}
}

// idle reports whether a command does nothing on the platform, in Maestro.
func (w *writer) idle(do Do) bool {
	web, ios := w.platform == dsl.Web, w.platform == dsl.IOS
	switch do := do.(type) {
	case Stop, Kill, SetPermissions, Orientation, AddMedia, HideKeyboard:
		return web
	case Clear:
		return web && !w.opened
	case Airplane:
		return web || ios
	case ClearKeychain:
		return !ios
	case Press:
		return ios && !slices.Contains(iosKeys, do.Key)
	case Erase:
		return do.Count <= 0
	case Input:
		return do.Text == ""
	}
	return false
}

// iosKeys and webKeys are the keys of pressKey that do something there.
var (
	iosKeys = []string{"enter", "backspace", "home", "lock"}
	webKeys = []string{"enter", "backspace"}
)

func (w *writer) press(s *dsl.Step, c *Command, do Press) {
	if w.platform == dsl.Web && !do.Back && !slices.Contains(webKeys, do.Key) {
		w.dropped(s, c, "a key that Maestro does not press on pages")
		return
	}
	w.step(c, "press", field{"keys", KeyOf(do.Key, w.platform)})
}

func (w *writer) swipe(s *dsl.Step, c *Command, do Swipe) {
	ends := map[dsl.Direction][2]string{dsl.Up: {"50%,50%", "50%,10%"}, dsl.Down: {"50%,20%", "50%,90%"},
		dsl.Left: {"90%,50%", "10%,50%"}, dsl.Right: {"10%,50%", "90%,50%"}}[do.Direction]
	switch {
	case w.platform == dsl.Web && do.Start == "":
		if do.From != nil { // it must be there, and the window is what moves
			w.on(s, c, "assert", do.From, field{"timeout", times(c, true)})
		}
		way := map[dsl.Direction]string{dsl.Up: "down", dsl.Down: "up", dsl.Left: "right", dsl.Right: "left"}[do.Direction]
		w.step(c, "scroll", field{"direction", way}, field{"amount", "50"})
		return
	case do.In != "":
		w.dropped(s, c, "a swipe that starts at a point of an element")
		return
	case do.Ms > maxSwipe:
		w.dropped(s, c, "a swipe of more than a minute")
		return
	case do.From != nil:
		inside, err := selectorMap(do.From)
		if err != nil {
			w.dropped(s, c, err.Error())
			return
		}
		w.step(c, "swipe", field{"direction", string(do.Direction)}, field{"inside", inside},
			field{"duration", took(max(do.Ms, 50))}, field{"timeout", times(c, true)})
		return
	case do.Start != "":
		ends = [2]string{percentBoth(do.Start), percentBoth(do.End)}
	}
	w.step(c, "swipe", field{"from", strconv.Quote(ends[0])}, field{"to", strconv.Quote(ends[1])},
		field{"duration", took(max(do.Ms, 50))})
}

// percentBoth writes "50%,80" with both signs.
func percentBoth(p string) string {
	if !strings.Contains(p, "%") {
		return p
	}
	parts := strings.Split(strings.ReplaceAll(p, "%", ""), ",")
	return strings.TrimSpace(parts[0]) + "%," + strings.TrimSpace(parts[1]) + "%"
}

func (w *writer) scrollUntil(s *dsl.Step, c *Command, do ScrollUntil) {
	var more []field
	if do.Speed != "40" {
		speed, err := strconv.Atoi(do.Speed)
		if err != nil {
			w.dropped(s, c, "a speed from a script")
			return
		}
		more = append(more, field{"duration", took(do.MoveMs(speed))})
	}
	if do.Percent < 100 {
		more = append(more, field{"percent", "0"}) // Maestro counts whole elements: less is any part
	}
	if do.Centre {
		more = append(more, field{"center", "true"})
	}
	limit, err := strconv.Atoi(strings.ReplaceAll(do.Timeout, "_", ""))
	if err != nil || limit < 0 {
		limit = 20000
	}
	w.on(s, c, "scrollTo", do.To, append(more, field{"direction", string(do.Direction)},
		field{"timeout", took(limit)})...)
}

// wholeApp is the app of an appId that names one of its activities.
func wholeApp(appID string) string {
	app, _, _ := strings.Cut(appID, "/")
	return app
}
