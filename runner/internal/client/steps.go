package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/live"
)

// maxSteps limits the steps of one call.
const maxSteps = 200

// stepList performs the steps of a call of run_test.
type stepList struct {
	*Call
	device string
	items  []source.Value // the steps with selectors instead of references
	test   *dsl.Test
	began  time.Time

	session *action.Performer
	ended   int
	lines   []string // remarks about steps that passed
	failed  *event.Problem
}

// PerformSteps performs test steps on the open device: any actions, several in one call, up to the first that fails.
func (c *Call) PerformSteps(ctx context.Context) (*Answer, error) {
	l := &stepList{Call: c, began: time.Now()}
	if err := l.read(); err != nil {
		return nil, err
	}
	opened, err := l.choose(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.resolve(ctx); err != nil {
		return nil, err
	}
	if err := l.parse(); err != nil {
		return nil, err
	}
	c.Screen(l.device).readNews(ctx)
	files, err := c.Live.Steps(ctx, live.StepsRequest{Device: l.device, Who: c.Who, Test: l.test, Dir: c.Dir,
		Saved: c.Saved(), Prepare: l.prepare,
		Ended: func(e live.StepEnd) { l.note(ctx, e) }})
	l.restore(ctx)
	if err == nil && l.failed != nil {
		r := c.RefusalOf(l.failed)
		r.Prefix = l.at()
		r.Done, r.News = l.doneSteps(), c.Screen(l.device).NewsOf(ctx)
		return nil, c.Screen(l.device).addNearest(ctx, r, c.Value)
	}
	if err != nil {
		if opened && l.ended <= 1 {
			err = errors.Join(err, c.Live.Shut(context.WithoutCancel(ctx), l.device, c.Who))
		}
		r := c.Explain(ctx, Plainly(err))
		if l.ended > 0 && l.ended <= len(l.items) {
			r.Prefix, r.Done = l.at(), l.doneSteps()
		}
		return nil, r
	}
	c.result.Files = files
	for _, f := range files {
		l.lines = append(l.lines, "file: "+f.Name)
	}
	said := []string{fmt.Sprintf("ok: %s on %s (%d ms)", phrase.Plural(len(l.items), "step"), l.device,
		time.Since(l.began).Milliseconds())}
	said = append(said, l.lines...)
	said = append(said, c.Screen(l.device).NewsOf(ctx)...)
	if open, err := c.Screen(l.device).dialog(ctx); err == nil && open != nil {
		said = append(said, c.DialogWords(open))
	}
	return c.withSnapshot(ctx, l.device, said)
}

// read parses the given steps: a list of maps, or YAML text.
func (l *stepList) read() error {
	v := *l.Listed
	if v.Kind == source.String {
		const form = `steps: [{"tap": "Sign in"}, {"webEval": {"script": "document.title"}}]`
		text, src, bad := source.Readable("steps", []byte(v.Text))
		if bad != nil {
			return &Refusal{What: bad.Error(), Try: form}
		}
		values, err := source.Read(text, src)
		switch {
		case err != nil:
			return &Refusal{What: fmt.Sprintf("steps is not a list of steps: %v", err), Try: form}
		case len(values) != 1:
			return &Refusal{
				What: fmt.Sprintf("steps holds %d documents, not one list of steps", len(values)),
				Try:  form,
			}
		}
		v = values[0]
	}
	if v.Kind != source.List || len(v.Items) == 0 || len(v.Items) > maxSteps {
		return &Refusal{What: fmt.Sprintf("steps must be a list of 1 to %d steps", maxSteps),
			Try: `steps: [{"tap": "Sign in"}, {"assert": "Welcome"}]`}
	}
	for _, item := range v.Items {
		if item.Kind == source.String {
			item = source.Value{Kind: source.Map, Fields: []source.Field{
				{Key: item.Text, Value: source.Value{Kind: source.Null}}}}
		}
		for i := range item.Fields {
			if name := camel(item.Fields[i].Key); name != item.Fields[i].Key {
				if _, known := dsl.Lookup(name); known {
					item.Fields[i].Key = name
				}
			}
		}
		l.items = append(l.items, item)
	}
	return nil
}

// camel returns the action of a tool, in the spelling of the test syntax.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}

// opens reports whether the first step opens a page.
func (l *stepList) opens() bool {
	return len(l.items[0].Fields) > 0 && l.items[0].Fields[0].Key == "openBrowser"
}

// choose finds the device. It opens a page for steps that start with one, when none is open.
func (l *stepList) choose(ctx context.Context) (opened bool, err error) {
	def, _ := dsl.Lookup("openBrowser")
	if l.opens() {
		if len(l.Pages()) > 0 || l.Call.Device != "" {
			l.device, err = l.Pick(ctx, def.Platforms)
			return false, err
		}
		l.device, err = l.NewPage(ctx)
		return err == nil, err
	}
	l.device, err = l.AnyDevice(ctx)
	return false, err
}

// resolve replaces references by selectors, on the current screen.
func (l *stepList) resolve(ctx context.Context) error {
	var screenNow *Identified
	var replace func(v source.Value, key string) (source.Value, error)
	meant := func(ref source.Value) (source.Value, error) {
		if screenNow == nil {
			var err error
			if screenNow, err = l.Screen(l.device).readIdentified(ctx); err != nil {
				return ref, err
			}
		}
		selector, _, err := l.resolver(l.device, screenNow).resolve(ref)
		return selector, err
	}
	replace = func(v source.Value, key string) (source.Value, error) {
		var err error
		if f, given := v.Get("ref"); given && v.Kind == source.Map {
			selector, err := meant(f.Value)
			if err != nil {
				return v, err
			}
			v = v.Without("ref")
			v.Fields = append(slices.Clone(selector.Fields), v.Fields...)
			return v, nil
		}
		if v.Kind == source.String && IsRef(v.Text) &&
			!slices.Contains([]string{"input", "text", "value", "script"}, key) &&
			l.isKnownRef(v.Text) {
			return meant(v)
		}
		v.Fields, v.Items = slices.Clone(v.Fields), slices.Clone(v.Items)
		for i := range v.Fields {
			if v.Fields[i].Value, err = replace(v.Fields[i].Value, v.Fields[i].Key); err != nil {
				return v, err
			}
		}
		for i := range v.Items {
			if v.Items[i], err = replace(v.Items[i], key); err != nil {
				return v, err
			}
		}
		return v, nil
	}
	for i, item := range l.items {
		var err error
		if l.items[i], err = replace(item, ""); err != nil {
			return err
		}
	}
	return nil
}

// isKnownRef reports whether a text is a reference of this session.
func (s *Client) isKnownRef(ref string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.Refs.Known(ref)
	return ok
}

// parse checks the steps as those of a test.
func (l *stepList) parse() error {
	var b strings.Builder
	b.WriteString("steps:\n")
	for _, item := range l.items {
		b.WriteString("  - " + source.Flow(item) + "\n")
	}
	platform := l.platform(l.device)
	if !l.IsOpen(l.device) {
		if info, err := l.Live.Info(context.Background(), l.device); err == nil {
			platform = info.Platform
		}
	}
	text := fmt.Sprintf("%sid: steps\nplatform: %s\n", b.String(), platform)
	known := l.Saved()
	if known == nil {
		known = map[string]any{}
	}
	for name := range l.Exposed {
		known[name] = ""
	}
	if len(known) > 0 {
		text += "vars:\n"
		for _, name := range slices.Sorted(maps.Keys(known)) {
			text += "  " + name + ": ''\n"
		}
	}
	if names := slices.Sorted(maps.Keys(l.Exposed)); len(names) > 0 {
		text += "secrets: [" + strings.Join(names, ", ") + "]\n"
	}
	var own *dsl.Own
	if l.Own != nil {
		own = l.Own()
	}
	tests, err := dsl.Parse("steps", []byte(text), own)
	if err != nil {
		return &Refusal{What: err.Error(),
			Try: "fix these and try again, nothing was done; `reference` describes the test syntax"}
	}
	if l.Link != nil {
		if err := l.Link(tests[0]); err != nil {
			return err
		}
	} else if len(own.Names()) > 0 {
		if err := dsl.Link(tests[0], own.Read); err != nil {
			return &Refusal{What: err.Error(), Try: "fix these and try again, nothing was done"}
		}
	}
	l.test = tests[0]
	off := false
	for _, step := range l.test.Steps {
		step.Options.Screenshot = &off
		if args, _, err := l.Live.Decode(step.Def, step.Args); err == nil {
			if err := l.checkLinks(args); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepare lets new pages come to the foreground as in a test, while the steps run.
func (l *stepList) prepare(s *action.Performer) {
	l.session = s
	if w, ok := s.Device.(drivers.WebPageMonitor); ok {
		w.KeepFront(false)
	}
}

func (l *stepList) restore(ctx context.Context) {
	if !l.IsOpen(l.device) {
		return
	}
	err := l.Live.Use(ctx, l.device, l.Who, func(_ context.Context, s *action.Performer) error {
		if w, ok := s.Device.(drivers.WebPageMonitor); ok {
			w.KeepFront(true)
		}
		return nil
	})
	if err != nil {
		l.Log.Debug("cannot keep the page in the foreground", "error", err)
	}
	l.mu.Lock()
	delete(l.newTabs, l.device) // the steps continued in the new tab, as a test does
	l.mu.Unlock()
}

// note adds the remarks of a step, and records one that passed.
func (l *stepList) note(ctx context.Context, e live.StepEnd) {
	l.ended++
	l.Keep(e.Saved)
	if e.Result != event.Pass {
		l.failed = e.Problem
		return
	}
	item := l.items[l.ended-1]
	if d := e.Detail; d != nil {
		for _, line := range []string{l.remarkLines("note", d.Notes), l.remarkLines("warning", d.Warnings)} {
			if line = strings.TrimSpace(line); line != "" {
				l.lines = append(l.lines, fmt.Sprintf("step %d %s", l.ended, line))
			}
		}
	}
	if e.Value != nil && e.Step.Def.Saves != "" && len(usedIn(item, l.Exposed)) == 0 {
		l.lines = append(l.lines, fmt.Sprintf("step %d value: %s", l.ended,
			l.Foreign(markdown.Visible(dsl.Show(e.Value), maxRemark))))
	}
	var names []string
	if len(item.Fields) > 0 {
		first := item.Fields[0]
		first.Value, names = l.Passwords.replaceTyped(ctx, l.session, e.Detail, e.Step.Def, first.Value)
		item.Fields = slices.Clone(item.Fields)
		item.Fields[0] = first
	}
	c := l.Call
	c.result.Value = e.Value
	line := source.Flow(item)
	if len(item.Fields) == 1 {
		line = StepLine(e.Step.Def, item.Fields[0].Value)
	}
	c.result.Step = append(c.result.Step, line)
	l.Journal.Add(Done{Device: l.device, Platform: l.session.Platform, YAML: line, Uses: append(usedIn(item, l.Exposed),
		names...)})
}

// at names the step that ended last.
func (l *stepList) at() string {
	return fmt.Sprintf(
		"step %d of %d, %s: ",
		l.ended,
		len(l.items),
		phrase.LimitRunes(source.Flow(l.items[l.ended-1]), 120),
	)
}

// doneSteps describes which steps are done.
func (l *stepList) doneSteps() string {
	switch n := l.ended - 1; n {
	case 0:
		return "nothing before it was done"
	case 1:
		return "step 1 is done"
	default:
		return fmt.Sprintf("steps 1 to %d are done", n)
	}
}
