package maestro

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Native is a flow as a file of Taproot.
type Native struct {
	Text  []byte
	Steps int // commands that were written
	Lost  []*source.Error
}

// NativeOptions say what a flow becomes.
type NativeOptions struct {
	ID       string
	Block    bool // other flows call it: it is written as a block
	Platform dsl.Platform
	// Rel gives a path of the flow as the new file names it.
	Rel func(path string) string
}

// ToNative writes a flow as Taproot YAML. What has no native form becomes a comment, and is listed.
func ToNative(f *Flow, o NativeOptions) Native {
	w := &writer{o: o, flow: f, platform: o.Platform}
	if f.Web {
		w.platform = dsl.Web
	}
	w.comments = commentsOf(f)
	w.head()
	return Native{Text: []byte(w.b.String()), Steps: w.count, Lost: w.lost}
}

type writer struct {
	b        strings.Builder
	o        NativeOptions
	flow     *Flow
	platform dsl.Platform
	depth    int
	count    int
	lost     []*source.Error
	comments map[int][]string // by the line of a command
}

func (w *writer) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", w.depth) + fmt.Sprintf(format, args...) + "\n")
}

// commentsOf gives the comments that stand right above a line, and behind its text.
func commentsOf(f *Flow) map[int][]string {
	all := map[int][]string{}
	var block []string
	for i, line := range f.Source.Lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "#"):
			block = append(block, trimmed)
		case trimmed == "":
		default:
			if at := strings.Index(line, " #"); at >= 0 && !strings.ContainsAny(line[at:], `"'`) {
				block = append(block, strings.TrimSpace(line[at:]))
			}
			all[i+1] = block
			block = nil
		}
	}
	all[0] = block // at the end
	return all
}

// remark writes the comments of the lines from one to another.
func (w *writer) remark(from, to int) {
	for n := from; n <= to; n++ {
		for _, c := range w.comments[n] {
			w.line("%s", c)
		}
		delete(w.comments, n)
	}
}

func (w *writer) head() {
	f := w.flow
	first := 1 << 30
	for _, list := range []dsl.Steps{f.Start, f.Complete, f.Steps} {
		for _, s := range list {
			first = min(first, s.Pos.Line)
		}
	}
	if w.o.Block {
		w.blockHead()
		return
	}
	w.remark(1, max(first-1, 1))
	w.line("id: %s", w.o.ID)
	if f.Name != "" {
		w.line("name: %s", text(f.Name))
	}
	w.line("platform: %s", w.platform)
	if len(f.Tags) > 0 {
		w.line("tags: [%s]", strings.Join(quoted(f.Tags), ", "))
	}
	w.variables()
	if len(f.Start) > 0 || w.sets() {
		w.line("before:")
		w.depth++
		w.env(f.Env)
		w.steps(f.Start)
		w.depth--
	}
	w.line("steps:")
	w.depth++
	w.steps(f.Steps)
	w.depth--
	if len(f.Complete) > 0 {
		w.line("after:")
		w.depth++
		w.steps(f.Complete)
		w.depth--
	}
	for _, c := range w.comments[0] {
		w.line("%s", c)
	}
}

func (w *writer) blockHead() {
	f := w.flow
	w.variables()
	w.line("steps:")
	w.depth++
	w.env(f.Env)
	if len(f.Start)+len(f.Complete) == 0 {
		w.steps(f.Steps)
		w.depth--
		return
	}
	w.line("- try:")
	w.depth += 2
	w.line("steps:")
	w.depth++
	w.steps(f.Start)
	w.steps(f.Steps)
	w.depth--
	w.line("always:")
	w.depth++
	if len(f.Complete) == 0 {
		w.line("- log: done")
	}
	w.steps(f.Complete)
	w.depth -= 4
}

var (
	defaulted = lazyregexp.New(`^\$\{\s*([A-Za-z_]\w*)\s*\|\|\s*(?:'([^']*)'|"([^"]*)")\s*\}$`)
	placeForm = lazyregexp.New(`\$\{([^$]*)\}`)
	nameForm  = lazyregexp.New(`^\s*([A-Za-z_]\w*)\s*$`)
	outForm   = lazyregexp.New(`^\s*output\.([A-Za-z_]\w*)\s*$`)
	orForm    = lazyregexp.New(`^\s*([A-Za-z_]\w*)\s*\|\|\s*(?:'([^']*)'|"([^"]*)")\s*$`)
	setForm   = lazyregexp.New(`^\s*output\.([A-Za-z_]\w*)\s*=\s*(?:'([^']*)'|"([^"]*)"|(-?\d+(?:\.\d+)?)|(true|false))\s*;?\s*$`)
	cmpForm   = lazyregexp.New(`^\s*(output\.)?([A-Za-z_]\w*)\s*(===?|!==?)\s*(?:'([^']*)'|"([^"]*)"|(-?\d+))\s*$`)
)

// variables declares what the flow and those that it calls need from outside.
func (w *writer) variables() {
	if w.o.Block {
		return
	}
	values := Needs(w.flow)
	for _, p := range w.flow.Env {
		if m := defaulted.FindStringSubmatch(p.Value); m != nil && m[1] == p.Key {
			values[p.Key] = m[2] + m[3]
		}
	}
	if len(values) == 0 {
		return
	}
	w.line("vars:")
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w.line("  %s: %s", name, strconv.Quote(values[name]))
	}
}

// Needs are the variables that a flow and those that it calls use and nobody in them gives a value, with the value that they have then: the
// word undefined, or nothing, where a called flow has a default.
func Needs(f *Flow) map[string]string {
	given, used, own := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var flow func(f *Flow)
	var steps func(list dsl.Steps)
	look := func(value string) {
		for _, m := range placeForm.FindAllStringSubmatch(value, -1) {
			if n := nameForm.FindStringSubmatch(m[1]); n != nil {
				used[n[1]] = true
			} else if n := cmpForm.FindStringSubmatch(m[1]); n != nil && n[1] == "" {
				used[n[2]] = true
			}
		}
	}
	values := func(v source.Value) {
		var walk func(v source.Value)
		walk = func(v source.Value) {
			look(v.Text)
			for _, item := range v.Items {
				walk(item)
			}
			for _, f := range v.Fields {
				walk(f.Value)
			}
		}
		walk(v)
	}
	env := func(list []Pair) {
		for _, p := range list {
			if m := defaulted.FindStringSubmatch(p.Value); m != nil && m[1] == p.Key {
				used[p.Key], own[p.Key] = true, true
			} else {
				given[p.Key] = true
			}
			look(p.Value)
		}
	}
	flow = func(f *Flow) {
		env(f.Env)
		look(f.App)
		for _, list := range []dsl.Steps{f.Start, f.Steps, f.Complete} {
			steps(list)
		}
	}
	steps = func(list dsl.Steps) {
		for _, s := range list {
			values(s.Args)
			switch do := s.Foreign().(*Command).Do.(type) {
			case RunFlow:
				env(do.Env)
				steps(do.Steps)
				if do.Flow != nil {
					flow(do.Flow)
				}
			case Retry:
				env(do.Env)
				steps(do.Steps)
				if do.Flow != nil {
					flow(do.Flow)
				}
			case Repeat:
				steps(do.Steps)
			}
		}
	}
	flow(f)
	needs := map[string]string{}
	for name := range used {
		switch {
		case given[name]:
		case own[name]:
			needs[name] = ""
		default:
			needs[name] = "undefined"
		}
	}
	return needs
}

func (w *writer) sets() bool {
	return slices.ContainsFunc(w.flow.Env, func(p Pair) bool { return !defaulted.MatchString(p.Value) })
}

// env sets what a flow sets, whoever calls it.
func (w *writer) env(list []Pair) {
	var sets []string
	for _, p := range list {
		if m := defaulted.FindStringSubmatch(p.Value); m != nil && m[1] == p.Key && !w.o.Block {
			continue
		}
		value, err := convert(p.Value)
		if err != nil {
			w.miss(p.Pos, err.Error())
			continue
		}
		sets = append(sets, p.Key+": "+strconv.Quote(value))
	}
	if len(sets) > 0 {
		w.line("- set: {vars: {%s}}", strings.Join(sets, ", "))
	}
}

// miss says that something has no native form.
func (w *writer) miss(pos source.Pos, why string) {
	w.lost = append(w.lost, &source.Error{Pos: pos, Msg: "no native form: " + why, Source: w.flow.Source})
}

// convert writes the ${…} of a text as Taproot does.
func convert(value string) (string, error) {
	if !strings.Contains(value, "${") {
		return value, nil
	}
	if strings.Contains(value, `\${`) {
		return "", fmt.Errorf("an escaped place in %q", short(value))
	}
	var broken error
	out := placeForm.ReplaceAllStringFunc(value, func(place string) string {
		code := place[2 : len(place)-1]
		switch {
		case strings.TrimSpace(code) == "":
			return ""
		case nameForm.MatchString(code):
			return "${" + strings.TrimSpace(code) + "}"
		case strings.TrimSpace(code) == "maestro.copiedText":
			return "${copiedText}"
		}
		if m := outForm.FindStringSubmatch(code); m != nil {
			return "${output_" + m[1] + "}"
		}
		if m := orForm.FindStringSubmatch(code); m != nil {
			return "${" + m[1] + ":-" + m[2] + m[3] + "}"
		}
		broken = fmt.Errorf("the script ${%s}", short(code))
		return place
	})
	return out, broken
}

// expression writes a condition of a script as an expression.
func expression(value string) (string, error) {
	switch value {
	case "true", "false":
		return value, nil
	}
	m := placeForm.FindStringSubmatch(value)
	if m == nil || m[0] != value {
		return "", fmt.Errorf("the condition %q", short(value))
	}
	c := cmpForm.FindStringSubmatch(m[1])
	if c == nil {
		return "", fmt.Errorf("the script ${%s}", short(m[1]))
	}
	name, op := c[2], "=="
	if c[1] != "" {
		name = "output_" + name
	}
	if strings.HasPrefix(c[3], "!") {
		op = "!="
	}
	if c[6] != "" {
		return fmt.Sprintf("string(%s) %s %q", name, op, c[6]), nil
	}
	return fmt.Sprintf("%s %s %q", name, op, c[4]+c[5]), nil
}

func text(s string) string { return source.Flow(source.Value{Kind: source.String, Text: s}) }

func quoted(list []string) []string {
	all := make([]string, len(list))
	for i, s := range list {
		all[i] = strconv.Quote(s)
	}
	return all
}

func (w *writer) steps(list dsl.Steps) {
	last := 0
	for _, s := range list {
		if last == 0 {
			last = s.Pos.Line
		}
		w.remark(min(last, s.Pos.Line), s.Pos.Line)
		w.command(s, s.Foreign().(*Command))
		last = s.Pos.Line + 1
	}
	if len(list) == 0 {
		w.line("- log: nothing")
	}
}

// field is one argument of a native step: a key, and its value in one line.
type field struct{ key, value string }

// step writes a native step.
func (w *writer) step(c *Command, action string, fields ...field) {
	var parts []string
	for _, f := range fields {
		if f.value != "" {
			parts = append(parts, f.key+": "+f.value)
		}
	}
	if c.Label != "" {
		if label, err := convert(c.Label); err == nil {
			parts = append(parts, "name: "+strconv.Quote(label))
		}
	}
	if c.Optional {
		parts = append(parts, "optional: true")
	}
	w.count++
	if len(parts) == 0 {
		w.line("- %s:", action)
		return
	}
	w.line("- %s: {%s}", action, strings.Join(parts, ", "))
}

// dropped writes a command that has no native form as a comment.
func (w *writer) dropped(s *dsl.Step, c *Command, why string) {
	w.miss(s.Pos, why)
	w.line("# no native form (%s): %s: %s", why, c.Name, source.Flow(s.Args))
	w.line("- log: %s", strconv.Quote("not imported: "+c.Name))
}

const usual = "17000"

func times(c *Command, touch bool) string {
	if c.Optional && touch {
		return "7000"
	}
	return usual
}

func str(s string) (string, error) {
	out, err := convert(s)
	return strconv.Quote(out), err
}

// selectorFields writes a selector as the arguments of a step.
func selectorFields(s *Selector) ([]field, error) {
	var fields []field
	var broken error
	put := func(key, value string, err error) {
		fields = append(fields, field{key, value})
		if err != nil {
			broken = err
		}
	}
	if s.Text != nil {
		value, err := str(pattern(s.Text))
		put("label", value, err)
	}
	if s.ID != nil {
		value, err := str(pattern(s.ID))
		put("id", value, err)
	}
	if s.CSS != nil {
		value, err := str(*s.CSS)
		put("css", value, err)
	}
	fields = append(fields, field{"match", "maestro"})
	if s.Index != nil {
		n, err := strconv.ParseFloat(*s.Index, 64)
		if err != nil {
			broken = fmt.Errorf("the index %q", short(*s.Index))
		}
		put("index", strconv.Itoa(int(n)), nil)
	}
	if s.Width != nil || s.Height != nil {
		var size []string
		if s.Width != nil {
			size = append(size, fmt.Sprintf("width: %d", *s.Width))
		}
		if s.Height != nil {
			size = append(size, fmt.Sprintf("height: %d", *s.Height))
		}
		if s.Tolerance > 0 {
			size = append(size, fmt.Sprintf("tolerance: %d", s.Tolerance))
		}
		put("size", "{"+strings.Join(size, ", ")+"}", nil)
	}
	if len(s.Traits) > 0 {
		put("traits", "["+strings.Join(s.Traits, ", ")+"]", nil)
	}
	for _, state := range []struct {
		key  string
		want *bool
	}{{"enabled", s.Enabled}, {"checked", s.Checked}, {"selected", s.Selected}, {"focused", s.Focused}} {
		if state.want != nil {
			put(state.key, strconv.FormatBool(*state.want), nil)
		}
	}
	for _, r := range []struct {
		key string
		of  *Selector
	}{{"below", s.Below}, {"above", s.Above}, {"leftOf", s.LeftOf}, {"rightOf", s.RightOf}, {"child", s.Child}, {"inside", s.ChildOf}} {
		if r.of != nil {
			value, err := selectorMap(r.of)
			put(r.key, value, err)
		}
	}
	if len(s.Descendants) > 0 {
		var all []string
		for _, d := range s.Descendants {
			value, err := selectorMap(d)
			if err != nil {
				broken = err
			}
			all = append(all, value)
		}
		put("contains", "["+strings.Join(all, ", ")+"]", nil)
	}
	if !s.names() {
		broken = fmt.Errorf("a selector that asks for nothing")
	}
	return fields, broken
}

func selectorMap(s *Selector) (string, error) {
	fields, err := selectorFields(s)
	var parts []string
	for _, f := range fields {
		parts = append(parts, f.key+": "+f.value)
	}
	return "{" + strings.Join(parts, ", ") + "}", err
}

// on writes a step with a selector.
func (w *writer) on(s *dsl.Step, c *Command, action string, sel *Selector, more ...field) {
	fields, err := selectorFields(sel)
	if err != nil {
		w.dropped(s, c, err.Error())
		return
	}
	w.step(c, action, append(fields, more...)...)
}

// plain writes a step with one text.
func (w *writer) plain(s *dsl.Step, c *Command, action, key, value string, more ...field) {
	text, err := str(value)
	if err != nil {
		w.dropped(s, c, err.Error())
		return
	}
	w.step(c, action, append([]field{{key, text}}, more...)...)
}

func (w *writer) command(s *dsl.Step, c *Command) {
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
		w.plain(s, c, "stop", "package", do.App)
	case Kill:
		w.plain(s, c, "kill", "package", do.App)
	case Clear:
		w.plain(s, c, "clearApp", "package", do.App)
	case Input:
		w.plain(s, c, "input", "text", do.Text, field{"verify", "false"})
	case Random:
		length := ""
		if do.Kind == "text" || do.Kind == "number" {
			length = strconv.Itoa(do.Length)
		}
		w.step(c, "input", field{"random", do.Kind}, field{"length", length}, field{"verify", "false"})
	case Erase:
		w.step(c, "erase", field{"count", strconv.Itoa(max(do.Count, 1))})
	case Copy:
		w.on(s, c, "copyText", do.From, field{"as", "copiedText"}, field{"timeoutMs", times(c, true)})
	case SetClipboard:
		value, err := str(do.Text)
		if err != nil {
			w.dropped(s, c, err.Error())
			return
		}
		w.step(c, "set", field{"vars", "{copiedText: " + value + "}"})
	case Paste:
		w.step(c, "input", field{"text", `"${copiedText}"`}, field{"verify", "false"})
	case Press:
		w.press(s, c, do)
	case HideKeyboard:
		if w.platform == dsl.Web {
			w.line("# hideKeyboard does nothing on pages")
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
		more = append(more, field{"count", strconv.Itoa(min(do.Repeat, 10))})
	}
	if do.Touch == Long {
		more = append(more, field{"durationMs", "3000"})
	}
	if do.On == nil {
		w.plain(s, c, action, "point", do.Point, more...)
		return
	}
	if do.In != "" {
		more = append(more, field{"at", strconv.Quote(do.In)})
	}
	w.on(s, c, action, do.On, append(more, field{"timeoutMs", times(c, true)})...)
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
		if _, err := strconv.Atoi(limit); err != nil {
			w.dropped(s, c, "a time that a script gives")
			return
		}
	}
	if do.Visible != nil {
		w.on(s, c, "assert", do.Visible, field{"timeoutMs", limit})
	}
	if do.NotVisible != nil {
		w.on(s, c, "assertNot", do.NotVisible, field{"timeoutMs", limit})
	}
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

func (w *writer) press(s *dsl.Step, c *Command, do Press) {
	key := do.Key
	if key == "tab" && w.platform == dsl.Android {
		key = "space"
	}
	if own, known := nativeKeys[key]; known {
		key = own
	}
	w.step(c, "press", field{"keys", key})
}

var nativeKeys = map[string]string{"volume up": "volumeUp", "volume down": "volumeDown", "remote dpad up": "up", "remote dpad down": "down",
	"remote dpad left": "left", "remote dpad right": "right", "remote dpad center": "select", "remote media play pause": "playPause",
	"remote media stop": "mediaStop", "remote media next": "mediaNext", "remote media previous": "mediaPrevious", "remote media rewind": "rewind",
	"remote media fast forward": "fastForward", "remote system navigation up": "navigateUp", "remote system navigation down": "navigateDown",
	"remote button a": "buttonA", "remote button b": "buttonB", "remote menu": "menu", "tv input": "tvInput", "tv input hdmi 1": "hdmi1",
	"tv input hdmi 2": "hdmi2", "tv input hdmi 3": "hdmi3"}

func (w *writer) swipe(s *dsl.Step, c *Command, do Swipe) {
	ends := map[dsl.Direction][2]string{dsl.Up: {"50%,50%", "50%,10%"}, dsl.Down: {"50%,20%", "50%,90%"}, dsl.Left: {"90%,50%", "10%,50%"}, dsl.Right: {"10%,50%", "90%,50%"}}[do.Direction]
	switch {
	case do.From != nil:
		w.dropped(s, c, "a swipe that begins at an element")
		return
	case w.platform == dsl.Web && do.Start == "":
		way := map[dsl.Direction]string{dsl.Up: "down", dsl.Down: "up", dsl.Left: "right", dsl.Right: "left"}[do.Direction]
		w.step(c, "scroll", field{"direction", way}, field{"amount", "50"})
		return
	case do.Start != "":
		ends = [2]string{percentBoth(do.Start), percentBoth(do.End)}
	}
	w.step(c, "swipe", field{"from", strconv.Quote(ends[0])}, field{"to", strconv.Quote(ends[1])}, field{"durationMs", strconv.Itoa(max(do.Ms, 50))})
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
	if do.Speed != "40" || do.Percent != 100 || do.Centre {
		w.miss(s.Pos, "speed, visibilityPercentage and centerElement")
	}
	limit, err := strconv.Atoi(strings.ReplaceAll(do.Timeout, "_", ""))
	if err != nil || limit < 0 {
		limit = 20000
	}
	w.on(s, c, "scrollTo", do.To, field{"direction", string(do.Direction)}, field{"timeoutMs", strconv.Itoa(limit)})
}

// guarded writes what a condition leaves in. body writes the steps.
func (w *writer) guarded(s *dsl.Step, c *Command, when *Condition, body func()) {
	if when == nil {
		body()
		return
	}
	var conditions []string
	if when.Platform != "" {
		conditions = append(conditions, "cond: "+strconv.Quote(fmt.Sprintf("platform == %q", when.Platform)))
	}
	if when.True != nil {
		expr, err := expression(*when.True)
		if err != nil {
			w.dropped(s, c, err.Error())
			return
		}
		conditions = append(conditions, "cond: "+strconv.Quote(expr))
	}
	for _, side := range []struct {
		key string
		of  *Selector
	}{{"visible", when.Visible}, {"notVisible", when.NotVisible}} {
		if side.of == nil {
			continue
		}
		sel, err := selectorMap(side.of)
		if err != nil {
			w.dropped(s, c, err.Error())
			return
		}
		conditions = append(conditions, side.key+": "+sel)
	}
	depth := w.depth
	for _, cond := range conditions {
		w.line("- if:")
		w.depth += 2
		w.line("%s", cond)
		if strings.HasPrefix(cond, "visible") || strings.HasPrefix(cond, "notVisible") {
			w.line("timeoutMs: 7000")
		}
		w.line("then:")
		w.depth++
	}
	body()
	w.depth = depth
}

func (w *writer) runFlow(s *dsl.Step, c *Command, do RunFlow) {
	w.guarded(s, c, do.When, func() { w.called(s, c, do) })
}

// called writes the file or the steps of runFlow.
func (w *writer) called(s *dsl.Step, c *Command, do RunFlow) {
	if do.Flow != nil {
		var with []string
		for _, p := range do.Env {
			value, err := str(p.Value)
			if err != nil {
				w.miss(p.Pos, err.Error())
				continue
			}
			with = append(with, p.Key+": "+value)
		}
		fields := []field{{"file", strconv.Quote(w.o.Rel(do.Flow.File))}}
		if len(with) > 0 {
			fields = append(fields, field{"with", "{" + strings.Join(with, ", ") + "}"})
		}
		w.step(c, "run", fields...)
		return
	}
	w.count++
	w.line("- group:")
	w.depth += 2
	w.options(c)
	w.line("steps:")
	w.depth++
	w.env(do.Env)
	w.steps(do.Steps)
	w.depth -= 3
}

func (w *writer) options(c *Command) {
	if c.Optional {
		w.line("optional: true")
	}
}

func (w *writer) repeat(s *dsl.Step, c *Command, do Repeat) {
	fields := []string{}
	if do.Times != nil {
		n, err := strconv.ParseFloat(*do.Times, 64)
		if err != nil {
			w.dropped(s, c, "a number of rounds that a script gives")
			return
		}
		fields = append(fields, fmt.Sprintf("times: %d", max(int(n), 0)))
	} else {
		fields = append(fields, "times: 10000")
	}
	if do.While != nil {
		switch {
		case do.While.True != nil && do.While.Visible == nil && do.While.NotVisible == nil && do.While.Platform == "":
			expr, err := expression(*do.While.True)
			if err != nil {
				w.dropped(s, c, err.Error())
				return
			}
			fields = append(fields, "while: "+strconv.Quote(expr))
		case do.While.True == nil && do.While.Platform == "" && (do.While.Visible == nil) != (do.While.NotVisible == nil):
			key, of := "visible", do.While.Visible
			if of == nil {
				key, of = "notVisible", do.While.NotVisible
			}
			sel, err := selectorMap(of)
			if err != nil {
				w.dropped(s, c, err.Error())
				return
			}
			fields = append(fields, key+": "+sel, "timeoutMs: 7000")
		default:
			w.dropped(s, c, "several conditions of a loop")
			return
		}
	}
	w.count++
	w.line("- repeat:")
	w.depth += 2
	for _, f := range fields {
		w.line("%s", f)
	}
	w.options(c)
	w.line("steps:")
	w.depth++
	w.steps(do.Steps)
	w.depth -= 3
}

func (w *writer) retry(s *dsl.Step, c *Command, do Retry) {
	n, err := strconv.Atoi(do.Max)
	if err != nil {
		n = 1
	}
	w.count++
	w.line("- retry:")
	w.depth += 2
	w.line("times: %d", min(max(n, 0), 3)+1)
	w.options(c)
	w.line("steps:")
	w.depth++
	if do.Flow != nil {
		w.called(s, &Command{Name: c.Name}, do.RunFlow)
	} else {
		w.env(do.Env)
		w.steps(do.Steps)
	}
	w.depth -= 3
}

func (w *writer) script(s *dsl.Step, c *Command, do Script) {
	if do.File != "" {
		w.dropped(s, c, "a script")
		return
	}
	m := placeForm.FindStringSubmatch(do.Text)
	if m == nil || m[0] != strings.TrimSpace(do.Text) {
		w.dropped(s, c, "a script")
		return
	}
	set := setForm.FindStringSubmatch(m[1])
	if set == nil {
		w.dropped(s, c, "the script "+short(do.Text))
		return
	}
	value := strconv.Quote(set[2] + set[3])
	if plain := set[4] + set[5]; plain != "" {
		value = plain
	}
	w.step(c, "set", field{"vars", "{output_" + set[1] + ": " + value + "}"})
}
