package matchers_test

import (
	"fmt"

	"github.com/onsi/gomega"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/matchers"
)

// expect prints the first line with which an assertion fails.
var expect = gomega.NewGomega(func(message string, _ ...int) { fmt.Println(message) })

func ExampleShow() {
	screen := &page{texts: []string{"Payments", "Welcome, Ada"}} // in a test: a *runner.TestDevice
	expect.Expect(screen).To(matchers.Show("Payments"))
	expect.Expect(screen).NotTo(matchers.Show("Wrong password"))
	// Output:
}

func ExampleHaveElement() {
	screen := &page{texts: []string{"Notes", "Save"}} // in a test: a *runner.TestDevice
	expect.Expect(screen).To(matchers.HaveElement(dsl.Selector{Label: "Save", Below: &dsl.Selector{Label: "Notes"}}))
	// Output:
}

func ExampleHavePassed() {
	matched, err := matchers.HavePassed().Match("something else")
	fmt.Println(matched, err)
	// Output: false this matcher needs a run.Outcome, a []run.Outcome or a *reporters.Result; it got string
}
