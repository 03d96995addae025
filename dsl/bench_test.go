package dsl

import (
	"fmt"
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
`, i, i, i, i, i)
	}
	return all
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
