package vocabulary

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestPages checks that pages.txt can be read, and that each documented action has a page with a further example, with
// related actions and pages that exist, and says what it waits for if it searches an element.
func TestPages(t *testing.T) {
	all, err := parsePages(pageText)
	if err != nil {
		t.Fatal(err)
	}
	for name := range all {
		if d, known := Lookup(name); !strings.HasPrefix(name, "@") && (!known || d.Current != "") {
			t.Errorf("[%s] is not a documented action", name)
		}
	}
	for _, d := range Vocabulary() {
		if d.Interfaces&YAML == 0 || d.Current != "" {
			continue
		}
		p := d.Page()
		if len(p.Examples) < 2 || len(p.Related) == 0 {
			t.Errorf("%s: %d examples, related %v", d.Name, len(p.Examples), p.Related)
		}
		for _, e := range p.Examples {
			if first, _, _ := strings.Cut(e.Step, ":"); first != d.Name {
				t.Errorf("%s: the example %q is of another action", d.Name, e.Step)
			}
			for _, on := range e.On {
				if !d.On(on) {
					t.Errorf("%s: the example %q is for %s", d.Name, e.Step, on)
				}
			}
		}
		for _, name := range p.Related {
			if r, known := Lookup(name); !known || r.Current != "" || name == d.Name {
				t.Errorf("%s: %s is not a related action", d.Name, name)
			}
		}
		for _, page := range p.See {
			if _, err := os.Stat(filepath.Join("..", "..", "..", "docs", page)); err != nil {
				t.Errorf("%s: %v", d.Name, err)
			}
		}
		shape := ShapeOf(reflect.TypeOf(d.Args))
		if shape.Selects && len(p.Element) == 0 {
			t.Errorf("%s searches an element, and its page does not say what it waits for", d.Name)
		}
		if p.Of != "" && !slices.Contains(shape.Keys(), p.Of) {
			t.Errorf("%s has no key %s", d.Name, p.Of)
		}
	}
}

// TestPagesRejects checks mistakes in the file.
func TestPagesRejects(t *testing.T) {
	for text, want := range map[string]string{
		"fails: a => b":                   "not a part of a page",
		"[tap]\n[tap]":                    "occurs twice",
		"[tap]\nelement: red":             "not a state",
		"[tap]\nexample (tv): tap: a":     "not a platform",
		"[tap]\nfails: no remedy":         "does not say what to do",
		"[tap]\nfails: @missing":          "no @missing above",
		"[tap]\nsomething: else":          "not a part of a page",
		"[tap]\njust words without a key": "not a part of a page",
	} {
		if _, err := parsePages(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
