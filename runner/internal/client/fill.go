package client

import (
	"context"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// fieldsArgument returns the argument with several fields; "" if the call has none.
func (c *Call) fieldsArgument() string {
	f, given := c.Value.Get("fields")
	if !given || !c.is("input") {
		return ""
	}
	return phrase.Plural(len(f.Value.Fields), "field") + " filled in"
}

// fill returns the steps that fill in fields, each named by label, reference or CSS selector, in the given order.
func (c *Call) fill(ctx context.Context, device string, fields source.Value) (steps []step, err error) {
	if fields.Kind != source.Map || len(fields.Fields) == 0 {
		return nil, &Refusal{What: "fields must be an object with a text for each field", Try: "`input fields`"}
	}
	for _, f := range c.Value.Fields {
		if f.Key != "fields" && f.Key != "timeout" {
			return nil, &Refusal{What: f.Key + " cannot be combined with fields", Try: "give fields alone"}
		}
	}
	look := func(name string) *dsl.Def { def, _ := dsl.Lookup(name); return def }
	timeout, timed := c.Value.Get("timeout")
	word := func(kind source.Kind, text string) source.Value { return source.Value{Kind: kind, Text: text} }
	add := func(name string, v source.Value) {
		if timed {
			v = v.With("timeout", timeout.Value)
		}
		steps = append(steps, step{def: look(name), value: v})
	}
	var now *Identified
	for _, f := range fields.Fields {
		if f.Value.Kind == source.Map || f.Value.Kind == source.List {
			return nil, &Refusal{What: fmt.Sprintf("the field %q needs a text", f.Key)}
		}
		text := word(source.String, f.Value.Text)
		element := source.Value{Kind: source.Map, Fields: []source.Field{{Key: "label", Value: word(source.String, f.Key)}}}
		if IsRef(f.Key) && c.isKnownRef(f.Key) {
			if now == nil {
				if now, err = c.Screen(device).readIdentified(ctx); err != nil {
					return nil, err
				}
			}
			if element, _, err = c.resolver(device, now).resolve(word(source.String, f.Key)); err != nil {
				return nil, err
			}
		}
		css, ok := "", false
		if c.platform(device) == dsl.Web {
			if css, ok = selectorOf(f.Key, element); !isCSS(f.Key) {
				if now == nil {
					if now, err = c.Screen(device).readIdentified(ctx); err != nil {
						return nil, err
					}
				}
				if picked := now.Control(element); picked != "" {
					css, ok = picked, true
				}
			}
		}
		if ok {
			add("webType",
				source.Value{Kind: source.Map, Fields: []source.Field{{Key: "selector", Value: word(source.String, css)},
					{Key: "text", Value: text}}})
			continue
		}
		add("tap", element)
		add("input", source.Value{Kind: source.Map, Fields: []source.Field{{Key: "text", Value: text},
			{Key: "replace", Value: word(source.Bool, "true")}}})
	}
	return steps, nil
}

// isCSS reports whether a field is named by a CSS selector.
func isCSS(name string) bool {
	return strings.HasPrefix(name, "#") || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "[=>")
}

// selectorOf converts the name of a field of a page to a CSS selector, if possible.
func selectorOf(name string, element source.Value) (string, bool) {
	if isCSS(name) {
		return name, true
	}
	if len(element.Fields) != 1 {
		return "", false
	}
	switch f := element.Fields[0]; {
	case f.Key == "label" && !strings.ContainsAny(f.Value.Text, "\"\\"):
		return `label="` + f.Value.Text + `"`, true
	case f.Key == "id" && !strings.ContainsAny(f.Value.Text, "\"\\*?"):
		return `[id="` + f.Value.Text + `"]`, true
	}
	return "", false
}
