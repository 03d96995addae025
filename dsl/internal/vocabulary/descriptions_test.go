package vocabulary

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestDescriptions checks that each field of a struct that people write has a description, and that descriptions.txt
// describes no field that does not exist.
func TestDescriptions(t *testing.T) {
	left, err := parseDescriptions(descriptionText)
	if err != nil {
		t.Fatal(err)
	}
	roots := []reflect.Type{reflect.TypeFor[StepOptions](), reflect.TypeFor[Header](), reflect.TypeFor[BlockFile](),
		reflect.TypeFor[NamedBlock](), reflect.TypeFor[Suite](), SelectorType, reflect.TypeFor[Point](),
		reflect.TypeFor[Need](), reflect.TypeFor[ActionFile](), reflect.TypeFor[Param]()}
	for _, d := range Vocabulary() {
		roots = append(roots, reflect.TypeOf(d.Args))
	}
	seen := map[reflect.Type]bool{}
	for len(roots) > 0 {
		typ := roots[0]
		roots = roots[1:]
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			roots = append(roots, typ.Elem())
			continue
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			continue
		}
		seen[typ] = true
		if typ == reflect.TypeFor[Property]() {
			continue // a list of pairs that is written as a map of any keys
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if named, _, given := strings.Cut(f.Tag.Get("spelling"), "="); f.Anonymous && given {
				delete(left[typ.Name()], named) // a key of the embedded struct that means more here
			}
			if f.Anonymous || key != "" && key != "-" {
				roots = append(roots, f.Type)
			}
			if key == "" || key == "-" {
				continue
			}
			if left[typ.Name()][key].doc == "" {
				t.Errorf("%s.%s has no description", typ.Name(), key)
			}
			delete(left[typ.Name()], key)
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(left)) {
		for key := range left[typ] {
			t.Errorf("descriptions.txt describes %s.%s, which does not exist", typ, key)
		}
	}
}

func TestParseDescriptionsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"key: text":            "is not the description of a field",
		"[Tap]\nkey":           "is not the description of a field",
		"[Tap]\nkey (x): text": "is neither (tool) nor (example)",
	} {
		if _, err := parseDescriptions(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
