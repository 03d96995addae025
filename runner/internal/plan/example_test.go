package plan_test

import (
	"fmt"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

func ExampleBuild() {
	p, err := plan.Build(plan.Options{
		Inline: []plan.Source{{Name: "greet.yaml", Text: []byte("id: greet\nplatform: both\nsteps:\n  - assert: Hello\n")}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range p.Cases {
		fmt.Println(c.Pack, c.Platform)
	}
	// Output:
	// greet--android android
	// greet--ios ios
}
