package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/live"
)

// step is one action, as it is performed and as it is recorded.
type step struct {
	def     *dsl.Def
	value   source.Value
	confirm func(*screen.Tree, screen.Match) error
	written source.Value // as it is recorded; set when it was done
	uses    []string     // the variables that replace passwords in it
}

// Operate performs an action and records it.
func (c *Call) Operate(ctx context.Context) (*Answer, error) {
	c.Value = c.Def.Named(c.Value)
	if err := c.checkCall(); err != nil {
		return nil, err
	}
	device, opened, err := c.deviceFor(ctx, c.Def)
	if err != nil {
		return nil, err
	}
	said, notes, err := c.perform(ctx, device)
	if err != nil {
		if opened { // do not leave a browser without a page behind
			err = errors.Join(err, c.Live.Shut(context.WithoutCancel(ctx), device, c.Who))
		}
		return nil, err
	}
	said = append(said, notes...)
	if !c.is("closeBrowser") {
		return c.withSnapshot(ctx, device, said)
	}
	if c.Tab == nil {
		c.ForgetDevice(device)
		err = c.Live.Shut(ctx, device, c.Who)
	}
	return c.answer(said), err
}

// perform performs the steps of one call. It returns the remarks, and the steps as lines.
func (c *Call) perform(ctx context.Context, device string) (said, lines []string, err error) {
	steps, notes, err := c.steps(ctx, device)
	if err != nil {
		return nil, nil, err
	}
	lines = append(lines, notes...)
	c.Screen(device).readNews(ctx)
	word := "step: "
	var yaml []string
	telling := !c.Brief || len(steps) > 1
	for _, st := range steps {
		st, answer, err := c.doStep(ctx, device, st)
		if err != nil {
			var r *Refusal
			if !errors.As(err, &r) {
				return nil, nil, err
			}
			if len(yaml) > 0 && len(steps) > 1 {
				r.Done = "done before: " + strings.Join(yaml, "\n")
			}
			r.News = c.Screen(device).NewsOf(ctx)
			return nil, nil, err
		}
		if c.fieldsArgument() == "" {
			said = append(said, c.describeResult(st.def, device, answer))
		}
		line := StepLine(st.def, st.written)
		c.result.Step, c.result.Value, c.result.Files = append(c.result.Step, line), answer.Value,
			append(c.result.Files, answer.Files...)
		yaml = append(yaml, word+"- "+line)
		word = "      "
		telling = telling || len(st.uses) > 0 || st.def.Name != c.Def.Name
	}
	if !telling {
		yaml = nil
	}
	if what := c.fieldsArgument(); what != "" {
		said = append(said, "ok: "+what+c.onDevice(device))
	}
	said = append(said, c.Screen(device).NewsOf(ctx)...)
	open, err := c.Screen(device).dialog(ctx)
	if err != nil {
		c.Log.Debug("cannot check for an open dialog", "error", err)
	} else if open != nil {
		said = append(said, c.DialogWords(open))
	}
	return said, append(lines, yaml...), nil
}

// doStep performs one step and records it.
func (c *Call) doStep(ctx context.Context, device string, st step) (step, live.Answer, error) {
	st, answer, err := c.act(ctx, device, st)
	if err == nil {
		c.Journal.Add(Done{Device: device, Platform: c.platform(device), YAML: StepLine(st.def, st.written),
			Uses: append(UsedNames(st.value, c.Exposed), st.uses...)})
	}
	return st, answer, err
}

// act performs one step, and returns the step that worked.
func (c *Call) act(ctx context.Context, device string, st step) (step, live.Answer, error) {
	answer, err := c.Live.Call(ctx, live.Request{Device: device, Who: c.Who, Def: st.def, Args: st.value, Dir: c.Dir,
		Confirm: st.confirm, After: func(ctx context.Context, s *action.Performer) {
			st.written, st.uses = c.Passwords.replaceTyped(ctx, s, s.Detail, st.def, st.value)
		}})
	var invalid *live.InvalidError
	switch {
	case errors.As(err, &invalid):
		err = Plainly(err)
	case err == nil && answer.Result != event.Pass:
		if other, ok := c.alternative(st, answer.Problem); ok {
			return c.act(ctx, device, other)
		}
		err = c.Screen(device).addNearest(ctx, c.RefusalOf(answer.Problem), c.Value)
	}
	return st, answer, err
}

// alternative returns the step that fills in a field into which text cannot be typed. The browser reports this, and the
// kind of the field, before it touches anything.
func (c *Call) alternative(st step, p *event.Problem) (step, bool) {
	text, _ := st.value.Get("text")
	name, key, value := "", "", text.Value
	switch {
	case st.def.Name != "webType" || p.Kind != event.NotActionable:
	case strings.Contains(p.Message, `type "checkbox"`), strings.Contains(p.Message, `type "radio"`):
		on, known := yesNo(value.Text)
		if !known {
			return step{}, false
		}
		name, key, value = "webCheck", "checked", source.Value{Kind: source.Bool, Text: strconv.FormatBool(on)}
	case strings.Contains(p.Message, `type "file"`):
		name, key, value = "webUpload", "files", source.Value{Kind: source.List, Items: []source.Value{text.Value}}
	case strings.Contains(p.Message, "not an <input>"):
		name, key = "webSelect", "label"
	}
	def, ok := dsl.Lookup(name)
	return step{def: def, value: st.value.Without("text").With(key, value)}, ok
}

// yesNo converts a text for a check box.
func yesNo(text string) (on, known bool) {
	switch strings.ToLower(text) {
	case "true", "on", "yes", "checked", "1":
		return true, true
	case "false", "off", "no", "unchecked", "0":
		return false, true
	}
	return false, false
}

// describeResult describes what was done, in a few words.
func (c *Call) describeResult(def *dsl.Def, device string, a live.Answer) string {
	var b strings.Builder
	b.WriteString("ok: " + c.Name + c.onDevice(device))
	if d := a.Detail; d != nil {
		if d.Matched != "" {
			b.WriteString(", " + c.Foreign(c.place(d.Matched)))
		}
		if d.Point != nil && !c.Brief {
			fmt.Fprintf(&b, ", touched at %d,%d", d.Point[0], d.Point[1])
		}
	}
	fmt.Fprintf(&b, " (%d ms)", a.Took.Milliseconds())
	if d := a.Detail; d != nil {
		b.WriteString(c.remarkLines("note", d.Notes) + c.remarkLines("warning", d.Warnings))
	}
	if a.Value != nil && def.Saves != "" && !c.secretText() {
		b.WriteString("\nvalue: " + c.Foreign(markdown.Visible(dsl.Show(a.Value), maxRemark)))
	}
	return b.String()
}

// onDevice names the device of an action.
func (c *Call) onDevice(device string) string {
	if c.Brief && len(c.Live.Open()) < 2 {
		return ""
	}
	return " on " + device
}

// bounds matches the bounds at the end of an element's description.
var bounds = lazyregexp.New(` \[-?\d+,-?\d+\]\[-?\d+,-?\d+\]$`)

// place returns the description of an element, in brief mode without its bounds.
func (c *Call) place(matched string) string {
	if c.Brief {
		return bounds.ReplaceAllString(matched, "")
	}
	return matched
}

// maxRemark limits the characters of a remark or a value.
const maxRemark = 2000

// remarkLines writes remarks, one per line; equal remarks in a row share one. They quote dialogs, responses of servers,
// labels.
func (c *Call) remarkLines(kind string, remarks []string) string {
	var b strings.Builder
	for i := 0; i < len(remarks); {
		n := 1
		for i+n < len(remarks) && remarks[i+n] == remarks[i] {
			n++
		}
		fmt.Fprintf(&b, "\n%s: %s", kind, c.Foreign(markdown.Visible(remarks[i], maxRemark)))
		if n > 1 {
			fmt.Fprintf(&b, " (%d times)", n)
		}
		i += n
	}
	return b.String()
}

// secretText reports whether a text of the call uses one of the secrets by name.
func (c *Call) secretText() bool { return len(UsedNames(c.Value, c.Exposed)) > 0 }

// checkCall checks what does not depend on a device: the action's own rules, and the targets of links.
func (c *Call) checkCall() error {
	v := c.Value
	if c.fieldsArgument() != "" {
		return nil
	}
	if err := c.checkElement(); err != nil {
		return err
	}
	if _, ref := v.Get("ref"); ref || hasScale(v) || nestedRefs(v) {
		v = source.Value{} // checked when the reference is resolved
	}
	if v.Kind == source.Null {
		return nil
	}
	args, _, err := c.Live.Decode(c.Def, elements(v))
	if err != nil {
		return Plainly(err)
	}
	return c.checkLinks(args)
}

// checkLinks refuses links that this server may not open.
func (c *Call) checkLinks(args any) error {
	if c.AnyLink {
		return nil
	}
	var address string
	schemes := append([]string{"http", "https"}, c.Schemes...)
	switch a := args.(type) {
	case dsl.OpenLink:
		address = a.URL
	case dsl.OpenBrowser:
		address, schemes = a.URL, append(schemes, "about", "data")
	case dsl.WebNavigate:
		address, schemes = a.URL, append(schemes, "about", "data")
	}
	scheme, _, found := strings.Cut(address, ":")
	if !found || slices.Contains(schemes, strings.ToLower(scheme)) || strings.ContainsAny(scheme, "/?#.") {
		return nil
	}
	return &Refusal{What: fmt.Sprintf("links with %s: may not be opened by this server", phrase.LimitRunes(scheme, 40)),
		Try: fmt.Sprintf("the schemes are %s; `allowScheme`", strings.Join(schemes, ", "))}
}

// checkElement refuses a call without the element that it needs. The message lists the tool's arguments, which are
// fewer than those of the action.
func (c *Call) checkElement() error {
	ways := []string{"label", "ref", "id", "point", "inside"}
	switch {
	case c.TakesRef():
		ways = []string{"selector", "ref", "url", "title", "noConsoleErrors"}
	case !c.Def.Selects():
		return nil
	}
	for _, f := range c.Value.Fields {
		if slices.Contains(ways, f.Key) || f.Key != "index" && dsl.SelectorKey(f.Key) {
			return nil
		}
	}
	ways = slices.DeleteFunc(ways, func(way string) bool { return !slices.Contains(c.Names, way) })
	return &Refusal{What: c.Name + " does not say which element", Try: "give one of " + strings.Join(ways, ", ")}
}

// steps returns the action's steps: references become selectors, points become the device's, keys answer a dialog.
func (c *Call) steps(ctx context.Context, device string) (steps []step, notes []string, err error) {
	open, err := c.Screen(device).dialog(ctx)
	if err != nil {
		return nil, nil, err
	}
	if c.Tab != nil { // of close_browser
		def, _ := dsl.Lookup("webTab")
		number := func(n int) source.Value { return source.Value{Kind: source.Int, Text: strconv.Itoa(n)} }
		pick := source.Value{Kind: source.Map, Fields: []source.Field{{Key: "index", Value: number(*c.Tab)},
			{Key: "timeout", Value: number(2000)}}}
		gone := source.Value{Kind: source.Map, Fields: []source.Field{
			{Key: "close", Value: source.Value{Kind: source.Bool, Text: "true"}}}}
		return []step{{def: def, value: pick}, {def: def, value: gone}}, nil, nil
	}
	if open != nil && !c.ignoresDialog() {
		answer, err := c.dialogStep(open)
		return []step{answer}, nil, err
	}
	if f, given := c.Value.Get("fields"); given && c.is("input") {
		steps, err = c.fill(ctx, device, f.Value)
		return steps, nil, err
	}
	v := elements(c.Value)
	if v, notes, err = c.points(v, device); err != nil {
		return nil, nil, err
	}
	if !nestedRefs(v) && !hasRef(v) {
		return []step{{def: c.Def, value: v}}, notes, nil
	}
	sc, err := c.Screen(device).readIdentified(ctx)
	if err != nil {
		return nil, nil, err
	}
	main, confirm := source.Value{}, (func(*screen.Tree, screen.Match) error)(nil)
	if f, given := v.Get("ref"); given {
		var was ReferencedElement
		if main, was, err = c.resolver(device, sc).resolve(f.Value); err != nil {
			return nil, nil, err
		}
		confirm = c.confirmSame(f.Value.Text, was)
		if v = v.Without("ref"); !c.TakesRef() {
			if v, err = c.merged(v, main); err != nil {
				return nil, nil, err
			}
		}
	}
	if v, err = c.resolver(device, sc).inner(v); err != nil {
		return nil, nil, err
	}
	if c.TakesRef() && main.Kind == source.Map {
		steps, err = c.onPage(v, main, confirm)
		return steps, notes, err
	}
	return []step{{def: c.Def, value: v, confirm: confirm}}, notes, nil
}

// merged adds the selector of a reference before the other arguments.
func (c *Call) merged(v, main source.Value) (source.Value, error) {
	for _, key := range []string{"label", "id", "index", "point", "inside"} {
		if _, given := v.Get(key); given {
			return v, &Refusal{What: fmt.Sprintf("ref cannot be combined with %s: a ref identifies one element already", key),
				Try: "give the ref alone"}
		}
	}
	v.Fields = append(slices.Clone(main.Fields), v.Fields...)
	return v, nil
}

// onPage returns the steps of a web tool with a reference: those of a person's actions.
func (c *Call) onPage(v, main source.Value, confirm func(*screen.Tree, screen.Match) error) ([]step, error) {
	for _, key := range []string{"selector", "inside"} {
		if f, given := v.Get(key); given {
			return nil, &Refusal{What: "ref and " + f.Word() + " are mutually exclusive", Try: "give one of the two"}
		}
	}
	look := func(name string) *dsl.Def { def, _ := dsl.Lookup(name); return def }
	timeout, hasTimeout := v.Get("timeout")
	rest := v.Without("timeout")
	timed := func(v source.Value) source.Value {
		if hasTimeout {
			return v.With("timeout", timeout.Value)
		}
		return v
	}
	only := func(keys ...string) error {
		for _, f := range rest.Fields {
			if !slices.Contains(keys, f.Key) {
				return &Refusal{What: fmt.Sprintf("%s cannot be combined with ref in %s", f.Key, c.Name),
					Try: "use a CSS selector in place of the ref"}
			}
		}
		return nil
	}
	switch c.Def.Name {
	case "webClick":
		return []step{{def: look("tap"), value: timed(main), confirm: confirm}}, only()
	case "webType":
		text, given := rest.Get("text")
		if !given {
			return nil, &Refusal{What: "web_type needs text"}
		}
		input := source.Value{Kind: source.Map, Fields: []source.Field{{Key: "text", Value: text.Value},
			{Key: "replace", Value: source.Value{Kind: source.Bool, Text: "true"}}}}
		return []step{{def: look("tap"), value: timed(main), confirm: confirm}, {def: look("input"), value: timed(input)}},
			only("text")
	}
	def := look("assert")
	if visible, given := rest.Get("visible"); given {
		if on, _ := yesNo(visible.Value.Text); !on {
			def = look("assertNot")
		}
	}
	main.Fields = append(slices.Clone(main.Fields), rest.Without("visible").Fields...)
	return []step{{def: def, value: timed(main)}}, only("text", "match", "value", "visible", "count")
}

// readTree reads the screen; one that cannot be read now is tried again for a while.
func (s *Client) readTree(ctx context.Context, on *action.Performer) (*screen.Tree, error) {
	if err := s.checkNoDialog(ctx, on.Device); err != nil {
		return nil, err
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for began := time.Now(); ; {
		t, err := on.Device.Tree(ctx)
		if !errors.Is(err, drivers.ErrNotReady) || time.Since(began) > unreadableTimeout {
			return t, err
		}
		timer.Reset(100 * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// describeInside describes the element that a call selects by inside; "" if it does not.
func describeInside(t *screen.Tree, v source.Value) string {
	f, given := elements(v).Get("inside")
	if !given {
		return ""
	}
	def, _ := dsl.Lookup("tap")
	args, err := dsl.Decode(def, f.Value)
	tap, ok := args.(dsl.Tap)
	if err != nil || !ok {
		return ""
	}
	found, err := t.Find(screen.Query{Selector: tap.Selector})
	switch {
	case err != nil || len(found) == 0:
		return "not on the screen"
	case len(found) > 1:
		return fmt.Sprintf("one of %d elements, the first %s", len(found), found[0].Node)
	}
	if len(found[0].Node.Children) == 0 {
		return found[0].Node.String() + ", which contains nothing: name the box around it, or use a relation such as rightOf"
	}
	return found[0].Node.String()
}
