package dsl_test

import (
	"fmt"

	"github.com/taproot-dev/taproot/dsl"
)

func ExampleParse() {
	tests, err := dsl.Parse("login.yaml",
		[]byte("id: login\nplatform: web\nsteps:\n  - openBrowser: https://example.com\n  - tap: Sign in\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tests[0].ID, tests[0].Platform)

	_, err = dsl.Parse("login.yaml", []byte("id: login\nplatform: web\nsteps:\n  - tapp: Sign in\n"))
	fmt.Println(err)
	// Output:
	// login web
	// login.yaml:4:5: unknown action "tapp"
	//   4 |   - tapp: Sign in
	//           ^^^^ did you mean "tap"?
}
