package dsl

import (
	"fmt"
	"strings"
	"testing"
)

// files makes test files as users write them.
func files(n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = fmt.Appendf(nil, `# test %d
id: login-%d
name: "Login %d: the happy path"
platform: android
tags: [smoke, login]
vars:
  USER: ada-%d@example.com
  PASSWORD: correct horse
steps:
  - launch: {package: com.example.app, force: true}
  - waitStable: {timeoutMs: 5000}
  - tap: Sign in
  - input: ${USER}
  - tap:
      label: Password
      below: {id: email}
  - input: ${PASSWORD}
  - tap: {id: submit, enabled: true, timeoutMs: 3000}
  - waitStable:
  - assert: Welcome
  - assert: {label: Inbox (%d), match: contains, inside: {id: toolbar}}
  - if:
      cond: visible("Rate us") and platform == "android"
      then:
        - tap: Later
      else:
        - waitFor: {gone: Loading, timeoutMs: 30000}
  - copyText: {id: total, as: total}
  - repeat: {times: 3, steps: [{scroll: down}, {assertTrue: total != ""}]}
`, i, i, i, i, i)
	}
	return all
}

// validateAll reads files and looks for everything that can be wrong in them.
func validateAll(tb testing.TB, all [][]byte) {
	for _, src := range all {
		test := parseOne(tb, string(src))
		if err := Link(test, nil); err != nil {
			tb.Fatal(err)
		}
		scope, err := NewScope(test, nil, nil)
		if err != nil {
			tb.Fatal(err)
		}
		if err := CheckVars(test, scope); err != nil {
			tb.Fatal(err)
		}
		if found := Lint(test); len(found) != 0 {
			tb.Fatal(found[0])
		}
		WorstCase(test, scope, StepTimeout)
	}
}

// BenchmarkValidate shows that the time per file does not grow with their number.
func BenchmarkValidate(b *testing.B) {
	for _, n := range []int{1000, 3000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := files(n)
			for b.Loop() {
				validateAll(b, all)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/file")
		})
	}
}

// Work is counted in allocations, which do not depend on the machine: ten times as many files, and ten times as many
// steps in one file, need about ten times as many.
func TestWorkGrowsLinearly(t *testing.T) {
	steps := func(n int) []byte {
		return []byte("id: a\nplatform: web\nsteps:\n  - openBrowser: about:blank\n" +
			strings.Repeat("  - copyText: {id: x, as: t}\n  - tap: {label: \"${t}\", below: y, when: t != \"\"}\n", n))
	}
	for name, work := range map[string]func(int) [][]byte{"files": files, "steps": func(n int) [][]byte {
		return [][]byte{steps(n)}
	}} {
		few, many := work(30), work(300)
		a := testing.AllocsPerRun(1, func() { validateAll(t, few) })
		b := testing.AllocsPerRun(1, func() { validateAll(t, many) })
		if b > 12*a {
			t.Errorf("%s: %.0f allocations for 30, %.0f for 300", name, a, b)
		}
	}
}

// BenchmarkParse reads 1,000 files per round.
func BenchmarkParse(b *testing.B) {
	all := files(1000)
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range all {
			if _, err := Parse("login.yaml", src); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkBind(b *testing.B) {
	test := parseOne(b, string(files(1)[0]))
	scope, err := NewScope(test, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := CheckVars(test, scope); err != nil {
			b.Fatal(err)
		}
	}
}
