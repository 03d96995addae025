package maestro

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// Selector says which element is meant. Nil fields ask for nothing.
type Selector struct {
	Text, ID              *string
	Width, Height         *int
	Tolerance             int
	Below, Above          *Selector
	LeftOf, RightOf       *Selector
	Child                 *Selector
	Descendants           []*Selector
	ChildOf               *Selector
	Traits                []string `js:"-"`
	Index                 *string
	Enabled, Checked      *bool
	Selected, Focused     *bool
	CSS                   *string
	Optional              bool
	point                 string
	repeat, delay, settle *int
	retry, untilVisible   bool
}

// names reports whether the selector has any condition.
func (s *Selector) names() bool {
	return s.Text != nil || s.ID != nil || s.Width != nil || s.Height != nil || s.Below != nil || s.Above != nil ||
		s.LeftOf != nil ||
		s.RightOf != nil || s.Child != nil || s.Descendants != nil || s.Traits != nil || s.Index != nil || s.Enabled != nil ||
		s.Selected != nil || s.Checked != nil || s.Focused != nil || s.ChildOf != nil || s.CSS != nil
}

// emptyPattern fits nothing but an empty text: a selector of Taproot cannot express that as a text.
const emptyPattern = "(?:)"

// Lower returns the selector as a selector of Taproot. Its texts are filled in already. An index that is not a number
// is an error.
func (s *Selector) Lower() (dsl.Selector, error) {
	d := dsl.Selector{Match: dsl.MatchMaestro, Enabled: s.Enabled, Checked: s.Checked, Selected: s.Selected,
		Focused: s.Focused, Traits: s.Traits}
	d.Label, d.ID = pattern(s.Text), pattern(s.ID)
	if s.CSS != nil {
		d.CSS = *s.CSS
	}
	if s.Width != nil || s.Height != nil {
		d.Size = &dsl.Size{Width: s.Width, Height: s.Height, Tolerance: s.Tolerance}
	}
	if s.Index != nil {
		n, err := strconv.ParseFloat(strings.TrimSpace(*s.Index), 64)
		if err != nil {
			return d, fmt.Errorf("the index %q is not a number", *s.Index)
		}
		i := int(n)
		d.Index = &i
	}
	for _, r := range []struct {
		from *Selector
		to   **dsl.Selector
	}{{s.Below, &d.Below}, {s.Above, &d.Above}, {s.LeftOf, &d.LeftOf}, {s.RightOf, &d.RightOf}, {s.Child, &d.Child},
		{s.ChildOf, &d.Inside}} {
		if r.from == nil {
			continue
		}
		inner, err := r.from.Lower()
		if err != nil {
			return d, err
		}
		*r.to = &inner
	}
	for _, held := range s.Descendants {
		inner, err := held.Lower()
		if err != nil {
			return d, err
		}
		d.Contains = append(d.Contains, inner)
	}
	return d, nil
}

func pattern(text *string) string {
	switch {
	case text == nil:
		return ""
	case *text == "":
		return emptyPattern
	case strings.TrimSpace(*text) == "":
		return "(?:" + *text + ")" // a label of blanks alone is a mistake elsewhere
	}
	return *text
}

// selectors reads the selectors of a file.
type selectors struct{ values }

// selector reads a text, or a map of criteria.
func (r selectors) selector(v source.Raw, what string) *Selector {
	switch v.Kind {
	case source.String:
		text := yamlText(v)
		return &Selector{Text: &text}
	case source.Map:
	default:
		r.fail(v.Pos, 0, fmt.Sprintf("%q needs an element: a text or a map", what),
			`for example "text: Sign in" or "id: submit"`)
		return &Selector{}
	}
	s := &Selector{}
	r.keys(v, what, selectorKeys, true)
	for _, f := range v.Fields {
		r.criterion(s, f)
	}
	return s
}

var selectorKeys = words(
	"text id width height tolerance optional retryTapIfNoChange waitUntilVisible point start end below above leftOf " +
		"rightOf " +
		"containsChild containsDescendants traits index enabled selected checked focused repeat delay " +
		"waitToSettleTimeoutMs childOf label css")

func (r selectors) criterion(s *Selector, f source.RawField) {
	if f.Value.Kind == source.Null {
		return // as if it were not there
	}
	switch f.Key {
	case "text":
		s.Text = r.resolved(f)
	case "id":
		s.ID = r.resolved(f)
	case "css":
		s.CSS = r.resolved(f)
	case "index":
		s.Index = r.resolved(f)
	case "point":
		if text := r.resolved(f); text != nil {
			s.point = *text
		}
	case "width":
		s.Width = r.whole(f)
	case "height":
		s.Height = r.whole(f)
	case "tolerance":
		if n := r.whole(f); n != nil {
			s.Tolerance = *n
		}
	case "repeat":
		s.repeat = r.whole(f)
	case "delay":
		s.delay = r.whole(f)
	case "waitToSettleTimeoutMs":
		s.settle = r.whole(f)
	case "optional":
		s.Optional = r.truth(f, false)
	case "retryTapIfNoChange":
		s.retry = r.truth(f, false)
	case "waitUntilVisible":
		s.untilVisible = r.truth(f, false)
	case "enabled":
		s.Enabled = r.state(f)
	case "selected":
		s.Selected = r.state(f)
	case "checked":
		s.Checked = r.state(f)
	case "focused":
		s.Focused = r.state(f)
	case "below":
		s.Below = r.selector(f.Value, f.Key)
	case "above":
		s.Above = r.selector(f.Value, f.Key)
	case "leftOf":
		s.LeftOf = r.selector(f.Value, f.Key)
	case "rightOf":
		s.RightOf = r.selector(f.Value, f.Key)
	case "containsChild":
		s.Child = r.selector(f.Value, f.Key)
	case "childOf":
		s.ChildOf = r.selector(f.Value, f.Key)
	case "containsDescendants":
		s.Descendants = []*Selector{}
		if f.Value.Kind != source.List {
			r.fail(f.Value.Pos, f.Value.Width, `"containsDescendants" takes a list`, `start each of its entries with "- "`)
		}
		for _, item := range f.Value.Items {
			s.Descendants = append(s.Descendants, r.selector(item, f.Key))
		}
	case "traits":
		s.Traits = r.traits(f)
	}
}

func (r selectors) traits(f source.RawField) []string {
	text := r.resolved(f)
	if text == nil {
		return nil
	}
	var all []string
	for _, word := range strings.Split(*text, " ") {
		trait := strings.ReplaceAll(strings.ToLower(word), "_", "-")
		switch trait {
		case "text", "square", "long-text":
			all = append(all, trait)
		default:
			r.fail(f.Value.Pos, f.Value.Width, fmt.Sprintf("there is no trait %q", word), "there are text, square and long-text")
		}
	}
	return all
}

func (r selectors) crop(f source.RawField) *Selector {
	if x, given := f.Value.Get("cropOn"); given && x.Value.Kind != source.Null {
		return r.selector(x.Value, x.Key)
	}
	return nil
}
