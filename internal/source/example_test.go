package source_test

import (
	"fmt"

	"github.com/taproot-dev/taproot/internal/source"
)

func ExampleFormat() {
	out, err := source.Format("login.yaml", []byte("id:   login # keep\nsteps:\n- tap:  Sign in\n"))
	fmt.Print(string(out), err)
	// Output:
	// id: login # keep
	// steps:
	//   - tap: Sign in
	// <nil>
}
