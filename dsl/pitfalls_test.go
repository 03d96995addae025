package dsl

import (
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl/source"
)

// TestPitfallKeysIgnoredInSilence: an unknown key is an error at its own place, however right its neighbours
// are.
func TestPitfallKeysIgnoredInSilence(t *testing.T) {
	for src, want := range map[string]string{
		"id: a\nplatform: android\nsteps:\n  - tap: {txet: Greet, id: go}\n": "a.yaml:4:11: unknown key \"txet\"",
		"id: a\nplatform: android\nsteps:\n  - tap:\n      id: go\n      txet: " +
			"Greet\n": "a.yaml:6:7: unknown key \"txet\"",
		"id: a\nplatform: android\nretrys: 3\nsteps:\n  - tap: x\n": "a.yaml:3:1: " +
			"unknown key \"retrys\"",
		"id: a\nplatform: android\nsteps:\n  - if: {cond: \"true\", than: [{tap: x}]}\n": "unknown key \"than\"",
		"id: a\nplatform: android\nsteps:\n  - tap: {label: x, inside: {lable: y}}\n":    "unknown key \"lable\"",
		"id: a\nplatform: android\nblocks: {b: [{tap: {txet: x}}]}\nsteps: [{run: {block: " +
			"b}}]\n": "a.yaml:3:21: unknown key \"txet\"",
	} {
		_, err := Parse("a.yaml", []byte(src))
		var errs source.Errors
		if !errors.As(err, &errs) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", src, err, want)
		}
	}
}

// TestPitfallVariablesLeak: what a block saves stays its own, and a test starts with what it says itself.
func TestPitfallVariablesLeak(t *testing.T) {
	test := parseOne(t, "id: a\nplatform: android\nvars: {A: x}\nsteps: [{tap: x}]\n")
	first, err := NewScope(test, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	first.Set("SAVED", "y")
	first.Set("A", "changed")
	inner, err := first.Block(&Block{Source: test.Source}, nil)
	if err != nil {
		t.Fatal(err)
	}
	inner.Set("INNER", "z")
	if _, leaked := first.Value("INNER"); leaked {
		t.Error("what a block saved is seen outside")
	}
	second, err := NewScope(test, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, leaked := second.Value("SAVED"); leaked {
		t.Error("what one run saved is seen in the next")
	}
	if a, _ := second.Value("A"); a != "x" {
		t.Errorf("a var was changed for the next run: %v", a)
	}
}
