package dsl

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

func TestVocabulary(t *testing.T) {
	camel := regexp.MustCompile(`^[a-z]+([A-Z][a-z0-9]*)*$`)
	seen := map[string]bool{}
	for _, d := range Vocabulary() {
		t.Run(d.Name, func(t *testing.T) {
			if !camel.MatchString(d.Name) || seen[strings.ToLower(d.Name)] {
				t.Error("the name is not camelCase, or is taken")
			}
			seen[strings.ToLower(d.Name)] = true
			if !strings.HasSuffix(d.Doc, ".") || d.Interfaces == 0 || len(d.Platforms) == 0 {
				t.Errorf("doc %q, interfaces %d, platforms %v", d.Doc, d.Interfaces, d.Platforms)
			}
			if strings.HasPrefix(d.Example, "-") || !strings.HasPrefix(d.Example, d.Name+":") {
				t.Errorf("example %q", d.Example)
			}
			for _, p := range d.Platforms {
				runsOn := "platform: " + string(p)
				if d.Splits() {
					runsOn = "devices: {bob: {platform: " + string(p) + "}}"
				}
				test := parseOne(t, "id: a\n"+runsOn+"\nsteps:\n  - "+d.Example+"\n")
				scope, err := NewScope(test, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				args, _, err := Bind(test.Steps[0], scope)
				if err != nil || reflect.TypeOf(args) != reflect.TypeOf(d.Args) {
					t.Errorf("the example gives %T, %v", args, err)
				}
			}
			if got, ok := Lookup(d.Name); !ok || got.Name != d.Name {
				t.Error("Lookup does not find it")
			}
			checkTags(t, reflect.TypeOf(d.Args))
			for _, option := range vocabulary.ShapeOf(reflect.TypeFor[StepOptions]()).Keys() {
				if option != "name" && vocabulary.ShapeOf(reflect.TypeOf(d.Args)).Has(option) {
					t.Errorf("the argument %q hides the step option", option)
				}
			}
		})
	}
	if _, ok := Lookup("tapp"); ok {
		t.Error("Lookup finds what is not there")
	}
}

func TestOtherStructsHaveTags(t *testing.T) {
	checkTags(t, reflect.TypeFor[StepOptions]())
	checkTags(t, reflect.TypeFor[vocabulary.Header]())
}

// checkTags wants a JSON name for every field, and types that decode knows.
func checkTags(t *testing.T, typ reflect.Type) {
	t.Helper()
	if typ.Kind() != reflect.Struct {
		t.Fatalf("%s is no struct", typ)
	}
	known := []reflect.Kind{reflect.String, reflect.Int, reflect.Bool, reflect.Slice, reflect.Struct, reflect.Float64,
		reflect.Map, reflect.Interface}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			checkTags(t, f.Type)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && f.Tag.Get("keys") == "other" {
			continue // it holds keys that no field has
		}
		if name == "" {
			t.Errorf("%s.%s has no json tag", typ, f.Name)
		}
		elem := f.Type
		if elem.Kind() == reflect.Pointer {
			elem = elem.Elem()
		}
		if !slices.Contains(known, elem.Kind()) {
			t.Errorf("%s.%s: decode does not know %s", typ, f.Name, f.Type)
		}
		optional := strings.HasSuffix(f.Tag.Get("json"), ",omitempty")
		if optional == (f.Tag.Get("required") == "true") {
			t.Errorf("%s.%s: omitempty and required do not fit together", typ, f.Name)
		}
	}
}

func TestForeignWordsLeadToOurs(t *testing.T) {
	for _, word := range []string{"tapOn", "inputText", "assertVisible", "launchApp", "appId", "waitForAnimationToEnd",
		"goto", "fill", "doubleTapOn",
		"eraseText", "scrollUntilVisible", "assertNotVisible", "stopApp", "clearState", "wait", "runFlow", "evalScript",
		"print", "back"} {
		steps, _ := OwnSteps(source.Field{Key: word}, "")
		if len(steps) == 0 {
			t.Errorf("%s leads to nothing", word)
		} else if _, known := Lookup(steps[0].Key); !known {
			t.Errorf("%s leads to %q", word, steps[0].Key)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"tap", "input", "assert", "waitStable", "webType", "id"}
	for word, want := range map[string]string{
		"tapp": "tap", "tpa": "tap", "Tap": "tap", "wait-stable": "waitStable", "wait_stable": "waitStable", "inptu": "input",
		"asert": "assert", "webtype": "webType", "if": "", "swipe": "", "": "", strings.Repeat("x", 5000): "",
	} {
		if got := phrase.Nearest(word, words); got != want {
			t.Errorf("%.20q: %q, want %q", word, got, want)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		Lookup("webAssert")
	}
}

// TestSpellingsOfActions: the documented form of a spelling is a valid step of another action, for the same platforms.
func TestSpellingsOfActions(t *testing.T) {
	spellings := 0
	for _, def := range Vocabulary() {
		if def.Current == "" {
			continue
		}
		spellings++
		tests, err := Parse("a.yaml", []byte("id: a\nplatform: web\nsteps:\n  - "+def.Example+"\n  - "+def.Current+"\n"))
		if err != nil {
			t.Errorf("%s: %v", def.Name, err)
			continue
		}
		current := tests[0].Steps[1].Def
		if current.Current != "" || current.Name == def.Name {
			t.Errorf("%s is a spelling of %s, which is one itself", def.Name, current.Name)
		}
		for _, p := range def.Platforms {
			if !current.On(p) {
				t.Errorf("%s works on %s, and %s does not", def.Name, p, current.Name)
			}
		}
	}
	if spellings < 3 {
		t.Errorf("only %d spellings", spellings)
	}
	for _, s := range vocabulary.PartSpellings() {
		yaml := "id: a\nplatform: web\nsteps:\n  - " + s[0] + "\n  - " + s[1] + "\n"
		if _, err := Parse("a.yaml", []byte(yaml)); err != nil {
			t.Error(err)
		}
	}
}
