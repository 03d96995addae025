package runner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner"
	"github.com/taproot-dev/taproot/runner/matchers"
)

// ExampleRunSuites: a suites_test.go next to YAML tests needs no more than this.
func ExampleRunSuites() {
	_ = func(t *testing.T) { // TestSuites
		runner.RunSuites(t, ".")
	}
}

// ExampleDevice: a spec of Ginkgo has a browser page of its own until it ends.
func ExampleDevice() {
	_ = func(ctx ginkgo.SpecContext) { // of It
		page := runner.Device(ctx, runner.OnWeb())
		page.Open("pages/login.html") // next to this file
		page.Tap("Sign in", runner.Below("Login"), runner.Within(30*time.Second))
		page.Assert("Welcome, Ada")
	}
}

// ExampleTestDevice_Do shows that Do takes any action of package dsl; Try returns its error.
func ExampleTestDevice_Do() {
	_ = func(t *testing.T) {
		phone := runner.DeviceT(t, runner.OnAndroid())
		phone.Launch("com.example.notes")
		phone.Do(dsl.LongPress{Selector: dsl.Selector{Label: "Groceries"}}, runner.Named("select the note"))
		total := phone.Do(dsl.CopyText{Selector: dsl.Selector{Label: "Total"}})
		if _, err := phone.Try(dsl.Tap{Selector: dsl.Selector{Label: "Undo"}}); err != nil {
			t.Logf("there is nothing to undo, the total is %v", total)
		}
	}
}

// ExampleTestDevice_Look: gomega's Eventually waits until the screen shows something.
func ExampleTestDevice_Look() {
	_ = func(t *testing.T) {
		page := runner.DeviceT(t, runner.OnWeb())
		page.Open("https://example.com")
		gomega.NewWithT(t).Eventually(page).WithTimeout(time.Minute).Should(matchers.Show("Example Domain"))
	}
}

// ExampleSight: the zero Sight is a screen that was not read.
func ExampleSight() {
	var seen runner.Sight
	fmt.Println(len(seen.Elements()))
	// Output: 0
}
