package mcpserver

import (
	"context"
	"hash/maphash"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/client"
)

// What a call that acts can show afterwards.
const (
	thenDiff       = "diff"
	thenSnapshot   = "snapshot"
	thenScreenshot = "screenshot"
)

func thens() []string { return []string{thenDiff, thenSnapshot, thenScreenshot} }

// acts tells whether the tool changes what the screen shows, so that a look at it can come with the answer.
func (t *tool) acts() bool {
	return slices.Contains([]string{"tap", "long_press", "swipe", "scroll_to", "input", "press", "launch", "open_link", "open_browser",
		"web_navigate", "web_click", "web_type", "run_test"}, t.name)
}

// andSee makes an answer, with the look at the screen that was asked for.
func (c *call) andSee(ctx context.Context, device string, said []string) (*mcp.CallToolResult, error) {
	answer := text(strings.Join(said, "\n"))
	if c.then == "" {
		return answer, nil
	}
	if err := c.settle(ctx, device); err != nil {
		c.log.Debug("the screen does not come to rest", "error", err)
	}
	var more *mcp.CallToolResult
	var err error
	if c.then == thenScreenshot {
		more, err = c.picture(ctx, device, screenshotArgs{MaxPx: 1024, Format: "png"})
	} else {
		more, err = c.look(ctx, device, client.View{Max: 500, Diff: c.then == thenDiff})
	}
	if err != nil { // what was asked for is done, whatever can be seen of it
		more = text("not seen: " + explain(ctx, err).Error())
	}
	answer.Content = append(answer.Content, more.Content...)
	return answer, nil
}

// settling is how long a screen may go on changing after an action before it is looked at.
const settling = 1500 * time.Millisecond

// quietFor is how long it has to stay as it is: what a click causes comes a moment later.
const quietFor = 250 * time.Millisecond

// settle waits until a page stays as it is. A phone is read at rest anyhow.
func (c *call) settle(ctx context.Context, device string) error {
	if c.platform(device) != dsl.Web {
		return nil
	}
	return c.live.Use(ctx, device, c.who, func(ctx context.Context, s *action.Session) error {
		seed, began := maphash.MakeSeed(), time.Now()
		var last uint64
		since := began
		for {
			if open, err := openDialog(ctx, s.Device); err != nil || open != nil {
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
			if err == nil && time.Since(since) >= quietFor || time.Since(began) > settling {
				return nil
			}
			if err := drivers.Pause(ctx, 80*time.Millisecond); err != nil {
				return err
			}
		}
	})
}

// digest is a sum of all that a screen shows.
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

// foreign marks a text that a page or a screen wrote.
func (s *Server) foreign(text string) string { return s.fence.Inline(s.mask.Text(text)) }

// newsOf tells what happened on a device since the client's last call.
func (c *call) newsOf(ctx context.Context, device string) []string {
	if !c.isOpen(device) {
		return nil
	}
	var lines []string
	err := c.live.Use(ctx, device, c.who, func(ctx context.Context, s *action.Session) error {
		if open, err := openDialog(ctx, s.Device); err != nil || open != nil {
			return err // the page does not answer
		}
		var opened bool
		lines, opened = c.news.Since(ctx, device, s.Device, c.foreign)
		if opened {
			c.mu.Lock()
			c.strayed[device] = true
			c.mu.Unlock()
		}
		return nil
	})
	if err != nil {
		c.log.Debug("the news are not known", "error", err)
	}
	return append(c.takeEarly(device), lines...)
}

// catchUp hears of what happened since the last call before the next step is done, and writes down where it is done: the page that was in
// front stays there, while in a test the one that opened comes to the front.
func (c *call) catchUp(ctx context.Context, device string) {
	if !c.isOpen(device) || c.platform(device) != dsl.Web {
		return
	}
	early := c.newsOf(ctx, device)
	c.mu.Lock()
	c.early[device] = early
	strayed := c.strayed[device]
	delete(c.strayed, device)
	c.mu.Unlock()
	if !strayed {
		return
	}
	var tabs []drivers.WebTab
	err := c.live.Use(ctx, device, c.who, func(ctx context.Context, s *action.Session) (err error) {
		if w, ok := s.Device.(drivers.WebWitness); ok {
			tabs, err = w.Tabs(ctx)
		}
		return err
	})
	front := slices.IndexFunc(tabs, func(t drivers.WebTab) bool { return t.Front })
	if err != nil || front < 0 || front == len(tabs)-1 {
		return
	}
	for _, at := range []int{len(tabs) - 1, front} {
		c.journal.Add(client.Done{Device: device, Platform: dsl.Web, YAML: "webPage: {index: " + strconv.Itoa(at) + "}"})
	}
}

// takeEarly gives the news that were heard before the step was done.
func (c *call) takeEarly(device string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	early := c.early[device]
	delete(c.early, device)
	return early
}

// withoutPassword puts a variable in the place of a text that was typed into a password field, and gives the variable's name.
func (c *call) withoutPassword(ctx context.Context, s *action.Session, def *dsl.Def, v source.Value) (source.Value, []string) {
	if s == nil || def.Name != "input" && def.Name != "webType" {
		return v, nil
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
	t := s.Tree
	if s.Platform == dsl.Web {
		var err error
		if t, err = s.Device.Tree(ctx); err != nil {
			return v, nil
		}
	}
	if t == nil {
		return v, nil
	}
	if field := t.Focused(); field == nil || !field.Password {
		return v, nil
	}
	name := c.passwordName(typed)
	said := source.Value{Kind: source.String, Text: "${" + name + "}"}
	if key == "" {
		return said, []string{name}
	}
	return with(v, key, said), []string{name}
}

// passwordName gives the variable that stands for a password; the same one for the same.
func (c *call) passwordName(password string) string {
	for name, value := range c.conf.Exposed {
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
	for i := 2; c.conf.Exposed[name] != "" || c.passwords[name] != ""; i++ {
		name = "PASSWORD_" + strconv.Itoa(i)
	}
	c.passwords[name] = password
	return name
}

// usedIn gives the exposed variables that a step names.
func usedIn(v source.Value, exposed map[string]string) []string { return client.UsedNames(v, exposed) }
