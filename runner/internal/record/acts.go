package record

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/client"
)

func str(s string) source.Value { return source.Value{Kind: source.String, Text: escaped(s)} }

// escaped escapes a text so that the test syntax finds no variable in it.
func escaped(s string) string { return strings.ReplaceAll(s, "${", "$${") }

// fields returns a map with one or more keys.
func fields(key string, value source.Value, more ...source.Field) source.Value {
	return source.Value{Kind: source.Map, Fields: append([]source.Field{{Key: key, Value: value}}, more...)}
}

func text(key, value string) source.Value { return fields(key, str(value)) }

// line writes a test step.
func line(name string, args source.Value) string {
	def, _ := dsl.Lookup(name)
	return client.StepLine(def, args)
}

// tap repeats a click or double click of the person, and records it.
func (r *recorder) tap(ctx context.Context, t userAction, name string) error {
	v, err := r.selector(ctx, t.X, t.Y)
	if err != nil {
		return err
	}
	if err := r.call(ctx, name, v); err != nil {
		return err
	}
	r.write(step{lines: []string{line(name, v)}, field: t.Field, selector: v, control: t.Control, typed: t.Field != ""},
		false)
	return r.sync(ctx, -1)
}

// input records the text that was typed into a field as one step. It replaces the click that focused the field.
func (r *recorder) input(ctx context.Context, t userAction) (err error) {
	last := r.test.last()
	again := last.field == t.Field
	into := last.selector
	if !again {
		if into, err = r.selector(ctx, t.X, t.Y); err != nil {
			return err
		}
	}
	typed, kept := t.Value, t.Before != "" && strings.HasPrefix(t.Value, t.Before)
	if kept {
		typed = t.Value[len(t.Before):]
	}
	content := str(typed)
	if t.Password && typed != "" {
		name, known := r.names[t.Field]
		if !known {
			name = r.test.password()
			r.names[t.Field] = name
		}
		content = source.Value{Kind: source.String, Text: "${" + name + "}"}
	}
	var lines []string
	_, place := into.Get("point")
	if place || typed == "" || t.Before != "" && !kept {
		lines = append(lines, line("tap", into))
		if t.Before != "" && !kept {
			lines = append(lines, "erase:")
		}
		if typed != "" {
			lines = append(lines, line("input", fields("text", content)))
		}
	} else {
		lines = append(lines, line("input", fields("into", into, source.Field{Key: "text", Value: content})))
	}
	r.write(step{lines: lines, field: t.Field, selector: into, typed: true}, again)
	return nil
}

// controlArgs returns the arguments that identify a control.
func controlArgs(c *Control) (source.Value, error) {
	if c == nil || len(c.Selectors) == 0 {
		return source.Value{}, errors.New("the element has no name")
	}
	v := text("selector", c.Selectors[0])
	if c.Frame != "" {
		v = v.With("frame", str(c.Frame))
	}
	return v, nil
}

// fill records the value of a field for dates, colors and the like.
func (r *recorder) fill(t userAction) error {
	v, err := controlArgs(t.Control)
	if err == nil {
		again := r.test.last().field == t.Field
		r.write(step{lines: []string{line("webType", v.With("text", str(t.Value)))}, field: t.Field, typed: true},
			again)
	}
	return err
}

// choose records the option that was selected in a list.
func (r *recorder) choose(t userAction) error {
	v, err := controlArgs(t.Control)
	if err != nil {
		return err
	}
	for _, o := range t.Control.Options {
		if !o.Chosen {
			continue
		}
		alone := func(of func(Option) string) bool {
			n := 0
			for _, other := range t.Control.Options {
				if of(other) == of(o) {
					n++
				}
			}
			return of(o) != "" && n == 1
		}
		switch {
		case alone(func(o Option) string { return o.Label }):
			v = v.With("label", str(o.Label))
		case alone(func(o Option) string { return o.Value }):
			v = v.With("value", str(o.Value))
		default:
			v = v.With("index", source.Value{Kind: source.Int, Text: fmt.Sprint(o.Index)})
		}
		r.write(step{lines: []string{line("webSelect", v)}}, false)
		return nil
	}
	return errors.New("nothing is chosen in the list")
}

// upload records which files were uploaded, and saves them next to the test. If a click on a button opened the file
// chooser, the step names the button.
func (r *recorder) upload(t userAction) error {
	instead := t.Asked && r.test.last().control != nil && len(r.test.last().lines) == 1
	control := t.Control
	if instead && t.Hidden {
		control = r.test.last().control
	}
	v, err := controlArgs(control)
	if err != nil {
		return err
	}
	list := source.Value{Kind: source.List}
	for _, file := range t.Files {
		name := file.Name
		if data, err := base64.StdEncoding.DecodeString(file.Data); err == nil && len(data) > 0 && r.o.Put != nil {
			if name, err = r.o.Put(file.Name, data); err != nil {
				return err
			}
		} else {
			r.o.Note(fmt.Sprintf("put %s next to the test yourself: it is empty, or too large to be copied", name))
		}
		list.Items = append(list.Items, str(name))
	}
	r.write(step{lines: []string{line("webUpload", v.With("files", list))}}, instead)
	return nil
}

// key records a key that is not text.
func (r *recorder) key(t userAction) error {
	def, _ := dsl.Lookup("press")
	v := fields("keys", str(t.Key))
	if _, err := dsl.Decode(def, v); err != nil {
		return nil // the test syntax has no name for it
	}
	r.write(step{lines: []string{line("press", v)}}, false)
	return nil
}

// recordAnswer records how a dialog was answered, in the window or on the terminal.
func (r *recorder) recordAnswer(ctx context.Context, t userAction) error {
	r.asked = false
	answer := "dismiss"
	if t.Accept {
		answer = "accept"
	}
	v := text("answer", answer)
	if t.Accept && t.Value != "" {
		v = v.With("text", str(t.Value))
	}
	r.write(step{lines: []string{line("alert", v)}}, false)
	return r.o.Devices.Use(ctx, r.device, who, func(ctx context.Context, s *action.Performer) error {
		// it was answered in the window, and the driver has no event of it
		if open, err := client.OpenDialog(ctx, s.Device); open != nil && err == nil {
			_ = s.Device.(drivers.Alerter).AnswerAlert(ctx, open.Buttons[0], "")
		}
		return nil
	})
}

// answer sends a person's answer to the open dialog; the page then reports the result.
func (r *recorder) answer(ctx context.Context, typed string) error {
	return r.o.Devices.Use(ctx, r.device, who, func(ctx context.Context, s *action.Performer) error {
		open, err := client.OpenDialog(ctx, s.Device)
		if open == nil || err != nil {
			return err
		}
		button, content := open.Buttons[0], ""
		switch typed = strings.TrimSpace(typed); {
		case strings.EqualFold(typed, "n"):
			button = open.Buttons[len(open.Buttons)-1]
		case open.Field && !strings.EqualFold(typed, "y"):
			content = typed
		}
		return s.Device.(drivers.Alerter).AnswerAlert(ctx, button, content)
	})
}

// sync records which tabs were opened and closed, and that an action was performed in another tab: tab is its index, or
// -1. It also reports an open dialog.
func (r *recorder) sync(ctx context.Context, tab int) error {
	var tabs []drivers.WebTab
	waiting := false
	see := func(ctx context.Context, s *action.Performer) error {
		open, err := client.OpenDialog(ctx, s.Device)
		if waiting = open != nil; waiting && !r.asked {
			r.asked = true
			how := "y, or n"
			if open.Field {
				how = "y, n, or the text"
			}
			r.o.Note(fmt.Sprintf("dialog of the page: %s (answer it there, or here: %s)", open.Text, how))
		}
		if err == nil && !waiting {
			tabs, err = s.Device.(drivers.WebPageMonitor).Tabs(ctx)
		}
		return err
	}
	if err := r.o.Devices.Use(ctx, r.device, who, see); errors.Is(err, drivers.ErrPage) {
		return errEnd
	} else if err != nil || waiting {
		return err
	}
	r.asked = false
	was := r.tabs
	Remember(was, tabs)
	r.tabs = tabs
	front := -1
	for i := range tabs {
		if tabs[i].Front {
			front = i
		}
	}
	switch {
	case len(tabs) == 0:
		return errEnd
	case was != nil && len(tabs) > len(was) && front >= 0:
		for n := 0; n < 20 && tabs[front].Title == ""; n++ { // it is still loading
			if err := drivers.Pause(ctx, 100*time.Millisecond); err != nil {
				return err
			}
			if err := r.o.Devices.Use(ctx, r.device, who, see); err != nil || waiting || front >= len(tabs) {
				return err
			}
		}
		return r.goTo(ctx, tabs, front)
	case len(tabs) < len(was) && r.closes > 0:
		r.closes--
	case len(tabs) < len(was):
		r.closed(was, tabs)
	}
	if tab >= 0 && tab < len(tabs) && tab != front {
		return r.goTo(ctx, tabs, tab)
	}
	return nil
}

// closed records that a person closed a tab. For a tab in the background the test first switches to it.
func (r *recorder) closed(was, now []drivers.WebTab) {
	gone := 0
	for gone < len(now) && was[gone].URL == now[gone].URL {
		gone++
	}
	var lines []string
	if !was[gone].Front {
		lines = append(lines, line("webTab", Picking(was, gone)[0]))
	}
	lines = append(lines, line("webTab", fields("close", source.Value{Kind: source.Bool, Text: "true"})))
	if last := len(now) - 1; !was[gone].Front && !now[last].Front { // in a test the newest tab comes to the foreground
		for i := range now {
			if now[i].Front {
				lines = append(lines, line("webTab", Picking(now, i)[0]))
			}
		}
	}
	r.write(step{lines: lines}, false)
}

// goTo switches to a tab by its first name that works, and records that.
func (r *recorder) goTo(ctx context.Context, tabs []drivers.WebTab, at int) (err error) {
	for _, v := range Picking(tabs, at) {
		if err = r.call(ctx, "webTab",
			v.With("timeout", source.Value{Kind: source.Int, Text: "3000"})); err == nil {
			r.write(step{lines: []string{line("webTab", v)}}, false)
			return nil
		}
	}
	return err
}
