package client

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/live"
)

// points converts the points in the arguments to pixels of the device.
func (c *Call) points(v source.Value, device string) (source.Value, []string, error) {
	if !slices.Contains(c.Names, "scale") { // "to" is not a point in every action
		return v, nil, nil
	}
	scale := ""
	if f, given := v.Get("scale"); given {
		if scale = f.Value.Text; scale != "picture" && scale != "device" {
			return v, nil, &Refusal{What: fmt.Sprintf("scale cannot be %q", phrase.LimitRunes(scale, 40)),
				Try: `"picture" or "device"`}
		}
		v = v.Without("scale")
	}
	c.mu.Lock()
	s := c.scales[device]
	c.mu.Unlock()
	var notes []string
	for _, key := range []string{"point", "from", "to"} {
		f, given := v.Get(key)
		if !given {
			continue
		}
		at, words, err := s.pointOf(pointText(f.Value), scale)
		if err != nil {
			return v, nil, Plainly(err)
		}
		v = v.With(key, source.Value{Kind: source.String, Text: at})
		if words != "" {
			notes = append(notes, words)
		}
	}
	return v, notes, nil
}

// pointText writes a point of any form as a text.
func pointText(v source.Value) string {
	x, hasX := v.Get("x")
	y, hasY := v.Get("y")
	switch {
	case v.Kind == source.Map && hasX && hasY:
		return x.Value.Text + "," + y.Value.Text
	case v.Kind == source.List && len(v.Items) == 2:
		return v.Items[0].Text + "," + v.Items[1].Text
	}
	return v.Text
}

func hasScale(v source.Value) bool { _, given := v.Get("scale"); return given }

func hasRef(v source.Value) bool { _, given := v.Get("ref"); return given }

// elements converts a text that names an element to a label, or to a reference when it has that form.
func elements(v source.Value) source.Value {
	for _, key := range ElementKeys() {
		if f, given := v.Get(key); given && f.Value.Kind == source.String {
			name := "label"
			if IsRef(f.Value.Text) {
				name = "ref"
			}
			v = v.With(key, source.Value{Kind: source.Map, Fields: []source.Field{{Key: name, Value: f.Value}}})
		}
	}
	return v
}

// nestedRefs reports whether an inner element is given by reference.
func nestedRefs(v source.Value) bool {
	for _, key := range ElementKeys() {
		if f, given := v.Get(key); given && (hasRef(f.Value) || f.Value.Kind == source.String && IsRef(f.Value.Text)) {
			return true
		}
	}
	return false
}

// unreadableTimeout is how long reading a screen is tried again before the client gets a screenshot instead.
const unreadableTimeout = 4 * time.Second

// resolver finds the elements of references on one screen of a device.
type resolver struct {
	client *Client
	device string
	screen *Identified
}

func (s *Client) resolver(device string, on *Identified) *resolver {
	return &resolver{client: s, device: device, screen: on}
}

// inner replaces the references in inner elements.
func (r *resolver) inner(v source.Value) (source.Value, error) {
	for _, key := range ElementKeys() {
		f, given := v.Get(key)
		if !given || !hasRef(f.Value) {
			continue
		}
		if len(f.Value.Fields) > 1 {
			return v, &Refusal{
				What: fmt.Sprintf("in %s, a ref cannot be combined with other keys: it identifies one element already", key)}
		}
		ref, _ := f.Value.Get("ref")
		selector, _, err := r.resolve(ref.Value)
		if err != nil {
			return v, err
		}
		v = v.With(key, selector)
	}
	return v, nil
}

// resolve returns the selector of a reference's element on the current screen.
func (r *resolver) resolve(ref source.Value) (source.Value, ReferencedElement, error) {
	name := strings.TrimPrefix(strings.TrimSpace(ref.Text), "#")
	r.client.mu.Lock()
	was, ok := r.client.Refs.Known(name)
	r.client.mu.Unlock()
	switch {
	case !ok:
		return source.Value{}, was, Stale(phrase.LimitRunes(name, 40), "", "")
	case was.Device != r.device:
		what := fmt.Sprintf("%s is an element of %s, not of %s", name, was.Device, r.device)
		return source.Value{}, was, &Refusal{What: what, Try: "`snapshot` this device, or name the other one"}
	}
	n := r.screen.Locate(was)
	if n == nil {
		return source.Value{}, was, Stale(name, r.client.Foreign(was.Words),
			r.client.successor(was, r.screen.Tree()))
	}
	selector, ok := r.screen.Selector(n)
	if !ok {
		return source.Value{}, was, &Refusal{What: fmt.Sprintf("%s, %s, cannot be distinguished from other elements", name,
			r.client.Foreign(was.Words)), Try: "use a point within its bounds"}
	}
	return selector, was, nil
}

// successor describes the element that probably replaced a missing one.
func (s *Client) successor(was ReferencedElement, t *screen.Tree) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref, what := s.Refs.Successor(was.Device, was, t, s.Mask.Text)
	if ref == "" {
		return ""
	}
	return ref + ", " + s.Foreign(what)
}

// confirmSame fails when the matched element is not that of the reference. It is called immediately before the touch.
func (s *Client) confirmSame(ref string, was ReferencedElement) func(*screen.Tree, screen.Match) error {
	return func(t *screen.Tree, m screen.Match) error {
		sc := s.Refs.Identify(t)
		if n := sc.Locate(was); n == nil || m.Node != n && m.Target != n {
			return &live.InvalidError{Err: Stale(ref, s.Foreign(was.Words), s.successor(was, t))}
		}
		return nil
	}
}
