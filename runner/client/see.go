package client

import (
	"context"
	"hash/maphash"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

// What a call that acts can show afterwards.
const (
	thenDiff       = "diff"
	thenSnapshot   = "snapshot"
	thenScreenshot = "screenshot"
)

// FollowUps returns what a call that acts can show afterwards.
func FollowUps() []string { return []string{thenDiff, thenSnapshot, thenScreenshot} }

// answer returns a text answer, with the values and files of the steps.
func (c *Call) answer(said []string) *Answer {
	a := c.result
	a.Parts = []Part{{Text: strings.Join(said, "\n")}}
	return &a
}

// withSnapshot returns an answer with the screen that the call requested.
func (c *Call) withSnapshot(ctx context.Context, device string, said []string) (*Answer, error) {
	answer := c.answer(said)
	if c.Then == "" {
		return answer, nil
	}
	answer.Parts = append(answer.Parts, c.See(ctx, device).Parts...)
	return answer, nil
}

// See returns the screen that the call requested.
func (c *Call) See(ctx context.Context, device string) *Answer {
	if err := c.settle(ctx, device); err != nil {
		c.Log.Debug("the screen does not come to rest", "error", err)
	}
	var more *Answer
	var err error
	if c.Then == thenScreenshot {
		more, err = c.Screenshot(ctx, device, ScreenshotArgs{MaxPx: 1024, Format: "png"})
	} else {
		more, err = c.Look(ctx, device, View{Max: 500, Diff: c.Then == thenDiff})
	}
	if err != nil { // the action itself succeeded
		more = Text("not seen: " + c.Explain(ctx, err).Error())
	}
	return more
}

// settleTimeout limits how long a screen may change after an action before it is read.
const settleTimeout = 1500 * time.Millisecond

// quietFor is how long it must not change: a click may have an effect a moment later.
const quietFor = 250 * time.Millisecond

// settle waits until a page does not change. Reading a phone waits for that anyway.
func (c *Call) settle(ctx context.Context, device string) error {
	if c.platform(device) != dsl.Web {
		return nil
	}
	return c.Live.Use(ctx, device, c.Who, func(ctx context.Context, s *action.Session) error {
		seed, began := maphash.MakeSeed(), time.Now()
		var last uint64
		since := began
		for {
			if open, err := OpenDialog(ctx, s.Device); err != nil || open != nil {
				return err
			}
			t, err := s.Device.Tree(ctx)
			now := uint64(0)
			if err == nil {
				now = digest(t, seed)
			}
			if now != last {
				last, since = now, time.Now()
			}
			if err == nil && time.Since(since) >= quietFor || time.Since(began) > settleTimeout {
				return nil
			}
			if err := drivers.Pause(ctx, 80*time.Millisecond); err != nil {
				return err
			}
		}
	})
}

// digest returns a hash of all that a screen shows.
func digest(t *screen.Tree, seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	number := func(r image.Rectangle) {
		for _, n := range []int{r.Min.X, r.Min.Y, r.Max.X, r.Max.Y} {
			_, _ = h.WriteString(strconv.Itoa(n) + ",")
		}
	}
	for n := range t.All {
		_, _ = h.WriteString(n.Type + "\x00" + n.Text + "\x00" + n.Desc + "\x00")
		number(n.Bounds)
	}
	return h.Sum64() | 1
}

// Foreign marks a text of a page or a screen.
func (s *Session) Foreign(text string) string { return s.Fence.Inline(s.Mask.Text(text)) }

// NewsOf returns what happened on a device since the client's last call.
func (c *Call) NewsOf(ctx context.Context, device string) []string {
	if !c.IsOpen(device) {
		return nil
	}
	var lines []string
	err := c.Live.Use(ctx, device, c.Who, func(ctx context.Context, s *action.Session) error {
		if open, err := OpenDialog(ctx, s.Device); err != nil || open != nil {
			return err // the page does not respond
		}
		var opened bool
		lines, opened = c.News.Since(ctx, device, s.Device, c.Foreign)
		if opened {
			c.mu.Lock()
			c.newTabs[device] = true
			c.mu.Unlock()
		}
		return nil
	})
	if err != nil {
		c.Log.Debug("cannot read what happened on the page", "error", err)
	}
	return append(c.earlyNews(device), lines...)
}

// readNews reads what happened since the last call before the next step is performed, and records on which page it is
// performed: here the page in the foreground stays there, while in a test a new page comes to the foreground.
func (c *Call) readNews(ctx context.Context, device string) {
	if !c.IsOpen(device) || c.platform(device) != dsl.Web {
		return
	}
	early := c.NewsOf(ctx, device)
	c.mu.Lock()
	c.pendingNews[device] = early
	strayed := c.newTabs[device]
	delete(c.newTabs, device)
	c.mu.Unlock()
	if !strayed {
		return
	}
	var tabs []drivers.WebTab
	err := c.Live.Use(ctx, device, c.Who, func(ctx context.Context, s *action.Session) (err error) {
		if w, ok := s.Device.(drivers.WebPageMonitor); ok {
			tabs, err = w.Tabs(ctx)
		}
		return err
	})
	front := slices.IndexFunc(tabs, func(t drivers.WebTab) bool { return t.Front })
	if err != nil || front < 0 || front == len(tabs)-1 {
		return
	}
	for _, at := range []int{len(tabs) - 1, front} {
		c.Journal.Add(Done{Device: device, Platform: dsl.Web, YAML: "webPage: {index: " + strconv.Itoa(at) + "}"})
	}
}

// earlyNews returns what was read before the step was performed.
func (c *Call) earlyNews(device string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	early := c.pendingNews[device]
	delete(c.pendingNews, device)
	return early
}

// withoutPassword replaces a text that was typed into a password field by a variable, and returns its name.
func (c *Call) withoutPassword(ctx context.Context, s *action.Session, detail *event.Detail, def *dsl.Def,
	v source.Value) (source.Value, []string) {
	v, names := c.WithoutCredentials(v)
	if len(names) > 0 || s == nil || def.Name != "input" && def.Name != "webType" {
		return v, names
	}
	typed, key := v.Text, ""
	if v.Kind == source.Map {
		f, given := v.Get("text")
		if !given {
			return v, nil
		}
		typed, key = f.Value.Text, "text"
	}
	if typed == "" || strings.Contains(typed, "${") {
		return v, nil
	}
	if (detail == nil || !detail.Secret) && !c.passwordFocused(ctx, s) {
		return v, nil
	}
	name := c.passwordName(typed)
	said := source.Value{Kind: source.String, Text: "${" + name + "}"}
	if key == "" {
		return said, []string{name}
	}
	return With(v, key, said), []string{name}
}

// WithoutCredentials replaces the passwords for HTTP authentication in a step's argument, and in the steps inside it,
// by variables. It returns the names of these variables.
func (c *Call) WithoutCredentials(v source.Value) (source.Value, []string) {
	var names []string
	replace := func(inner source.Value) source.Value {
		inner, more := c.WithoutCredentials(inner)
		names = append(names, more...)
		return inner
	}
	v.Items, v.Fields = slices.Clone(v.Items), slices.Clone(v.Fields)
	for i := range v.Items {
		v.Items[i] = replace(v.Items[i])
	}
	for _, password := range dsl.SecretsIn(v) {
		if strings.Contains(password, "${") {
			continue
		}
		name := c.passwordName(password)
		names = append(names, name)
		credentials, _ := v.Get("httpCredentials")
		v = With(v, "httpCredentials",
			With(credentials.Value, "password", source.Value{Kind: source.String, Text: "${" + name + "}"}))
	}
	for i := range v.Fields {
		v.Fields[i].Value = replace(v.Fields[i].Value)
	}
	return v, names
}

// passwordFocused reports whether a password field has the focus.
func (c *Call) passwordFocused(ctx context.Context, s *action.Session) bool {
	t := s.Tree
	if s.Platform == dsl.Web {
		var err error
		if t, err = s.Device.Tree(ctx); err != nil {
			return false
		}
	}
	if t == nil {
		return false
	}
	field := t.Focused()
	return field != nil && field.Password
}

// Listed returns the references of the last snapshot of a device, each with its element.
func (s *Session) Listed(device string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Refs.lines(device)
}

// Password returns the value of a variable for a password that the client typed.
func (s *Session) Password(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.passwords[name]
	return v, ok
}

// passwordName returns the variable for a password; equal passwords share one.
func (c *Call) passwordName(password string) string {
	for name, value := range c.Exposed {
		if value == password {
			return name
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, value := range c.passwords {
		if value == password {
			return name
		}
	}
	name := "PASSWORD"
	for i := 2; c.Exposed[name] != "" || c.passwords[name] != ""; i++ {
		name = "PASSWORD_" + strconv.Itoa(i)
	}
	c.passwords[name] = password
	return name
}

// usedIn returns the exposed variables that a step uses.
func usedIn(v source.Value, exposed map[string]string) []string { return UsedNames(v, exposed) }
