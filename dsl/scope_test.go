package dsl

import (
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl/source"
)

func parseOne(t testing.TB, src string) *Test {
	t.Helper()
	tests, err := Parse("test.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return tests[0]
}

func TestScopePrecedence(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nvars: {A: from vars, B: \"${A}!\"}\nsteps:\n  - input: ${A} ${B}\n")
	scope, err := NewScope(test, map[string]string{"A": "from --var"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := Args(test.Steps[0], scope); got != "from --var from --var!" {
		t.Errorf("an override loses: %q", got)
	}
	scope.Set("A", "saved ${B}")
	if got := Args(test.Steps[0], scope); got != "saved ${B} from --var!" {
		t.Errorf("a saved value loses or is expanded again: %q", got)
	}
	args, _, err := Bind(test.Steps[0], scope)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := args.(Input); !ok || got.Text != "saved ${B} from --var!" {
		t.Errorf("%#v", args)
	}
}

func TestOverriddenVarNeedsNoEnvironment(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nvars: {PASSWORD: \"${LOGIN_PASSWORD}\"}\nsteps:\n  - input: ${PASSWORD}\n")
	if _, err := NewScope(test, nil, nil); err == nil {
		t.Error("an unset environment variable passed")
	}
	if _, err := NewScope(test, map[string]string{"PASSWORD": ""}, nil); err != nil {
		t.Error(err)
	}
}

func TestExpandErrorIsPlaced(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nsteps:\n  - input: x\n")
	scope, err := NewScope(test, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = scope.Expand("${NOPE}", source.Pos{File: "test.yaml", Line: 4, Col: 12})
	var e *source.Error
	if !errors.As(err, &e) || e.Pos.Line != 4 || e.Source == nil {
		t.Errorf("%#v", err)
	}
	if got, err := scope.Expand("plain $ $$ $${A}", source.Pos{}); err != nil || got != "plain $ $$ ${A}" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestExpansionIsCapped(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nsteps:\n  - input: "+strings.Repeat("${A}", 2000)+"\n")
	scope, err := NewScope(test, map[string]string{"A": strings.Repeat("x", 1000)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = CheckVars(test, scope)
	if err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("%.200v", err)
	}
	if got := Args(test.Steps[0], scope); !strings.HasPrefix(got, "${A}${A}") {
		t.Errorf("%.40q", got)
	}
}

func TestCheckVarsGivesAll(t *testing.T) {
	test := parseOne(t,
		"id: a\nplatform: web\nsteps:\n  - input: ${A} ${B}\n  - tap: {label: \"${C}\", timeoutMs: \"${D}\"}\n")
	scope, err := NewScope(test, map[string]string{"A": "x", "D": "soon"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	errs, _ := CheckVars(test, scope).(source.Errors)
	if len(errs) != 2 || errs[0].Pos.Line != 4 || errs[1].Pos.Line != 5 {
		t.Errorf("%v", errs)
	}
	if _, _, err := Bind(test.Steps[0], scope); err == nil {
		t.Error("an undefined variable was bound")
	}
	scope.Set("B", "x")
	scope.Set("C", "x")
	errs, _ = CheckVars(test, scope).(source.Errors)
	if len(errs) != 1 || !strings.Contains(errs[0].Msg, `"timeoutMs" must be a whole number`) {
		t.Errorf("%v", errs)
	}
}

// A value that came out of variables is data: what a device or a caller sent must not be read as YAML or as a variable.
func TestValuesAreNotReadAgain(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: web\nsteps:\n  - tap: ${A}\n")
	for _, hostile := range []string{"{label: x}", "null", "true", "- x", "${A}", "a: b", "\x1b[31m", "5"} {
		scope, err := NewScope(test, map[string]string{"A": hostile}, nil)
		if err != nil {
			t.Fatal(err)
		}
		args, _, err := Bind(test.Steps[0], scope)
		if tap, ok := args.(Tap); err != nil || !ok || tap.Label != hostile {
			t.Errorf("%q gave %#v, %v", hostile, args, err)
		}
	}
}
