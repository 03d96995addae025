package dsl_test

import (
	"fmt"

	"github.com/taproot-dev/taproot/dsl"
)

func ExampleLookup() {
	tap, ok := dsl.Lookup("tap")
	fmt.Println(ok, tap.Name, tap.On(dsl.Android), tap.On(dsl.Web))
	_, ok = dsl.Lookup("tapp")
	fmt.Println(ok)
	// Output:
	// true tap true true
	// false
}

func ExampleSuggest() {
	fmt.Println(dsl.Suggest("asert", []string{"assert", "tap", "input"}))
	// Output: assert
}

func ExamplePtr() {
	on := dsl.Selector{Label: "Wi-Fi", Checked: dsl.Ptr(true)}
	fmt.Println(on.Label, *on.Checked)
	// Output: Wi-Fi true
}

func ExampleNewScope() {
	tests, err := dsl.Parse("greet.yaml", []byte(`
id: greet
platform: web
vars: {name: Ada, host: "${HOST}"}
steps:
  - openBrowser: "https://${host}"
  - assert: "Welcome, ${name}"
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	env := func(name string) (string, bool) { return "example.com", name == "HOST" }
	scope, err := dsl.NewScope(tests[0], map[string]string{"name": "Grace"}, env)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range tests[0].Steps {
		fmt.Println(step.Def.Name, dsl.Args(step, scope))
	}
	// Output:
	// openBrowser https://example.com
	// assert Welcome, Grace
}

func ExampleBind() {
	tests, err := dsl.Parse("tap.yaml", []byte("id: t\nplatform: web\nvars: {b: Save}\nsteps:\n  - tap: ${b}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	scope, err := dsl.NewScope(tests[0], nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	args, _, err := dsl.Bind(tests[0].Steps[0], scope)
	fmt.Println(args.(dsl.Tap).Label, err)
	// Output: Save <nil>
}

func ExampleLint() {
	tests, err := dsl.Parse("idle.yaml", []byte("id: t\nplatform: web\nvars: {unused: 1}\nsteps:\n  - tap: Save\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, warning := range dsl.Lint(tests[0]) {
		fmt.Println(warning.Msg)
	}
	// Output:
	// nothing uses the variable "unused"
	// no step before this one opens a page
}

func ExampleKeys() {
	fmt.Println(dsl.Keys(dsl.Input{})[0])
	// Output: text
}
