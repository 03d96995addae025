package dsl

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/taproot-dev/taproot/internal/source"
)

// TestEveryActionCanBeWrittenInGo: the struct that a YAML step becomes makes the same step in Go.
func TestEveryActionCanBeWrittenInGo(t *testing.T) {
	for _, def := range Vocabulary() {
		if def.Control() || def.Interfaces&YAML == 0 || def.Name == "assertTrue" {
			continue
		}
		t.Run(def.Name, func(t *testing.T) {
			platform := def.Platforms[0]
			tests, err := Parse("x.yaml", []byte("id: x\nplatform: "+string(platform)+"\nsteps:\n  - "+
				strings.ReplaceAll(def.Example, "\n", "\n    ")+"\n"))
			if err != nil {
				t.Fatalf("the example is not a test of its own: %v", err)
			}
			step := tests[0].Steps[0]
			scope, err := NewScope(&Test{Source: tests[0].Source}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			args, _, err := Bind(step, scope)
			if err != nil {
				t.Fatalf("the example needs variables: %v", err)
			}
			_, again, err := NewStep(withoutDefaults(args), source.Pos{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(args, again, cmpopts.EquateEmpty(),
				cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGoStepThatIsWrong(t *testing.T) {
	for words, args := range map[string]any{
		"int is not an action":      1,
		"*dsl.Tap is not an action": (*Tap)(nil),
		"<nil> is not an action":    nil,
		"assertTrue is for YAML":    AssertTrue{},
		"repeat is for YAML":        Repeat{},
		"tap: ":                     Tap{},
		"swipe: ":                   Swipe{Direction: "sideways"},
	} {
		if _, _, err := NewStep(args, source.Pos{}, nil); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%#v: %v, want %q", args, err, words)
		}
	}
}

func TestGoStepByPointer(t *testing.T) {
	sel := Selector{Label: "News", Checked: Ptr(true), Index: Ptr(0)}
	one, full, err := NewStep(Tap{Selector: sel}, source.Pos{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, same, err := NewStep(&Tap{Selector: sel}, source.Pos{}, nil)
	if err != nil || one.Def != two.Def || !reflect.DeepEqual(full, same) {
		t.Errorf("%v: %+v, not %+v", err, same, full)
	}
}

// withoutDefaults sets the fields that have their default to nothing, as people who write Go leave them.
func withoutDefaults(args any) any {
	v := reflect.New(reflect.TypeOf(args)).Elem()
	v.Set(reflect.ValueOf(args))
	for i := range v.NumField() {
		if def := v.Type().Field(i).Tag.Get("default"); def != "" && fmt.Sprint(v.Field(i).Interface()) == def {
			v.Field(i).SetZero()
		}
	}
	return v.Interface()
}

func TestGoStepGetsItsDefaults(t *testing.T) {
	step, full, err := NewStep(LongPress{Selector: Selector{Label: "Photo"}}, source.Pos{File: "x_test.go", Line: 2},
		&source.Source{Lines: []string{"", "two"}})
	if err != nil || full.(LongPress).DurationMs != 800 || step.Source().Line(2) != "two" {
		t.Errorf("%+v, %+v, %v", step, full, err)
	}
}
